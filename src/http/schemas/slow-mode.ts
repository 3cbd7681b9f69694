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
}

/** GET and PATCH /slowmode. */
export const SlowModeReply = Type.Object(properties)

/** Body of PATCH /slowmode. */
export const SlowModeParameters = Type.Partial(Type.Object(properties))
