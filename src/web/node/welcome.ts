// What the welcome asks of the node.

import { isService, limitsFor } from '../model/line-share.ts'
import { session } from './context.ts'

/** What is so before anything was chosen. */
export interface Beginning {
  /** Where new downloads go. */
  readonly folder: string
  /** A flag or the environment holds the folder, or a limit. */
  readonly heldFolder: boolean
  readonly heldLimits: boolean
  readonly service: boolean
}

/**
 * Whether this is the first sign-in of a node that nobody has used: the key that was made for this browser is the only
 * one, and nothing was added. No for a key that may not see the keys.
 */
export async function isFirstVisit(signal: AbortSignal): Promise<boolean> {
  const { keys } = await session.api.call('GET /keys', { signal })
  if (keys.length !== 1 || keys[0]?.name !== session.device) return false
  const parameters = { limit: 1, fields: ['infohash'] }
  return (await session.api.call('GET /downloads', { parameters, signal })).downloads.length === 0
}

/** What is set now. */
export async function beginning(signal: AbortSignal): Promise<Beginning> {
  const { file, settings } = await session.api.call('GET /settings/effective', { signal })
  const isHeld = (section: string, option: string): boolean => {
    const source = settings[section]?.[option]?.source
    return source === 'flag' || source === 'environment'
  }
  const folder: unknown = settings['download_defaults']?.['saveas']?.value
  return {
    folder: typeof folder === 'string' ? folder : '',
    heldFolder: isHeld('download_defaults', 'saveas'),
    heldLimits: isHeld('libtorrent', 'max_download_rate') || isHeld('libtorrent', 'max_upload_rate'),
    service: isService(file),
  }
}

/** Sets what was chosen: '' and 0 leave as it is. Rejects with ApiError. */
export async function setBeginning(
  folder: string,
  line: { readonly down: number; readonly up: number },
): Promise<void> {
  const { down, up } = limitsFor(line)
  const limits = {
    ...(down === null ? {} : { max_download_rate: down }),
    ...(up === null ? {} : { max_upload_rate: up }),
  }
  const parameters = {
    ...(folder === '' ? {} : { download_defaults: { saveas: folder } }),
    ...(down === null && up === null ? {} : { libtorrent: limits }),
  }
  if (Object.keys(parameters).length > 0) await session.api.call('POST /settings', { parameters })
}
