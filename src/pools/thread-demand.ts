// How many worker threads the pool should have. One thread hashes and writes about 1 GiB/s, and two writers of one file
// wait for each other in the kernel, so further ones start only when jobs wait and none is answered (decision 0522).
// Knows no thread, only numbers.
// Invariant: at most one thread is starting at a time, because each start holds the main loop for some 15 ms.

/** Jobs that wait less are not worth a thread: the start of one takes half as long. */
export const GROW_AFTER_MS = 100
/**
 * No thread answers for so long: one is held in a job, as by a disk that stalls. While answers come, what makes jobs
 * wait is the load of the machine, which one more thread only adds to; on a machine with six busy processes a core they
 * were 120 ms apart at most. As long makes a call to a volume a late one.
 */
const HELD_MS = 250

/** What waits for a thread. */
export interface Backlog {
  /** How long the oldest job has waited, ms. */
  readonly waitedMs: number
  /** How long no thread has answered, ms; of threads that had nothing to do, since they were given something. */
  readonly silentMs: number
  /** It is work for as many threads as there are (a check of files), not a stream that one can keep up with. */
  readonly spread: boolean
}

/** The wanted and the ready threads of one pool. */
export class ThreadDemand {
  readonly #most: number
  #wanted = 1
  #ready = 0

  constructor(most: number) {
    this.#most = Math.max(1, most)
  }

  /** Threads to reckon with, at least one. */
  get wanted(): number {
    return this.#wanted
  }

  /** True when another thread may be asked for: none is starting, and there may be more. */
  get mayGrow(): boolean {
    return this.#ready === this.#wanted && this.#wanted < this.#most
  }

  /** Batches that may be under way: `each` for a ready thread; one when there is none, which starts the first. */
  batches(each: number): number {
    return Math.max(1, this.#ready * each)
  }

  /** A thread is ready; `ready` are now. */
  came(ready: number): void {
    this.#ready = ready
    this.#wanted = Math.max(this.#wanted, ready)
  }

  /** A thread has ended, perhaps while it was starting; `ready` are left. */
  went(ready: number): void {
    this.#ready = ready
    this.#wanted = Math.max(1, ready)
  }

  /** The threads are given up, those that start too. */
  reset(): void {
    this.#ready = 0
    this.#wanted = 1
  }

  /** True when one more batch should start one more thread: the backlog is worth it. */
  grow(backlog: Backlog): boolean {
    if (!this.mayGrow) return false
    const held = backlog.waitedMs >= GROW_AFTER_MS && backlog.silentMs >= HELD_MS
    if (!backlog.spread && !held) return false
    this.#wanted++
    return true
  }
}
