// JSON schemas of facts of films.

import { Type } from '@sinclair/typebox'

const words = <T extends string>(...values: T[]) => Type.Union(values.map(value => Type.Literal(value)))
const Seconds = (description: string) => Type.Number({ description })
const OrNull = <T extends ReturnType<typeof Seconds>>(schema: T) => Type.Union([schema, Type.Null()])

const Range = Type.Object({
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 0, description: 'the first byte behind it' }),
})

const Track = Type.Object({
  id: Type.Integer({ description: 'its number in the file; of MPEG-TS its PID' }),
  kind: words('video', 'audio', 'subtitle', 'other'),
  codec: Type.String({
    description: 'h264, hevc, av1, aac, ac3, dts, srt, ass, pgs, ...; else what the file calls it',
  }),
  codec_string: Type.Union([Type.String(), Type.Null()], {
    description: 'what browsers are asked with (RFC 6381), such as avc1.640028; null = not known',
  }),
  language: Type.String({ description: 'BCP 47 or ISO 639-2 as the file says it; und = it does not' }),
  name: Type.String(),
  default: Type.Boolean(),
  forced: Type.Boolean(),
  width: Type.Integer({ description: 'pixels; 0 = it has no pictures' }),
  height: Type.Integer(),
  channels: Type.Integer({ description: '0 = no sound, or not known' }),
  sample_rate: Type.Integer({ description: 'Hz' }),
})

const Keyframes = Type.Object({
  track: Type.Integer({ description: 'whose frames they are' }),
  count: Type.Integer(),
  gap: Seconds('of those that follow each other closer only the first is listed; 0 = all are'),
  times: Type.Array(Type.Number(), { description: 'seconds, rising; empty with keyframes=false' }),
  bytes: Type.Array(Type.Integer(), {
    description: 'where to read from for each: the frame; of fragmented MP4 its fragment, of Matroska its cluster',
  }),
})

/** What is known of a film. */
const Facts = Type.Object({
  container: words('mp4', 'matroska', 'webm', 'mpegts', 'flac', 'mp3', 'ogg', 'adts', 'wave', 'avi'),
  fragmented: Type.Boolean({ description: 'MP4 in fragments' }),
  duration: OrNull(Seconds('seconds; null = not known')),
  bitrate: OrNull(Type.Number({ description: 'bits/s of the whole file on average; null = not known' })),
  seek: words('keys', 'bytes', 'not-yet', 'no'),
  note: Type.String({ description: 'for people; empty = nothing to say' }),
  tracks: Type.Array(Track),
  chapters: Type.Array(Type.Object({ start: Seconds('seconds'), title: Type.String() })),
  index: Type.Array(Range, { description: 'where a player finds the tracks and the index' }),
  keyframes: Type.Union([Keyframes, Type.Null()], { description: 'null = no table is known' }),
})

/** From when on it plays without a stall. */
const Forecast = Type.Object({
  state: words('plays', 'later', 'never', 'unknown'),
  from: Seconds('the second of the film that is asked for'),
  start_in: OrNull(Seconds('seconds from now; 0 = it plays; null = never, or not known')),
  start_alone: OrNull(Seconds('as start_in, if all other downloads paused; null = they make no difference')),
  stops_at: OrNull(Seconds('second of the film that nobody who is connected has; null = all can be had')),
  missing_bytes: Type.Integer({ minimum: 0, description: 'of the film from that second on' }),
  rate: Type.Number({ description: 'bytes/s that come in' }),
  sources: Type.Integer({ minimum: 0, description: 'peers and web seeds that are connected' }),
  helps: Type.Array(words('wait', 'more-peers', 'pause-others'), { description: 'what would make it better' }),
})

/** GET /downloads/{infohash}/media/{fileindex}. */
export const MediaReply = Type.Object({
  media: Type.Object({
    name: Type.String({ description: 'path in the torrent' }),
    size: Type.Integer({ minimum: 0 }),
    complete: Type.Boolean({ description: 'all facts are there; they are kept, and answered at once from now on' }),
    facts: Type.Union([Facts, Type.Null()], { description: 'null = nothing is known yet' }),
    wanted: Type.Union([Range, Type.Null()], {
      description: 'what was asked of the swarm; null = nothing more is needed',
    }),
    missing: Type.Array(Range, { description: 'the parts of it that are not there yet' }),
    missing_bytes: Type.Integer({ minimum: 0 }),
    forecast: Type.Union([Forecast, Type.Null()], { description: 'null = how fast it is played is not known' }),
  }),
})
