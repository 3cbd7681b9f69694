// Time that moves only when a test says so. Timers run in order of time, then of creation; between two moments
// everything that was promised meanwhile is settled (one turn of the real event loop). Invariant: now() never goes
// back.

import type { Clock, Timer } from '../../../src/ports/clock.ts'

interface Entry extends Timer {
  atMs: number
  order: number
  run: (() => void) | null
}

/** More turns than this at one moment means that something calls itself for ever without time passing. */
const MAX_TURNS_PER_MOMENT = 100_000

/** A clock on which milliseconds cost nothing. */
export class VirtualClock implements Clock {
  #nowMs = 1_000_000
  #order = 0
  /** Binary heap by time, then order. */
  readonly #heap: Entry[] = []
  readonly #wallStartMs: number

  /** `wallStartMs`: milliseconds since 1970 at the start. */
  constructor(wallStartMs = 1_700_000_000_000) {
    this.#wallStartMs = wallStartMs
  }

  now(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return this.#wallStartMs + this.#nowMs - 1_000_000
  }

  /** Timers that have not run: 0 at the end of a test that closed everything. */
  get pending(): number {
    return this.#heap.filter(entry => entry.run !== null).length
  }

  after(delayMs: number, run: () => void): Timer {
    const entry: Entry = {
      atMs: this.#nowMs + Math.max(0, Math.ceil(delayMs)),
      order: this.#order++,
      run,
      cancel: () => {
        entry.run = null
      },
    }
    this.#push(entry)
    return entry
  }

  every(intervalMs: number, run: () => void): Timer {
    let timer: Timer | null = null
    const again = (): void => {
      timer = this.after(Math.max(1, intervalMs), () => {
        again()
        run()
      })
    }
    again()
    return { cancel: () => timer?.cancel() }
  }

  /** Lets `ms` pass: runs every timer that falls due, each moment settled before the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settle()
    for (;;) {
      const next = this.#nextMs()
      if (next > endMs) break
      this.#nowMs = Math.max(this.#nowMs, next)
      await this.#runMoment()
    }
    this.#nowMs = endMs
  }

  /** Lets time pass until `reached()`; throws when `limitMs` passed without. Answers the ms it took. */
  async until(what: string, reached: () => boolean, limitMs = 600_000): Promise<number> {
    const startMs = this.#nowMs
    await settle()
    while (!reached()) {
      const next = this.#nextMs()
      if (next > startMs + limitMs) {
        this.#nowMs = startMs + limitMs
        throw new Error(`not within ${limitMs} virtual ms: ${what}`)
      }
      this.#nowMs = Math.max(this.#nowMs, next)
      await this.#runMoment()
    }
    return this.#nowMs - startMs
  }

  async #runMoment(): Promise<void> {
    for (let turn = 0; this.#nextMs() <= this.#nowMs; turn++) {
      if (turn > MAX_TURNS_PER_MOMENT)
        throw new Error('time stands still: timers without delay call each other for ever')
      // What is due now runs in one turn; what it starts for now runs in the next.
      const due: Entry[] = []
      while (this.#nextMs() <= this.#nowMs) due.push(this.#pop())
      for (const entry of due) {
        const run = entry.run
        entry.run = null
        run?.()
      }
      await settle()
    }
  }

  #nextMs(): number {
    while (this.#heap.length > 0 && this.#heap[0]?.run === null) this.#pop()
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (before(heap[parent] as Entry, entry)) break
      heap[at] = heap[parent] as Entry
      at = parent
    }
    heap[at] = entry
  }

  #pop(): Entry {
    const heap = this.#heap
    const top = heap[0] as Entry
    const last = heap.pop() as Entry
    if (heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry)) child++
      if (before(last, heap[child] as Entry)) break
      heap[at] = heap[child] as Entry
      at = child
    }
    heap[at] = last
    return top
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}

/** One turn of the real event loop: all microtasks and next ticks have run. */
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
