// HEVCDecoderConfigurationRecord (ISO 14496-15, 8.3.3) and the sequence parameter set in it (ITU-T H.265, 7.3.2.2),
// read as far as they say how many pictures are decoded before one that is shown before them.

import { DecodeError } from '../../../base/errors.ts'
import { FieldBytes } from '../../media/core/field-bytes.ts'
import { BitReader, withoutEmulation } from './bit-reader.ts'

const ARRAYS_AT = 22
const SEQUENCE = 33
/** Bytes of the head of a NAL unit. */
const HEAD_BYTES = 2
const PROFILE_BITS = 88
const LEVEL_BITS = 8
const MAX_REORDER = 16
/** Real ones have some 2,000; it is the larger part of the head of all segments. */
const MAX_CONFIG_BYTES = 64 * 1024

/** How many; null = it does not say. Throws DecodeError when it is no such record. */
export function hevcReorder(config: Uint8Array): number | null {
  if (config.length > MAX_CONFIG_BYTES) throw new DecodeError('the configuration of its picture is too long')
  const bytes = new FieldBytes(config)
  if (bytes.length === 0 || bytes.u8(0) !== 1) throw new DecodeError('its picture has no configuration')
  let at = ARRAYS_AT + 1
  for (let arrays = bytes.u8(ARRAYS_AT); arrays > 0; arrays -= 1) {
    const type = bytes.u8(at) & 63
    const count = bytes.u16(at + 1)
    at += 3
    for (let left = count; left > 0; left -= 1) {
      const length = bytes.u16(at)
      const unit = bytes.part(at + 2, at + 2 + length).bytes
      if (type === SEQUENCE) return reorderOf(unit)
      at += 2 + length
    }
  }
  return null
}

/** Null: it cannot be read, which is the player's business. */
function reorderOf(unit: Uint8Array): number | null {
  try {
    return sequenceReorder(unit)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function sequenceReorder(unit: Uint8Array): number {
  const bits = new BitReader(withoutEmulation(unit.subarray(HEAD_BYTES)))
  bits.skip(4)
  const layers = bits.read(3)
  bits.skip(1 + PROFILE_BITS + LEVEL_BITS)
  skipLayers(bits, layers)
  bits.unsigned()
  if (bits.unsigned() === 3) bits.skip(1)
  bits.unsigned()
  bits.unsigned()
  if (bits.flag()) for (let side = 0; side < 4; side += 1) bits.unsigned()
  bits.unsigned()
  bits.unsigned()
  bits.unsigned()
  let reorder = 0
  for (let layer = bits.flag() ? 0 : layers; layer <= layers; layer += 1) {
    bits.unsigned()
    reorder = bits.unsigned()
    bits.unsigned()
  }
  return Math.min(MAX_REORDER, reorder)
}

/** Profiles and levels of layers below the highest. */
function skipLayers(bits: BitReader, layers: number): void {
  const there = Array.from({ length: layers }, () => [bits.flag(), bits.flag()] as const)
  if (layers > 0) bits.skip(2 * (8 - layers))
  for (const [profile, level] of there) bits.skip((profile ? PROFILE_BITS : 0) + (level ? LEVEL_BITS : 0))
}
