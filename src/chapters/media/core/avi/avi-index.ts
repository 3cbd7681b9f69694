// The index of AVI: where each chunk of a stream lies. The old one lists the chunks of all streams in the order of the
// file; those of OpenDML are there for each stream, and for files longer than 1 GB.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { AviHead, IndexPlace } from './avi-head.ts'

/** The longest index that is read, all its parts together; films of two hours have 3 to 10 MiB. */
export const MAX_INDEX_BYTES = 16 * 1024 * 1024
/** Chunks of all streams together: two hours have some 400,000. */
const MAX_CHUNKS = 600_000
const OLD_ENTRY_BYTES = 16
const ENTRY_BYTES = 8
const KEY = 0x10
/** Of an index of OpenDML. */
const OF_CHUNKS = 1
const NO_KEY = 0x80_00_00_00
const HEAD_BYTES = 8

/** The chunks of one stream, in their order. */
export class AviChunks {
  /** First byte of what is in each, in the file. */
  readonly starts: number[] = []
  readonly lengths: number[] = []
  /** Which of them are key frames. */
  readonly keys: number[] = []
  /** Bytes in the chunks before each. */
  readonly before: number[] = []
  #bytes = 0

  /** Bytes in all of them. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds the next one. */
  add(start: number, length: number, isKey: boolean): void {
    if (isKey && length > 0) this.keys.push(this.starts.length)
    this.starts.push(start)
    this.lengths.push(length)
    this.before.push(this.#bytes)
    this.#bytes += length
  }
}

/** Bytes that reading it takes. */
export function indexBytes({ streams, index }: AviHead): number {
  const places = streams.flatMap(stream => stream.places)
  if (places.length > 0) return places.reduce((sum, { length }) => sum + length, 0)
  return index === null ? 0 : index.end - index.start
}

/** Of each stream, by its number. Throws DecodeError when there is none, and what reading throws. */
export function readAviIndex(source: ByteSource, head: AviHead): readonly AviChunks[] {
  if (indexBytes(head) > MAX_INDEX_BYTES) throw new DecodeError('its index is too long')
  const chunks = head.streams.map(() => new AviChunks())
  const count = (): number => chunks.reduce((sum, { starts }) => sum + starts.length, 0)
  if (head.streams.some(({ places }) => places.length > 0)) {
    for (const [at, { places }] of head.streams.entries())
      for (const place of places) addPart(source, place, chunks[at] ?? new AviChunks(), MAX_CHUNKS - count())
  } else readOld(source, head, chunks)
  return chunks
}

/** One index of OpenDML. */
function addPart(source: ByteSource, { start, length }: IndexPlace, chunks: AviChunks, most: number): void {
  if (start + length > source.size || length < HEAD_BYTES + 24) throw new DecodeError('an index lies beyond its end')
  const part = new FieldBytes(source.read(start + HEAD_BYTES, start + length))
  if (part.u8(3) !== OF_CHUNKS || part.u16le(0) * 4 !== ENTRY_BYTES) throw new DecodeError('an index is none')
  const base = part.u32le(12) + part.u32le(16) * 0x1_00_00_00_00
  const count = Math.min(part.u32le(4), Math.floor((part.length - 24) / ENTRY_BYTES))
  if (count > most) throw new DecodeError('its index is too long')
  for (let at = 0; at < count; at += 1) {
    const [offset, size] = [part.u32le(24 + at * ENTRY_BYTES), part.u32le(28 + at * ENTRY_BYTES)]
    chunks.add(base + offset, size % NO_KEY, size < NO_KEY)
  }
}

function readOld(source: ByteSource, { chunks: list, index }: AviHead, chunks: readonly AviChunks[]): void {
  if (index === null) throw new DecodeError('it has no index')
  const entries = new FieldBytes(source.read(index.start, index.end))
  const count = Math.floor(entries.length / OLD_ENTRY_BYTES)
  if (count === 0) throw new DecodeError('its index is empty')
  if (count > MAX_CHUNKS) throw new DecodeError('its index is too long')
  // Places count from the type of the list; some muxers count from the start of the file.
  const first = entries.u32le(8)
  const shift = first >= list.start - 4 ? 0 : list.start - 4
  for (let at = 0; at < count; at += 1) {
    const entry = at * OLD_ENTRY_BYTES
    const number = streamOf(entries, entry)
    const flags = entries.u32le(entry + 4)
    chunks[number]?.add(shift + entries.u32le(entry + 8) + HEAD_BYTES, entries.u32le(entry + 12), (flags & KEY) !== 0)
  }
}

/** Chunks are called 00dc, 01wb, ...; -1 = it is of no stream. */
function streamOf(entries: FieldBytes, at: number): number {
  const [tens, ones] = [entries.u8(at) - 0x30, entries.u8(at + 1) - 0x30]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}
