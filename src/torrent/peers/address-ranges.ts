// Ranges of addresses sorted and merged in steps, and looked up. A range is 2 words of 32 bits (IPv4) or 8 (IPv6): the
// first and the last address, most significant word first. Pure; no step takes longer than some milliseconds.

import type { Steps } from '../../wire/steps.ts'

/** Ranges moved or looked at between two yields. */
const STEP_RANGES = 32_768
const DIGITS = 0x10000

/** Negative, zero or positive as the address of `words` words at `a` is below, equal to or above that at `b`. */
function compareAt(ranges: Uint32Array, a: number, other: Uint32Array, b: number, words: number): number {
  for (let word = 0; word < words; word++) {
    const difference = (ranges[a + word] ?? 0) - (other[b + word] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** True when the address at `b` is the one after the address at `a`. */
function isNext(ranges: Uint32Array, a: number, b: number, words: number): boolean {
  let carry = 1
  for (let word = words - 1; word >= 0; word--) {
    const sum = (ranges[a + word] ?? 0) + carry
    if (sum >>> 0 !== (ranges[b + word] ?? 0)) return false
    carry = sum > 0xffff_ffff ? 1 : 0
  }
  return carry === 0
}

/** One digit of 16 bits of the first address: word and how far to the left in it. */
interface Digit {
  readonly word: number
  readonly shift: number
}

/** Where the ranges of each value of a digit begin, in ranges; null when all have the same value. */
function* placesOf(ranges: Uint32Array, width: number, { word, shift }: Digit): Steps<Uint32Array | null> {
  const places = new Uint32Array(DIGITS)
  const count = ranges.length / width
  for (let range = 0; range < count; range++) {
    const value = ((ranges[range * width + word] ?? 0) >>> shift) & 0xffff
    places[value] = (places[value] ?? 0) + 1
    if (range % STEP_RANGES === STEP_RANGES - 1) yield
  }
  const first = ((ranges[word] ?? 0) >>> shift) & 0xffff
  if (places[first] === count) return null
  let start = 0
  for (let value = 0; value < DIGITS; value++) {
    const here = places[value] ?? 0
    places[value] = start
    start += here
  }
  return places
}

/**
 * Sorts by the first address: one stable pass a digit, least significant first. Answers `ranges` or memory as large.
 */
function* sortRanges(ranges: Uint32Array, width: number): Steps<Uint32Array> {
  const count = ranges.length / width
  let from = ranges
  let to: Uint32Array = new Uint32Array(ranges.length)
  for (let word = width / 2 - 1; word >= 0; word--) {
    for (const shift of [0, 16]) {
      const places = yield* placesOf(from, width, { word, shift })
      if (places === null) continue
      for (let range = 0; range < count; range++) {
        const value = ((from[range * width + word] ?? 0) >>> shift) & 0xffff
        const place = places[value] ?? 0
        places[value] = place + 1
        for (let part = 0; part < width; part++) to[place * width + part] = from[range * width + part] ?? 0
        if (range % STEP_RANGES === STEP_RANGES - 1) yield
      }
      const sorted = to
      to = from
      from = sorted
    }
  }
  return from
}

/** Merges sorted ranges that overlap or touch, in place. Answers how many are left. */
function* mergeRanges(ranges: Uint32Array, width: number): Steps<number> {
  const half = width / 2
  let last = -width
  for (let at = 0; at < ranges.length; at += width) {
    if ((at / width) % STEP_RANGES === STEP_RANGES - 1) yield
    const touches =
      last >= 0 && (compareAt(ranges, at, ranges, last + half, half) <= 0 || isNext(ranges, last + half, at, half))
    if (!touches) {
      last += width
      ranges.copyWithin(last, at, at + width)
    } else if (compareAt(ranges, at + half, ranges, last + half, half) > 0) {
      ranges.copyWithin(last + half, at + half, at + width)
    }
  }
  return last / width + 1
}

/**
 * The ranges of `blocks` (whole ranges of `width` words, first not above last) sorted by address, without overlap,
 * touching ones as one. The blocks are not changed.
 */
export function* orderRanges(blocks: readonly Uint32Array[], width: number): Steps<Uint32Array> {
  const all = new Uint32Array(blocks.reduce((sum, block) => sum + block.length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
    yield
  }
  if (all.length === 0) return all
  const sorted = yield* sortRanges(all, width)
  const count = yield* mergeRanges(sorted, width)
  // A copy, so that memory for what was merged away is given back.
  const merged = new Uint32Array(count * width)
  for (let at = 0; at < merged.length; at += STEP_RANGES * width) {
    merged.set(sorted.subarray(at, Math.min(merged.length, at + STEP_RANGES * width)), at)
    yield
  }
  return merged
}

/** True when one of `ranges` (as orderRanges answers) holds the address of width / 2 words in `key`. */
export function rangesHold(ranges: Uint32Array, width: number, key: Uint32Array): boolean {
  const half = width / 2
  let low = 0
  let high = ranges.length / width
  // Afterwards `low` ranges begin at the address or before it.
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareAt(ranges, middle * width, key, 0, half) <= 0) low = middle + 1
    else high = middle
  }
  return low > 0 && compareAt(key, 0, ranges, (low - 1) * width + half, half) <= 0
}
