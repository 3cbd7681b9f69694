// What ffmpeg made of a cut: a Matroska file in memory, with a picture, a sound, or both in this order. It is read like
// a stranger's: a decoder that was broken into could have written anything.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { childrenOf, ID, uintOf } from '../../../media/core/matroska/elements.ts'
import { SegmentParts } from '../../../media/core/matroska/segment.ts'
import { MeteredSource } from '../../../media/core/metered-source.ts'
import { blocksFrom } from '../matroska/blocks.ts'
import { trackSetup } from '../matroska/track-setup.ts'
import { checkedSamples, MAX_SAMPLES, type Sample, type SegmentOrder, type SegmentSamples } from '../samples.ts'
import { FRAME_SAMPLES } from '../sound-grid.ts'
import { convertedRate } from './codecs.ts'
import { type ConvertedParts, originOf, RUN_UP_FRAMES, soundPartOf } from './conversion.ts'

/** The encoder's first frame holds what was before the first sample that it was fed. */
const DELAY_FRAMES = 1
/** It writes times in milliseconds: a picture that was that near to one of the film is that one, s. */
const ROUNDED_S = 0.0011

/**
 * The segment with what was converted in the place of what it was made of; `bytes` empty: it has no sound. Throws
 * DecodeError.
 */
export function withConverted(
  samples: SegmentSamples,
  order: SegmentOrder,
  parts: ConvertedParts,
  bytes: Uint8Array,
): SegmentSamples {
  const file = bytes.length === 0 ? { picture: NOTHING, sound: NOTHING } : readConverted(bytes, parts)
  const { video, sound } = samples
  const origin = originOf(order, parts)
  return {
    video: parts.picture === null ? video : { ...video, ...picturesOf(file.picture, video.samples, origin) },
    sound: parts.sound === null ? sound : { codec: 'aac', ...soundOf(file.sound, order) },
  }
}

/** A track of it; times in seconds of its own clock. */
interface ConvertedTrack {
  readonly config: Uint8Array | null
  readonly samples: readonly Sample[]
}

interface ConvertedFile {
  readonly picture: ConvertedTrack
  readonly sound: ConvertedTrack
}

const NOTHING: ConvertedTrack = { config: null, samples: [] }

function readConverted(bytes: Uint8Array, { picture, sound }: ConvertedParts): ConvertedFile {
  const source: ByteSource = { size: bytes.length, read: (start, end) => bytes.subarray(start, end) }
  const parts = new SegmentParts(new MeteredSource(source, 2 * bytes.length))
  const body = (id: number): FieldBytes => {
    const part = parts.find(id)
    return new FieldBytes(part === null ? new Uint8Array(0) : source.read(part.body, part.end))
  }
  let scale = 1_000_000
  for (const child of childrenOf(body(ID.info))) if (child.id === ID.timestampScale) scale = uintOf(child.body)
  const numbers = { picture: picture === null ? 0 : 1, sound: sound === null ? 0 : picture === null ? 1 : 2 }
  const found = samplesOf(source, parts.passed.at(-1)?.end ?? parts.body, scale / 1e9)
  const tracks = body(ID.tracks)
  const trackOf = (number: number): ConvertedTrack => {
    const samples = found.get(number) ?? []
    return samples.length === 0
      ? NOTHING
      : { config: trackSetup(tracks, number).config, samples: checkedSamples(samples) }
  }
  return { picture: trackOf(numbers.picture), sound: trackOf(numbers.sound) }
}

/** By the number of their track, 1 and 2. */
function samplesOf(source: ByteSource, first: number, tick: number): ReadonlyMap<number, readonly Sample[]> {
  const found = new Map<number, Sample[]>([
    [1, []],
    [2, []],
  ])
  let count = 0
  for (const { track, ticks, isKey, frames } of blocksFrom(source, first, source.size, new Set(found.keys()))) {
    for (const frame of frames) found.get(track)?.push({ time: ticks * tick, isKey, bytes: frame })
    count += frames.length
    if (count > 2 * MAX_SAMPLES) throw new DecodeError('too much was made of it')
  }
  return found
}

function picturesOf(
  { config, samples }: ConvertedTrack,
  before: readonly Sample[],
  origin: number,
): SegmentSamples['video'] {
  const times = before.map(({ time }) => time).toSorted((a, b) => a - b)
  if (config === null || samples.length === 0) throw new DecodeError('its picture cannot be decoded')
  const shown = samples.map(sample => ({ ...sample, time: nearest(times, sample.time + origin) }))
  return { config, frameSeconds: null, samples: shown }
}

/** The time of the film that it was rounded from; itself where there is none. */
function nearest(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((times[middle] ?? 0) < time) low = middle + 1
    else high = middle
  }
  const near = [times[low - 1], times[low]].filter(one => one !== undefined && Math.abs(one - time) <= ROUNDED_S)
  return near.toSorted((a = 0, b = 0) => Math.abs(a - time) - Math.abs(b - time))[0] ?? time
}

/** By their place alone: the frames of the grid follow each other without a hole. */
function soundOf(
  { config, samples }: ConvertedTrack,
  order: SegmentOrder,
): { config: Uint8Array | null; samples: readonly Sample[] } {
  const { first, end } = soundPartOf(order)
  const rate = convertedRate(order.soundRate)
  const skipped = DELAY_FRAMES + RUN_UP_FRAMES
  const frames = samples.slice(skipped, skipped + end - first)
  return {
    config,
    samples: frames.map(({ bytes }, at) => ({ time: ((first + at) * FRAME_SAMPLES) / rate, isKey: true, bytes })),
  }
}
