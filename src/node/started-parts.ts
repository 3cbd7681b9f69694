// The parts of a node that were started, stopped in reverse.

import type { Log } from '../ports/log.ts'
import { atMost } from './exit.ts'

/** What every part may take, ms, also when there is nothing left. */
const MIN_MS = 25

interface StartedPart {
  readonly name: string
  /** Part of the time that is kept for it, whatever those before it take. */
  readonly kept: number
  stop(limitMs: number, mostMs: number): Promise<unknown>
}

/** The parts of a node that were started, stopped in reverse. */
export class StartedParts {
  /** In the order they were started. */
  readonly #parts: StartedPart[] = []
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * `stop` is given how long the whole stop may take, ms, and how long this part is waited for: what those before it
   * left and those after it do not need. `kept`: the part of the whole that this one has in any case, because what it
   * holds must not be lost by the slowness of others.
   */
  add(name: string, stop: (limitMs: number, mostMs: number) => Promise<unknown>, kept = 0): void {
    this.#parts.push({ name, stop, kept })
  }

  /** Stops every part, the newest first, each for as long as it takes. Never rejects; what fails is logged. */
  async stop(limitMs: number): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) await this.#stopOne(part, limitMs, limitMs)
  }

  /**
   * As stop(), but a part that takes all of the time there is for it is not waited for any longer, so that those after
   * it end too. False: there was one.
   */
  async stopWithin(limitMs: number): Promise<boolean> {
    const endMs = performance.now() + limitMs
    const parts = this.#parts.splice(0).reverse()
    let inTime = true
    for (const [at, part] of parts.entries()) {
      const later = parts.slice(at + 1).reduce((sum, { kept }) => sum + kept, 0)
      const mostMs = Math.max(endMs - performance.now() - later * limitMs, part.kept * limitMs, MIN_MS)
      if (await atMost(mostMs, this.#stopOne(part, limitMs, mostMs), false)) continue
      this.#log.warn('a part was cut off', { name: part.name })
      inTime = false
    }
    return inTime
  }

  /** True, always. */
  async #stopOne(part: StartedPart, limitMs: number, mostMs: number): Promise<boolean> {
    try {
      await part.stop(limitMs, mostMs)
    } catch (error) {
      this.#log.error('a part did not stop cleanly', { name: part.name, error })
    }
    return true
  }
}
