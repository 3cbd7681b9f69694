// One segment of an MP4 film, whose samples are in tables or in fragments: they are looked up, and read in runs as they
// lie.

import { DecodeError } from '../../../../base/errors.ts'
import { type ByteSource, NotHere } from '../../../media/core/byte-source.ts'
import { NO_DEFAULTS } from '../../../media/core/mp4/fragment-runs.ts'
import type { MovieTrack } from '../../../media/core/mp4/movie.ts'
import { type Found, Gathering, LATE_SOUND_S, startOfSound, withBefore } from '../gathering.ts'
import {
  checkedSamples,
  MAX_SEGMENT_BYTES,
  type Sample,
  type SegmentOrder,
  type SegmentSamples,
  soundEnd,
  soundStart,
  videoStart,
} from '../samples.ts'
import { type FragmentedTrack, fragmentSamples } from './fragment-samples.ts'
import { type MovieHead, movieTrack } from './movie-head.ts'
import { type PlacedSample, SampleTable } from './sample-table.ts'
import { soundConfig, videoConfig } from './setups.ts'

/** Samples of one read: as long as this at most, with holes as long as this between them, bytes. */
const RUN_BYTES = 1024 * 1024
const HOLE_BYTES = 16 * 1024

/** The samples of a segment, where they lie. */
interface PlacedSegment {
  readonly video: readonly PlacedSample[]
  readonly sound: readonly PlacedSample[]
}

/** Reads a segment; of a head no sample. Throws DecodeError, and what reading throws. */
export function mp4Samples(source: ByteSource, head: MovieHead, order: SegmentOrder): SegmentSamples {
  const video = movieTrack(head, order.video)
  const sound = order.sound === null ? null : movieTrack(head, order.sound)
  const placed = order.isHead ? { video: [], sound: [] } : placedIn(source, head, order)
  const bytes = readPlaced(source, [...placed.video, ...placed.sound])
  // Where it is not copied, packing has no use for it.
  const config = videoConfig(video, order.videoCodec === 'h264' ? 'avcC' : 'hvcC') ?? new Uint8Array(0)
  return {
    video: { config, frameSeconds: frameSecondsOf(head, video), samples: samplesOf(placed.video, bytes) },
    sound:
      sound === null
        ? null
        : { codec: order.soundCodec, config: soundConfig(sound), samples: samplesOf(placed.sound, bytes) },
  }
}

/** Seconds of a picture on average; null = the tables do not say. */
function frameSecondsOf({ movie, defaults }: MovieHead, track: MovieTrack): number | null {
  const { duration, timescale, id } = track
  if (movie.fragmented) {
    const usual = defaults.get(id)?.duration ?? 0
    return usual === 0 ? null : usual / timescale
  }
  const { count } = new SampleTable(track)
  return count === 0 || duration === 0 ? null : duration / timescale / count
}

function placedIn(source: ByteSource, head: MovieHead, order: SegmentOrder): PlacedSegment {
  if (head.movie.fragmented) return placedInFragments(source, head, order)
  const video = new SampleTable(movieTrack(head, order.video)).pictures(videoStart(order), order.end, order.withLeading)
  if (order.sound === null) return { video, sound: [] }
  const mostLate = order.soundMargin > 0 && !order.isFirst ? LATE_SOUND_S : Number.POSITIVE_INFINITY
  const sounds = new SampleTable(movieTrack(head, order.sound))
  return { video, sound: sounds.sounds(soundStart(order), soundEnd(order), mostLate) }
}

function placedInFragments(source: ByteSource, head: MovieHead, order: SegmentOrder): PlacedSegment {
  const ids = order.sound === null ? [order.video] : [order.video, order.sound]
  const tracks = new Map(ids.map((id): [number, FragmentedTrack] => [id, fragmentedTrack(head, id)]))
  const found = new Gathering(order, lengthOf)
  // Sound may begin before the first picture.
  const first = order.isFirst ? Math.min(head.end, order.startByte) : order.startByte
  for (const sample of fragmentSamples(source, first, source.size, tracks)) {
    if (!found.take(sample)) break
  }
  if (found.video.length === 0) throw new DecodeError('there is no key frame where its index says')
  return { video: placesOf(found.video), sound: placesOf(withEarlier(source, order, tracks, found)) }
}

function fragmentedTrack(head: MovieHead, id: number): FragmentedTrack {
  return { track: movieTrack(head, id), defaults: head.defaults.get(id) ?? NO_DEFAULTS }
}

/** With sound that lies in fragments before that of the key frame: it is looked for only where some is missing. */
function withEarlier(
  source: ByteSource,
  order: SegmentOrder,
  tracks: ReadonlyMap<number, FragmentedTrack>,
  { sound, before }: Gathering<PlacedSample>,
): readonly Found<PlacedSample>[] {
  const { startByte, backByte } = order
  const start = startOfSound(order, sound[0]?.time ?? null)
  if (order.sound === null || start === 'whole' || before !== null || backByte >= startByte)
    return withBefore(order, sound, before)
  const earlier = new Gathering({ ...order, video: 0 }, lengthOf)
  try {
    for (const sample of fragmentSamples(source, backByte, startByte, tracks)) earlier.take(sample)
  } catch (error) {
    // What only makes the first moment of converted sound better is not waited for.
    if (error instanceof NotHere && start === 'enough') return sound
    throw error
  }
  return withBefore(order, [...earlier.sound, ...sound], earlier.before)
}

function lengthOf({ start, end }: PlacedSample): number {
  return end - start
}

function placesOf(found: readonly Found<PlacedSample>[]): PlacedSample[] {
  return found.map(({ item }) => item)
}

function samplesOf(placed: readonly PlacedSample[], bytes: ReadonlyMap<PlacedSample, Uint8Array>): readonly Sample[] {
  const samples = placed.map(one => ({ time: one.time, isKey: one.isKey, bytes: bytes.get(one) ?? new Uint8Array(0) }))
  return checkedSamples(samples)
}

/** Their bytes, read in the order in which they lie, with the holes between them. Throws DecodeError. */
export function readPlaced(source: ByteSource, placed: readonly PlacedSample[]): ReadonlyMap<PlacedSample, Uint8Array> {
  const bytes = new Map<PlacedSample, Uint8Array>()
  let left = 2 * MAX_SEGMENT_BYTES
  const inOrder = placed.toSorted((a, b) => a.start - b.start)
  for (let first = 0; first < inOrder.length; ) {
    const start = inOrder[first]?.start ?? 0
    let [next, end] = [first, start]
    for (; next < inOrder.length; next += 1) {
      const sample = inOrder[next]
      const isFar = sample === undefined || sample.start > end + HOLE_BYTES || sample.end > start + RUN_BYTES
      if (isFar && next > first) break
      end = Math.max(end, sample?.end ?? end)
    }
    if (start < 0 || end > source.size) throw new DecodeError('a sample lies behind the end')
    left -= end - start
    if (left < 0) throw new DecodeError('a part of it is too long')
    const run = source.read(start, end)
    for (const sample of inOrder.slice(first, next))
      bytes.set(sample, run.subarray(sample.start - start, sample.end - start))
    first = next
  }
  return bytes
}
