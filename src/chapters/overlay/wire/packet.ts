// Packets of the overlays (IPv8, section 3): a prefix that names the overlay, a message number, and a payload, between
// a public key and a signature where the message is signed. Layout only: signing and verifying are handed in or left to
// the caller.

import { DecodeError } from '../../../base/errors.ts'
import { readShape, type Shape, type ValuesOf, writeShape } from './fields.ts'
import { type CellMessage, decodePayload, type PacketMessage } from './message.ts'
import { type PublicKey, parsePublicKey } from './public-key.ts'
import { OverlayReader } from './reader.ts'
import { OverlayWriter } from './writer.ts'

/** Bytes of a community id. */
export const COMMUNITY_ID_BYTES = 20
/** Bytes of the prefix. */
export const PREFIX_BYTES = 22
/** Where the message number is, and where payload or key begin. */
export const MESSAGE_ID_AT = 22
const BODY_AT = 23
const VERSION = 2

/** Who signs: the public form that goes into the packet, and what makes the 64 bytes of a signature. */
export interface PacketSigner {
  readonly publicKey: Uint8Array
  sign(bytes: Uint8Array): Uint8Array
}

/** A signed packet taken apart; all byte strings are views of it. */
export interface SignedPacket {
  readonly key: PublicKey
  readonly payload: Uint8Array
  /** What the signature is over. */
  readonly signedPart: Uint8Array
  readonly signature: Uint8Array
}

/** The first 22 bytes of all packets of the overlay with this id (20 bytes). */
export function prefixOf(communityId: Uint8Array): Uint8Array {
  if (communityId.length !== COMMUNITY_ID_BYTES) throw new RangeError('a community id has 20 bytes')
  const prefix = new Uint8Array(PREFIX_BYTES)
  prefix[1] = VERSION
  prefix.set(communityId, 2)
  return prefix
}

/** True when `bytes` begin with `prefix` and hold at least a message number. */
export function hasPrefix(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length <= MESSAGE_ID_AT) return false
  for (let at = 0; at < PREFIX_BYTES; at++) if (bytes[at] !== prefix[at]) return false
  return true
}

/**
 * The prefix of a packet as text (44 hexadecimal digits), to look its overlay up; null: it is no packet of any overlay.
 */
export function prefixKey(bytes: Uint8Array): string | null {
  if (bytes.length <= MESSAGE_ID_AT || bytes[0] !== 0 || bytes[1] !== VERSION) return null
  return Buffer.from(bytes.buffer, bytes.byteOffset, PREFIX_BYTES).toString('hex')
}

/** The message number of a packet that hasPrefix. */
export function messageIdOf(bytes: Uint8Array): number {
  return bytes[MESSAGE_ID_AT] ?? 0
}

/** A packet; `signer` is needed where the message is signed. Throws RangeError for values that do not fit. */
export function encodePacket<S extends Shape>(
  prefix: Uint8Array,
  message: PacketMessage<S>,
  values: ValuesOf<S>,
  signer: PacketSigner | null = null,
): Uint8Array {
  const to = new OverlayWriter()
  to.put(prefix)
  to.u8(message.id)
  if (!message.signed) {
    writeShape(message.fields, to, values)
    return to.done()
  }
  if (signer === null) throw new RangeError(`${message.name} is signed`)
  to.v16(signer.publicKey)
  writeShape(message.fields, to, values)
  to.put(signer.sign(to.done()))
  return to.done()
}

/** Takes a signed packet apart; its signature is not looked at. Throws DecodeError. */
export function splitSigned(bytes: Uint8Array): SignedPacket {
  const from = new OverlayReader(bytes, BODY_AT)
  const key = parsePublicKey(from.v16())
  const signatureAt = bytes.length - key.signatureBytes
  if (signatureAt < from.at) throw new DecodeError('no room for a signature')
  return {
    key,
    payload: bytes.subarray(from.at, signatureAt),
    signedPart: bytes.subarray(0, signatureAt),
    signature: bytes.subarray(signatureAt),
  }
}

/** The values of an unsigned packet. Throws DecodeError. */
export function decodeUnsigned<S extends Shape>(message: PacketMessage<S>, bytes: Uint8Array): ValuesOf<S> {
  if (messageIdOf(bytes) !== message.id) throw new DecodeError(`not a message ${message.name}`)
  return decodePayload(message, bytes.subarray(BODY_AT))
}

/** A message of cells as a packet, with its circuit id before the payload (8.3). Throws RangeError. */
export function encodeUnwrapped<S extends Shape>(
  prefix: Uint8Array,
  message: CellMessage<S>,
  circuitId: number,
  values: ValuesOf<S>,
): Uint8Array {
  const to = new OverlayWriter()
  to.put(prefix)
  to.u8(message.id)
  to.u32(circuitId)
  writeShape(message.fields, to, values)
  return to.done()
}

/** Circuit id and values of such a packet; bytes behind the fields are passed over. Throws DecodeError. */
export function decodeUnwrapped<S extends Shape>(
  message: CellMessage<S>,
  bytes: Uint8Array,
): { readonly circuitId: number; readonly values: ValuesOf<S> } {
  if (messageIdOf(bytes) !== message.id) throw new DecodeError(`not a message ${message.name}`)
  const from = new OverlayReader(bytes, BODY_AT)
  return { circuitId: from.u32(), values: readShape(message.fields, from) }
}
