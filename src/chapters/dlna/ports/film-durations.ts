// Who finds out how long films are.

/** Seconds that a file plays; null: it is no film, or says nothing of it. May read the file. Rejects when not now. */
export type FilmDurations = (
  infohash: string,
  fileIndex: number,
  asker: { readonly signal: AbortSignal },
) => Promise<number | null>
