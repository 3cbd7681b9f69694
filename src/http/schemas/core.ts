// JSON schemas of state, events and the error envelope (spec 2.14, 4.9, 7).

import { Type } from '@sinclair/typebox'

/** GET /state. */
export const StateReply = Type.Object({
  state: Type.Union([Type.Literal('STARTING'), Type.Literal('UPGRADING'), Type.Literal('STARTED')]),
  last_exception: Type.Union([Type.String(), Type.Null()]),
  volumes: Type.Array(
    Type.Object({
      mount: Type.String({ description: 'where it is mounted' }),
      stalled: Type.Boolean({ description: 'a call has waited for its answer for more than five seconds' }),
      silent: Type.Number({ description: 'seconds that the oldest call waits for its answer; 0 = none waits' }),
      waiting: Type.Integer({ description: 'calls that wait for their turn' }),
      state_directory: Type.Boolean({
        description: 'it has the state directory: never held back for others, and never said to be stalled',
      }),
    }),
    { description: 'extra: volumes (mounted file systems) in use by downloads' },
  ),
})

/** Query of GET /events. */
export const EventsParameters = Type.Object({
  since: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'the id of the last event seen' }),
  ),
  downloads: Type.Optional(
    Type.Boolean({ description: 'a boolean: tell the list of downloads too, and how it changes' }),
  ),
})

/** GET /healthz. */
export const HealthReply = Type.Object({ status: Type.Literal('ok') })

/** Spec part 7. */
export const ErrorSchema = Type.Object({
  error: Type.Object({
    handled: Type.Boolean({ description: 'false for a bug of the node, true for an error the client can act on' }),
    code: Type.String(),
    message: Type.String(),
  }),
})
