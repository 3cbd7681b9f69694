// What the head of Opus says (RFC 7845, 5.1; in MP4 the box dOps, big-endian), and how long a packet is heard (RFC
// 6716, 3.1).

import { DecodeError } from '../../../base/errors.ts'
import { FieldBytes } from '../../media/core/field-bytes.ts'

/** Hz of every decoder, whatever was encoded. */
export const OPUS_RATE = 48_000
const MARK_BYTES = 8
const MARK = 0x4f_70_75_73
/** Samples of a frame by its configuration: of SILK, hybrid and CELT. */
const SILK = [480, 960, 1920, 2880]
const HYBRID = [480, 960]
const CELT = [120, 240, 480, 960]
/** A packet has 120 ms at most. */
const MAX_SAMPLES = 5760

/** A sound in Opus. */
export interface OpusSetup {
  readonly channels: number
  /**
   * The body of a box dOps. It says that nothing is to be skipped at the start: times of samples count what decoders
   * keep back already, also in the middle of the film.
   */
  readonly box: Uint8Array
}

/** Reads it, as Matroska has it, or as MP4 has it. Throws DecodeError. */
export function readOpusSetup(config: Uint8Array): OpusSetup {
  const bytes = new FieldBytes(config)
  const isOgg = bytes.length >= MARK_BYTES && bytes.u32(0) === MARK
  const at = isOgg ? MARK_BYTES : 0
  const channels = bytes.u8(at + 1)
  const family = bytes.u8(at + 10)
  const [rate, gain] = isOgg ? [bytes.u32le(at + 4), bytes.u16le(at + 8)] : [bytes.u32(at + 4), bytes.u16(at + 8)]
  if (channels < 1 || channels > 8) throw new DecodeError('its sound does not say its channels')
  const mapping = family === 0 ? [] : bytes.part(at + 11, at + 13 + channels).bytes
  const numbers = [rate >>> 24, (rate >>> 16) & 0xff, (rate >>> 8) & 0xff, rate & 0xff, gain >> 8, gain & 0xff]
  return { channels, box: Uint8Array.from([0, channels, 0, 0, ...numbers, family, ...mapping]) }
}

/** Samples of a packet, of each channel. Throws DecodeError. */
export function opusPacketSamples(packet: Uint8Array): number {
  const first = packet[0]
  if (first === undefined) throw new DecodeError('a packet of its sound is empty')
  const configuration = first >> 3
  const frame =
    configuration < 12
      ? SILK[configuration & 3]
      : configuration < 16
        ? HYBRID[configuration & 1]
        : CELT[configuration & 3]
  const count = (first & 3) === 0 ? 1 : (first & 3) < 3 ? 2 : (packet[1] ?? 0) & 63
  const samples = (frame ?? 0) * count
  if (samples === 0 || samples > MAX_SAMPLES) throw new DecodeError('a packet of its sound makes no sense')
  return samples
}
