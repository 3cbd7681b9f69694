// Everything the trackers of all torrents wait for, in one binary heap with one timer: ten thousand idle torrents cost
// ten thousand small objects and a single pending timer. Long waits may end together, a little late (decision 0482).
// Invariant: an entry knows its place in the heap (-1 = not in it); the timer is set for the first entry, or unset.

import type { Clock, Timer } from '../ports/clock.ts'

/** A thing that is due at a moment; made once, set and cancelled as often as needed. */
export interface Due {
  /** Runs once `delayMs` from now; replaces what was set. */
  set(delayMs: number): void
  cancel(): void
  readonly pending: boolean
}

class Entry implements Due {
  readonly run: () => void
  dueMs = 0
  place = -1
  readonly #queue: DueQueue
  constructor(queue: DueQueue, run: () => void) {
    this.#queue = queue
    this.run = run
  }
  get pending(): boolean {
    return this.place >= 0
  }
  set(delayMs: number): void {
    this.#queue.schedule(this, delayMs)
  }
  cancel(): void {
    this.#queue.remove(this)
  }
}

/** What waits at least this long may be late. */
const LONG_MS = 60_000

/** The heap and its timer. Close it to end all. */
export class DueQueue {
  readonly #clock: Clock
  readonly #togetherMs: number
  readonly #heap: Entry[] = []
  #timer: Timer | null = null
  #timerDueMs = 0
  #closed = false

  /** `togetherMs`: what waits a minute or longer ends at multiples of this, never early; 0 = each in its own moment. */
  constructor(clock: Clock, togetherMs = 0) {
    this.#clock = clock
    this.#togetherMs = togetherMs
  }

  /** A new due thing; not scheduled yet. */
  create(run: () => void): Due {
    return new Entry(this, run)
  }

  get size(): number {
    return this.#heap.length
  }

  /** Milliseconds until the first entry, null when there is none. */
  nextInMs(): number | null {
    const first = this.#heap[0]
    return first === undefined ? null : first.dueMs - this.#clock.now()
  }

  schedule(entry: Entry, delayMs: number): void {
    if (this.#closed) return
    this.#unlink(entry)
    entry.dueMs = this.#momentFor(delayMs)
    entry.place = this.#heap.length
    this.#heap.push(entry)
    this.#up(entry.place)
    this.#arm()
  }

  remove(entry: Entry): void {
    this.#unlink(entry)
    this.#arm()
  }

  close(): void {
    this.#closed = true
    for (const entry of this.#heap) entry.place = -1
    this.#heap.length = 0
    this.#arm()
  }

  #momentFor(delayMs: number): number {
    const dueMs = this.#clock.now() + Math.max(0, delayMs)
    if (delayMs < LONG_MS || this.#togetherMs === 0) return dueMs
    return Math.ceil(dueMs / this.#togetherMs) * this.#togetherMs
  }

  #arm(): void {
    const first = this.#heap[0]
    if (first !== undefined && this.#timer !== null && this.#timerDueMs === first.dueMs) return
    this.#timer?.cancel()
    this.#timer = null
    if (first === undefined) return
    this.#timerDueMs = first.dueMs
    this.#timer = this.#clock.after(Math.max(0, Math.ceil(first.dueMs - this.#clock.now())), () => this.#fire())
  }

  #fire(): void {
    this.#timer = null
    const nowMs = this.#clock.now()
    // Only what was due when the timer ran: an entry that schedules itself for now waits for the next turn.
    const ready: Entry[] = []
    for (let first = this.#heap[0]; first !== undefined && first.dueMs <= nowMs; first = this.#heap[0]) {
      this.#unlink(first)
      ready.push(first)
    }
    for (const entry of ready) entry.run()
    this.#arm()
  }

  #unlink(entry: Entry): void {
    const place = entry.place
    if (place < 0) return
    entry.place = -1
    const last = this.#heap.pop()
    if (last === undefined || last === entry) return
    this.#heap[place] = last
    last.place = place
    this.#up(place)
    this.#down(last.place)
  }

  #swap(a: number, b: number): void {
    const first = this.#heap[a] as Entry
    const second = this.#heap[b] as Entry
    this.#heap[a] = second
    this.#heap[b] = first
    second.place = a
    first.place = b
  }

  #dueAt(place: number): number {
    return this.#heap[place]?.dueMs ?? Number.POSITIVE_INFINITY
  }

  #up(from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#dueAt(parent) <= this.#dueAt(place)) return
      this.#swap(place, parent)
      place = parent
    }
  }

  #down(from: number): void {
    let place = from
    for (;;) {
      const left = 2 * place + 1
      const child = this.#dueAt(left + 1) < this.#dueAt(left) ? left + 1 : left
      if (this.#dueAt(child) >= this.#dueAt(place)) return
      this.#swap(place, child)
      place = child
    }
  }
}
