// How long reading texts may take. The head and the index of a film are read before and have bounds of their own: on a
// slow disk they alone take longer, and no part would ever be told.

/** Says when `limitMs` are over by the clock `now`, from the first time it is asked on: that is never too late. */
export function spotTime(now: () => number, limitMs: number): () => boolean {
  let until: number | null = null
  return () => {
    until ??= now() + limitMs
    return now() > until
  }
}
