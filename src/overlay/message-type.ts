// What an overlay must know of a message to send and receive it: its number, whether it is signed, its payload. The tables of
// src/wire (messages with named fields) take its place as soon as they are there: `onSigned(message, values => ...)` stays.

/** One message of an overlay. */
export interface MessageType<T> {
  readonly name: string
  /** The byte after the prefix. */
  readonly id: number
  /** Carries the sender's public key and signature. */
  readonly signed: boolean
  /** The payload without key and signature. Throws RangeError for values that have no place in it. */
  encode(value: T): Uint8Array
  /** Reads a whole payload; byte fields may be views of `payload`. Throws DecodeError, also for bytes left over. */
  decode(payload: Uint8Array): T
}
