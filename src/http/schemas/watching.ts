// JSON schemas of films that were begun: everything here is extra.

import { Type } from '@sinclair/typebox'

/** Of films, seconds; longer than any. */
const MAX_SECONDS = 10_000_000

const Seconds = (description: string) => Type.Number({ minimum: 0, maximum: MAX_SECONDS, description })

const members = {
  fileindex: Type.Integer({ minimum: 0 }),
  name: Type.String({ description: 'path in the torrent, at most 300 characters; empty: the file was never begun' }),
  position: Seconds('where it was left, seconds'),
  duration: Type.Union([Seconds('seconds'), Type.Null()], { description: 'null: no player has said' }),
  watched: Type.Boolean({ description: 'once within the last tenth, or marked by hand' }),
  continue_at: Seconds('where playing goes on, seconds; 0 = at the start'),
  time: Type.Integer({ minimum: 0, description: 'when it was noted: Unix time, seconds; 0 = never' }),
}

/** Where a file was left. */
export const WatchingSchema = Type.Object(members)

/** All of a download. */
export const WatchingOfReply = Type.Object({ watching: Type.Array(WatchingSchema) })

/** The newest of all downloads. */
export const RecentReply = Type.Object({
  watching: Type.Array(
    Type.Object({
      infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
      download: Type.String({ description: 'name of the download' }),
      ...members,
    }),
  ),
})

/** What is noted. */
export const WatchingParameters = Type.Object({
  position: Type.Optional(Seconds('where the player is, seconds')),
  duration: Type.Optional(Seconds('how long the film is, seconds')),
  watched: Type.Optional(Type.Boolean({ description: 'absent: true within the last tenth, else as it is' })),
})

/** Which are listed. */
export const RecentParameters = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'default 100' })),
  all: Type.Optional(Type.Boolean({ description: 'also what is at its start or was watched to its end' })),
})

/** What was forgotten. */
export const ForgetReply = Type.Object({
  infohash: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  fileindex: Type.Integer({ minimum: 0 }),
  removed: Type.Boolean({ description: 'false: there was nothing' }),
})
