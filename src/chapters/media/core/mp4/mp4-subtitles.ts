// Texts of a part of an MP4 or QuickTime film. A text is a sample, which lies where the tables of its track say, or the
// fragments of the film.

import { DecodeError } from '../../../../base/errors.ts'
import type { Span } from '../../../../wire/subtitles/spans.ts'
import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { risingKeys } from '../key-table.ts'
import { HEAD_BUDGET_BYTES, MAX_MOOV_BYTES, MAX_STEPS } from '../limits.ts'
import { MeteredSource } from '../metered-source.ts'
import { OptionalParts } from '../optional-parts.ts'
import { GatheredCues } from '../subtitles/gathered-cues.ts'
import { SpotBytes } from '../subtitles/spot-bytes.ts'
import { MAX_TEXT_BYTES, NoTexts, type SubtitleOrder, type SubtitlePart } from '../subtitles/subtitle-part.ts'
import { boxIn, fileBoxAt } from './boxes.ts'
import { readFilmIndex } from './film-index.ts'
import { NO_DEFAULTS, sampleDefaults } from './fragment-runs.ts'
import { type FragmentedTexts, FragmentTexts } from './fragment-texts.ts'
import { type Movie, type MovieTrack, readMovie } from './movie.ts'
import { findMovie, mainTrackOf } from './mp4-film.ts'
import { ChunkCursor, ChunkPlaces, rowsOf, RunCursor, SampleSizes } from './tables.ts'
import { type PlacedText, TextSamples } from './text-samples.ts'

/** Texts, and pauses between them, of one track that are looked at. */
const MAX_TEXTS = 100_000
const TEXTS: ReadonlySet<string> = new Set(['tx3g', 'text', 'vtt'])

/** Reads them, until `isOver` says that it is enough. Throws NoTexts, DecodeError and what reading the index throws. */
export function mp4Subtitles(source: ByteSource, order: SubtitleOrder, isOver: () => boolean): SubtitlePart {
  const metered = new MeteredSource(source, HEAD_BUDGET_BYTES)
  const { track, fragments } = readHead(metered, order.track)
  const spots = new SpotBytes(source, isOver, 'spots')
  const found = new GatheredCues()
  const samples = new TextSamples(spots, found, track.entry?.codec ?? '')
  if (fragments === null) found.cover(order.fromSec, order.toSec)
  else new FragmentTexts(fragments, order, spots, found, samples).walk()
  // Of a film in fragments the movie box may hold the first.
  for (const text of placedIn(track, order)) {
    const outcome = found.attempt(() => samples.take(text))
    if (outcome === 'missing') found.leaveOut(text.fromSec, text.toSec)
    if (outcome === 'over') {
      found.leaveOut(text.fromSec, order.toSec)
      break
    }
  }
  return found.part(order, metered.fetched + spots.fetched)
}

/** A track of texts, and what is known of fragments; null: there are none. */
interface TextHead {
  readonly track: MovieTrack
  readonly fragments: FragmentedTexts | null
}

function readHead(source: MeteredSource, number: number): TextHead {
  const moov = findMovie(source)
  if (moov.end - moov.body > MAX_MOOV_BYTES) throw new DecodeError('its index is too long')
  source.allow(moov.end - moov.body)
  const body = new FieldBytes(source.read(moov.body, moov.end))
  const movie = readMovie(body)
  const track = trackOf(movie, number)
  if (!movie.fragmented) return { track, fragments: null }
  const defaults = sampleDefaults(boxIn(body, 'mvex')).get(number) ?? NO_DEFAULTS
  const main = mainTrackOf(movie)
  const first = firstFragment(source, moov.end)
  const { keys, mayHaveKeys } = keysOf(source, movie, moov.end, first)
  return { track, fragments: { track, defaults, main: main ?? track, first, keys, mayHaveKeys } }
}

function trackOf({ tracks }: Movie, number: number): MovieTrack {
  const track = tracks.find(({ id }) => id === number)
  if (track === undefined) throw new NoTexts(`it has no track ${number}`)
  const codec = track.entry?.codec ?? 'unknown'
  if (!TEXTS.has(codec)) throw new NoTexts(`its track ${number} is no text but ${codec}`)
  if (!track.isHere) throw new NoTexts(`its track ${number} lies in another file, which is not followed`)
  return track
}

/** Where it begins, as far as that is seen from the movie box. Throws what reading throws. */
function firstFragment(source: MeteredSource, behind: number): number {
  let at = behind
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const box = fileBoxAt(source, at)
    if (box === null || box.type === 'moof') break
    at = box.end
  }
  return at
}

/** Places of the index that are fragments; those in the movie box are samples of its own. */
function keysOf(
  source: MeteredSource,
  movie: Movie,
  behind: number,
  first: number,
): Pick<FragmentedTexts, 'keys' | 'mayHaveKeys'> {
  const parts = new OptionalParts()
  const { keys } = readFilmIndex(source, movie, mainTrackOf(movie), behind, parts)
  const { times, bytes } = keys === null ? { times: [], bytes: [] } : risingKeys(keys)
  const isFragment = (_: number, at: number): boolean => (bytes[at] ?? 0) >= first
  const mayHaveKeys = parts.missing !== null
  return { keys: { times: times.filter(isFragment), bytes: bytes.filter(isFragment) }, mayHaveKeys }
}

/** The texts that are shown in a part, with their times. Throws DecodeError when a table is missing or too short. */
function* placedIn({ tables, timescale, shift }: MovieTrack, { fromSec, toSec }: Span): Generator<PlacedText> {
  const [chunkRows, timeRows] = [rowsOf(tables, 'stsc', 3), rowsOf(tables, 'stts', 2)]
  if (chunkRows === null || chunkRows.length === 0 || timeRows === null) return
  const [places, sizes, times] = [new ChunkPlaces(tables), new SampleSizes(tables), new RunCursor(timeRows)]
  const chunks = new ChunkCursor(chunkRows, places.count)
  const count = Math.min(sizes.count, MAX_TEXTS)
  let [chunk, place] = [-1, 0]
  for (let sample = 0; sample < count; sample += 1) {
    const start = times.sumBefore(sample) / timescale + shift
    const end = start + times.valueAt(sample) / timescale
    if (start >= toSec) return
    if (end <= fromSec) continue
    if (!chunks.seek(sample)) return
    if (chunks.chunk !== chunk) {
      chunk = chunks.chunk
      place = places.at(chunk) + sizes.sum(chunks.firstSample, sample)
    }
    const size = sizes.sum(sample, sample + 1)
    if (size <= MAX_TEXT_BYTES) yield { fromSec: start, toSec: end, start: place, end: place + size }
    place += size
  }
}
