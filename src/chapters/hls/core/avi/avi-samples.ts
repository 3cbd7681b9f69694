// One segment of an AVI film: its frames by the index, its sound by the byte, since AVI has no times but those.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { frameTime } from '../../../media/core/avi/avi-film.ts'
import { type AviHead, type AviStream, readAviHead } from '../../../media/core/avi/avi-head.ts'
import { type AviChunks, readAviIndex } from '../../../media/core/avi/avi-index.ts'
import { HEAD_BUDGET_BYTES } from '../../../media/core/limits.ts'
import { MeteredSource } from '../../../media/core/metered-source.ts'
import type { SourceTrack } from '../ffmpeg/source-track.ts'
import { readPlaced } from '../mp4/mp4-samples.ts'
import type { PlacedSample } from '../mp4/sample-table.ts'
import {
  AVI_LEAD_S,
  checkedSamples,
  MAX_SAMPLES,
  MAX_SEGMENT_BYTES,
  SAME_TIME_S,
  type Sample,
  type SegmentOrder,
  type SegmentSamples,
  soundEnd,
  soundStart,
  videoStart,
} from '../samples.ts'
import { soundFrames } from './sound-frames.ts'

/** A film's head and index. */
export interface AviFilm {
  readonly head: AviHead
  readonly chunks: readonly AviChunks[]
}

/** Sound that is read around what is wanted: frames lie across chunks, and the next head shows that one is one. */
const AROUND_S = 0.2
/** Of a bitmap's head with what its decoder needs; real ones have 40 to some 100. */
const MAX_FORMAT_BYTES = 4096
const SOUND_IDS: ReadonlyMap<string, string> = new Map([
  ['mp3', 'A_MPEG/L3'],
  ['mp2', 'A_MPEG/L2'],
  ['ac3', 'A_AC3'],
  ['pcm', 'A_PCM/INT/LIT'],
])
/** A format of sound: floating-point numbers. */
const FLOAT = 3

/** Reads head and index. Throws DecodeError, and what reading throws. */
export function readAviFilm(source: ByteSource): AviFilm {
  const head = readAviHead(new MeteredSource(source, HEAD_BUDGET_BYTES))
  return { head, chunks: readAviIndex(source, head) }
}

/** A track as Matroska would have it. Throws DecodeError. */
export function aviTrack({ head }: AviFilm, number: number, codec: string): SourceTrack {
  const { kind, format } = streamOf(head, number)
  const none = { config: null, width: 0, height: 0, rate: 0, channels: 0, bits: 0 }
  if (kind === 'vids') {
    if (format.length > MAX_FORMAT_BYTES) throw new DecodeError('the configuration of its picture is too long')
    const size = { width: format.u32le(4), height: Math.abs(format.u32le(8) | 0) }
    return { ...none, ...size, codecId: 'V_MS/VFW/FOURCC', config: format.bytes }
  }
  const named = SOUND_IDS.get(codec)
  if (kind !== 'auds' || named === undefined) throw new DecodeError(`${codec} is not converted out of AVI`)
  const codecId = codec === 'pcm' && format.u16le(0) === FLOAT ? 'A_PCM/FLOAT/IEEE' : named
  return { ...none, codecId, channels: format.u16le(2), rate: format.u32le(4), bits: format.u16le(14) }
}

/** Reads a segment. Throws DecodeError, and what reading throws. */
export function aviSamples(source: ByteSource, film: AviFilm, order: SegmentOrder): SegmentSamples {
  const video = streamOf(film.head, order.video)
  const frames = framesOf(video, chunksOf(film, order.video), order)
  const sound = order.sound === null ? null : soundOf(source, film, order, order.sound)
  return {
    video: { config: new Uint8Array(0), frameSeconds: video.scale / video.rate, samples: readAll(source, frames) },
    sound: sound === null ? null : { codec: order.soundCodec, config: null, samples: sound },
  }
}

function streamOf(head: AviHead, number: number): AviStream {
  const stream = head.streams[number - 1]
  if (stream === undefined) throw new DecodeError(`it has no track ${number}`)
  return stream
}

function chunksOf({ chunks }: AviFilm, number: number): AviChunks {
  const found = chunks[number - 1]
  if (found === undefined) throw new DecodeError(`it has no track ${number}`)
  return found
}

