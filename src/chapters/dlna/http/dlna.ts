// Routes of the media server for players in the local network: what it serves, and which devices were given links.
// All are extras. What players themselves ask comes to a listener of its own (service/media-requests.ts).

import { routeWith } from '../../../http/route.ts'
import type { DlnaRouteServices } from '../service/dlna-api.ts'
import { DeviceReply, DevicesReply, DlnaReply, ForgottenReply } from './dlna-schemas.ts'

const route = routeWith<DlnaRouteServices>()

const common = { kind: 'json', tag: 'dlna', scope: 'admin', parameters: null } as const
const ONE = '/dlna/devices/{device}'
const SAMPLE = '/dlna/devices/0123456789ab'
const CHANGE_ERRORS = ['DeviceNotFound', 'StateUnreadable', 'DiskFull', 'DiskError', 'NotReady'] as const

function deviceOf(path: Readonly<Record<string, string>>): string {
  return path['device'] ?? ''
}

const state = route({
  ...common,
  id: 'dlna.state',
  method: 'GET',
  path: '/dlna',
  summary: 'Whether players in the local network are served, and where',
  choices: ['Extra. It is switched by the setting dlna.enabled.'],
  reply: DlnaReply,
  errors: [],
  sample: { path: '/dlna', status: 200 },
  run: ({ services }) => services.dlna.state(),
})

const devices = route({
  ...common,
  id: 'dlna.devices',
  method: 'GET',
  path: '/dlna/devices',
  summary: 'Devices of the local network that were given links to files',
  choices: [
    'Extra. Those seen last first; at most 128. The links of a device are signed with a key of its own and have no end.',
  ],
  reply: DevicesReply,
  errors: ['StateUnreadable', 'NotReady'],
  sample: { path: '/dlna/devices', status: 200 },
  run: async ({ services }) => ({ devices: await services.dlna.devices() }),
})

const block = route({
  ...common,
  id: 'dlna.block',
  method: 'POST',
  path: `${ONE}/block`,
  summary: 'Ends the links of a device, and answers it nothing more',
  choices: ['Extra. What it reads just now is cut. The address it has stays blocked until it is allowed or forgotten.'],
  reply: DeviceReply,
  errors: CHANGE_ERRORS,
  sample: { path: `${SAMPLE}/block`, status: 200 },
  run: async ({ services }, { path }) => ({ device: await services.dlna.allow(deviceOf(path), false) }),
})

const allow = route({
  ...common,
  id: 'dlna.allow',
  method: 'POST',
  path: `${ONE}/allow`,
  summary: 'Lets a blocked device back in',
  choices: ['Extra. Its links hold again.'],
  reply: DeviceReply,
  errors: CHANGE_ERRORS,
  sample: { path: `${SAMPLE}/allow`, status: 200 },
  run: async ({ services }, { path }) => ({ device: await services.dlna.allow(deviceOf(path), true) }),
})

const forget = route({
  ...common,
  id: 'dlna.forget',
  method: 'DELETE',
  path: ONE,
  summary: 'Forgets a device: its links end for ever',
  choices: ['Extra. When it asks again it is a new one, with other links.'],
  reply: ForgottenReply,
  errors: CHANGE_ERRORS,
  sample: { path: SAMPLE, status: 200 },
  run: ({ services }, { path }) => services.dlna.forget(deviceOf(path)),
})

/** All of them, in the order of the documentation. */
export const dlnaRoutes = [state, devices, block, allow, forget] as const
