// Faults of a disk that pass: a read or write that ends in an input/output error is tried again with growing waits, and
// only then the download stops (decision 0477). A flush is never tried again: after a failed one the system has
// forgotten what was not written, and the next one would say that all is well.

import type { Clock } from '../../ports/clock.ts'
import type { PieceStore } from '../../ports/piece-store.ts'

/** Waits before the second try and those after it, ms: some fifty seconds. */
const WAITS_MS = [250, 1000, 4000, 15_000, 30_000]

/** Errors of the system that may be gone at the next try: the device or its server did not answer this once. */
const PASSING: ReadonlySet<string> = new Set(['EIO', 'ETIMEDOUT'])

const WRITES = ['commit', 'writeBlocks'] as const
const READS = ['prepare', 'facts', 'verify', 'check', 'leaves', 'read'] as const

/** Whether an error, or what caused it, is a fault that may pass. */
export function mayPass(error: unknown): boolean {
  let one = error
  for (let depth = 0; depth < 4 && one instanceof Error; depth += 1) {
    const { code, data } = one as { readonly code?: unknown; readonly data?: { readonly code?: unknown } }
    if (PASSING.has(String(code)) || PASSING.has(String(data?.code))) return true
    one = one.cause
  }
  return false
}

/** The tries of one torrent. */
export class DiskRetries {
  readonly #clock: Clock
  /** Writes that wait to be tried again: reads wait for them meanwhile, or would find the old bytes. */
  readonly #writes = new Set<Promise<unknown>>()
  /** Ends of the waits that go on. */
  readonly #waits = new Set<() => void>()
  #givenUp = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something waits for its next try. */
  get waiting(): boolean {
    return this.#waits.size > 0
  }

  /** A run begins. */
  begin(): void {
    this.#givenUp = false
  }

  /** The run ends: what waits fails with the error it had, and so does what fails later. */
  giveUp(): void {
    this.#givenUp = true
    for (const end of this.#waits) end()
  }

  /** Makes the reads and writes of `store` patient; answers the store itself. */
  patient<S extends PieceStore>(store: S): S {
    for (const name of WRITES) {
      const run = (store[name] as (...args: unknown[]) => Promise<unknown>).bind(store)
      Object.assign(store, { [name]: (...args: unknown[]) => this.#write(() => run(...args)) })
    }
    for (const name of READS) {
      const run = (store[name] as (...args: unknown[]) => Promise<unknown>).bind(store)
      Object.assign(store, { [name]: (...args: unknown[]) => this.#read(() => run(...args)) })
    }
    return store
  }

  #write(run: () => Promise<unknown>): Promise<unknown> {
    return run().catch((error: unknown) => {
      const again = this.#again(run, error)
      this.#writes.add(again)
      const done = (): boolean => this.#writes.delete(again)
      again.then(done, done)
      return again
    })
  }

  async #read(run: () => Promise<unknown>): Promise<unknown> {
    if (this.#writes.size > 0) await Promise.allSettled(this.#writes)
    return run().catch((error: unknown) => this.#again(run, error))
  }

  async #again(run: () => Promise<unknown>, first: unknown): Promise<unknown> {
    let failure = first
    for (const waitMs of WAITS_MS) {
      if (this.#givenUp || !mayPass(failure) || !(await this.#waited(waitMs))) break
      try {
        return await run()
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  /** False: it was given up meanwhile. */
  #waited(ms: number): Promise<boolean> {
    return new Promise(resolve => {
      const end = (inTime: boolean): void => {
        this.#waits.delete(giveUp)
        timer.cancel()
        resolve(inTime)
      }
      const giveUp = (): void => end(false)
      const timer = this.#clock.after(ms, () => end(true))
      this.#waits.add(giveUp)
    })
  }
}
