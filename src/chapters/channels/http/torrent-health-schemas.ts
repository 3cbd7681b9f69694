// JSON schemas of the health of a torrent of a channel: everything here is extra.

import { Type } from '@sinclair/typebox'

/** Parameters of GET /torrents/{infohash}/health. */
export const HealthParameters = Type.Object({
  refresh: Type.Optional(
    Type.Boolean({ description: 'a boolean: ask even if that was done within the last four hours', default: false }),
  ),
  timeout: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 60, description: 'a number of seconds from 1 to 60', default: 20 }),
  ),
})

const Row = Type.Object({
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  seeders: Type.Integer({ minimum: 0 }),
  leechers: Type.Integer({ minimum: 0 }),
})

/** GET /torrents/{infohash}/health. */
export const HealthReply = Type.Object({
  health: Type.Record(
    Type.String(),
    Type.Union([Type.Array(Row), Type.Object({ error: Type.String({ description: 'why it told nothing' }) })]),
    { description: 'by source: the URL of a tracker, `DHT`, or `db` for what was learned before' },
  ),
})
