// How long a round trip takes, and from it how long to wait for an acknowledgement (BEP 29, as TCP does in RFC 6298).
// Samples come only from packets that were sent once: of a repeated one it is not known which copy was answered.

/** Never waits less (BEP 29). */
export const MIN_TIMEOUT_MS = 500
/** Before the first sample (BEP 29). */
export const FIRST_TIMEOUT_MS = 1000
/** Never waits longer (libtorrent does the same). */
export const MAX_TIMEOUT_MS = 60_000
/** Waits in a row, the first included, before they get longer: one lost answer to a repeated packet says little. */
const PLAIN_WAITS = 2
/** Waits in a row after which the longest is reached from the shortest. */
const MAX_WAITS = 7 + PLAIN_WAITS
/** Before this nothing of a flight is repeated to find out what became of it. */
const MIN_PROBE_MS = 20
/** What an acknowledgement of a single packet may be held back (libutp's number). */
const HELD_ACK_MS = 100

/** The round trip of one connection. */
export class RttEstimator {
  #smoothedMs = 0
  #deviationMs = 0
  #known = false
  #waits = 0

  /** Smoothed round trip, 0 before the first sample. */
  get smoothedMs(): number {
    return this.#smoothedMs
  }

  /** How long a packet sent now may stay unanswered. */
  get timeoutMs(): number {
    const plain = this.#known ? Math.max(MIN_TIMEOUT_MS, this.#smoothedMs + 4 * this.#deviationMs) : FIRST_TIMEOUT_MS
    return Math.min(MAX_TIMEOUT_MS, plain * 2 ** Math.max(0, this.#waits + 1 - PLAIN_WAITS))
  }

  /**
   * How long nothing may come back before the last of `packets` under way is sent again (RFC 8985); infinite = not
   * known.
   */
  probeMs(packets: number): number {
    if (!this.#known) return Number.POSITIVE_INFINITY
    const plain = Math.max(MIN_PROBE_MS, 2 * this.#smoothedMs, this.#smoothedMs + 4 * this.#deviationMs)
    return packets > 1 ? plain : plain + HELD_ACK_MS
  }

  /** A packet sent this much before one that arrived is lost (RFC 8985: packets change places by less). */
  get reorderMs(): number {
    return Math.max(1, this.#smoothedMs / 4)
  }

  /** A packet that was sent once was acknowledged after `ms`. */
  sample(ms: number): void {
    if (!this.#known) {
      this.#known = true
      this.#smoothedMs = ms
      this.#deviationMs = ms / 2
      return
    }
    const delta = this.#smoothedMs - ms
    this.#deviationMs += (Math.abs(delta) - this.#deviationMs) / 4
    this.#smoothedMs -= delta / 8
  }

  /**
   * Nothing was answered in time: from the second time on the next wait is twice as long (BEP 29: from the first on).
   */
  backOff(): void {
    this.#waits = Math.min(MAX_WAITS, this.#waits + 1)
  }

  /** Something new was acknowledged: waits are plain again. */
  progress(): void {
    this.#waits = 0
  }
}
