// What a track of a film is to ffmpeg: the entry of Matroska that it would have, whatever container it lies in. Nothing
// of a film's own head is passed on but these fields.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { MAX_PART_BYTES } from '../../../media/core/limits.ts'
import { childrenOf, floatOf, ID, uintOf } from '../../../media/core/matroska/elements.ts'
import { SegmentParts } from '../../../media/core/matroska/segment.ts'
import { MeteredSource } from '../../../media/core/metered-source.ts'
import type { MovieTrack } from '../../../media/core/mp4/movie.ts'
import { soundBox, videoConfig, videoSpecificConfig } from '../mp4/setups.ts'

/** A track as Matroska has it. */
export interface SourceTrack {
  readonly codecId: string
  readonly config: Uint8Array | null
  /** Pixels; 0 of sound. */
  readonly width: number
  readonly height: number
  /** Of sound; 0 = not said. */
  readonly rate: number
  readonly channels: number
  readonly bits: number
}

const ENTRY = 0xae
const NUMBER = 0xd7
const CODEC_ID = 0x86
const CONFIG = 0x63a2
const VIDEO = 0xe0
const WIDTH = 0xb0
const HEIGHT = 0xba
const AUDIO = 0xe1
const RATE = 0xb5
const CHANNELS = 0x9f
const BITS = 0x6264
/** Of the head of the file. */
const HEAD_BUDGET_BYTES = 4 * 1024 * 1024
/** Vorbis has some 4 KB. */
const MAX_CONFIG_BYTES = 64 * 1024
/** CodecIDs of what lies in MP4. */
const IDS: ReadonlyMap<string, string> = new Map([
  ['hevc', 'V_MPEGH/ISO/HEVC'],
  ['mpeg4', 'V_MPEG4/ISO/ASP'],
  ['mpeg1', 'V_MPEG1'],
  ['mpeg2', 'V_MPEG2'],
  ['av1', 'V_AV1'],
  ['vp8', 'V_VP8'],
  ['vp9', 'V_VP9'],
  ['dts', 'A_DTS'],
  ['flac', 'A_FLAC'],
  ['opus', 'A_OPUS'],
  ['alac', 'A_ALAC'],
  ['mp2', 'A_MPEG/L2'],
  ['mp3', 'A_MPEG/L3'],
  ['ac3', 'A_AC3'],
  ['eac3', 'A_EAC3'],
])

/** Of a track of Matroska. Throws DecodeError, and what reading throws. */
export function matroskaTrack(source: ByteSource, number: number): SourceTrack {
  const metered = new MeteredSource(source, HEAD_BUDGET_BYTES)
  const part = new SegmentParts(metered).find(ID.tracks)
  if (part === null || part.end - part.body > MAX_PART_BYTES) throw new DecodeError('its tracks cannot be read')
  for (const { id, body } of childrenOf(new FieldBytes(metered.read(part.body, part.end)))) {
    if (id !== ENTRY) continue
    const found = readEntry(body)
    if (found.number === number) return checkedTrack(found.track)
  }
  throw new DecodeError(`it has no track ${number}`)
}

/** Of a track of MP4, whose codec has the name `codec`. Throws DecodeError. */
export function mp4Track(track: MovieTrack, codec: string): SourceTrack {
  const codecId = IDS.get(codec)
  if (codecId === undefined) throw new DecodeError(`${codec} is not converted out of MP4`)
  const { width = 0, height = 0, sampleRate = 0, channels = 0 } = track.entry ?? {}
  const config = mp4Config(track, codec)
  return checkedTrack({ codecId, config, width, height, rate: sampleRate, channels, bits: 0 })
}

function checkedTrack(track: SourceTrack): SourceTrack {
  if ((track.config?.length ?? 0) > MAX_CONFIG_BYTES) throw new DecodeError('the configuration of a track is too long')
  return track
}

interface NumberedTrack {
  readonly number: number
  readonly track: SourceTrack
}

function readEntry(entry: FieldBytes): NumberedTrack {
  let [number, codecId, config]: [number, string, Uint8Array | null] = [0, '', null]
  const fields = new Map<number, number>()
  for (const { id, body } of childrenOf(entry)) {
    if (id === NUMBER) number = uintOf(body)
    else if (id === CODEC_ID) codecId = body.text(0, body.length)
    else if (id === CONFIG) config = body.bytes
    else if (id === VIDEO || id === AUDIO) {
      for (const child of childrenOf(body))
        fields.set(child.id, child.id === RATE ? floatOf(child.body) : child.body.length > 6 ? 0 : uintOf(child.body))
    }
  }
  const of = (id: number): number => fields.get(id) ?? 0
  const track = { codecId, config, width: of(WIDTH), height: of(HEIGHT) }
  return { number, track: { ...track, rate: of(RATE), channels: of(CHANNELS), bits: of(BITS) } }
}

/** The configuration as Matroska has it. */
function mp4Config(track: MovieTrack, codec: string): Uint8Array | null {
  if (codec === 'hevc') return videoConfig(track, 'hvcC')
  if (codec === 'av1') return videoConfig(track, 'av1C')
  if (codec === 'mpeg4') return videoSpecificConfig(track)
  if (codec === 'flac') return behind('fLaC', soundBox(track, 'dfLa'), 4)
  if (codec === 'alac') return behind('', soundBox(track, 'alac'), 4)
  if (codec === 'opus') return opusHead(soundBox(track, 'dOps'))
  return null
}

/** Bytes of a box from one on, behind a word. */
function behind(word: string, box: FieldBytes | null, from: number): Uint8Array | null {
  if (box === null || box.length < from) return null
  return Buffer.concat([Buffer.from(word), box.part(from, box.length).bytes])
}

/** The head of Opus in Ogg (RFC 7845, 5.1) out of that in MP4, whose numbers are the other way round. */
function opusHead(box: FieldBytes | null): Uint8Array | null {
  if (box === null) return null
  const head = Buffer.alloc(18)
  head.write('OpusHead')
  head[8] = 1
  head[9] = box.u8(1)
  head.writeUInt16LE(box.u16(2), 10)
  head.writeUInt32LE(box.u32(4), 12)
  head.writeUInt16LE(box.u16(8), 16)
  return Buffer.concat([head, box.part(10, box.length).bytes])
}
