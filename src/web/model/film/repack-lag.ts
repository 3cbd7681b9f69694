// How much later than the browser's own player the page has what it repacks: it reads in blocks, takes clusters of
// Matroska as a whole, and passes on what lies between two key frames in one. Pure.

/** What is read at a time. */
export const READ_BYTES = 256 * 1024

/** Where key frames are not known: what encoders make by themselves is 2 to 10 s. */
const KEY_SEC = 4
/** What is in a cluster, as multiplexers make them. */
const CLUSTER_SEC = 5
const MOST_SEC = 20

/** What is known of a film. */
export interface FilmGrain {
  /** Of what is played from now on; 0: it is all there. */
  readonly missingBytes: number
  /** Bytes/s that come in. */
  readonly rate: number
  /** As it is played; null: not known. */
  readonly bytesPerSecond: number | null
  /** From one key frame to the next on average; null: not known. */
  readonly keySec: number | null
}

/** Seconds that a film which is repacked begins later, so that nothing of it comes too late. */
export function repackLagSec({ missingBytes, rate, bytesPerSecond, keySec }: FilmGrain): number {
  if (missingBytes === 0) return 0
  const played = Math.max(1, bytesPerSecond ?? 0)
  const ahead = READ_BYTES / played + CLUSTER_SEC + (keySec ?? KEY_SEC)
  // What comes in quicker than it is played is ahead so much sooner.
  return Math.min(MOST_SEC, ahead * Math.min(1, played / Math.max(1, rate)))
}
