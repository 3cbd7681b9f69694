// Fields of records: numbers of six bytes, big endian (clocks, times, sizes), and texts of UTF-8 with a u16 length.

import { DecodeError } from '../../../base/errors.ts'
import { utf8Text } from '../../../wire/bencode-value.ts'
import type { OverlayReader } from '../../overlay/wire/reader.ts'
import type { OverlayWriter } from '../../overlay/wire/writer.ts'

const TWO_32 = 0x1_0000_0000

/** Largest number of six bytes. */
export const MOST_U48 = 2 ** 48 - 1

/** Writes `value`. Throws RangeError when it does not fit. */
export function writeU48(value: number, to: OverlayWriter): void {
  if (!Number.isInteger(value) || value < 0 || value > MOST_U48)
    throw new RangeError(`${value} is not 0 to ${MOST_U48}`)
  to.u16(Math.floor(value / TWO_32))
  to.u32(value % TWO_32)
}

/** Reads a number. Throws DecodeError at the end. */
export function readU48(from: OverlayReader): number {
  return from.u16() * TWO_32 + from.u32()
}

/** Writes a text with its length. */
export function writeText(text: string, to: OverlayWriter): void {
  to.v16(Buffer.from(text, 'utf8'))
}

/** Reads a text that `taken` takes. Throws DecodeError, also for what is not UTF-8. */
export function readText(from: OverlayReader, taken: (text: string) => boolean, what: string): string {
  const text = utf8Text(from.v16())
  if (text === null || !taken(text)) throw new DecodeError(`${what} that is not taken`)
  return text
}
