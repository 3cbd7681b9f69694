// A shared end for many waits: when it comes, those that still wait are given up. It keeps nothing of waits that are
// over.

/** An end that many waits share: what takes longer than there is time for is given up when it comes. */
export class Ending {
  readonly #waits = new Set<(error: Error) => void>()
  #error: Error | null = null

  /** It has come. */
  get over(): boolean {
    return this.#error !== null
  }

  /**
   * Settles as `wait` does, or rejects with the error of end(), whichever is first. What `wait` does later is ignored.
   */
  until<T>(wait: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#error !== null) reject(this.#error)
      this.#waits.add(reject)
      wait.then(resolve, reject).finally(() => this.#waits.delete(reject))
    })
  }

  /** Ends all waits, those that come later too. */
  end(error: Error): void {
    this.#error ??= error
    for (const reject of [...this.#waits]) reject(this.#error)
    this.#waits.clear()
  }
}
