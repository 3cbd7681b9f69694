// Facts of FLAC (RFC 9639): STREAMINFO, which must come first, and the seek table. Pictures are passed over.

import { DecodeError } from '../../../base/errors.ts'
import { FieldBytes } from './field-bytes.ts'
import { type FilmFacts, type FilmReading, type KeyTable, plainTrack } from './film-facts.ts'
import { bitrateOf, soundDuration } from './film-parts.ts'
import { KeyGathering } from './key-table.ts'
import { MAX_PART_BYTES, MAX_STEPS } from './limits.ts'
import type { MeteredSource } from './metered-source.ts'
import { OptionalParts } from './optional-parts.ts'

const STREAM_INFO = 0
const SEEK_TABLE = 3
const STREAM_INFO_BYTES = 34
const SEEK_POINT_BYTES = 18

interface StreamInfo {
  readonly sampleRate: number
  readonly channels: number
  readonly samples: number
}

/** Whether FLAC begins at byte `at`. */
export function isFlac(head: FieldBytes, at: number): boolean {
  return head.length >= at + 4 && head.latin(at, 4) === 'fLaC'
}

/** Reads the facts of what begins at byte `start` (behind a tag). Throws DecodeError, and what reading throws. */
export function readFlac(source: MeteredSource, start: number): FilmReading {
  const head = new FieldBytes(source.read(start, start + 8 + STREAM_INFO_BYTES))
  if ((head.u8(4) & 0x7f) !== STREAM_INFO || head.u24(5) < STREAM_INFO_BYTES) throw new DecodeError('it has no head')
  const info = readStreamInfo(head.part(8, 8 + STREAM_INFO_BYTES))
  const parts = new OptionalParts()
  const [keys, end] = parts.part<[KeyTable | null, number]>(
    'Its seek table',
    [null, start + 8 + STREAM_INFO_BYTES],
    () => readSeekTable(source, start, info),
  )
  const duration = soundDuration(info.samples / info.sampleRate)
  const facts: FilmFacts = {
    container: 'flac',
    fragmented: false,
    duration,
    bitrate: bitrateOf(source.size, duration),
    seek: keys === null ? 'bytes' : 'keys',
    note: parts.note,
    tracks: [
      {
        ...plainTrack,
        id: 1,
        kind: 'audio',
        codec: 'flac',
        codecString: 'flac',
        isDefault: true,
        channels: info.channels,
        sampleRate: info.sampleRate,
      },
    ],
    chapters: [],
    index: [{ start: 0, end: Math.min(source.size, end) }],
    keys,
  }
  return { facts, missing: parts.missing, fetched: source.fetched }
}

function readStreamInfo(info: FieldBytes): StreamInfo {
  const packed = info.u24(10)
  const sampleRate = packed >> 4
  if (sampleRate === 0) throw new DecodeError('its clock stands still')
  return {
    sampleRate,
    channels: ((packed >> 1) & 7) + 1,
    samples: (info.u8(13) & 15) * 0x1_00_00_00_00 + info.u32(14),
  }
}

/** The seek table (null = none), and where the frames begin. Blocks of other kinds cost their heads alone. */
function readSeekTable(source: MeteredSource, start: number, info: StreamInfo): [KeyTable | null, number] {
  let points: FieldBytes | null = null
  let at = start + 4
  for (let step = 0, last = false; !last && step < MAX_STEPS; step += 1) {
    const head = new FieldBytes(source.read(at, at + 4))
    const length = head.u24(1)
    const wanted = (head.u8(0) & 0x7f) === SEEK_TABLE && length <= MAX_PART_BYTES
    if (wanted) points = new FieldBytes(source.read(at + 4, at + 4 + length))
    last = head.u8(0) >= 0x80
    at += 4 + length
  }
  return [points === null ? null : keysOf(points, at, info, source.size), at]
}

function keysOf(points: FieldBytes, firstFrame: number, { sampleRate }: StreamInfo, size: number): KeyTable | null {
  const keys = new KeyGathering(1, size)
  for (let at = 0; at + SEEK_POINT_BYTES <= points.length; at += SEEK_POINT_BYTES) {
    // All ones: room for a point that was not used.
    if (points.u32(at) === 0xff_ff_ff_ff) continue
    keys.add(points.u64(at) / sampleRate, firstFrame + points.u64(at + 8))
  }
  return keys.table()
}
