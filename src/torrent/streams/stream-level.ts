// How far those who read a torrent are from standing still, in seconds of film. Pure.

/** One reader for somebody who plays, as its window has it; bytes of its file. */
export interface ReaderDemand {
  /** Where its file begins in the torrent, and how long it is. */
  readonly offset: number
  readonly length: number
  readonly position: number
  readonly windowBytes: number
  /** Bytes/s of its film; 0 = not known. */
  readonly filmRate: number
  /** Where it was opened, or jumped to last, and when. */
  readonly from: { readonly position: number; readonly atMs: number }
}

/** What all readers of a torrent need. */
export interface StreamLevel {
  /** Seconds that the one with the least has ahead of it; Infinity: its window is full, or it does not count. */
  readonly levelSec: number
  /** Bytes/s that they play with, as far as that is known. */
  readonly need: number
}

/**
 * Players read ahead, but by no more than this. Who takes the film faster copies it, and does that beside all others.
 */
const MOST_LEAD_SEC = 60
/** What is not known to be a film is one for so long: its head is what makes it known. */
const UNKNOWN_BYTES = 8 * 1024 * 1024

/** `available`: bytes without a gap from the reader's position on. */
export function levelOf(
  demands: Iterable<ReaderDemand>,
  nowMs: number,
  available: (demand: ReaderDemand) => number,
): StreamLevel {
  let [levelSec, need] = [Number.POSITIVE_INFINITY, 0]
  for (const demand of demands) {
    need += demand.filmRate
    if (isPlayed(demand, nowMs)) levelSec = Math.min(levelSec, secondsAhead(demand, available(demand)))
  }
  return { levelSec, need }
}

function secondsAhead({ windowBytes, length, position, filmRate }: ReaderDemand, ahead: number): number {
  if (ahead >= Math.min(windowBytes, length - position)) return Number.POSITIVE_INFINITY
  return filmRate > 0 ? ahead / filmRate : 0
}

function isPlayed({ position, filmRate, from }: ReaderDemand, nowMs: number): boolean {
  const read = position - from.position
  if (filmRate <= 0) return read < UNKNOWN_BYTES
  return read / filmRate - (nowMs - from.atMs) / 1000 < MOST_LEAD_SEC
}
