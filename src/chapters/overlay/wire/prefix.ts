// Prefixes of hashes as a field of messages: they name nodes of trees over hashes.

import { DecodeError } from '../../../base/errors.ts'
import type { Field } from './fields.ts'

/** Digits of the longest prefix: a whole SHA-256. */
const MAX_PREFIX_DIGITS = 64

/** A prefix of hexadecimal digits: their count, and two in a byte. */
export const prefix: Field<string> = {
  read(from) {
    const digits = from.u8()
    if (digits > MAX_PREFIX_DIGITS) throw new DecodeError('a prefix that is too long')
    const text = Buffer.from(from.take((digits + 1) >> 1)).toString('hex')
    if (text.length > digits && text.at(-1) !== '0') throw new DecodeError('a prefix with more digits than it says')
    return text.slice(0, digits)
  },
  write(to, value) {
    if (!/^[0-9a-f]{0,64}$/.test(value)) throw new RangeError('not a prefix of digits')
    to.u8(value.length)
    to.put(Buffer.from(value.length % 2 === 0 ? value : `${value}0`, 'hex'))
  },
}
