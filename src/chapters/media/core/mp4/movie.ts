// The movie box of MP4 and QuickTime (ISO 14496-12, 8.2): its clock, its tracks, and where their tables are.

import { DecodeError } from '../../../../base/errors.ts'
import type { FieldBytes } from '../field-bytes.ts'
import { MAX_TRACKS } from '../film-facts.ts'
import { boxAtPath, boxIn, boxesIn } from './boxes.ts'
import { readSampleEntry, type SampleEntry } from './sample-entry.ts'

/** One track of a movie. */
export interface MovieTrack {
  readonly id: number
  /** vide, soun, text, sbtl, subt, ...; as the file says. */
  readonly handler: string
  readonly isEnabled: boolean
  readonly language: string
  readonly name: string
  readonly entry: SampleEntry | null
  /** Ticks of its clock in a second, above 0. */
  readonly timescale: number
  /** Ticks of its clock; 0 = not said. */
  readonly duration: number
  /** How long its samples in fragments are unless those say so, ticks. */
  readonly usualTicks: number
  /** What is added to a time in ticks to have that of the film, s: see shiftOf(). */
  readonly shift: number
  /** The body of its stbl box. */
  readonly tables: FieldBytes
  /** False: its bytes lie in another file, which is not followed. */
  readonly isHere: boolean
  /** Numbers of tracks that hold its chapters. */
  readonly chapterTracks: readonly number[]
}

/** A movie. */
export interface Movie {
  /** Seconds, of one in fragments those of its own samples or of all; null = not said. */
  readonly duration: number | null
  /** Of all fragments, seconds; null = not said. */
  readonly fragmentsDuration: number | null
  /** It has fragments. */
  readonly fragmented: boolean
  readonly tracks: readonly MovieTrack[]
  /** Tracks that cannot be read. */
  readonly broken: number
}

/** Reads the body of a moov box. Throws DecodeError. */
export function readMovie(moov: FieldBytes): Movie {
  const header = boxIn(moov, 'mvhd')
  if (header === null) throw new DecodeError('its movie has no head')
  const { timescale, duration } = readClock(header)
  const extension = boxIn(moov, 'mvex')
  const fragments = extension === null ? null : boxIn(extension, 'mehd')
  const whole = fragments === null ? 0 : ticksAt(fragments, 4)
  return {
    duration: duration > 0 ? duration / timescale : null,
    fragmentsDuration: whole > 0 ? whole / timescale : null,
    fragmented: extension !== null,
    ...readTracks(moov, timescale, extension),
  }
}

/** What is wrong with one track costs that track. */
function readTracks(
  moov: FieldBytes,
  movieScale: number,
  extension: FieldBytes | null,
): Pick<Movie, 'tracks' | 'broken'> {
  const tracks: MovieTrack[] = []
  let broken = 0
  for (const { type, body } of boxesIn(moov)) {
    if (type !== 'trak' || tracks.length + broken >= MAX_TRACKS) continue
    try {
      const track = readTrack(body, movieScale, extension)
      if (track !== null) tracks.push(track)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      broken += 1
    }
  }
  return { tracks, broken }
}

/** Null: it has no tables. Throws DecodeError, also when its clock stands still. */
function readTrack(trak: FieldBytes, movieScale: number, extension: FieldBytes | null): MovieTrack | null {
  const [head, media] = [boxIn(trak, 'tkhd'), boxIn(trak, 'mdia')]
  const mediaHead = media === null ? null : boxIn(media, 'mdhd')
  const information = media === null ? null : boxIn(media, 'minf')
  const tables = information === null ? null : boxIn(information, 'stbl')
  if (head === null || media === null || mediaHead === null || information === null || tables === null) return null
  const clock = readClock(mediaHead)
  const handlerBox = boxIn(media, 'hdlr')
  const handler = handlerBox === null ? '' : handlerBox.latin(8, 4)
  const descriptions = boxIn(tables, 'stsd')
  const entry = descriptions === null ? null : readSampleEntry(descriptions, handler)
  const id = head.u32(head.u8(0) === 1 ? 20 : 12)
  return {
    id,
    handler,
    isEnabled: (head.u8(3) & 1) === 1,
    language: languageOf(media, mediaHead),
    name: nameOf(trak, handlerBox),
    entry,
    ...clock,
    usualTicks: extension === null ? 0 : usualTicksOf(extension, id),
    shift: shiftOf(trak, clock.timescale, movieScale),
    tables,
    isHere: isHere(information, entry?.reference ?? 1),
    chapterTracks: chapterTracksOf(trak),
  }
}

