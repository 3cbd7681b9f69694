// A semaphore with a bounded queue: a limit for holders, a limit for those who wait, and whoever comes when both are
// reached is refused.

/** At most `most` hold it at a time, at most `mostWaiting` wait for it. */
export class Semaphore {
  readonly #most: number
  readonly #mostWaiting: number
  readonly #waiting: ((mine: boolean) => void)[] = []
  #running = 0
  #closed = false

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /** Waits for a place; false when there is none to be had. After true, give it back by release(). */
  acquire(): Promise<boolean> {
    if (this.#closed || this.#waiting.length >= this.#mostWaiting) return Promise.resolve(false)
    if (this.#running >= this.#most) return new Promise(resolve => this.#waiting.push(resolve))
    this.#running++
    return Promise.resolve(true)
  }

  /** Gives it back. */
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next(true)
  }

  /** No caller gets it any more; those that wait are refused. */
  close(): void {
    this.#closed = true
    for (const resolve of this.#waiting.splice(0)) resolve(false)
  }
}
