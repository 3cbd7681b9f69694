// The sequence parameter set of H.264 (ISO 14496-10, 7.3.2.1.1 and E.1.1), read as far as it says how many pictures are
// decoded before one that is shown before them, and how long a picture lasts.

import { BitReader, withoutEmulation } from '../bit-reader.ts'

/** What it says of order and time. */
export interface AvcTiming {
  /** Pictures that are decoded before one that is shown before them; null = it does not say. */
  readonly reorder: number | null
  /** Seconds of a picture; null = it does not say. */
  readonly frameSeconds: number | null
}

const BASELINE = 66
/** Profiles that say how their colours are coded. */
const HIGH: ReadonlySet<number> = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])
const MAX_REORDER = 16

/** Reads one, with its head. Throws DecodeError for one that ends too early. */
export function readAvcTiming(unit: Uint8Array): AvcTiming {
  const bits = new BitReader(withoutEmulation(unit.subarray(1)))
  const profile = bits.read(8)
  bits.skip(16)
  bits.unsigned()
  if (HIGH.has(profile)) skipColours(bits)
  bits.unsigned()
  const inOrder = skipOrder(bits) === 2 || profile === BASELINE
  bits.unsigned()
  bits.skip(1)
  bits.unsigned()
  bits.unsigned()
  if (!bits.flag()) bits.skip(1)
  bits.skip(1)
  if (bits.flag()) for (let side = 0; side < 4; side += 1) bits.unsigned()
  const usual = inOrder ? 0 : null
  if (!bits.flag()) return { reorder: usual, frameSeconds: null }
  const { reorder, frameSeconds } = readUsability(bits)
  return { reorder: reorder ?? usual, frameSeconds }
}

function skipColours(bits: BitReader): void {
  const format = bits.unsigned()
  if (format === 3) bits.skip(1)
  bits.unsigned()
  bits.unsigned()
  bits.skip(1)
  if (!bits.flag()) return
  for (let list = 0; list < (format === 3 ? 12 : 8); list += 1) if (bits.flag()) skipScaling(bits, list < 6 ? 16 : 64)
}

function skipScaling(bits: BitReader, size: number): void {
  let [last, next] = [8, 8]
  for (let at = 0; at < size; at += 1) {
    if (next !== 0) next = (last + bits.signed() + 256) % 256
    last = next === 0 ? last : next
  }
}

/** Passes over the order of pictures; its type. */
function skipOrder(bits: BitReader): number {
  const type = bits.unsigned()
  if (type === 0) bits.unsigned()
  if (type !== 1) return type
  bits.skip(1)
  bits.signed()
  bits.signed()
  for (let left = Math.min(bits.unsigned(), 255); left > 0; left -= 1) bits.signed()
  return type
}

/** Video usability information. */
function readUsability(bits: BitReader): AvcTiming {
  if (bits.flag() && bits.read(8) === 255) bits.skip(32)
  if (bits.flag()) bits.skip(1)
  if (bits.flag()) {
    bits.skip(4)
    if (bits.flag()) bits.skip(24)
  }
  if (bits.flag()) {
    bits.unsigned()
    bits.unsigned()
  }
  const frameSeconds = bits.flag() ? readClock(bits) : null
  const [first, second] = [skipBuffering(bits), skipBuffering(bits)]
  if (first || second) bits.skip(1)
  bits.skip(1)
  if (!bits.flag()) return { reorder: null, frameSeconds }
  bits.skip(1)
  for (let left = 4; left > 0; left -= 1) bits.unsigned()
  return { reorder: Math.min(MAX_REORDER, bits.unsigned()), frameSeconds }
}

/** A tick is a field: a picture has two. */
function readClock(bits: BitReader): number | null {
  const [units, scale] = [bits.read(32), bits.read(32)]
  bits.skip(1)
  return units === 0 || scale === 0 ? null : (2 * units) / scale
}

/** Parameters of a hypothetical decoder; whether they are there. */
function skipBuffering(bits: BitReader): boolean {
  if (!bits.flag()) return false
  const count = Math.min(bits.unsigned(), 31)
  bits.skip(8)
  for (let left = count; left >= 0; left -= 1) {
    bits.unsigned()
    bits.unsigned()
    bits.skip(1)
  }
  bits.skip(20)
  return true
}
