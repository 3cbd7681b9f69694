// Time and byte of each key frame of an MP4 track that has its samples in tables.

import type { KeyGathering } from '../key-table.ts'
import type { MovieTrack } from './movie.ts'
import { ChunkCursor, ChunkPlaces, Rows, rowsOf, RunCursor, SampleSizes } from './tables.ts'

/** Its tables, and cursors in them. */
interface Walk {
  readonly times: RunCursor | null
  readonly offsets: RunCursor | null
  readonly sizes: SampleSizes
  readonly places: ChunkPlaces
  readonly chunks: ChunkCursor
}

/** Adds the key frames to `keys`; false when the track has no samples in tables. Throws DecodeError. */
export function addTableKeys(keys: KeyGathering, track: MovieTrack): boolean {
  const walk = walkOf(track)
  if (walk === null) return false
  const sync = rowsOf(track.tables, 'stss', 1)
  if (sync === null) addChunks(keys, track, walk)
  else addSync(keys, track, walk, sync)
  return true
}

function walkOf({ tables }: MovieTrack): Walk | null {
  const chunkRows = rowsOf(tables, 'stsc', 3)
  const timeRows = rowsOf(tables, 'stts', 2)
  const offsetRows = rowsOf(tables, 'ctts', 2)
  if (chunkRows === null || chunkRows.length === 0) return null
  const places = new ChunkPlaces(tables)
  if (places.count === 0) return null
  return {
    times: timeRows === null ? null : new RunCursor(timeRows),
    offsets: offsetRows === null ? null : new RunCursor(offsetRows, true),
    sizes: new SampleSizes(tables),
    places,
    chunks: new ChunkCursor(chunkRows, places.count),
  }
}

/** The samples that stss lists, by rising number. */
function addSync(keys: KeyGathering, track: MovieTrack, walk: Walk, sync: Rows): void {
  const { chunks, places, sizes } = walk
  // Sizes are summed on from the last key frame of the same chunk: each sample is looked at once.
  let [chunk, at, place, before] = [-1, 0, 0, -1]
  for (let row = 0; row < sync.length; row += 1) {
    const sample = sync.at(row) - 1
    // A list that falls is not one.
    if (sample <= before || sample >= sizes.count || !chunks.seek(sample)) continue
    before = sample
    if (chunks.chunk !== chunk) [chunk, at, place] = [chunks.chunk, chunks.firstSample, places.at(chunks.chunk)]
    place += sizes.sum(at, sample)
    at = sample
    keys.add(timeOf(track, walk, sample), place)
  }
}

/** Every sample is a key frame, as of sound: the first of each chunk stands for all. */
function addChunks(keys: KeyGathering, track: MovieTrack, walk: Walk): void {
  const { chunks, places, sizes } = walk
  do {
    if (chunks.firstSample >= sizes.count) return
    if (chunks.samples > 0) keys.add(timeOf(track, walk, chunks.firstSample), places.at(chunks.chunk))
  } while (chunks.next())
}

function timeOf({ timescale, shift }: MovieTrack, { times, offsets }: Walk, sample: number): number {
  const ticks = (times?.sumBefore(sample) ?? 0) + (offsets?.valueAt(sample) ?? 0)
  return ticks / timescale + shift
}
