// What a chapter may tell the player of a film before it plays.

import type { KnownFilm } from './model/film/film-way.ts'
import type { ForecastAnswer } from './model/film/forecast-words.ts'

/** Asks what is known of a file; null: nothing yet, or it is no film. Rejects with ApiError. */
export type FilmSource = (infohash: string, fileindex: number, signal: AbortSignal) => Promise<KnownFilm | null>

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
