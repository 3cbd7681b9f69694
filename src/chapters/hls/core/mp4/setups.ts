// The configurations of codecs in sample entries of MP4 (ISO 14496-12, 8.5.2), which packing again needs as they are.

import { boxesIn, boxIn } from '../../../media/core/mp4/boxes.ts'
import type { MovieTrack } from '../../../media/core/mp4/movie.ts'
import { descriptorIn } from '../../../media/core/mp4/sample-entry.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'

/** Bytes of an entry before its own boxes. */
const VIDEO_FIELDS_BYTES = 78
const SOUND_FIELDS_BYTES = [28, 44, 64]

/** The body of the box of a picture's configuration (avcC, hvcC); null = it has none. Throws DecodeError. */
export function videoConfig(track: MovieTrack, type: string): Uint8Array | null {
  const body = entryOf(track)
  if (body === null || body.length < VIDEO_FIELDS_BYTES) return null
  return boxIn(body.part(VIDEO_FIELDS_BYTES, body.length), type)?.bytes ?? null
}

/** The AudioSpecificConfig of AAC, the heads of FLAC and Opus; null = it has none. Throws DecodeError. */
export function soundConfig(track: MovieTrack): Uint8Array | null {
  const body = entryOf(track)
  const start = body === null || body.length < 28 ? 28 : (SOUND_FIELDS_BYTES[body.u16(8)] ?? 28)
  if (body === null || body.length < start) return null
  const boxes = body.part(start, body.length)
  const flac = boxIn(boxes, 'dfLa')
  // Behind version and flags.
  if (flac !== null) return flac.part(4, flac.length).bytes
  const opus = boxIn(boxes, 'dOps')
  if (opus !== null) return opus.bytes
  const wave = boxIn(boxes, 'wave')
  const esds = boxIn(boxes, 'esds') ?? (wave === null ? null : boxIn(wave, 'esds'))
  return esds === null ? null : specificConfig(esds)
}

/** The first entry, which all samples of a film have. */
function entryOf({ tables }: MovieTrack): FieldBytes | null {
  const descriptions = boxIn(tables, 'stsd')
  if (descriptions === null) return null
  for (const { body } of boxesIn(descriptions.part(8, descriptions.length))) return body
  return null
}

/** What is in the descriptors of a box esds (ISO 14496-1, 7.2.6). */
function specificConfig(esds: FieldBytes): Uint8Array | null {
  const stream = descriptorIn(esds.part(4, esds.length), 3)
  if (stream === null || stream.length < 3) return null
  const flags = stream.u8(2)
  const skipped = 3 + ((flags & 0x80) === 0 ? 0 : 2) + ((flags & 0x20) === 0 ? 0 : 2)
  if ((flags & 0x40) !== 0 || skipped > stream.length) return null
  const decoder = descriptorIn(stream.part(skipped, stream.length), 4)
  if (decoder === null || decoder.length < 13) return null
  return descriptorIn(decoder.part(13, decoder.length), 5)?.bytes ?? null
}

/** The body of a box in the entry of a sound; null = it has none. Throws DecodeError. */
export function soundBox(track: MovieTrack, type: string): FieldBytes | null {
  const body = entryOf(track)
  const start = body === null || body.length < 28 ? 28 : (SOUND_FIELDS_BYTES[body.u16(8)] ?? 28)
  return body === null || body.length < start ? null : boxIn(body.part(start, body.length), type)
}

/** What the descriptors of a picture say to its decoder (MPEG-4 Visual); null = nothing. Throws DecodeError. */
export function videoSpecificConfig(track: MovieTrack): Uint8Array | null {
  const esds = videoConfig(track, 'esds')
  return esds === null ? null : specificConfig(new FieldBytes(esds))
}
