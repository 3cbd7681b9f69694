// A picture of H.264 as transport streams carry it (ISO 14496-10, Annex B): NAL units behind start codes instead of
// lengths, a delimiter before them, the parameter sets before key frames.

import { DecodeError } from '../../../../base/errors.ts'
import type { AvcConfig } from './avc-config.ts'

const START = [0, 0, 0, 1]
/** A delimiter that allows slices of every type. */
const DELIMITER = Uint8Array.of(9, 0xf0)
const TYPE = { sequence: 7, picture: 8, delimiter: 9 } as const

/** Makes one of a sample of MP4 or Matroska. Throws DecodeError for one whose lengths are wrong. */
export function accessUnit(
  { lengthBytes, sequences, pictures }: AvcConfig,
  sample: Uint8Array,
  isKey: boolean,
): Uint8Array {
  const units = unitsOf(sample, lengthBytes)
  const own = units.filter(unit => typeOf(unit) !== TYPE.delimiter)
  const hasSets = own.some(unit => typeOf(unit) === TYPE.sequence)
  const sets = isKey && !hasSets ? [...sequences, ...pictures] : []
  return joined([DELIMITER, ...sets, ...own])
}

function typeOf(unit: Uint8Array): number {
  return (unit[0] ?? 0) & 31
}

/** The NAL units of a sample; empty ones are left out. */
function unitsOf(sample: Uint8Array, lengthBytes: number): Uint8Array[] {
  const units: Uint8Array[] = []
  for (let at = 0; at < sample.length; ) {
    let length = 0
    for (let byte = 0; byte < lengthBytes; byte += 1) length = length * 256 + (sample[at + byte] ?? 0)
    const start = at + lengthBytes
    if (start + length > sample.length) throw new DecodeError('a picture ends within a part of it')
    if (length > 0) units.push(sample.subarray(start, start + length))
    at = start + length
  }
  return units
}

function joined(units: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(units.reduce((sum, unit) => sum + START.length + unit.length, 0))
  let at = 0
  for (const unit of units) {
    out.set(START, at)
    out.set(unit, at + START.length)
    at += START.length + unit.length
  }
  return out
}
