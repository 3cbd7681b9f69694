// Films with something wrong in them: bytes changed, numbers made huge, parts cut out or repeated, most of it where
// containers keep their tables.

import type { ByteRange } from '../../../../src/chapters/media/core/byte-source.ts'
import { type Fuzz, fuzzSource } from '../../../kit/sim/fuzz.ts'

const NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7f_ff, 0xff_ff, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_ff]

/** Film number `seed` made of `bytes`; `tables`: where its tables are. */
export function mutated(bytes: Uint8Array, tables: readonly ByteRange[], seed: number): Uint8Array {
  const source = fuzzSource(seed)
  let film: Uint8Array = new Uint8Array(bytes)
  for (let left = source.below(6); left >= 0; left -= 1) film = changed(film, placeIn(film, tables, source), source)
  return film
}

function placeIn(bytes: Uint8Array, tables: readonly ByteRange[], source: Fuzz): number {
  const ranges = [{ start: 0, end: 600 }, ...tables, { start: bytes.length - 400, end: bytes.length }]
  const { start, end } = source.below(8) === 0 ? { start: 0, end: bytes.length } : source.pick(ranges)
  const at = start + source.below(Math.max(1, end - start))
  return Math.max(0, Math.min(at, bytes.length - 1))
}

function changed(bytes: Uint8Array, at: number, source: Fuzz): Uint8Array {
  const kind = source.below(16)
  if (kind < 6) return withNumber(bytes, at, source.pick(NUMBERS), source.pick([1, 2, 4]))
  if (kind < 9) return withNumber(bytes, at, source.below(2 ** 32), source.pick([1, 2, 4]))
  if (kind < 12) {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << source.below(8))
    return bytes
  }
  const length = source.below(source.pick([8, 64, 4096]))
  if (kind < 13) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
  if (kind < 14) return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
  if (kind < 15) return Buffer.concat([bytes.subarray(0, at), source.bytes(64), bytes.subarray(at + length)])
  return bytes.subarray(0, at + 1)
}

function withNumber(bytes: Uint8Array, at: number, value: number, size: number): Uint8Array {
  for (let byte = 0; byte < size && at + byte < bytes.length; byte += 1)
    bytes[at + byte] = Math.floor(value / 256 ** (size - 1 - byte)) & 0xff
  return bytes
}
