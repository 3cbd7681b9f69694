// Cells (IPv8, section 7.2): prefix (22), 00, u32 circuit id, plaintext, relay_early, text. Works on the bytes
// themselves, since a relay makes no object of a cell. Offsets are those of the packet.

import type { Shape, ValuesOf } from '../../overlay/wire/fields.ts'
import { CELL_ID } from './circuit-messages.ts'
import { type CellMessage, encodeCellMessage } from '../../overlay/wire/message.ts'
import { MESSAGE_ID_AT, PREFIX_BYTES } from '../../overlay/wire/packet.ts'

/** Bytes before the text of a cell. */
export const CELL_HEADER_BYTES = 29
/** Offset of the circuit id. */
export const CELL_CIRCUIT_AT = 23
/** Offset of the plaintext flag. */
export const CELL_PLAIN_AT = 27
/** Offset of the relay_early flag. */
export const CELL_EARLY_AT = 28
/** So many cells of a circuit its originator marks as early; a relay passes no more early ones. */
export const EARLY_CELLS = 8

/** True when a packet that hasPrefix is a cell with at least one byte of text. */
export function isCell(bytes: Uint8Array): boolean {
  return bytes.length > CELL_HEADER_BYTES && bytes[MESSAGE_ID_AT] === CELL_ID
}

/** The circuit id of a cell, unsigned. */
export function circuitIdOf(cell: Uint8Array): number {
  const at = CELL_CIRCUIT_AT
  const high = ((cell[at] as number) << 24) | ((cell[at + 1] as number) << 16)
  return (high | ((cell[at + 2] as number) << 8) | (cell[at + 3] as number)) >>> 0
}

/** Puts another circuit id into a cell that begins at `start`. */
export function setCircuitId(cell: Uint8Array, circuitId: number, start = 0): void {
  const at = start + CELL_CIRCUIT_AT
  cell[at] = circuitId >>> 24
  cell[at + 1] = circuitId >>> 16
  cell[at + 2] = circuitId >>> 8
  cell[at + 3] = circuitId
}

/** True when the text is not encrypted: only create and created may be so. */
export function isPlainCell(cell: Uint8Array): boolean {
  return cell[CELL_PLAIN_AT] !== 0
}

/** True when the originator marked the cell as early. */
export function isEarlyCell(cell: Uint8Array): boolean {
  return cell[CELL_EARLY_AT] !== 0
}

/** Header of a cell. */
export interface CellHead {
  readonly circuitId: number
  readonly plain: boolean
  readonly early: boolean
}

/** Writes a header into `bytes` from `start` on. */
export function writeCellHead(bytes: Uint8Array, prefix: Uint8Array, head: CellHead, start = 0): void {
  bytes.set(prefix, start)
  bytes[start + PREFIX_BYTES] = CELL_ID
  setCircuitId(bytes, head.circuitId, start)
  bytes[start + CELL_PLAIN_AT] = head.plain ? 1 : 0
  bytes[start + CELL_EARLY_AT] = head.early ? 1 : 0
}

/** A cell around `text`. */
export function cellOf(prefix: Uint8Array, head: CellHead, text: Uint8Array): Uint8Array {
  const cell = new Uint8Array(CELL_HEADER_BYTES + text.length)
  writeCellHead(cell, prefix, head)
  cell.set(text, CELL_HEADER_BYTES)
  return cell
}

/**
 * A cell with a message in clear. Throws RangeError for a message that must be encrypted, and values that do not fit.
 */
export function plainCell<S extends Shape>(
  prefix: Uint8Array,
  message: CellMessage<S>,
  at: { readonly circuitId: number; readonly early: boolean },
  values: ValuesOf<S>,
): Uint8Array {
  if (!message.plain) throw new RangeError(`${message.name} is never in clear`)
  return cellOf(prefix, { ...at, plain: true }, encodeCellMessage(message, values))
}

/** A cell in clear in the form that handlers of packets see: prefix, message number, circuit id, payload. */
export function unwrapCell(cell: Uint8Array): Uint8Array {
  const packet = new Uint8Array(Math.max(CELL_PLAIN_AT, cell.length - 3))
  packet.set(cell.subarray(0, PREFIX_BYTES))
  packet[MESSAGE_ID_AT] = cell[CELL_HEADER_BYTES] ?? 0
  packet.set(cell.subarray(CELL_CIRCUIT_AT, CELL_PLAIN_AT), CELL_CIRCUIT_AT)
  packet.set(cell.subarray(CELL_HEADER_BYTES + 1), CELL_CIRCUIT_AT + 4)
  return packet
}

/** The text of a cell (message number and payload) from that form. */
export function cellTextOf(packet: Uint8Array): Uint8Array {
  const text = new Uint8Array(packet.length - CELL_CIRCUIT_AT - 4 + 1)
  text[0] = packet[MESSAGE_ID_AT] ?? 0
  text.set(packet.subarray(CELL_CIRCUIT_AT + 4), 1)
  return text
}
