// Facts of what has no table of its frames: transport streams, MP3, Ogg, ADTS. Their ends say how long they play;
// nothing in between is read.

import { DecodeError } from '../../../base/errors.ts'
import { adtsBytesPerSecond } from '../core/adts-rate.ts'
import { FieldBytes } from '../core/field-bytes.ts'
import type { FilmFacts, FilmReading, FilmTrack } from '../core/film-facts.ts'
import { bitrateOf, soundDuration } from '../core/film-parts.ts'
import { STREAM_BUDGET_BYTES, STREAM_END_BYTES } from '../core/limits.ts'
import type { MeteredSource } from '../core/metered-source.ts'
import { lastOggPosition } from '../core/ogg-times.ts'
import { OptionalParts } from '../core/optional-parts.ts'
import type { OtherContainer } from '../core/read-film.ts'
import { ShiftedSource } from '../core/shifted-source.ts'
import { readProgram } from '../core/ts/program-map.ts'
import { secondsBetween, timesIn } from '../core/ts/times.ts'
import { OverBudget } from '../core/byte-source.ts'
import { type PackageFacts, readTracks } from './package-tracks.ts'

/** A piece of either end, bytes. */
const PIECE_BYTES = 64 * 1024
/** Opus counts its positions in these, whatever was encoded (RFC 7845). */
const OPUS_RATE = 48_000

/** Reads the facts. Rejects with DecodeError, and with what reading throws before tracks. */
export async function readStream(source: MeteredSource, other: OtherContainer): Promise<FilmReading> {
  const { container, start } = other
  source.allow(STREAM_BUDGET_BYTES)
  const found = container === 'mpegts' ? await readProgramTracks(source) : await readTracks(behind(source, start))
  if (found.tracks.length === 0) throw new DecodeError('it has no tracks')
  const parts = new OptionalParts()
  const atEnd = (): number | null => soundDuration(durationOf(source, other, found.tracks, parts))
  const duration = found.duration ?? parts.part('Its end', null, atEnd)
  if (container === 'adts' && duration !== null) parts.say('How long it plays is an estimate.')
  const facts: FilmFacts = {
    container,
    fragmented: false,
    duration,
    bitrate: bitrateOf(source.size, duration),
    seek: 'bytes',
    note: parts.note,
    tracks: found.tracks,
    chapters: [],
    index: [],
    keys: null,
  }
  return { facts, missing: parts.missing, fetched: source.fetched }
}

function behind(source: MeteredSource, start: number): MeteredSource | ShiftedSource {
  return start === 0 ? source : new ShiftedSource(source, start)
}

/** The streams that the program names, with what the package finds in their first packets. */
async function readProgramTracks(source: MeteredSource): Promise<PackageFacts> {
  const named = readProgram(new FieldBytes(source.read(0, PIECE_BYTES)))
  const found = await readTracks(source).catch((error: unknown) => {
    // Without a look at the streams themselves the names of their codecs are left.
    if (named.length > 0 && (error instanceof OverBudget || error instanceof DecodeError)) return { tracks: [] }
    throw error
  })
  const details = new Map(found.tracks.map(track => [track.id, track]))
  if (named.length === 0) return { tracks: found.tracks, duration: null }
  return { tracks: named.map(track => withDetails(track, details.get(track.id))), duration: null }
}

function withDetails(track: FilmTrack, details: FilmTrack | undefined): FilmTrack {
  return details === undefined ? track : { ...details, language: track.language, isDefault: false }
}

function durationOf(
  source: MeteredSource,
  { container, start }: OtherContainer,
  tracks: readonly FilmTrack[],
  parts: OptionalParts,
): number | null {
  if (container === 'mpegts') return transportDuration(source, parts)
  if (container === 'ogg') return oggDuration(source, tracks)
  if (container === 'mp3') return null
  const rate = adtsBytesPerSecond(new FieldBytes(source.read(start, start + PIECE_BYTES)))
  return rate === null ? null : (source.size - start) / rate
}

/** The end is looked at piece by piece: at high rates pictures are longer than one. */
function transportDuration(source: MeteredSource, parts: OptionalParts): number | null {
  // To see all its streams may have taken whatever was allowed.
  source.allow(STREAM_END_BYTES)
  const head = timesIn(new FieldBytes(source.read(0, PIECE_BYTES)))
  if (head === null) return null
  for (let end = source.size; end > PIECE_BYTES; end -= PIECE_BYTES) {
    const times = timesIn(new FieldBytes(source.read(end - PIECE_BYTES, end)))
    if (times === null) continue
    const seconds = secondsBetween(head, times, source.size / PIECE_BYTES)
    if (seconds === null) parts.say('Its clock has a break: how long it plays is not known.')
    return seconds
  }
  return secondsBetween(head, head, 1)
}

function oggDuration(source: MeteredSource, tracks: readonly FilmTrack[]): number | null {
  const [track] = tracks
  if (track === undefined) return null
  const rate = track.codec === 'opus' ? OPUS_RATE : track.sampleRate
  for (let end = source.size; end > 0; end -= PIECE_BYTES) {
    const position = lastOggPosition(new FieldBytes(source.read(end - PIECE_BYTES, end)), track.id)
    if (position !== null) return rate > 0 ? position / rate : null
  }
  return null
}
