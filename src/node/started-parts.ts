// The parts of a node that were started, stopped in reverse.

import type { Log } from '../ports/log.ts'

interface StartedPart {
  readonly name: string
  stop(deadlineMs: number): Promise<unknown>
}

/** See the top of the file. */
export class StartedParts {
  /** In the order they were started. */
  readonly #parts: StartedPart[] = []
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** `stop` is given how long the whole stop may take, ms. */
  add(name: string, stop: (deadlineMs: number) => Promise<unknown>): void {
    this.#parts.push({ name, stop })
  }

  /** Stops every part, the newest first. Never rejects; what fails or is late is logged. */
  async stop(limitMs: number): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) {
      try {
        await part.stop(limitMs)
      } catch (error) {
        this.#log.error('a part did not stop cleanly', { name: part.name, error })
      }
    }
  }
}
