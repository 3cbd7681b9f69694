// Received bytes in the arenas, as views. Nothing is copied here. Invariant: a view never leaves its arena's bounds.

import type { Source } from '../contract/jobs.ts'

/** The arenas of this process by ArenaNumber, each whole. */
export type ArenaBytes = readonly Uint8Array[]

/** Zeroes for padding; padding of any length is fed in turns of this page, never as one buffer. */
const ZERO_PAGE = new Uint8Array(64 * 1024)

/** Calls `take` with the bytes of each segment in order. Throws RangeError for segments outside the arena. */
export function forEachSegment(arenas: ArenaBytes, source: Source, take: (bytes: Uint8Array) => void): void {
  const arena = arenas[source.arena]
  const { segments } = source
  if (arena === undefined) throw new RangeError(`there is no arena ${source.arena}`)
  for (let i = 0; i + 1 < segments.length; i += 2) {
    const offset = segments[i] ?? 0
    const length = segments[i + 1] ?? 0
    if (offset < 0) takeZeroes(length, take)
    else if (offset + length > arena.length) throw new RangeError(`segment ${offset}+${length} is outside the arena`)
    else if (length > 0) take(arena.subarray(offset, offset + length))
  }
}

/** True when `bytes` holds nothing but zeros. */
export function isZeroes(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += ZERO_PAGE.length) {
    const part = bytes.subarray(at, at + ZERO_PAGE.length)
    if (Buffer.compare(part, part.length === ZERO_PAGE.length ? ZERO_PAGE : ZERO_PAGE.subarray(0, part.length)) !== 0)
      return false
  }
  return true
}

/** Calls `take` with `length` zero bytes, a page at a time. */
export function takeZeroes(length: number, take: (bytes: Uint8Array) => void): void {
  for (let left = length; left > 0; left -= ZERO_PAGE.length)
    take(ZERO_PAGE.subarray(0, Math.min(left, ZERO_PAGE.length)))
}
