// The text of data cells (IPv8, section 7.5) on the busy path: where its parts are, without an object or text for each
// datagram, and its head written in front of a datagram. `data` in circuit-messages.ts is the same message as a table.

import { DecodeError } from '../../../base/errors.ts'
import { type AnyAddress, type OverlayAddress, readAddr, skipAddr, writeAddr } from '../../overlay/wire/address.ts'
import { data } from './circuit-messages.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'

/** Most bytes of a datagram in a cell behind three layers that leaves Ethernet's frame whole (section 7.9). */
export const MOST_DATAGRAM_BYTES = 1356
/** The same where a layer from end to end is put on too. */
export const MOST_LINKED_DATAGRAM_BYTES = 1332

/** Where the parts of one data text are. One object serves all cells of a socket. */
export class DataText {
  destinationAt = 0
  originAt = 0
  dataAt = 0
}

/**
 * Finds the parts of the text from `at` (its message number) to `end`. Throws DecodeError, and then `into` holds
 * nonsense.
 */
export function readDataText(bytes: Uint8Array, at: number, end: number, into: DataText): void {
  if (bytes[at] !== data.id) throw new DecodeError('not a data message')
  into.destinationAt = at + 1
  into.originAt = endOfAddress(bytes, into.destinationAt, end)
  into.dataAt = endOfAddress(bytes, into.originAt, end)
}

/** The address or name at `at` in a text that readDataText has read. Throws DecodeError for a name that is none. */
export function addressAt(bytes: Uint8Array, at: number): AnyAddress {
  return readAddr(new OverlayReader(bytes, at))
}

/** True when the address at `at` is "none": IPv4, all zero. */
export function isNoAddressAt(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 1) return false
  for (let i = at + 1; i < at + 7; i++) if (bytes[i] !== 0) return false
  return true
}

/** The head before the datagram in a data text; made once for each destination. Throws RangeError for no host name. */
export function dataHead(destination: AnyAddress, origin: OverlayAddress): Uint8Array {
  const to = new OverlayWriter()
  to.u8(data.id)
  writeAddr(to, destination)
  writeAddr(to, origin)
  return to.done()
}

/** Bytes of the two kinds that nearly all addresses are; names go the long way. */
function endOfAddress(bytes: Uint8Array, at: number, end: number): number {
  const type = at < end ? bytes[at] : 0
  const length = type === 1 ? 7 : type === 3 ? 19 : 0
  if (length > 0) {
    if (at + length > end) throw new DecodeError('ends too early')
    return at + length
  }
  const from = new OverlayReader(bytes, at, end)
  skipAddr(from)
  return from.at
}
