// Messages of the overlays (IPv8): a number, a name, and a table of fields. Packets must end where their fields end;
// inside cells, bytes behind the fields are passed over (section 1).

import { DecodeError } from '../../../base/errors.ts'
import { readShape, type Shape, type ValuesOf, writeShape } from './fields.ts'
import { OverlayReader } from './reader.ts'
import { OverlayWriter } from './writer.ts'

/** A message that travels as a packet of its own. */
export interface PacketMessage<S extends Shape = Shape> {
  readonly id: number
  readonly name: string
  /** Whether a public key is before the payload and a signature behind it. */
  readonly signed: boolean
  readonly fields: S
}

/** A message that travels inside cells; its circuit id is in the cell's header. */
export interface CellMessage<S extends Shape = Shape> {
  readonly id: number
  readonly name: string
  /** True: it is never encrypted (create, created); all others always are. */
  readonly plain: boolean
  readonly fields: S
}

/** What a message carries: one value a field. */
export type PayloadOf<M> = M extends { readonly fields: infer S extends Shape } ? ValuesOf<S> : never

/** An entry of the tables. */
export function signed<S extends Shape>(id: number, name: string, fields: S): PacketMessage<S> {
  return { id, name, signed: true, fields }
}

/** An entry of the tables. */
export function unsigned<S extends Shape>(id: number, name: string, fields: S): PacketMessage<S> {
  return { id, name, signed: false, fields }
}

/** An entry of the tables. */
export function inCell<S extends Shape>(id: number, name: string, fields: S, plain = false): CellMessage<S> {
  return { id, name, plain, fields }
}

/** The bytes of a payload. Throws RangeError for values that do not fit. */
export function encodePayload<S extends Shape>(message: { readonly fields: S }, values: ValuesOf<S>): Uint8Array {
  const to = new OverlayWriter()
  writeShape(message.fields, to, values)
  return to.done()
}

/**
 * The values of a payload that must end where its fields end. Throws DecodeError. Byte strings are views of `payload`.
 */
export function decodePayload<S extends Shape>(message: { readonly fields: S }, payload: Uint8Array): ValuesOf<S> {
  const from = new OverlayReader(payload)
  const values = readShape(message.fields, from)
  from.finish()
  return values
}

/** What is encrypted: the message's number and its payload without circuit id. Throws RangeError. */
export function encodeCellMessage<S extends Shape>(message: CellMessage<S>, values: ValuesOf<S>): Uint8Array {
  const to = new OverlayWriter()
  to.u8(message.id)
  writeShape(message.fields, to, values)
  return to.done()
}

/**
 * The values of a decrypted cell's text from `at` (where the message's number is) to `end`. Bytes behind the fields are
 * passed over. Throws DecodeError, also when it is another message. Byte strings are views of `bytes`.
 */
export function decodeCellMessage<S extends Shape>(
  message: CellMessage<S>,
  bytes: Uint8Array,
  at = 0,
  end: number = bytes.length,
): ValuesOf<S> {
  const from = new OverlayReader(bytes, at, end)
  if (from.u8() !== message.id) throw new DecodeError(`not a message ${message.name}`)
  return readShape(message.fields, from)
}
