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

/** What is read of one title: a block of the source, wherever it lies. */
const TITLE_BUDGET_BYTES = 8 * 1024

/** Chapters, and whether their titles were there. */
export interface MovieChapters {
  readonly list: FilmChapter[]
  /** Titles were not there yet: those chapters have none. */
  readonly lacking: boolean
}

/** The chapters of a movie whose moov box has this body. Throws DecodeError. */
export function readMovieChapters(source: MeteredSource, moov: FieldBytes, movie: Movie): MovieChapters {
  const box = boxAtPath(moov, ['udta', 'chpl'])
  const list = box === null ? [] : readList(box)
  if (list.length > 0) return { list, lacking: false }
  const ids = new Set(movie.tracks.flatMap(({ chapterTracks }) => chapterTracks))
  const track = movie.tracks.find(({ id, handler, isHere }) => ids.has(id) && handler === 'text' && isHere)
  return track === undefined ? { list: [], lacking: false } : readTextTrack(source, track)
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

/**
 * Each sample is a title behind its length of 16 bits, and lies beside what is shown then. Nobody waits for those that
 * are not there: a hundred of them may be a hundred pieces.
 */
function readTextTrack(source: MeteredSource, { tables, timescale, shift }: MovieTrack): MovieChapters {
  const [chunkRows, timeRows] = [rowsOf(tables, 'stsc', 3), rowsOf(tables, 'stts', 2)]
  if (chunkRows === null || chunkRows.length === 0 || timeRows === null) return { list: [], lacking: false }
  const [places, sizes, times] = [new ChunkPlaces(tables), new SampleSizes(tables), new RunCursor(timeRows)]
  const chunks = new ChunkCursor(chunkRows, places.count)
  const count = Math.min(sizes.count, MAX_CHAPTERS)
  source.allow(count * TITLE_BUDGET_BYTES)
  const list: FilmChapter[] = []
  let lacking = false
  for (let sample = 0; sample < count && chunks.seek(sample); sample += 1) {
    const at = places.at(chunks.chunk) + sizes.sum(chunks.firstSample, sample)
    const start = Math.max(0, times.sumBefore(sample) / timescale + shift)
    const title = titleAt(source, at, sizes.sum(sample, sample + 1))
    lacking ||= title === null
    list.push({ start, title: title ?? '' })
  }
  return { list, lacking }
}

/** Null: it is not there yet. */
function titleAt(source: MeteredSource, at: number, size: number): string | null {
  if (size < 2 || at + size > source.size) return ''
  try {
    const bytes = new FieldBytes(source.read(at, at + Math.min(size, MAX_TITLE_BYTES)))
    return bytes.text(2, Math.min(bytes.u16(0), bytes.length - 2))
  } catch (error) {
    if (error instanceof NotHere) return null
    if (error instanceof OverBudget) return ''
    throw error
  }
}
