// Facts of Matroska and WebM: the head up to the first cluster, and what its SeekHead says lies behind. No cluster is
// ever read, so a file without cues costs no more than one with them.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteRange } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { FilmFacts, FilmReading, FilmTrack, KeyTable } from '../film-facts.ts'
import { bitrateOf, keyTrackOf, soundDuration } from '../film-parts.ts'
import { MAX_CUES_BYTES, MAX_PART_BYTES } from '../limits.ts'
import type { MeteredSource } from '../metered-source.ts'
import { OptionalParts } from '../optional-parts.ts'
import { readChapters } from './chapters.ts'
import { readCues } from './cues.ts'
import { childrenOf, elementAt, floatOf, ID, uintOf } from './elements.ts'
import { type Part, SegmentParts } from './segment.ts'
import { readTracks } from './tracks.ts'

/** What Info says. */
interface FilmInfo {
  /** Seconds of one tick. */
  readonly tick: number
  readonly duration: number | null
}

/** Whether the file begins as Matroska and WebM do. */
export function isMatroska(head: FieldBytes): boolean {
  return head.length >= 4 && head.u32(0) === ID.ebml
}

/** Reads the facts. Throws DecodeError when it is none that can be read, and what reading throws before tracks. */
export function readMatroska(source: MeteredSource): FilmReading {
  const docType = readDocType(source)
  const segment = new SegmentParts(source)
  const { tick, duration } = readInfo(source, segment.find(ID.info))
  const tracks = readTracks(bodyOf(source, segment.find(ID.tracks), 'Tracks'))
  if (tracks.length === 0) throw new DecodeError('it has no tracks')
  const parts = new OptionalParts()
  const keys = parts.part('Its index (Cues)', null, () => readKeys(source, segment, tracks, tick))
  if (keys === null && parts.missing === null) parts.say('It has no index (Cues) of its own: not seekable yet.')
  const chapters = parts.part('Its chapters', [], () => {
    const found = segment.find(ID.chapters)
    return found === null ? [] : readChapters(bodyOf(source, found, 'Chapters'))
  })
  const facts: FilmFacts = {
    container: docType === 'webm' ? 'webm' : 'matroska',
    fragmented: false,
    duration,
    bitrate: bitrateOf(source.size, duration),
    seek: keys === null ? 'not-yet' : 'keys',
    note: parts.note,
    tracks,
    chapters,
    index: indexOf(source, segment, parts),
    keys,
  }
  return { facts, missing: parts.missing, fetched: source.fetched }
}

function readDocType(source: MeteredSource): string {
  const head = elementAt(source, 0)
  if (head?.id !== ID.ebml || head.end === null || head.end - head.body > 4096)
    throw new DecodeError('its head is none')
  const body = new FieldBytes(source.read(head.body, head.end))
  for (const child of childrenOf(body)) if (child.id === ID.docType) return child.body.text(0, child.body.length)
  return 'matroska'
}

/** Without Info a tick is a millisecond, by the format. */
function readInfo(source: MeteredSource, part: Part | null): FilmInfo {
  let [scale, ticks] = [1_000_000, Number.NaN]
  for (const child of part === null ? [] : childrenOf(bodyOf(source, part, 'Info'))) {
    if (child.id === ID.timestampScale) scale = uintOf(child.body)
    else if (child.id === ID.duration) ticks = floatOf(child.body)
  }
  if (scale === 0) throw new DecodeError('its clock stands still')
  return { tick: scale / 1e9, duration: soundDuration((ticks * scale) / 1e9) }
}

function readKeys(
  source: MeteredSource,
  segment: SegmentParts,
  tracks: readonly FilmTrack[],
  tick: number,
): KeyTable | null {
  const track = keyTrackOf(tracks)
  const cues = track === null ? null : segment.find(ID.cues)
  if (cues === null || track === null) return null
  const length = cues.end - cues.body
  if (length > MAX_CUES_BYTES) throw new DecodeError(`it has ${length} bytes`)
  source.allow(length)
  const body = new FieldBytes(source.read(cues.body, cues.end))
  return readCues(body, track.id, { segment: segment.body, tick, size: source.size })
}

function bodyOf(source: MeteredSource, part: Part | null, name: string): FieldBytes {
  if (part === null) throw new DecodeError(`it has no ${name}`)
  const { body, end } = part
  if (end - body > MAX_PART_BYTES) throw new DecodeError(`its ${name} have ${end - body} bytes`)
  return new FieldBytes(source.read(body, end))
}

/** The head with its tracks, and the cues; as far as their first byte alone is known, up to where they may reach. */
function indexOf(source: MeteredSource, segment: SegmentParts, parts: OptionalParts): ByteRange[] {
  const ranges: ByteRange[] = [{ start: 0, end: segment.body }]
  for (const part of segment.passed) addRange(ranges, part)
  const tracks = segment.find(ID.tracks)
  if (tracks !== null) addRange(ranges, tracks)
  const at = segment.placeOf(ID.cues)
  if (at === null || ranges.some(({ start, end }) => start <= at && at < end)) return ranges
  const cues = parts.part<Part | null>('Its index (Cues)', null, () => segment.find(ID.cues))
  return [...ranges, { start: at, end: cues?.end ?? Math.min(source.size, at + MAX_CUES_BYTES) }]
}

/** Attachments are left out: players read them once, if at all, and they are longer than all the rest. */
function addRange(ranges: ByteRange[], { start, end }: Part): void {
  if (end - start > MAX_PART_BYTES || ranges.some(range => range.start <= start && end <= range.end)) return
  const last = ranges.at(-1)
  if (last?.end === start) ranges[ranges.length - 1] = { start: last.start, end }
  else ranges.push({ start, end })
}
