// Chapters of MP4: the list of Nero's boxes, which most muxers write, else a track of texts as QuickTime has it.

import { NotHere, OverBudget } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { type FilmChapter, MAX_CHAPTERS } from '../film-facts.ts'
import type { MeteredSource } from '../metered-source.ts'
import { boxAtPath } from './boxes.ts'
import type { Movie, MovieTrack } from './movie.ts'
import { ChunkCursor, ChunkPlaces, rowsOf, RunCursor, SampleSizes } from './tables.ts'

/** Longest sample of a text track that is read for a title. */
const MAX_TITLE_BYTES = 1024

/** The chapters of a movie whose moov box has this body. Throws DecodeError. */
export function readMovieChapters(source: MeteredSource, moov: FieldBytes, movie: Movie): FilmChapter[] {
  const list = boxAtPath(moov, ['udta', 'chpl'])
  const listed = list === null ? [] : readList(list)
  if (listed.length > 0) return listed
  const ids = new Set(movie.tracks.flatMap(({ chapterTracks }) => chapterTracks))
  const track = movie.tracks.find(({ id, handler, isHere }) => ids.has(id) && handler === 'text' && isHere)
  return track === undefined ? [] : readTextTrack(source, track)
}

/** chpl: version, flags, four bytes of version 1, their number, then for each its time in 100 ns and its title. */
function readList(bytes: FieldBytes): FilmChapter[] {
  const start = bytes.u8(0) === 1 ? 8 : 4
  const chapters: FilmChapter[] = []
  let at = start + 1
  for (let left = bytes.u8(start); left > 0; left -= 1) {
    const length = bytes.u8(at + 8)
    chapters.push({ start: bytes.u64(at) / 1e7, title: bytes.text(at + 9, length) })
    at += 9 + length
  }
  return chapters
}

/** Each sample is a title behind its length of 16 bits. Titles that are not there yet, or too many, are left out. */
function readTextTrack(source: MeteredSource, { tables, timescale, shift }: MovieTrack): FilmChapter[] {
  const [chunkRows, timeRows] = [rowsOf(tables, 'stsc', 3), rowsOf(tables, 'stts', 2)]
  if (chunkRows === null || chunkRows.length === 0 || timeRows === null) return []
  const [places, sizes, times] = [new ChunkPlaces(tables), new SampleSizes(tables), new RunCursor(timeRows)]
  const chunks = new ChunkCursor(chunkRows, places.count)
  const chapters: FilmChapter[] = []
  for (let sample = 0; sample < Math.min(sizes.count, MAX_CHAPTERS) && chunks.seek(sample); sample += 1) {
    const at = places.at(chunks.chunk) + sizes.sum(chunks.firstSample, sample)
    const start = Math.max(0, times.sumBefore(sample) / timescale + shift)
    chapters.push({ start, title: titleAt(source, at, sizes.sum(sample, sample + 1)) })
  }
  return chapters
}

function titleAt(source: MeteredSource, at: number, size: number): string {
  if (size < 2 || at + size > source.size) return ''
  try {
    const bytes = new FieldBytes(source.read(at, at + Math.min(size, MAX_TITLE_BYTES)))
    return bytes.text(2, Math.min(bytes.u16(0), bytes.length - 2))
  } catch (error) {
    if (error instanceof NotHere || error instanceof OverBudget) return ''
    throw error
  }
}
