// How long films are, as far as somebody has looked into them.

/** Milliseconds that a file plays; null: nobody knows. Never looks itself. */
export type FilmDurations = (infohash: string, fileIndex: number) => number | null
