// The waits of one asker: each ends by time, and all of them when it leaves or has its answer.

import { AppError } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'

/** Waits that end together. */
export class Waits {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #timers = new Set<Timer>()
  readonly #rejects = new Set<(error: unknown) => void>()
  readonly #left = (): void => this.#reject()

  /** `signal`: fires when the asker leaves. */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    signal.addEventListener('abort', this.#left, { once: true })
  }

  /** Resolves with null after `ms`. Rejects with AppError Aborted when the asker leaves. */
  after(ms: number): Promise<null> {
    const wait = new Promise<null>((resolve, reject) => {
      this.#rejects.add(reject)
      this.#timers.add(this.#clock.after(ms, () => resolve(null)))
      if (this.#signal.aborted) this.#reject()
    })
    // Another wait may have been faster: then nobody hears of this one.
    wait.catch(() => undefined)
    return wait
  }

  /** Rejects with AppError Aborted when the asker leaves; settles by nothing else. */
  left(): Promise<never> {
    const wait = new Promise<never>((_resolve, reject) => void this.#rejects.add(reject))
    wait.catch(() => undefined)
    if (this.#signal.aborted) this.#reject()
    return wait
  }

  /** No timer of it goes on. */
  end(): void {
    this.#signal.removeEventListener('abort', this.#left)
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
    this.#rejects.clear()
  }

  #reject(): void {
    for (const reject of this.#rejects) reject(new AppError('Aborted'))
    this.#rejects.clear()
  }
}
