// AAC as transport streams carry it: each frame behind a head of its own (ADTS, ISO 14496-3, 1.A.2), made of the
// configuration that containers keep (AudioSpecificConfig, 1.6.2.1).

import { DecodeError } from '../../../base/errors.ts'
import { BitReader } from './bit-reader.ts'

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
const HEAD_BYTES = 7
const MAX_FRAME_BYTES = 0x1f_ff
/** Real ones have two to five; heads of fragments say their length in one byte. */
const MAX_CONFIG_BYTES = 64
/** Samples of each channel in a frame. */
const FRAME_SAMPLES = 1024

/** What a head says of every frame. */
export interface AacSetup {
  /** Main, LC, SSR or LTP: 1 to 4. */
  readonly objectType: number
  /** Place of the rate in the table of the format. */
  readonly rateIndex: number
  readonly channels: number
  /** Seconds of a frame. */
  readonly frameSeconds: number
}

/** Reads an AudioSpecificConfig. Throws DecodeError for one that ADTS cannot say. */
export function readAacSetup(config: Uint8Array): AacSetup {
  if (config.length > MAX_CONFIG_BYTES) throw new DecodeError('the configuration of its sound is too long')
  const bits = new BitReader(config)
  let objectType = objectTypeOf(bits)
  let rateIndex = rateOf(bits)
  const channels = bits.read(4)
  // Spectral band replication and parametric stereo: what is inside is a frame of half the rate.
  if (objectType === 5 || objectType === 29) {
    rateOf(bits)
    objectType = objectTypeOf(bits)
  }
  if (objectType < 1 || objectType > 4) throw new DecodeError(`its sound is AAC of type ${objectType}`)
  if (bits.read(1) === 1) throw new DecodeError('its sound has frames of 960 samples')
  if (channels < 1 || channels > 7) throw new DecodeError('its sound does not say its channels')
  const rate = RATES[rateIndex]
  if (rate === undefined) throw new DecodeError('its sound has no rate that is known')
  rateIndex = RATES.indexOf(rate)
  return { objectType, rateIndex, channels, frameSeconds: FRAME_SAMPLES / rate }
}

function objectTypeOf(bits: BitReader): number {
  const short = bits.read(5)
  return short === 31 ? 32 + bits.read(6) : short
}

/** Its place in the table, also where it is written out. */
function rateOf(bits: BitReader): number {
  const index = bits.read(4)
  return index === 15 ? RATES.indexOf(bits.read(24)) : index
}

/** The AudioSpecificConfig of LC in two channels; `rate`: Hz. Throws DecodeError for one that AAC has not. */
export function stereoConfig(rate: number): Uint8Array {
  const index = RATES.indexOf(rate)
  if (index < 0) throw new DecodeError(`its sound has ${rate} Hz`)
  return Uint8Array.of((2 << 3) | (index >> 1), ((index & 1) << 7) | (2 << 3))
}

/** A frame behind its head. Throws DecodeError for one that is too long. */
export function adtsFrame({ objectType, rateIndex, channels }: AacSetup, frame: Uint8Array): Uint8Array {
  const length = HEAD_BYTES + frame.length
  if (length > MAX_FRAME_BYTES) throw new DecodeError(`a frame of its sound has ${frame.length} bytes`)
  const bytes = new Uint8Array(length)
  bytes[0] = 0xff
  bytes[1] = 0xf1
  bytes[2] = ((objectType - 1) << 6) | (rateIndex << 2) | (channels >> 2)
  bytes[3] = ((channels & 3) << 6) | (length >> 11)
  bytes[4] = (length >> 3) & 0xff
  bytes[5] = ((length & 7) << 5) | 0x1f
  bytes[6] = 0xfc
  bytes.set(frame, HEAD_BYTES)
  return bytes
}
