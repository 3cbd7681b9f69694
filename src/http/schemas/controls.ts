// JSON schemas of what users ask of a download beside the specification (decision 0260): every field here is extra.

import { Type } from '@sinclair/typebox'

const Limit = (way: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000_000,
      description: `bytes a second ${way}, 0 = no limit of its own`,
    }),
  )

/** What PUT, POST and PATCH take alike. */
export const controlProperties = {
  max_download_speed: Limit('down'),
  max_upload_speed: Limit('up'),
  seeding_ratio: Type.Optional(
    Type.Number({
      minimum: -2,
      maximum: 1_000_000,
      description: 'uploaded / downloaded at which seeding ends; -1 = never, -2 = as the settings say',
    }),
  ),
  seeding_time: Type.Optional(
    Type.Integer({
      minimum: -2,
      maximum: 100_000_000,
      description: 'minutes of seeding after which it ends; -1 = never, -2 = as the settings say',
    }),
  ),
  file_priorities: Type.Optional(
    Type.Array(Type.Integer({ minimum: -1, maximum: 7, description: 'a priority from -1 to 7' }), {
      maxItems: 200_000,
      description: 'a list of priorities by file index: 0 = not fetched, 1 (last) to 7 (first), -1 = as it is',
    }),
  ),
  sequential: Type.Optional(Type.Boolean({ description: 'a boolean: pieces in their order' })),
  super_seeding: Type.Optional(
    Type.Boolean({ description: 'a boolean: once complete, tell each peer of a few pieces only (BEP 16)' }),
  ),
  overwrite: Type.Optional(
    Type.Boolean({
      description: 'a boolean: files that are not of the download and lie in its places are written over',
    }),
  ),
  watch_and_forget: Type.Optional(
    Type.Boolean({
      description: 'a boolean: only what is read is fetched, and the download goes hours after its last reader',
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.String({ maxLength: 256, description: 'a label' }), {
      maxItems: 256,
      description: 'a list of at most 32 labels; it replaces those there are',
    }),
  ),
}

/** What a download record shows of it. */
export const controlFields = {
  labels: Type.Array(Type.String(), { description: 'extra' }),
  sequential: Type.Boolean({ description: 'extra: pieces in their order' }),
  super_seeding: Type.Boolean({ description: 'extra: once complete, each peer hears of a few pieces only' }),
  watch_and_forget: Type.Boolean({
    description: 'extra: only what is read is fetched and kept for a while; it goes hours after the last reader',
  }),
  seeding_ratio: Type.Number({ description: 'extra: its own limit; -1 = none, -2 = as the settings say' }),
  seeding_time: Type.Integer({ description: 'extra: its own limit, minutes; -1 = none, -2 = as the settings say' }),
  moving_to: Type.String({ description: 'extra: folder its files are on their way to; empty = none' }),
  time_finished: Type.Integer({
    minimum: 0,
    description: 'extra: when all that was chosen was there for the first time, seconds since 1970; 0 = never',
  }),
  time_scrubbed: Type.Integer({
    description:
      'extra: when all of it was last hashed in the background (disk.scrub_days), seconds since 1970; 0 = never',
  }),
}

/** Body of PUT and DELETE /downloads/{infohash}/trackers. */
export const TrackerParameters = Type.Object({
  url: Type.String({ description: 'an announce URL: http, https or udp' }),
})

/** Body of PATCH /downloads/{infohash}/trackers. */
export const TrackerChangeParameters = Type.Object({
  url: Type.String({ description: 'the announce URL of a tracker of the download' }),
  new_url: Type.Optional(Type.String({ description: 'its announce URL from now on: http, https or udp' })),
  tier: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 256,
      description: 'a tier from 0, which is asked first, to the number of tiers, which makes one of its own',
    }),
  ),
})
/** PATCH /downloads/{infohash}/trackers. */
export const TrackerChangedReply = Type.Object({ changed: Type.Boolean() })

/** Body of PATCH /downloads/{infohash}/files. */
export const RenameParameters = Type.Object({
  path: Type.Optional(
    Type.String({ description: "the path of a file or folder below the torrent's folder; absent = that folder" }),
  ),
  name: Type.String({ description: 'the name it gets, without a path' }),
})
/** PATCH /downloads/{infohash}/files. */
export const RenamedReply = Type.Object({ renamed: Type.Boolean() })

/** Body of PUT /downloads/{infohash}/tracker_force_announce. */
export const ForceAnnounceParameters = Type.Object({
  url: Type.Optional(Type.String({ description: 'an announce URL; absent = all trackers' })),
})

/** Body of PUT /downloads/{infohash}/peers. */
export const PeerParameters = Type.Object({
  address: Type.String({ description: 'IP address and port of a peer: 192.0.2.1:6881 or [2001:db8::1]:6881' }),
})
/** PUT /downloads/{infohash}/peers. */
export const PeerAddedReply = Type.Object({ added: Type.Boolean() })

/** PUT /downloads/{infohash}/trackers. */
export const TrackerAddedReply = Type.Object({ added: Type.Boolean() })
/** DELETE /downloads/{infohash}/trackers. */
export const TrackerRemovedReply = Type.Object({ removed: Type.Boolean() })
/** PUT /downloads/{infohash}/tracker_force_announce. */
export const ForcedReply = Type.Object({ forced: Type.Boolean() })

/** GET /downloads/{infohash}/magnet. */
export const MagnetReply = Type.Object({ magnet: Type.String({ description: 'a magnet link' }) })

const words = (description: string) => Type.Optional(Type.String({ description }))

/** What the sentence of a reason names. */
export const ReasonParametersSchema = Type.Object(
  {
    tracker: words('the host of a tracker'),
    words: words('what that tracker said, or why nothing came from it: one line'),
    place: Type.Optional(Type.Integer({ minimum: 1, description: 'its place among those that wait' })),
    mount: words('where a volume is mounted'),
    failure: words('how the last circuit failed'),
    error: words('what went wrong'),
    files: words('files, and what happened to them'),
  },
  { description: 'what its sentence names' },
)

/** GET /downloads/{infohash}/explain. */
export const ExplainReply = Type.Object({
  infohash: Type.String(),
  status: Type.String({ description: 'the download status' }),
  moving: Type.Boolean({ description: 'payload goes in or out now' }),
  time_seeded: Type.Integer({ minimum: 0, description: 'seconds it has seeded, all time' }),
  reasons: Type.Array(
    Type.Object({
      code: Type.String({ description: 'stable' }),
      message: Type.String({ description: 'for people' }),
      parameters: Type.Optional(ReasonParametersSchema),
    }),
    { description: 'the one that counts most first; empty when nothing is in the way' },
  ),
  web_seeds: Type.Array(
    Type.Object({
      url: Type.String(),
      state: Type.String({
        description: 'idle, active, waiting, or off: not asked any more, or not for a long time',
      }),
      speed_down: Type.Number({ description: 'bytes/s' }),
      total_down: Type.Number({ description: 'bytes since the download was started' }),
      error: Type.String({ description: 'how the last request failed; empty when it did not' }),
      retry_in: Type.Number({ description: 'seconds until it is asked again; 0 = now, or never' }),
    }),
    { description: 'servers that its files are fetched from (BEP 19)' },
  ),
})
