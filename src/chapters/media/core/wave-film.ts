// Facts of WAVE (RIFF, RF64 and RIFX): what its format says, and how many bytes of sound there are. Other chunks, such
// as covers of taggers, are passed over however long they are; nothing behind the sound is read.

import { DecodeError } from '../../../base/errors.ts'
import { FieldBytes } from './field-bytes.ts'
import { type FilmFacts, type FilmReading, plainTrack } from './film-facts.ts'
import { bitrateOf, soundDuration, soundHertz } from './film-parts.ts'
import { MAX_STEPS } from './limits.ts'
import type { MeteredSource } from './metered-source.ts'

/** Format tags (RFC 2361) -> names of codecs. */
const CODECS: ReadonlyMap<number, string> = new Map([
  [0x01, 'pcm'],
  [0x03, 'pcm'],
  [0x06, 'alaw'],
  [0x07, 'ulaw'],
  [0x50, 'mp2'],
  [0x55, 'mp3'],
  [0xff, 'aac'],
  [0x2000, 'ac3'],
  [0x2001, 'dts'],
])
/** The tag that says that another one stands 24 bytes into the format. */
const EXTENSIBLE = 0xff_fe
const HEAD_BYTES = 8
/** Those of a format that are read. */
const FORMAT_BYTES = 40
/** A length that is not known: RF64 has it elsewhere. */
const NO_LENGTH = 0xff_ff_ff_ff

/** What a walk over the chunks found. */
interface Chunks {
  format: FieldBytes | null
  /** First byte of the sound, and its length as the file says it. */
  data: { readonly start: number; readonly length: number } | null
  /** Length of the sound by ds64; 0 = it does not say. */
  longLength: number
}

/** The name for a format tag. */
export function codecOfWaveTag(tag: number): string {
  return CODECS.get(tag) ?? `format ${tag}`
}

/** RIFF, RF64 or RIFX with the form WAVE. */
export function isWave(head: FieldBytes): boolean {
  return head.length >= 12 && /^(?:RIFF|RF64|RIFX)$/.test(head.latin(0, 4)) && head.latin(8, 4) === 'WAVE'
}

/** Reads the facts of what begins at byte `start` (behind a tag). Throws DecodeError, and what reading throws. */
export function readWave(source: MeteredSource, start: number): FilmReading {
  const isLittle = new FieldBytes(source.read(start, start + 4)).latin(0, 4) !== 'RIFX'
  const { format, data, longLength } = walkChunks(source, start + 12, isLittle)
  if (format === null || data === null) throw new DecodeError(format === null ? 'it has no format' : 'it has no sound')
  const word = (at: number): number => (isLittle ? format.u16le(at) : format.u16(at))
  const long = (at: number): number => (isLittle ? format.u32le(at) : format.u32(at))
  const tag = word(0) === EXTENSIBLE && format.length >= 26 ? word(24) : word(0)
  const length = data.length === NO_LENGTH ? longLength : data.length
  const rest = source.size - data.start
  // Recorders that were cut off have written 0.
  const duration = soundDuration((length > 0 ? Math.min(length, rest) : rest) / (long(8) || word(12) * long(4)))
  const codec = codecOfWaveTag(tag)
  const sound = { kind: 'audio', codec, channels: word(2), sampleRate: soundHertz(long(4)) } as const
  const facts: FilmFacts = {
    container: 'wave',
    fragmented: false,
    duration,
    bitrate: bitrateOf(source.size, duration),
    seek: 'bytes',
    note: '',
    tracks: [{ ...plainTrack, id: 1, isDefault: true, ...sound }],
    chapters: [],
    index: [],
    keys: null,
  }
  return { facts, missing: null, fetched: source.fetched }
}

/** Up to the sound, or as far as it takes to find the format. */
function walkChunks(source: MeteredSource, start: number, isLittle: boolean): Chunks {
  const chunks: Chunks = { format: null, data: null, longLength: 0 }
  let at = start
  for (let step = 0; step < MAX_STEPS && at + HEAD_BYTES <= source.size; step += 1) {
    const head = new FieldBytes(source.read(at, at + HEAD_BYTES))
    const [type, length] = [head.latin(0, 4), isLittle ? head.u32le(4) : head.u32(4)]
    const body = at + HEAD_BYTES
    if (type === 'fmt ') chunks.format = new FieldBytes(source.read(body, body + Math.min(length, FORMAT_BYTES)))
    else if (type === 'ds64') chunks.longLength = longLengthOf(new FieldBytes(source.read(body, body + 16)))
    else if (type === 'data') chunks.data = { start: body, length }
    if (chunks.data !== null && chunks.format !== null) break
    at = body + length + (length % 2)
  }
  return chunks
}

/** The second number of ds64 (EBU Tech 3306). */
function longLengthOf(body: FieldBytes): number {
  return body.u32le(8) + body.u32le(12) * 0x1_00_00_00_00
}
