// Whether the folders of one torrent are made: once by whoever needs them first, again when asked to. What is made and
// how is the caller's. Invariant: who waited for a preparation that was given up makes nothing.

import { AppError } from '../base/errors.ts'

/** The preparation of one store. */
export class Preparation {
  #under: Promise<void> | null = null
  #isDone = false
  /** The last one was given up: what waited behind it was its run's, and is over too. */
  #givenUp = false

  /** All is made. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The next one makes everything again. */
  forget(): void {
    this.#under = null
    this.#isDone = false
  }

  /** Makes everything again by `make`. Rejects as that does; with `signal` fired nothing is made until the next. */
  async again(make: () => Promise<void>, signal?: AbortSignal): Promise<void> {
    this.#givenUp = false
    try {
      await this.#begin(make)
    } catch (error) {
      this.#givenUp = signal?.aborted === true
      throw error
    }
  }

  /**
   * Makes everything unless that is done or under way. A failure is tried again next time; AppError Aborted: the last
   * again() was given up.
   */
  once(make: () => Promise<void>): Promise<void> {
    if (this.#givenUp) return Promise.reject(new AppError('Aborted'))
    return this.#under ?? this.#begin(make)
  }

  #begin(make: () => Promise<void>): Promise<void> {
    const under = make()
    this.#under = under
    this.#isDone = false
    under.then(
      () => {
        if (this.#under === under) this.#isDone = true
      },
      () => {
        if (this.#under === under) this.#under = null
      },
    )
    return under
  }
}