/** mvhd and mdhd begin in the same way. */
function readClock(head: FieldBytes): { timescale: number; duration: number } {
  const long = head.u8(0) === 1
  const timescale = head.u32(long ? 20 : 12)
  if (timescale === 0) throw new DecodeError('its clock stands still')
  return { timescale, duration: ticksAt(head, long ? 24 : 16) }
}

/**
 * A duration in a box that has 64 bits for it in version 1; 0 = not known: all ones, or more than a number can say, as
 * muxers of what is still going on write.
 */
function ticksAt(box: FieldBytes, at: number): number {
  if (box.u8(0) !== 1) return box.u32(at) === 0xff_ff_ff_ff ? 0 : box.u32(at)
  return box.u32(at) >= 0x20_00_00 ? 0 : box.u64(at)
}

/** Of trex (8.8.3). */
function usualTicksOf(extension: FieldBytes, track: number): number {
  for (const { type, body } of boxesIn(extension)) if (type === 'trex' && body.u32(4) === track) return body.u32(12)
  return 0
}

/** BCP 47 of elng, else the three letters of mdhd; QuickTime has numbers there, which nobody writes any more. */
function languageOf(media: FieldBytes, head: FieldBytes): string {
  const extended = boxIn(media, 'elng')
  if (extended !== null && extended.length > 4) return extended.text(4, extended.length - 4) || 'und'
  const packed = head.u16(head.u8(0) === 1 ? 32 : 20)
  if (packed < 0x400 || packed === 0x7fff) return 'und'
  return [10, 5, 0].map(shift => String.fromCodePoint(0x60 + ((packed >> shift) & 31))).join('')
}

/** udta/name, or that of the handler unless it is a muxer's. */
function nameOf(trak: FieldBytes, handler: FieldBytes | null): string {
  const named = boxAtPath(trak, ['udta', 'name'])
  if (named !== null) return named.text(0, named.length)
  const text = handler === null || handler.length <= 24 ? '' : handler.text(24, handler.length - 24)
  return /handler|^core media|gpac|^l-smash|^\W*$/i.test(text) ? '' : text
}

/**
 * What its edit list (8.6.6) does to times, s: pauses at the start move them on, the media time of the first real edit
 * is their zero. Further edits cut films into pieces; no player of films for people needs them here.
 */
function shiftOf(trak: FieldBytes, timescale: number, movieScale: number): number {
  const list = boxAtPath(trak, ['edts', 'elst'])
  if (list === null) return 0
  const long = list.u8(0) === 1
  const size = long ? 20 : 12
  let pause = 0
  for (let at = 8; at + size <= list.length; at += size) {
    const duration = long ? list.i64(at) : list.u32(at)
    const time = long ? list.i64(at + 8) : list.i32(at + 4)
    if (time >= 0) return pause - time / timescale
    pause += duration / movieScale
  }
  return pause
}

/** Whether the data reference with this number is the file itself (8.7.2). */
function isHere(information: FieldBytes, reference: number): boolean {
  const references = boxAtPath(information, ['dinf', 'dref'])
  if (references === null) return true
  let number = 0
  for (const { body } of boxesIn(references.part(8, references.length))) {
    number += 1
    if (number === reference) return body.length >= 4 && (body.u8(3) & 1) === 1
  }
  return true
}

function chapterTracksOf(trak: FieldBytes): number[] {
  const list = boxAtPath(trak, ['tref', 'chap'])
  if (list === null) return []
  return Array.from({ length: Math.min(MAX_TRACKS, Math.floor(list.length / 4)) }, (_, at) => list.u32(at * 4))
}
