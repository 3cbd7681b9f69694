// What the thread that reads films and the node say to each other. Bytes of films never travel in messages: the thread
// asks for a range, waits, and finds it in memory that both share.

import type { FactsOutcome } from './read-facts.ts'

/** Words (32 bits) at the start of the shared memory: whose turn it is, and how many bytes were read. */
export const WORD = { state: 0, count: 1 } as const

/** Values of the first word. */
export const STATE = { asked: 1, there: 2, notHere: 3, failed: 4 } as const

/** Bytes before those of films. */
export const SHARED_HEAD_BYTES = 16
/** The most that is read at a time: a slot of the memory that files of downloads are read into. */
export const SHARED_READ_BYTES = 256 * 1024

/** To the thread: a film of this length is to be read. */
export interface FilmJob {
  readonly size: number
}

/** From the thread: it has begun, and its time runs. */
export interface FilmBegun {
  readonly kind: 'begun'
  /** The thread, for taskCpuMs() of src/chapters/media/io/task-time.ts; null = not known. */
  readonly task: string | null
}

/** From the thread: it waits for a range, which is at most SHARED_READ_BYTES long. */
export interface RangeWanted {
  readonly kind: 'wanted'
  readonly start: number
  readonly length: number
}

/** From the thread: the job is done. */
export interface FilmDone {
  readonly kind: 'done'
  readonly outcome: FactsOutcome
  /** How long it worked, without its waits for bytes, ms. */
  readonly busyMs: number
}

/** All that it says. */
export type FromMediaThread = FilmBegun | RangeWanted | FilmDone

/** What the thread is made with. */
export interface MediaThreadData {
  readonly shared: SharedArrayBuffer
}
