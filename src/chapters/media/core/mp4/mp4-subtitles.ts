// Texts of a part of an MP4 or QuickTime film: timed texts (3GPP TS 26.245, `tx3g`, and QuickTime's `text`) and WebVTT
// (ISO 14496-30, `wvtt`). A text is a sample, which lies where the tables of its track say.

import { DecodeError } from '../../../../base/errors.ts'
import { type Cue, cueOf } from '../../../../wire/subtitles/cue.ts'
import { gapsIn, joined, type Span } from '../../../../wire/subtitles/spans.ts'
import { untagged } from '../../../../wire/subtitles/timed-text.ts'
import { type ByteSource, NotHere, OverBudget } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { HEAD_BUDGET_BYTES, MAX_MOOV_BYTES } from '../limits.ts'
import { MeteredSource } from '../metered-source.ts'
import { GatheredCues } from '../subtitles/gathered-cues.ts'
import { SpotBytes } from '../subtitles/spot-bytes.ts'
import { MAX_TEXT_BYTES, NoTexts, type SubtitleOrder, type SubtitlePart } from '../subtitles/subtitle-part.ts'
import { boxesIn, boxIn } from './boxes.ts'
import { type MovieTrack, readMovie } from './movie.ts'
import { findMovie } from './mp4-film.ts'
import { ChunkCursor, ChunkPlaces, rowsOf, RunCursor, SampleSizes } from './tables.ts'

/** Texts, and pauses between them, of one track that are looked at. */
const MAX_TEXTS = 100_000
/** Texts of UTF-16 begin with one of these. */
const MARKS: Readonly<Record<number, string>> = { 0xfe_ff: 'utf-16be', 0xff_fe: 'utf-16le' }
const TEXTS: ReadonlySet<string> = new Set(['tx3g', 'text'])

const utf8 = new TextDecoder('utf-8')

/** A text, and where it lies. */
interface PlacedText extends Span {
  readonly start: number
  readonly end: number
}

/** Reads them, until `isOver` says that it is enough. Throws NoTexts, DecodeError and what reading the index throws. */
export function mp4Subtitles(source: ByteSource, order: SubtitleOrder, isOver: () => boolean): SubtitlePart {
  const metered = new MeteredSource(source, HEAD_BUDGET_BYTES)
  const track = trackOf(metered, order.track)
  const isVtt = track.entry?.codec === 'vtt'
  const spots = new SpotBytes(source, isOver, 'spots')
  const found = new GatheredCues()
  const lacking: Span[] = []
  for (const text of placedIn(track, order)) {
    try {
      const bytes = new FieldBytes(text.end > source.size ? new Uint8Array(0) : spots.read(text.start, text.end))
      for (const cue of isVtt ? vttCues(bytes, text) : [plainCue(bytes, text)]) found.take(cue)
    } catch (error) {
      if (error instanceof OverBudget) {
        lacking.push({ fromSec: text.fromSec, toSec: order.toSec })
        break
      }
      if (error instanceof NotHere) {
        lacking.push(text)
        found.lack(error.range)
      } else if (!(error instanceof DecodeError)) throw error
      // What makes no sense is left out.
    }
  }
  for (const gap of gapsIn(joined(lacking), order)) found.cover(gap.fromSec, gap.toSec)
  return found.part(order, metered.fetched + spots.fetched)
}

function trackOf(source: MeteredSource, number: number): MovieTrack {
  const moov = findMovie(source)
  if (moov.end - moov.body > MAX_MOOV_BYTES) throw new DecodeError('its index is too long')
  source.allow(moov.end - moov.body)
  const movie = readMovie(new FieldBytes(source.read(moov.body, moov.end)))
  const track = movie.tracks.find(({ id }) => id === number)
  if (track === undefined) throw new NoTexts(`it has no track ${number}`)
  const codec = track.entry?.codec ?? 'unknown'
  if (!TEXTS.has(codec) && codec !== 'vtt') throw new NoTexts(`its track ${number} is no text but ${codec}`)
  if (movie.fragmented) throw new NoTexts(`its track ${number} lies in fragments, whose texts are not read`)
  if (!track.isHere) throw new NoTexts(`its track ${number} lies in another file, which is not followed`)
  return track
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

/** A length of 16 bits, and so many bytes of text; none is a pause. */
function plainCue(bytes: FieldBytes, time: Span): Cue | null {
  if (bytes.length < 2) return null
  const text = bytes.part(2, Math.min(bytes.length, 2 + bytes.u16(0)))
  const mark = text.length < 2 ? undefined : MARKS[text.u16(0)]
  return cueAt(time, (mark === undefined ? utf8 : new TextDecoder(mark)).decode(text.bytes))
}

/** Boxes, one for each text that is shown then. */
function* vttCues(bytes: FieldBytes, time: Span): Generator<Cue | null> {
  for (const { type, body } of boxesIn(bytes)) {
    const payload = type === 'vttc' ? boxIn(body, 'payl') : null
    if (payload !== null) yield cueAt(time, untagged(utf8.decode(payload.bytes.subarray(0, 8000)), true))
  }
}

function cueAt({ fromSec, toSec }: Span, text: string): Cue | null {
  return cueOf(Math.max(0, Math.round(fromSec * 1000)), Math.round(toSec * 1000), text)
}
