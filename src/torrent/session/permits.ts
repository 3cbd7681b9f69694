// A counted permission, first come first served: how many torrents may check their data at a time.

import { AppError } from '../../base/errors.ts'

/** A holder's permit; giving it back twice does nothing. */
export interface Permit {
  release(): void
}

/** `count` permits; below 0 = no limit. */
export class Permits {
  #count = 0
  #taken = 0
  readonly #line: ((permit: Permit) => void)[] = []

  constructor(count: number) {
    this.setCount(count)
  }

  /** More are given at once; when there are fewer, those that are held stay until they are given back. */
  setCount(count: number): void {
    this.#count = count < 0 ? Number.POSITIVE_INFINITY : count
    this.#giveOut()
  }

  /** A permit at once, or null. */
  tryTake(): Permit | null {
    return this.#taken < this.#count ? this.#permit() : null
  }

  /** A permit when it is our turn. Rejects with AppError Aborted when `signal` fires. */
  take(signal: AbortSignal): Promise<Permit> {
    const now = this.tryTake()
    if (now !== null) return Promise.resolve(now)
    return new Promise((resolve, reject) => {
      const abort = () => {
        const at = this.#line.indexOf(granted)
        if (at >= 0) this.#line.splice(at, 1)
        reject(new AppError('Aborted'))
      }
      const granted = (permit: Permit) => {
        signal.removeEventListener('abort', abort)
        resolve(permit)
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      this.#line.push(granted)
    })
  }

  #giveOut(): void {
    while (this.#taken < this.#count) {
      const next = this.#line.shift()
      if (next === undefined) return
      next(this.#permit())
    }
  }

  #permit(): Permit {
    this.#taken += 1
    let held = true
    return {
      release: () => {
        if (!held) return
        held = false
        this.#taken -= 1
        this.#giveOut()
      },
    }
  }
}