/** Frames from the key frame of the segment on, with those behind its end that may be shown before it. */
function framesOf(stream: AviStream, { starts, lengths, keys }: AviChunks, order: SegmentOrder): PlacedSample[] {
  const from = videoStart(order) - AVI_LEAD_S - SAME_TIME_S
  const first = keys.find(frame => frameTime(stream, frame) >= from)
  if (first === undefined) throw new DecodeError('there is no key frame where its index says')
  const end = firstFrom(starts.length, frame => frameTime(stream, frame) >= order.end + AVI_LEAD_S)
  if (end - first > MAX_SAMPLES) throw new DecodeError('a part of it is too long')
  const isKey = new Set(keys.filter(frame => frame >= first && frame < end))
  const frames: PlacedSample[] = []
  for (let frame = first; frame < end; frame += 1) {
    const [start = 0, length = 0] = [starts[frame], lengths[frame]]
    if (length > 0) frames.push({ time: frameTime(stream, frame), isKey: isKey.has(frame), start, end: start + length })
  }
  return frames
}

function readAll(source: ByteSource, placed: readonly PlacedSample[]): readonly Sample[] {
  if (placed.reduce((sum, { start, end }) => sum + end - start, 0) > MAX_SEGMENT_BYTES)
    throw new DecodeError('a part of it is too long')
  const bytes = readPlaced(source, placed)
  return checkedSamples(
    placed.map(one => ({ time: one.time, isKey: one.isKey, bytes: bytes.get(one) ?? new Uint8Array(0) })),
  )
}

function soundOf(source: ByteSource, film: AviFilm, order: SegmentOrder, number: number): readonly Sample[] {
  const stream = streamOf(film.head, number)
  const chunks = chunksOf(film, number)
  const [from, to] = [soundStart(order), soundEnd(order)]
  const inside = ({ time }: Sample): boolean => time >= from && time < to
  const { rate, scale, start, unitBytes } = stream
  const perSecond = (unitBytes * rate) / scale
  const shift = (start * scale) / rate
  const timeOf = (at: number): number =>
    unitBytes === 0 ? frameTime(stream, at) : (chunks.before[at] ?? 0) / perSecond + shift
  const first = firstFrom(chunks.starts.length, at => timeOf(at) >= from - AROUND_S)
  const end = firstFrom(chunks.starts.length, at => timeOf(at) >= to + AROUND_S)
  if (end - first > MAX_SAMPLES) throw new DecodeError('a part of its sound is too long')
  const hasFrames = unitBytes === 0 || soundFrames(order.soundCodec, new Uint8Array(0)) !== null
  const placed: PlacedSample[] = []
  // The chunk before reaches into it.
  for (let at = Math.max(0, first - 1); at < end; at += 1) {
    const [begin = 0, length = 0] = [chunks.starts[at], chunks.lengths[at]]
    const chunk = { time: timeOf(at), isKey: true, start: begin, end: begin + length }
    const wanted = hasFrames ? chunk : cutOff(chunk, from, to, stream)
    if (wanted.end > wanted.start) placed.push(wanted)
  }
  const read = readAll(source, placed)
  return hasFrames ? framed(order.soundCodec, read, unitBytes === 0 ? null : perSecond).filter(inside) : read
}

/** Of a chunk whose units are heard one by one, as of PCM, those from one time on and before another. */
function cutOff(
  { time, isKey, start, end }: PlacedSample,
  from: number,
  to: number,
  { rate, scale, unitBytes }: AviStream,
): PlacedSample {
  const unitsTo = (moment: number): number => Math.max(0, Math.ceil(((moment - time) * rate) / scale))
  const last = Math.min(Math.floor((end - start) / unitBytes), unitsTo(to))
  const first = Math.min(last, unitsTo(from))
  const moved = start + first * unitBytes
  return { time: time + (first * scale) / rate, isKey, start: moved, end: start + last * unitBytes }
}

/** The first of `count` for which it is so, which it is for all behind it; `count`: for none. */
function firstFrom(count: number, isSo: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isSo(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Frames where the codec has some; `perSecond`: bytes, null = chunks have times of their own and are frames. */
function framed(codec: string, chunks: readonly Sample[], perSecond: number | null): readonly Sample[] {
  const [first] = chunks
  if (perSecond === null || first === undefined) return chunks
  const bytes = Buffer.concat(chunks.map(chunk => chunk.bytes))
  const frames = soundFrames(codec, bytes)
  if (frames === null) return chunks
  return frames.map(({ at, length }) => ({
    time: first.time + at / perSecond,
    isKey: true,
    bytes: bytes.subarray(at, at + length),
  }))
}
