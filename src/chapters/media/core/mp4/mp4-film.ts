// Facts of MP4, M4A, M4B and QuickTime: the movie box at either end, or the index of fragments.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { FilmFacts, FilmReading, FilmTrack, TrackKind } from '../film-facts.ts'
import { bitrateOf, keyTrackOf, soundDuration } from '../film-parts.ts'
import { MAX_MOOV_BYTES, MAX_STEPS } from '../limits.ts'
import type { MeteredSource } from '../metered-source.ts'
import { OptionalParts } from '../optional-parts.ts'
import { type FileBox, fileBoxAt } from './boxes.ts'
import { type MovieChapters, readMovieChapters } from './chapters.ts'
import { readFilmIndex } from './film-index.ts'
import { type Movie, type MovieTrack, readMovie } from './movie.ts'

/** Boxes that MP4 and QuickTime begin with. */
const FIRST = /^(?:ftyp|styp|moov|mdat|wide|free|skip|pnot|uuid|moof|sidx)$/
const KINDS: Readonly<Record<string, TrackKind>> = {
  vide: 'video',
  soun: 'audio',
  sbtl: 'subtitle',
  subt: 'subtitle',
  text: 'subtitle',
  subp: 'subtitle',
  clcp: 'subtitle',
}
const NO_CHAPTERS: MovieChapters = { list: [], lacking: false }

/** Whether the file begins as they do. */
export function isMp4(head: FieldBytes): boolean {
  return head.length >= 8 && FIRST.test(head.latin(4, 4))
}

/** Reads the facts. Throws DecodeError when it is none that can be read, and what reading throws before the movie. */
export function readMp4(source: MeteredSource): FilmReading {
  const moov = findMovie(source)
  const length = moov.end - moov.body
  if (length > MAX_MOOV_BYTES) throw new DecodeError(`its index has ${length} bytes`)
  source.allow(length)
  const body = new FieldBytes(source.read(moov.body, moov.end))
  const movie = readMovie(body)
  const parts = new OptionalParts()
  const films = filmTracksOf(movie)
  if (films.length === 0) throw new DecodeError('it has no tracks')
  const tracks = films.map(trackOf)
  const main = mainTrackOf(movie)
  if (movie.broken > 0) parts.say('Not all of its tracks can be read.')
  const index = readFilmIndex(source, movie, main, moov.end, parts)
  const { keys, elsewhere } = index
  if (main !== null && !main.isHere)
    parts.say('It names another file or address for its samples, which is not followed.')
  else if (keys === null && parts.missing === null) parts.say('It has no index: not seekable yet.')
  const duration = soundDuration(index.duration)
  const chapters = parts.part('Its chapters', NO_CHAPTERS, () => readMovieChapters(source, body, movie))
  const facts: FilmFacts = {
    container: 'mp4',
    fragmented: movie.fragmented,
    duration,
    bitrate: bitrateOf(source.size, duration),
    seek: keys === null ? 'not-yet' : 'keys',
    note: parts.note,
    tracks,
    chapters: chapters.list,
    index: [{ start: moov.start, end: moov.end }, ...(elsewhere === null ? [] : [elsewhere])],
    keys,
  }
  return { facts, missing: parts.missing, passing: chapters.lacking, fetched: source.fetched }
}

/** The track whose key frames count; null = there is none. */
export function mainTrackOf(movie: Movie): MovieTrack | null {
  const films = filmTracksOf(movie)
  const key = keyTrackOf(films.map(trackOf))
  return films.find(({ id }) => id === key?.id) ?? null
}

/** Those that hold no chapters. */
function filmTracksOf({ tracks }: Movie): MovieTrack[] {
  const chapterIds = new Set(tracks.flatMap(({ chapterTracks }) => chapterTracks))
  return tracks.filter(({ id }) => !chapterIds.has(id))
}

/** Walks over the boxes of the file to the movie. Throws DecodeError, and what reading throws. */
export function findMovie(source: ByteSource): FileBox {
  let at = 0
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const box = fileBoxAt(source, at)
    if (box === null) break
    if (box.end > source.size && box.type !== 'mdat') throw new DecodeError(`it ends within its box ${box.type}`)
    if (box.type === 'moov') return box
    at = box.end
  }
  throw new DecodeError('it has no movie box')
}

function trackOf({ id, handler, isEnabled, language, name, entry }: MovieTrack): FilmTrack {
  const kind = KINDS[handler] ?? 'other'
  return {
    id,
    kind,
    codec: entry === null ? 'unknown' : kind === 'subtitle' && entry.codec === 'text' ? 'tx3g' : entry.codec,
    codecString: entry?.codecString ?? null,
    language,
    name,
    isDefault: isEnabled,
    isForced: false,
    width: entry?.width ?? 0,
    height: entry?.height ?? 0,
    channels: entry?.channels ?? 0,
    sampleRate: entry?.sampleRate ?? 0,
  }
}
