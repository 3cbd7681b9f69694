// One segment of a Matroska or WebM film: the frames of its clusters, from that of its key frame on.

import { DecodeError } from '../../../../base/errors.ts'
import { type ByteSource, NotHere } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { MAX_PART_BYTES } from '../../../media/core/limits.ts'
import { childrenOf, ID, uintOf } from '../../../media/core/matroska/elements.ts'
import { SegmentParts } from '../../../media/core/matroska/segment.ts'
import { MeteredSource } from '../../../media/core/metered-source.ts'
import { flacFrameSamples, readFlacSetup } from '../flac.ts'
import { ForwardBytes } from '../forward-bytes.ts'
import { type Found, Gathering, startOfSound, withBefore } from '../gathering.ts'
import { OPUS_RATE, opusPacketSamples } from '../opus.ts'
import { checkedSamples, MAX_SEGMENT_BYTES, type Sample, type SegmentOrder, type SegmentSamples } from '../samples.ts'
import { type Block, blocksFrom } from './blocks.ts'
import { type TrackSetup, trackSetup } from './track-setup.ts'

/** Of the head of the file. */
const HEAD_BUDGET_BYTES = 4 * 1024 * 1024
/** Of any segment. */
const CERTAIN_BYTES = 1024 * 1024
/** A frame of AAC, among others in one block, where nothing says how long it lasts. */
const USUAL_SOUND_S = 1024 / 48_000

/** A film's head, as far as segments need it. */
interface FilmHead {
  /** Seconds of one tick. */
  readonly tick: number
  /** The first byte behind what was seen of the head: clusters begin there. */
  readonly end: number
  readonly video: TrackSetup
  readonly sound: TrackSetup | null
}

/** A frame. */
type Frame = Found<Uint8Array>

/** The tracks without a sample. Throws DecodeError, and what reading throws. */
export function matroskaHead(source: ByteSource, order: SegmentOrder): SegmentSamples {
  return segmentOf(readHead(source, order), order, { video: [], sound: [] })
}

/** Reads a segment. Throws DecodeError, and what reading throws. */
export function matroskaSamples(source: ByteSource, order: SegmentOrder): SegmentSamples {
  const head = readHead(source, order)
  const found = new Gathering(order, lengthOf)
  // Where the index says nothing of its end, windows of 16 KiB would be looks without number.
  const certainEnd = Math.max(order.endByte, order.startByte + CERTAIN_BYTES)
  const bytes = new ForwardBytes(source, certainEnd, 2 * MAX_SEGMENT_BYTES)
  const tracks = new Set(order.sound === null ? [order.video] : [order.video, order.sound])
  // Sound may begin before the first picture.
  const first = order.isFirst ? Math.min(head.end, order.startByte) : order.startByte
  for (const block of blocksFrom(bytes, first, source.size, tracks))
    if (!framesOf(block, order, head).every(frame => found.take(frame))) break
  if (found.video.length === 0) throw new DecodeError('there is no key frame where its index says')
  return segmentOf(head, order, { video: found.video, sound: withEarlier(source, order, head, found) })
}

function readHead(source: ByteSource, { video, sound }: SegmentOrder): FilmHead {
  const metered = new MeteredSource(source, HEAD_BUDGET_BYTES)
  const parts = new SegmentParts(metered)
  const body = (id: number): FieldBytes => {
    const part = parts.find(id)
    if (part === null) return new FieldBytes(new Uint8Array(0))
    if (part.end - part.body > MAX_PART_BYTES) throw new DecodeError('a part of its head is too long')
    return new FieldBytes(metered.read(part.body, part.end))
  }
  let scale = 1_000_000
  for (const child of childrenOf(body(ID.info))) if (child.id === ID.timestampScale) scale = uintOf(child.body)
  const tracks = body(ID.tracks)
  return {
    tick: scale / 1e9,
    end: parts.passed.at(-1)?.end ?? parts.body,
    video: trackSetup(tracks, video),
    sound: sound === null ? null : trackSetup(tracks, sound),
  }
}

/** The frames of a block, each with its time. */
function framesOf(
  { track, ticks, isKey, frames }: Block,
  order: SegmentOrder,
  { tick, video, sound }: FilmHead,
): Frame[] {
  const setup = track === order.video ? video : sound
  const prefix = setup?.prefix ?? new Uint8Array(0)
  let next = ticks * tick - (setup?.delaySeconds ?? 0)
  return frames.map((frame, at) => {
    const item = prefix.length === 0 ? frame : Buffer.concat([prefix, frame])
    const time = next
    if (at + 1 < frames.length)
      next += setup?.frameSeconds ?? lastingOf(item, setup, track === order.video ? '' : order.soundCodec)
    return { track, time, isKey, item }
  })
}

/** How long a frame of sound is heard, s. Throws DecodeError. */
function lastingOf(frame: Uint8Array, setup: TrackSetup | null, codec: string): number {
  if (codec === 'opus') return opusPacketSamples(frame) / OPUS_RATE
  if (codec === 'flac' && setup?.config) return flacFrameSamples(frame) / readFlacSetup(setup.config).rate
  return USUAL_SOUND_S
}

/** With sound that muxers have put before the key frame: it is looked for only where some is missing. */
function withEarlier(
  source: ByteSource,
  order: SegmentOrder,
  head: FilmHead,
  { sound, before }: Gathering<Uint8Array>,
): readonly Frame[] {
  const { startByte, backByte } = order
  const start = startOfSound(order, sound[0]?.time ?? null)
  if (order.sound === null || start === 'whole' || before !== null || backByte >= startByte)
    return withBefore(order, sound, before)
  const earlier = new Gathering(order, lengthOf)
  const bytes = new ForwardBytes(source, startByte, MAX_SEGMENT_BYTES)
  try {
    for (const block of blocksFrom(bytes, backByte, startByte, new Set([order.sound])))
      for (const frame of framesOf(block, order, head)) earlier.take(frame)
  } catch (error) {
    // What only makes the first moment of converted sound better is not waited for.
    if (error instanceof NotHere && start === 'enough') return sound
    throw error
  }
  return withBefore(order, [...earlier.sound, ...sound], earlier.before)
}

function segmentOf(
  { video, sound }: FilmHead,
  { soundCodec }: SegmentOrder,
  frames: { readonly video: readonly Frame[]; readonly sound: readonly Frame[] },
): SegmentSamples {
  const { config, frameSeconds } = video
  return {
    // Where it is not copied, packing has no use for it.
    video: { config: config ?? new Uint8Array(0), frameSeconds, samples: samplesOf(frames.video) },
    sound: sound === null ? null : { codec: soundCodec, config: sound.config, samples: samplesOf(frames.sound) },
  }
}

function lengthOf(bytes: Uint8Array): number {
  return bytes.length
}

function samplesOf(frames: readonly Frame[]): readonly Sample[] {
  return checkedSamples(frames.map(({ time, isKey, item }) => ({ time, isKey, bytes: item })))
}
