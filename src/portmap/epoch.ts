// Tells from the times in a gateway's answers whether it has lost its mappings (RFC 6887 section 8.5; RFC 6886 section
// 3.6): its clock must go on as ours does. Knows no clock.

/** Seconds a gateway's clock may be off whatever the time between two answers. */
const SLACK_SEC = 2

/** The clock of one gateway. */
export class GatewayEpoch {
  /** Two clocks may differ by one such part of the time: 16 in PCP, 8 in NAT-PMP. */
  readonly #drift: number
  #nowMs = 0
  #epochSec = -1

  constructor(drift: 8 | 16) {
    this.#drift = drift
  }

  /** Notes an answer that came at `nowMs`; true when the gateway restarted, or is another one, since the last. */
  lost(nowMs: number, epochSec: number): boolean {
    const known = this.#epochSec >= 0
    const here = (nowMs - this.#nowMs) / 1000
    const there = epochSec - this.#epochSec
    this.#nowMs = nowMs
    this.#epochSec = epochSec
    if (!known) return false
    if (there < -1) return true
    return here + SLACK_SEC < there - there / this.#drift || there + SLACK_SEC < here - here / this.#drift
  }
}
