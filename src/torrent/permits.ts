// A counted permission, first come first served: how many torrents may check their data at a time.

import { AppError } from '../base/errors.ts'

/** A holder's permit; giving it back twice does nothing. */
export interface Permit {
  release(): void
}

/** `count` permits. */
export class Permits {
  #free: number
  readonly #line: ((permit: Permit) => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** A permit at once, or null. */
  tryTake(): Permit | null {
    if (this.#free === 0) return null
    this.#free -= 1
    return this.#permit()
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

  #permit(): Permit {
    let held = true
    return {
      release: () => {
        if (!held) return
        held = false
        const next = this.#line.shift()
        if (next === undefined) this.#free += 1
        else next(this.#permit())
      },
    }
  }
}
