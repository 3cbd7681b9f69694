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
  /** Seconds that the one with the least has ahead of it; Infinity: its window is full; null: none counts. */
  readonly levelSec: number | null
  /** How far what is there goes on from the foremost of those that count, bytes of the torrent. */
  readonly frontier: number
  /** Bytes/s that they play with, as far as that is known. */
  readonly need: number
}

/**
 * Players read ahead, but by no more than this. Who takes the film faster copies it, and does that beside all others.
 */
const MOST_LEAD_SEC = 60
/** What is not known to be a film is one for so long: its head is what makes it known. */
const UNKNOWN_BYTES = 8 * 1024 * 1024

/** No film is played faster, bytes/s: what one says of itself may be a lie. */
const MOST_FILM_RATE = 20_000_000

/**
 * `available`: bytes without a gap from the reader's position on. `canCome`: somebody who is connected has the byte
 * there; who waits for what nobody has gains nothing from others.
 */
export function levelOf(
  demands: Iterable<ReaderDemand>,
  nowMs: number,
  available: (demand: ReaderDemand) => number,
  canCome: (place: number) => boolean = () => true,
): StreamLevel {
  let [levelSec, need, frontier] = [null as number | null, 0, 0]
  for (const demand of demands) {
    need += Math.min(MOST_FILM_RATE, demand.filmRate)
    if (!isPlayed(demand, nowMs)) continue
    const ahead = available(demand)
    const place = demand.offset + demand.position + ahead
    const seconds = secondsAhead(demand, ahead)
    if (seconds !== Number.POSITIVE_INFINITY && !canCome(place)) continue
    levelSec = Math.min(levelSec ?? Number.POSITIVE_INFINITY, seconds)
    frontier = Math.max(frontier, place)
  }
  return { levelSec, need, frontier }
}

function secondsAhead({ windowBytes, length, position, filmRate }: ReaderDemand, ahead: number): number {
  if (ahead >= Math.min(windowBytes, length - position)) return Number.POSITIVE_INFINITY
  return filmRate > 0 ? ahead / Math.min(MOST_FILM_RATE, filmRate) : 0
}

function isPlayed({ position, filmRate, from }: ReaderDemand, nowMs: number): boolean {
  // By the place in the file: whoever copies by many requests would begin with each.
  if (filmRate <= 0) return position < UNKNOWN_BYTES
  const read = position - from.position
  return read / filmRate - (nowMs - from.atMs) / 1000 < MOST_LEAD_SEC
}
