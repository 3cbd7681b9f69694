// The route that stops the node (extra, decisions part 7).

import { Type } from '@sinclair/typebox'
import { route } from '../route.ts'

const ShutdownReply = Type.Object({
  shutdown: Type.Literal(true, {
    description: 'The node stops in order; it was asked for, so it is not started again by itself.',
  }),
})

export const shutdown = route({
  id: 'shutdown.run',
  method: 'PUT',
  path: '/shutdown',
  kind: 'json',
  scope: 'admin',
  tag: 'core',
  summary: 'Stops the node',
  choices: ['The whole route is extra. The node ends as it does on SIGTERM, with exit code 0, within five seconds.'],
  parameters: null,
  reply: ShutdownReply,
  errors: [],
  sample: { path: '/shutdown', body: {}, status: 200 },
  run: ({ services }) => {
    services.shutdown.shutDown()
    return { shutdown: true as const }
  },
})

/** Every route of this file. */
export const shutdownRoutes = [shutdown] as const
