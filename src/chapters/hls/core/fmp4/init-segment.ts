// The head of a film in fragments of MP4 (ISO 14496-12, 8): its tracks and their configurations, and no sample.

import { box, fullBox, u16, u32, zeros } from './made-boxes.ts'

/** Numbers of the tracks. */
export const TRACK = { video: 1, sound: 2 } as const
/** Ticks of a picture's clock in a second. */
export const VIDEO_SCALE = 90_000

/** A picture as its track says it. */
export interface VideoTrack {
  /** Its codec, as the box of its samples has it. */
  readonly entry: 'avc1' | 'hvc1'
  /** The body of the box avcC or hvcC. */
  readonly config: Uint8Array
  readonly width: number
  readonly height: number
}

/** A sound as its track says it. */
export interface SoundTrack {
  /** Its sample entry. */
  readonly entry: Uint8Array
  /** Hz; ticks of its clock too. */
  readonly rate: number
}

const MATRIX = [0x1_00_00, 0, 0, 0, 0x1_00_00, 0, 0, 0, 0x40_00_00_00].flatMap(u32)
const UNDETERMINED = u16(0x55_c4)
/** Samples lie in the file itself. */
const DATA_HERE = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)))
const NO_SAMPLES = [
  fullBox('stts', 0, 0, u32(0)),
  fullBox('stsc', 0, 0, u32(0)),
  fullBox('stsz', 0, 0, u32(0), u32(0)),
  fullBox('stco', 0, 0, u32(0)),
]

/** The head. */
export function initSegment(video: VideoTrack, sound: SoundTrack | null): Uint8Array {
  const brands = ['iso6', 'iso6', 'mp41'].map(name => [...name].map(letter => letter.charCodeAt(0)))
  const [major = [], ...others] = brands
  const head = box('ftyp', major, u32(0), ...others)
  const movie = fullBox(
    'mvhd',
    0,
    0,
    zeros(8),
    u32(1000),
    u32(0),
    u32(0x1_00_00),
    u16(0x1_00),
    zeros(10),
    MATRIX,
    zeros(24),
    u32(3),
  )
  const tracks = [videoTrack(video), ...(sound === null ? [] : [soundTrack(sound)])]
  const numbers = sound === null ? [TRACK.video] : [TRACK.video, TRACK.sound]
  const extends_ = box('mvex', ...numbers.map(id => fullBox('trex', 0, 0, u32(id), u32(1), zeros(12))))
  return joined([head, box('moov', movie, ...tracks, extends_)])
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

function videoTrack({ entry: type, config, width, height }: VideoTrack): Uint8Array {
  const fields = [...zeros(6), ...u16(1), ...zeros(16), ...u16(width), ...u16(height)]
  const rest = [...u32(0x48_00_00), ...u32(0x48_00_00), ...zeros(4), ...u16(1), ...zeros(32), ...u16(24), 0xff, 0xff]
  const entry = box(type, fields, rest, box(type === 'avc1' ? 'avcC' : 'hvcC', config))
  const size = [...u32(width * 0x1_00_00), ...u32(height * 0x1_00_00)]
  return track({
    id: TRACK.video,
    volume: 0,
    size,
    scale: VIDEO_SCALE,
    handler: 'vide',
    head: fullBox('vmhd', 0, 1, zeros(8)),
    entry,
  })
}

function soundTrack({ entry, rate }: SoundTrack): Uint8Array {
  return track({
    id: TRACK.sound,
    volume: 0x1_00,
    size: zeros(8),
    scale: rate,
    handler: 'soun',
    head: fullBox('smhd', 0, 0, zeros(4)),
    entry,
  })
}

interface TrackParts {
  readonly id: number
  readonly volume: number
  readonly size: readonly number[]
  readonly scale: number
  readonly handler: string
  readonly head: Uint8Array
  readonly entry: Uint8Array
}

function track({ id, volume, size, scale, handler, head, entry }: TrackParts): Uint8Array {
  const name = [...handler].map(letter => letter.charCodeAt(0))
  const header = fullBox('tkhd', 0, 3, zeros(8), u32(id), zeros(16), zeros(4), u16(volume), zeros(2), MATRIX, size)
  const clock = fullBox('mdhd', 0, 0, zeros(8), u32(scale), u32(0), UNDETERMINED, zeros(2))
  const kind = fullBox('hdlr', 0, 0, zeros(4), name, zeros(13))
  const tables = box('stbl', fullBox('stsd', 0, 0, u32(1), entry), ...NO_SAMPLES)
  return box('trak', header, box('mdia', clock, kind, box('minf', head, DATA_HERE, tables)))
}
