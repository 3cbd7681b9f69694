// A small number of lanes for file operations in libuv's thread pool. A stalled disk can hold every lane and nothing
// else: the pool's remaining thread still opens the node's own files and looks up names. First come first served.

/** Lanes by default: libuv has four threads, one stays free. */
const DEFAULT_LANES = 3

/** The lanes. Operations that find none free wait in order of arrival. */
export class DiskLanes {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(lanes: number = DEFAULT_LANES) {
    this.#free = Math.max(1, lanes)
  }

  /** Operations that wait for a lane. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs `operation` when a lane is free. It must not ask for another lane inside. */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await operation()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
