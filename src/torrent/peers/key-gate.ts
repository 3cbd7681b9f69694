// Bounds the time that the keys of encrypted handshakes take from other work: so many exponentiations a turn, the
// others wait in line. A storm of handshakes then costs a fixed part of one core. Knows nothing of what is computed.
// Invariant: while a handshake waits a timer is set; none waits twice.

import type { Clock } from '../../ports/clock.ts'

/** Exponentiations in a turn, each a part of a millisecond; and how long a turn is. 800 a second: 400 handshakes. */
export const MAX_POWERS_PER_TURN = 8
const TURN_MS = 10

/** Most that wait: beyond it handshakes are refused. More than the connections that may be without handshake. */
export const MAX_WAITING = 256

/** Something that makes keys. */
export interface KeyJob {
  /** Exponentiations that run() will make, at least one. */
  readonly powers: number
  /** Makes them; must not throw. */
  run(): void
}

/** The gate of one session. */
export class KeyGate {
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting = new Set<KeyJob>()
  #spent = 0
  #turnEnds = false

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs `job` within this call, or in a later turn; false = there are too many in line, it will not run. */
  ask(job: KeyJob): boolean {
    if (this.#waiting.size === 0 && this.#spend(job.powers)) {
      job.run()
      return true
    }
    if (this.#waiting.size >= MAX_WAITING) return false
    this.#waiting.add(job)
    return true
  }

  /** `job` need not run any more. */
  forget(job: KeyJob): void {
    this.#waiting.delete(job)
  }

  /** One that wants more than a turn has gets a turn for itself. */
  #spend(powers: number): boolean {
    if (this.#spent > 0 && this.#spent + powers > MAX_POWERS_PER_TURN) return false
    this.#spent += powers
    if (!this.#turnEnds) this.#clock.after(TURN_MS, () => this.#turned())
    this.#turnEnds = true
    return true
  }

  #turned(): void {
    this.#turnEnds = false
    this.#spent = 0
    for (const job of this.#waiting) {
      if (!this.#spend(job.powers)) return
      this.#waiting.delete(job)
      job.run()
    }
  }
}
