// What users ask of the media server: requests by name. Each rejects with ApiError.

import { NodeApi } from '../../../../web/node/api.ts'
import { session } from '../../../../web/node/context.ts'
import type { DlnaDevice, DlnaRoutes, DlnaState } from '../../client/routes.ts'

const api = new NodeApi<DlnaRoutes>(session.node)

/** What is served, and which devices were given links. */
export interface DlnaNow {
  readonly state: DlnaState
  readonly devices: readonly DlnaDevice[]
}

/** Both, as they are. */
export async function dlnaNow(signal?: AbortSignal): Promise<DlnaNow> {
  const [state, { devices }] = await Promise.all([
    api.call('GET /dlna', { signal }),
    api.call('GET /dlna/devices', { signal }),
  ])
  return { state, devices }
}

/** The switch. */
export async function enable(enabled: boolean): Promise<void> {
  await session.api.call('POST /settings', { parameters: { dlna: { enabled } } })
}

/** Ends its links, and answers it nothing more. */
export async function block(device: string): Promise<void> {
  await api.call('POST /dlna/devices/{device}/block', { path: { device } })
}

/** Lets it back in. */
export async function allow(device: string): Promise<void> {
  await api.call('POST /dlna/devices/{device}/allow', { path: { device } })
}

/** Forgets it: its links end for ever. */
export async function forget(device: string): Promise<void> {
  await api.call('DELETE /dlna/devices/{device}', { path: { device } })
}
