// JSON schemas of the queue (extra, decision 0558).

import { Type } from '@sinclair/typebox'
import { MAX_MOVED, QUEUE_STEPS } from '../../services/downloads/queue/queue-api.ts'

/** Body of PATCH /queue. */
export const QueueParameters = Type.Object({
  infohashes: Type.Array(Type.String({ minLength: 40, maxLength: 64, pattern: '^[0-9A-Fa-f]+$' }), {
    minItems: 1,
    maxItems: MAX_MOVED,
    description: 'a list of info hashes: those that are moved, which keep their order',
  }),
  move: Type.Optional(
    Type.Union(
      QUEUE_STEPS.map(step => Type.Literal(step)),
      { description: 'top, up, down or bottom; up and down by one place' },
    ),
  ),
  position: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'so that the first of them has this place, from 0',
    }),
  ),
  before: Type.Optional(
    Type.String({ minLength: 40, maxLength: 64, description: 'before the download of this info hash' }),
  ),
})

/** Reply of PATCH /queue. */
export const QueueReply = Type.Object({
  modified: Type.Boolean({ description: 'false: they were there' }),
  downloads: Type.Array(
    Type.Object({ infohash: Type.String(), queue_position: Type.Integer({ minimum: 0, description: 'from 0' }) }),
  ),
})
