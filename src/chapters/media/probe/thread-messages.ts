// What threads that work on films and the node say to each other. Bytes of films never travel in messages: the thread
// asks for a range, waits, and finds it in memory that both share.

import type { SubtitleOrder } from '../core/subtitles/subtitle-part.ts'
import type { FactsOutcome } from './read-facts.ts'
import type { TextsOutcome } from './read-part.ts'

/**
 * Words (32 bits) at the start of the shared memory: whose turn it is, how many bytes were read, and the last job for
 * which nobody waits any more (0 = none): it and all before it.
 */
export const WORD = { state: 0, count: 1, givenUp: 2 } as const

/** Values of the first word. */
export const STATE = { asked: 1, there: 2, notHere: 3, failed: 4 } as const

/** Bytes before those of films. */
export const SHARED_HEAD_BYTES = 16
/** The most that is read at a time: a slot of the memory that files of downloads are read into. */
export const SHARED_READ_BYTES = 256 * 1024

/** A message about one job: to the thread the job itself. Jobs of a thread count from 1 on. */
export interface Numbered<Content> {
  readonly number: number
  readonly content: Content
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

/** From the thread: the job is over. */
export interface FilmOver<Said> {
  readonly kind: 'over'
  readonly said: Said
}

/** All that a thread says. */
export type FromFilmThread<Said> = FilmBegun | RangeWanted | FilmOver<Said>

/** What a thread is made with. */
export interface FilmThreadData {
  readonly shared: SharedArrayBuffer
}

/** To the thread that reads facts and texts: a film of this length is to be read. */
export interface FilmJob {
  readonly size: number
  /** Which of its texts are wanted; null: facts are. */
  readonly texts: SubtitleOrder | null
}

/** What it says then. */
export interface FilmDone {
  readonly outcome: FactsOutcome | TextsOutcome
  /** How long it worked, without its waits for bytes, ms. */
  readonly busyMs: number
}
