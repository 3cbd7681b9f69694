// Who reads films: a thread, one film at a time.

import type { SubtitleOrder } from '../core/subtitles/subtitle-part.ts'
import type { FactsOutcome } from '../probe/read-facts.ts'
import type { TextsOutcome } from '../probe/read-part.ts'

/** A film, as the reader has it. */
export interface ReadableFilm {
  readonly size: number
  /**
   * Reads up to `length` bytes at `start` into the start of `into`: how many, 0 = they are not there yet. Rejects when
   * they cannot be read, also when that takes too long.
   */
  read(start: number, length: number, into: Uint8Array): Promise<number>
}

/** What became of it, and how long the reader worked, ms. */
export interface ReadOutcome {
  /** Not `failed`: that rejects. */
  readonly outcome: FactsOutcome
  readonly busyMs: number
}

/** Reads films. */
export interface FilmReader {
  /**
   * Reads one; called again only when that has settled. Rejects with what reading its bytes did, and with AppError
   * Aborted after stop().
   */
  read(film: ReadableFilm): Promise<ReadOutcome>
  /** Reads texts of one, as read(). */
  texts(film: ReadableFilm, order: SubtitleOrder): Promise<TextsOutcome>
  stop(): Promise<void>
}
