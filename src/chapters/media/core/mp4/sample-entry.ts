// Sample entries of MP4 and QuickTime (ISO 14496-12, 8.5.2): which codec a track has, and what its configuration says.

import { aacConfig, ac3Channels, av1String, avcString, eac3Channels, hevcString, vpString } from '../codec-strings.ts'
import { codecOfCode, codecOfObjectType, plainCodecString } from '../codec-names.ts'
import type { FieldBytes } from '../field-bytes.ts'
import { soundHertz } from '../film-parts.ts'
import { boxIn, boxesIn } from './boxes.ts'

/** What a sample entry says of its track. */
export interface SampleEntry {
  readonly codec: string
  readonly codecString: string | null
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly sampleRate: number
  /** Which of the track's data references its bytes lie in, from 1 on. */
  readonly reference: number
}

/** Bytes of an entry before its own boxes. */
const VIDEO_FIELDS_BYTES = 78
const SOUND_FIELDS_BYTES = [28, 44, 64]
const ENCRYPTED: ReadonlySet<string> = new Set(['encv', 'enca', 'encs', 'drmi', 'drms'])

/** The first entry of a stsd box, for a track with this handler; null = it has none. Throws DecodeError. */
export function readSampleEntry(stsd: FieldBytes, handler: string): SampleEntry | null {
  for (const { type, body } of boxesIn(stsd.part(8, stsd.length))) {
    const fields = { ...plain(type), reference: body.length >= 8 ? body.u16(6) : 1 }
    if (ENCRYPTED.has(type)) return { ...fields, codec: 'encrypted' }
    if (handler === 'vide' && body.length >= VIDEO_FIELDS_BYTES) return { ...fields, ...video(type, body) }
    if (handler === 'soun' && body.length >= 28) return { ...fields, ...sound(type, body) }
    return fields
  }
  return null
}

function plain(type: string): Omit<SampleEntry, 'reference'> {
  const codec = codecOfCode(type)
  return { codec, codecString: plainCodecString(codec), width: 0, height: 0, channels: 0, sampleRate: 0 }
}

function video(type: string, body: FieldBytes): Partial<SampleEntry> {
  const size = { width: body.u16(24), height: body.u16(26) }
  const boxes = body.part(VIDEO_FIELDS_BYTES, body.length)
  const esds = boxIn(boxes, 'esds')
  if (esds !== null) return { ...size, ...elementaryStream(esds) }
  return { ...size, ...configured(type, boxes) }
}

function configured(type: string, boxes: FieldBytes): Partial<SampleEntry> {
  for (const box of boxesIn(boxes)) {
    if (box.type === 'avcC') return { codecString: avcString(box.body, type === 'avc3' ? 'avc3' : 'avc1') }
    if (box.type === 'hvcC') return { codecString: hevcString(box.body, type === 'hev1' ? 'hev1' : 'hvc1') }
    if (box.type === 'av1C') return { codecString: av1String(box.body) }
    if (box.type === 'vpcC') return { codecString: vpString(box.body, type) }
  }
  return {}
}

/** QuickTime has longer entries for sound (versions 1 and 2). */
function sound(type: string, body: FieldBytes): Partial<SampleEntry> {
  const version = body.u16(8)
  const start = SOUND_FIELDS_BYTES[version] ?? 28
  const long = version === 2 && body.length >= 64
  const fields = {
    channels: long ? body.u32(40) : body.u16(16),
    sampleRate: long ? soundHertz(body.f64(32)) : body.u16(24),
  }
  if (start > body.length) return fields
  const boxes = body.part(start, body.length)
  const esds = boxIn(boxes, 'esds') ?? (type === 'mp4a' ? esdsInWave(boxes) : null)
  if (esds !== null) return { ...fields, ...elementaryStream(esds) }
  const [dac3, dec3] = [boxIn(boxes, 'dac3'), boxIn(boxes, 'dec3')]
  if (dac3 !== null) return { ...fields, channels: ac3Channels(dac3) }
  if (dec3 !== null) return { ...fields, channels: eac3Channels(dec3) }
  return fields
}

function esdsInWave(boxes: FieldBytes): FieldBytes | null {
  const wave = boxIn(boxes, 'wave')
  return wave === null ? null : boxIn(wave, 'esds')
}

/** What an ES_Descriptor says (ISO 14496-1, 7.2.6.5), as the body of an esds box. */
function elementaryStream(esds: FieldBytes): Partial<SampleEntry> {
  const stream = descriptorIn(esds.part(4, esds.length), 3)
  if (stream === null || stream.length < 3) return {}
  const flags = stream.u8(2)
  // It lies at another address, which is not followed.
  if ((flags & 0x40) !== 0) return {}
  const skipped = 3 + ((flags & 0x80) === 0 ? 0 : 2) + ((flags & 0x20) === 0 ? 0 : 2)
  const decoder = descriptorIn(stream.part(skipped, stream.length), 4)
  if (decoder === null || decoder.length < 13) return {}
  const type = decoder.u8(0)
  const codec = codecOfObjectType(type)
  const named = codec === null ? {} : { codec, codecString: `mp4a.${type.toString(16).padStart(2, '0')}` }
  if (codec !== 'aac') return { ...named, ...(codec === 'mpeg4' ? { codecString: 'mp4v.20' } : {}) }
  const specific = descriptorIn(decoder.part(13, decoder.length), 5)
  const aac = specific === null ? null : aacConfig(specific)
  if (aac === null) return named
  const channels = aac.channels === 0 ? {} : { channels: aac.channels }
  return { codec, codecString: `mp4a.40.${aac.objectType}`, ...channels }
}

/** The body of the first descriptor when it has this tag; null = it has another. Throws DecodeError. */
export function descriptorIn(bytes: FieldBytes, tag: number): FieldBytes | null {
  if (bytes.length < 2 || bytes.u8(0) !== tag) return null
  let [at, length, more] = [1, 0, true]
  while (more && at < 5) {
    const byte = bytes.u8(at)
    length = length * 128 + (byte & 0x7f)
    more = byte >= 0x80
    at += 1
  }
  return bytes.part(at, Math.min(bytes.length, at + length))
}
