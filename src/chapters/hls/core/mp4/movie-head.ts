// The movie of an MP4 film, with what its fragments leave unsaid.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { MAX_MOOV_BYTES } from '../../../media/core/limits.ts'
import { boxIn } from '../../../media/core/mp4/boxes.ts'
import { type SampleDefaults, sampleDefaults } from '../../../media/core/mp4/fragment-runs.ts'
import { findMovie } from '../../../media/core/mp4/mp4-film.ts'
import { type Movie, type MovieTrack, readMovie } from '../../../media/core/mp4/movie.ts'

/** A movie. */
export interface MovieHead {
  readonly movie: Movie
  /** The first byte behind it: fragments may begin there. */
  readonly end: number
  /** By the number of the track. */
  readonly defaults: ReadonlyMap<number, SampleDefaults>
}

/** Reads it. Throws DecodeError, and what reading throws. */
export function readMovieHead(source: ByteSource): MovieHead {
  const { body, end } = findMovie(source)
  if (end - body > MAX_MOOV_BYTES) throw new DecodeError(`its index has ${end - body} bytes`)
  const moov = new FieldBytes(source.read(body, end))
  return { movie: readMovie(moov), end, defaults: sampleDefaults(boxIn(moov, 'mvex')) }
}

/** The track of this number. Throws DecodeError when there is none, or its samples lie in another file. */
export function movieTrack({ movie }: MovieHead, id: number): MovieTrack {
  const track = movie.tracks.find(one => one.id === id)
  if (track === undefined) throw new DecodeError(`it has no track ${id}`)
  if (!track.isHere) throw new DecodeError('it names another file or address for its samples, which is not followed')
  return track
}
