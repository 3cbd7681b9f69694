// When commits wait for more of their kind: machine code hashes sixteen pieces in little more than the time of four
// (decision 0530), and one message carries them. Knows no queue and no timer, only times and numbers. Invariant:
// nothing waits longer than MAX_HOLD_US for company, and nothing at all while pieces come too slowly for company.

/** Commits that go together: the lanes of the widest path. */
const FULL = 16
/** Fewer are not worth a wait: from so many on sixteen lanes are quicker than one. */
const WORTH = 5
/** The longest wait, microseconds; `have` may be so late. A piece that somebody waits for ends the wait. */
const MAX_HOLD_US = 40_000
/** The mean of the time between commits follows the last one by this part. */
const SMOOTHING = 1 / 8

/** What waits to be sent. */
export interface Held {
  /** Commits; nothing else waits. */
  readonly count: number
  /** Bytes of them. */
  readonly bytes: number
  /** When the first was posted, microseconds. */
  readonly sinceUs: number
}

/** The waiting of one pool. */
export class CommitGathering {
  readonly #fullBytes: number
  #lastUs = Number.NEGATIVE_INFINITY
  /** Mean time from one commit to the next, microseconds. */
  #gapUs = MAX_HOLD_US

  /** `fullBytes`: so many bytes go without waiting for more; 0 = nothing ever waits. */
  constructor(fullBytes: number) {
    this.#fullBytes = fullBytes
  }

  /** A commit was posted that may wait. */
  came(nowUs: number): void {
    const gapUs = Math.min(MAX_HOLD_US, nowUs - this.#lastUs)
    this.#gapUs += (gapUs - this.#gapUs) * SMOOTHING
    this.#lastUs = nowUs
  }

  /** They come so fast that company pays. */
  get quick(): boolean {
    return this.#gapUs * WORTH <= MAX_HOLD_US
  }

  /** How long these may go on waiting, microseconds; 0 = they are to be sent. */
  leftUs({ count, bytes, sinceUs }: Held, nowUs: number): number {
    if (count === 0 || count >= FULL || bytes >= this.#fullBytes) return 0
    if (!this.quick) return 0
    return Math.max(0, sinceUs + MAX_HOLD_US - nowUs)
  }
}
