// What the node says of itself from its first moment on: state, health (spec 4.9; decisions part 5).

import { route } from '../route.ts'
import { HealthReply, StateReply } from '../schemas/core.ts'

const state = route({
  id: 'state.read',
  method: 'GET',
  path: '/state',
  kind: 'json',
  scope: 'read',
  whileUpgrading: true,
  tag: 'core',
  summary: 'State of the core',
  choices: [
    '`last_exception` is the newest unhandled exception, kept until the next start.',
    '`volumes` is extra. What waits for a stalled volume gets 503 VolumeStalled; everything else goes on. The volume of the state directory is excepted: without it the node cannot work.',
  ],
  parameters: null,
  reply: StateReply,
  errors: [],
  sample: { path: '/state', status: 200 },
  run: ({ services }) => services.state.read(),
})

const health = route({
  id: 'health.read',
  method: 'GET',
  path: '/healthz',
  kind: 'json',
  scope: 'open',
  tag: 'core',
  summary: 'Answers while the node runs',
  choices: ['The whole route is extra. It needs no key.'],
  parameters: null,
  reply: HealthReply,
  errors: [],
  sample: { path: '/healthz', status: 200 },
  run: () => ({ status: 'ok' as const }),
})

/** Every route of this file. */
export const stateRoutes = [state, health] as const
