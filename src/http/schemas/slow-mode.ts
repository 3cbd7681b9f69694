// JSON schemas of slow mode (extra, decision 0557).

import { Type } from '@sinclair/typebox'

const MAX_RATE = 1_000_000_000_000

const rate = (way: string) =>
  Type.Integer({
    minimum: 0,
    maximum: MAX_RATE,
    description: `bytes a second ${way} by all downloads together while it is on; 0 = no limit`,
  })

const properties = {
  enabled: Type.Boolean({ description: 'a boolean: its limits are in force' }),
  max_download_rate: rate('down'),
  max_upload_rate: rate('up'),
  schedule_enabled: Type.Boolean({ description: 'a boolean: the schedule switches it' }),
  schedule: Type.Array(Type.String({ maxLength: 128, description: 'a line such as mon-fri 08:00-18:00' }), {
    maxItems: 100,
    description: 'a list of lines: when it is on, in the time zone; an end before its begin is of the next day',
  }),
  time_zone: Type.String({ maxLength: 64, description: 'an IANA time zone; empty = that of the machine' }),
}

/** GET and PATCH /slowmode. */
export const SlowModeReply = Type.Object({
  ...properties,
  next_change: Type.Union([Type.Integer(), Type.Null()], {
    description: 'when the schedule switches next, seconds since 1970; null = it does not',
  }),
})

/** Body of PATCH /slowmode. */
export const SlowModeParameters = Type.Partial(Type.Object(properties))
