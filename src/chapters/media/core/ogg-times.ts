// How long an Ogg stream plays (RFC 3533): the position that its last page has.

import type { FieldBytes } from './field-bytes.ts'

/** The position of the last page of the stream with this serial number in `bytes`; null = there is none in them. */
export function lastOggPosition(bytes: FieldBytes, serial: number): number | null {
  for (let at = bytes.length - 27; at >= 0; at -= 1) {
    if (bytes.u8(at) !== 0x4f || bytes.latin(at, 4) !== 'OggS') continue
    const position = uint64LittleEndian(bytes, at + 6)
    if (position !== null && bytes.u32le(at + 14) === serial) return position
  }
  return null
}

/** Null: all ones, no packet ends on the page; or no exact number. */
function uint64LittleEndian(bytes: FieldBytes, at: number): number | null {
  const value = bytes.u32le(at) + bytes.u32le(at + 4) * 0x1_00_00_00_00
  return Number.isSafeInteger(value) ? value : null
}
