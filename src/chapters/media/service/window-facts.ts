// What windows and forecasts of the engine are made from, of the facts of a film.

import type { FilmFacts as WindowFacts } from '../../../torrent/streams/film-facts.ts'
import type { FilmFacts } from '../core/film-facts.ts'
import { risingKeys } from '../core/key-table.ts'

/** Null: too little is known. */
export function windowFacts({ duration, bitrate, index, keys }: FilmFacts): WindowFacts | null {
  if (duration === null || bitrate === null) return null
  return {
    bytesPerSecond: bitrate / 8,
    index,
    keys: keys === null ? null : risingKeys(keys),
  }
}
