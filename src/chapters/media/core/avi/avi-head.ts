// The head of AVI (Microsoft's RIFF reference and OpenDML 1.02): its streams, and where its chunks and its index lie.
// Little-endian throughout.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteRange } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { MAX_PART_BYTES, MAX_STEPS } from '../limits.ts'
import type { MeteredSource } from '../metered-source.ts'

/** A place that an index of OpenDML names: another index, of one part of the file. */
export interface IndexPlace {
  /** First byte of its chunk. */
  readonly start: number
  /** With its head. */
  readonly length: number
}

/** One stream. */
export interface AviStream {
  readonly kind: 'vids' | 'auds' | 'other'
  /** Units (frames, or of sound samples or blocks) in a second, as a fraction; both above 0. */
  readonly rate: number
  readonly scale: number
  /** Units before the first one. */
  readonly start: number
  /** Bytes of a unit of sound; 0 = each chunk is one. */
  readonly unitBytes: number
  /** BITMAPINFOHEADER or WAVEFORMATEX, with what follows. */
  readonly format: FieldBytes
  /** Its indexes by OpenDML; empty = it has none. */
  readonly places: readonly IndexPlace[]
}

/** A head. */
export interface AviHead {
  /** Stream 0, 1, ... as chunks call them. */
  readonly streams: readonly AviStream[]
  /** What the first list of chunks has in it, behind its type. */
  readonly chunks: ByteRange
  /** The body of the old index; null = it was not seen. */
  readonly index: ByteRange | null
}

/** A list or a chunk. */
interface Chunk {
  readonly type: string
  readonly body: number
  readonly end: number
}

const HEAD_BYTES = 8
const LIST_BYTES = 12
const STREAM_BYTES = 48
const MAX_STREAMS = 16
const PLACE_BYTES = 16
const MAX_PLACES = 4096
/** An index of indexes. */
const OF_INDEXES = 0

/** RIFF with the form AVI. */
export function isAvi(head: FieldBytes): boolean {
  return head.length >= 12 && head.latin(0, 4) === 'RIFF' && head.latin(8, 4) === 'AVI '
}

/** Reads it. Throws DecodeError, and what reading throws. */
export function readAviHead(source: MeteredSource): AviHead {
  let [streams, chunks, index]: [AviStream[], ByteRange | null, ByteRange | null] = [[], null, null]
  let at = LIST_BYTES
  for (let step = 0; step < MAX_STEPS && at + LIST_BYTES <= source.size; step += 1) {
    const { type, body, end } = chunkAt(new FieldBytes(source.read(at, at + LIST_BYTES)), 0, at)
    if (type === 'hdrl') streams = readStreams(wholePart(source, body, Math.min(end, source.size)))
    else if (type === 'movi') chunks = { start: body, end: Math.min(end, source.size) }
    else if (type === 'idx1') index = { start: body, end: Math.max(body, Math.min(end, source.size)) }
    // What follows is the next part of the file, or nothing.
    if (type === 'idx1' || type === 'RIFF') break
    // What has an index of OpenDML needs no other.
    if (chunks !== null && streams.some(({ places }) => places.length > 0)) break
    at = end + (end % 2)
  }
  if (chunks === null || streams.length === 0) throw new DecodeError('it has no streams')
  return { streams, chunks, index }
}

/** The chunk at byte `at` of `bytes`, which lie at byte `shift` of the file; of a list its own type. */
function chunkAt(bytes: FieldBytes, at: number, shift: number): Chunk {
  const [type, length] = [bytes.latin(at, 4), bytes.u32le(at + 4)]
  const end = shift + at + HEAD_BYTES + length
  if (type !== 'LIST') return { type, body: shift + at + HEAD_BYTES, end }
  return { type: bytes.latin(at + HEAD_BYTES, 4), body: shift + at + LIST_BYTES, end }
}

function wholePart(source: MeteredSource, start: number, end: number): FieldBytes {
  if (end - start > MAX_PART_BYTES) throw new DecodeError('its head is too long')
  return new FieldBytes(source.read(start, end))
}

/** The chunks in `bytes`, one after the other; the last one may be cut. */
function* chunksIn(bytes: FieldBytes): Generator<{ readonly type: string; readonly body: FieldBytes }> {
  let at = 0
  while (at + LIST_BYTES <= bytes.length) {
    const { type, body, end } = chunkAt(bytes, at, 0)
    yield { type, body: bytes.part(body, Math.max(body, Math.min(end, bytes.length))) }
    at = end + (end % 2)
  }
}

function readStreams(list: FieldBytes): AviStream[] {
  const streams: AviStream[] = []
  for (const { type, body } of chunksIn(list))
    if (type === 'strl' && streams.length < MAX_STREAMS) streams.push(readStream(body))
  return streams
}

function readStream(list: FieldBytes): AviStream {
  let [head, format, places]: [FieldBytes | null, FieldBytes, readonly IndexPlace[]] = [
    null,
    new FieldBytes(new Uint8Array(0)),
    [],
  ]
  for (const { type, body } of chunksIn(list)) {
    if (type === 'strh') head = body
    else if (type === 'strf') format = body
    else if (type === 'indx') places = readPlaces(body)
  }
  if (head === null || head.length < STREAM_BYTES) throw new DecodeError('a stream has no head')
  const [scale, rate] = [head.u32le(20), head.u32le(24)]
  const named = head.latin(0, 4)
  const kind = (named === 'vids' || named === 'auds') && scale > 0 && rate > 0 ? named : 'other'
  return { kind, rate, scale, start: head.u32le(28), unitBytes: head.u32le(44), format, places }
}

/** The places in an index of indexes. */
function readPlaces(index: FieldBytes): readonly IndexPlace[] {
  if (index.length < 24 || index.u8(3) !== OF_INDEXES) return []
  const count = Math.min(index.u32le(4), MAX_PLACES, Math.floor((index.length - 24) / PLACE_BYTES))
  return Array.from({ length: count }, (_, at) => {
    const place = 24 + at * PLACE_BYTES
    const start = index.u32le(place) + index.u32le(place + 4) * 0x1_00_00_00_00
    return { start, length: index.u32le(place + 8) }
  })
}
