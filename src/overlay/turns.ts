// So many at a time, so many that wait, and no more.

/** See the top of the file. */
export class Turns {
  readonly #most: number
  readonly #mostWaiting: number
  readonly #waiting: ((mine: boolean) => void)[] = []
  #running = 0
  #closed = false

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /** Waits for a turn; false when there is none to be had. A true one is given back with end(). */
  begin(): Promise<boolean> {
    if (this.#closed || this.#waiting.length >= this.#mostWaiting) return Promise.resolve(false)
    if (this.#running >= this.#most) return new Promise(resolve => this.#waiting.push(resolve))
    this.#running++
    return Promise.resolve(true)
  }

  /** The turn is over. */
  end(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next(true)
  }

  /** Nobody gets a turn any more. */
  close(): void {
    this.#closed = true
    for (const resolve of this.#waiting.splice(0)) resolve(false)
  }
}
