// JSON schemas of the rates of a download as they were: everything here is extra.

import { Type } from '@sinclair/typebox'

const Rates = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description })

/** How far back. */
export const RatesParameters = Type.Object({
  range: Type.Optional(
    Type.Union([Type.Literal('hour'), Type.Literal('day'), Type.Literal('month')], { description: 'default hour' }),
  ),
})

/** Averages, the oldest first. */
export const RatesReply = Type.Object({
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  range: Type.Union([Type.Literal('hour'), Type.Literal('day'), Type.Literal('month')]),
  start: Type.Integer({ description: 'when the first number begins: Unix time, seconds' }),
  step: Type.Integer({ minimum: 1, description: 'seconds that each number is the average of' }),
  speed_down: Rates('bytes of content a second that came in'),
  speed_up: Rates('bytes of content a second that went out'),
})
