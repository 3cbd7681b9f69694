// Places in a film that the page works out itself, seconds from its start. Pure.

/** Nobody has moved a film that is before this. */
const MOVED_SEC = 1

/** The place `by` seconds on. `lengthSec`: as an element tells it; NaN or Infinity while it is not known. */
export function placeAfter(placeSec: number, by: number, lengthSec: number): number {
  const to = Math.max(0, placeSec + by)
  return lengthSec > 0 ? Math.min(lengthSec, to) : to
}

/**
 * Where a film begins that is played without an answer to where: at the place it was moved to, else where it was left.
 * To begin at its start has a button of its own; by a wrong guess the place that is known would be lost.
 */
export function beginsAt(placeSec: number, leftSec: number): number {
  return placeSec >= MOVED_SEC ? placeSec : leftSec
}
