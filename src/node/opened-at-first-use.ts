// A part of the node whose code is loaded and which is started when somebody first uses it: once, however many ask at
// the same time, and again after a start that failed. What is being started when the node stops is stopped too.

import { AppError } from '../base/errors.ts'

/** What is opened. */
interface Stoppable {
  stop(limitMs: number): Promise<void>
}

/**
 * A part of the node whose code is loaded and which is started when somebody first uses it: once, however many ask at
 * the same time, and again after a start that failed.
 */
export class OpenedAtFirstUse<Part extends Stoppable> {
  #start: (() => Promise<Part>) | null
  #opening: Promise<Part> | null = null
  #opened: Part | null = null
  /** The end of what was discarded: the next start waits for it. */
  #discarded: Promise<void> = Promise.resolve()
  #stopped = false

  /** `start`: loads and starts it; null: that is known later, see ready(). */
  constructor(start: (() => Promise<Part>) | null = null) {
    this.#start = start
  }

  /** It can be opened from now on. */
  ready(start: () => Promise<Part>): void {
    this.#start = start
  }

  /** What is open; null: nothing. Opens nothing. */
  get opened(): Part | null {
    return this.#opened
  }

  /**
   * Opens it, or answers what is open. Rejects as the start does; AppError NotReady before ready() and after stop().
   */
  open(): Promise<Part> {
    if (this.#stopped) return Promise.reject(new AppError('NotReady', 'The node is stopping.'))
    const start = this.#start
    if (start === null) return Promise.reject(new AppError('NotReady'))
    this.#opening ??= this.#open(start).catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  /** What is open can no longer work: it is ended within `limitMs`, and the next use opens another. */
  discard(limitMs: number): void {
    const part = this.#opened
    if (part === null || this.#stopped) return
    this.#opened = null
    this.#opening = null
    // What ended badly has ended: the next start must not fail for it.
    this.#discarded = part.stop(limitMs).catch(() => undefined)
  }

  /** Ends it, also what is only being opened: settles when it has ended. `limitMs` is what its stop() is given. */
  async stop(limitMs: number): Promise<void> {
    this.#stopped = true
    this.#opened = null
    const part = await this.#opening?.catch(() => null)
    await Promise.all([part?.stop(limitMs), this.#discarded])
  }

  async #open(start: () => Promise<Part>): Promise<Part> {
    await this.#discarded
    const part = await start()
    if (!this.#stopped) this.#opened = part
    return part
  }
}
