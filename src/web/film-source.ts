// What a chapter may tell the player of a film: what it is before it plays, and the texts inside of it.

import type { Cue } from '../wire/subtitles/cue.ts'
import type { Span } from '../wire/subtitles/spans.ts'
import type { KnownFilm } from './model/film/film-way.ts'
import type { ForecastAnswer } from './model/film/forecast-words.ts'

/** Texts of a part of a film. */
export interface FilmTextPart {
  readonly cues: readonly Cue[]
  /** The parts of which all texts are among them. */
  readonly covered: readonly Span[]
}

/** What tells of films. Both reject with ApiError. */
export interface FilmSource {
  /** What is known of a file; null: nothing yet, or it is no film. */
  facts(infohash: string, fileindex: number, signal: AbortSignal): Promise<KnownFilm | null>
  /** Texts of a track, by its number in the file, as far as they are there. */
  texts(infohash: string, fileindex: number, track: number, span: Span, signal: AbortSignal): Promise<FilmTextPart>
}

/**
 * Asks from when on a file plays from a second of it to its end without a stall. It may take some seconds. Rejects with
 * ApiError; with the signal's reason when it fires.
 */
export type ForecastSource = (
  infohash: string,
  fileindex: number,
  fromSec: number,
  signal: AbortSignal,
) => Promise<ForecastAnswer>
