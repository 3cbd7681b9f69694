// Where an MP4 may be entered, and how long it plays: by tables of samples in the movie box, by indexes of fragments,
// or by both, when the movie box holds the first fragment.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteRange } from '../byte-source.ts'
import type { KeyTable } from '../film-facts.ts'
import { KeyGathering } from '../key-table.ts'
import type { MeteredSource } from '../metered-source.ts'
import type { OptionalParts } from '../optional-parts.ts'
import {
  type FragmentIndex,
  findAccessBox,
  findSegmentIndex,
  readFragmentAccess,
  readSegmentIndex,
} from './fragments.ts'
import { addTableKeys } from './key-frames.ts'
import type { Movie, MovieTrack } from './movie.ts'

/** What is known of that. */
export interface FilmIndex {
  readonly keys: KeyTable | null
  /** Where it lies beside the movie box; null = nowhere else. */
  readonly elsewhere: ByteRange | null
  /** Seconds; null = not known. */
  readonly duration: number | null
}

const PART = 'Its index'

/** Reads it. `main`: whose key frames count; `behind`: where the movie box ends. */
export function readFilmIndex(
  source: MeteredSource,
  movie: Movie,
  main: MovieTrack | null,
  behind: number,
  parts: OptionalParts,
): FilmIndex {
  const keys = new KeyGathering(main?.id ?? 0, source.size)
  // True also where that cannot be said.
  const hasSamples = main !== null && parts.part(PART, true, () => addTableKeys(keys, main))
  const here = main?.isHere === true ? main : null
  if (!movie.fragmented) {
    return { keys: here === null ? null : keys.table(), elsewhere: null, duration: movie.duration ?? longest(movie) }
  }
  const index = here === null ? null : parts.part(PART, null, () => ofFragments(source, here, behind, parts))
  return {
    keys: index?.keys ?? null,
    elsewhere: index?.range ?? null,
    duration: fragmentedDuration(movie, index, hasSamples),
  }
}

/** What the head of a movie in fragments says is of its own samples alone, when it has some. */
function fragmentedDuration(movie: Movie, index: FragmentIndex | null, hasSamples: boolean): number | null {
  if (movie.fragmentsDuration !== null) return movie.fragmentsDuration
  const indexed = index?.duration ?? null
  if (indexed !== null) return Math.max(indexed, movie.duration ?? 0)
  return hasSamples ? null : movie.duration
}

function longest({ tracks }: Movie): number {
  return Math.max(0, ...tracks.map(({ duration, timescale }) => duration / timescale))
}

/** Null: there is none. A sidx that cannot be used costs itself: mfra may know all. Throws DecodeError of the last. */
function ofFragments(
  source: MeteredSource,
  track: MovieTrack,
  behind: number,
  parts: OptionalParts,
): FragmentIndex | null {
  let broken: DecodeError | null = null
  try {
    const sidx = findSegmentIndex(source, behind, track.id)
    if (sidx !== null) return readSegmentIndex(source, sidx, track, keysInMovie(source, track))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    broken = error
  }
  const mfra = findAccessBox(source)
  if (mfra !== null) return readFragmentAccess(source, mfra, track, keysInMovie(source, track), parts)
  if (broken !== null) throw broken
  return null
}

/** Those of the first fragment, when the movie box holds it. What is wrong with them was said already. */
function keysInMovie({ size }: MeteredSource, track: MovieTrack): KeyGathering {
  const keys = new KeyGathering(track.id, size)
  try {
    addTableKeys(keys, track)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
  return keys
}
