// How much processor time this process gets beside others (setting resource_monitor.cpu_priority): a niceness for each
// of its threads, since on Linux a process has none of its own. Invariant: a level that cannot be set leaves the
// threads as they are.

import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { errorText } from '../base/errors.ts'
import type { Log } from '../ports/log.ts'

/** Niceness of each level, beside the one the process was started with: 2 leaves it alone. */
const STEPS = [19, 10, 0, -5, -10, -15] as const
const NORMAL = 2
const LOWEST = 19
const HIGHEST = -20

/** What it works on; tests replace it. */
export interface PriorityPlace {
  /** Threads of this process. */
  threads(): readonly number[]
  get(thread: number): number
  /** Throws when it is not allowed. */
  set(thread: number, niceness: number): void
}

/**
 * How much processor time this process gets beside others (setting resource_monitor.cpu_priority): a niceness for each
 * of its threads, since on Linux a process has none of its own.
 */
export class ProcessPriority {
  readonly #log: Log
  readonly #place: PriorityPlace
  readonly #startedWith: number
  #level = NORMAL

  constructor(log: Log, place: PriorityPlace = machine) {
    this.#log = log
    this.#place = place
    this.#startedWith = place.get(0)
  }

  /** Sets the level, 0 (last) to 5 (first), of every thread; those made later have it of the thread that makes them. */
  follow(level: number): void {
    if (level === this.#level) return
    const niceness = Math.max(HIGHEST, Math.min(LOWEST, this.#startedWith + (STEPS[level] ?? 0)))
    const { threads, get, set } = this.#place
    const before: [thread: number, niceness: number][] = []
    try {
      for (const thread of threads()) {
        const had = niceNow(get, thread)
        if (had === null) continue
        set(thread, niceness)
        before.push([thread, had])
      }
      this.#level = level
    } catch (error) {
      for (const [thread, had] of before) trySet(set, thread, had)
      this.#log.warn('the priority cannot be set: this user may not', { level, error: errorText(error) })
    }
  }
}

/** Null of a thread that has ended meanwhile. */
function niceNow(get: PriorityPlace['get'], thread: number): number | null {
  try {
    return get(thread)
  } catch {
    return null
  }
}

function trySet(set: PriorityPlace['set'], thread: number, niceness: number): void {
  try {
    set(thread, niceness)
  } catch {
    // It ended, or going back is not allowed either.
  }
}

const machine: PriorityPlace = {
  threads: () => readdirSync('/proc/self/task').map(Number),
  get: getPriority,
  set: setPriority,
}
