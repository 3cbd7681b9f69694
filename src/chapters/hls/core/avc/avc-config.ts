// AVCDecoderConfigurationRecord (ISO 14496-15, 5.3.3): how long the lengths of NAL units are, and the parameter sets.

import { DecodeError } from '../../../../base/errors.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'

/** What containers keep of H.264 beside its pictures. */
export interface AvcConfig {
  /** Bytes of the length before each NAL unit: 1 to 4. */
  readonly lengthBytes: number
  readonly sequences: readonly Uint8Array[]
  readonly pictures: readonly Uint8Array[]
}

/** Real ones have some 50 bytes; they are put before every key frame. */
const MAX_CONFIG_BYTES = 16 * 1024

/** Reads one. Throws DecodeError. */
export function readAvcConfig(config: Uint8Array): AvcConfig {
  if (config.length > MAX_CONFIG_BYTES) throw new DecodeError('the configuration of its picture is too long')
  const bytes = new FieldBytes(config)
  if (bytes.length === 0 || bytes.u8(0) !== 1) throw new DecodeError('its picture has no configuration')
  const sequences: Uint8Array[] = []
  const behind = readSets(bytes, 6, bytes.u8(5) & 31, sequences)
  const pictures: Uint8Array[] = []
  readSets(bytes, behind + 1, bytes.u8(behind), pictures)
  return { lengthBytes: (bytes.u8(4) & 3) + 1, sequences, pictures }
}

/** Adds `count` sets from byte `at` on; the first byte behind them. */
function readSets(bytes: FieldBytes, at: number, count: number, sets: Uint8Array[]): number {
  let next = at
  for (let left = count; left > 0; left -= 1) {
    const length = bytes.u16(next)
    sets.push(bytes.part(next + 2, next + 2 + length).bytes)
    next += 2 + length
  }
  return next
}
