// What whoever knows a film tells the engine of it: how fast it is played, where its index lies, which byte is played
// when. The engine reads no containers; without facts it goes by what readers consume. All of it may come from a
// stranger's file, so that it is made sound here before anything is computed of it.

/** Bytes of a file from `start` up to `end`, which is not in it. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** What is known of a film. */
export interface FilmFacts {
  /** What playing takes on average, above 0. */
  readonly bytesPerSecond: number
  /** Where the index lies: what a player reads beside the place it plays. [] = nowhere else. */
  readonly index: readonly ByteRange[]
  /** Times (seconds) and bytes of key frames, both rising, equally long; null = bytes follow time evenly. */
  readonly keys: { readonly times: readonly number[]; readonly bytes: readonly number[] } | null
}

/** Parts of an index that count: real films have one to three. */
const MAX_INDEX_RANGES = 16
/** Bytes of an index that are fetched ahead: two hours of MP4 have 1 to 9 MiB. */
const MAX_INDEX_BYTES = 32 * 1024 * 1024

/**
 * The parts of an index that lie in a file of `length` bytes, as far as they are believed; the smallest first, so that
 * a head with large attachments does not use up what the index itself needs.
 */
export function soundIndex(index: readonly ByteRange[], length: number): ByteRange[] {
  const parts = index
    .slice(0, MAX_INDEX_RANGES)
    .map(({ start, end }) => ({ start: Math.max(0, Math.floor(start)), end: Math.min(length, Math.ceil(end)) }))
    // Also false for what is no number.
    .filter(({ start, end }) => end > start)
    .toSorted((a, b) => a.end - a.start - (b.end - b.start))
  let left = MAX_INDEX_BYTES
  return parts.flatMap(({ start, end }) => {
    const last = Math.min(end, start + left)
    left -= last - start
    return last > start ? [{ start, end: last }] : []
  })
}

/** Bytes/s that can be counted with; 0 = not known. */
export function soundRate(bytesPerSecond: number): number {
  return Number.isFinite(bytesPerSecond) && bytesPerSecond > 0 ? bytesPerSecond : 0
}
