// What a chapter may tell the player of a film before it plays.

import type { KnownFilm } from './model/film/film-way.ts'

/** Asks what is known of a file; null: nothing yet, or it is no film. Rejects with ApiError. */
export type FilmSource = (infohash: string, fileindex: number, signal: AbortSignal) => Promise<KnownFilm | null>
