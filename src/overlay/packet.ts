// Packets around their payloads (protocol section 3): prefix, message id, and for signed ones the sender's key and signature.

import { PREFIX_BYTES } from './endpoint.ts'
import type { Identity, SignatureCheck } from './identity.ts'

/** Length of community ids. */
export const COMMUNITY_ID_BYTES = 20
/** Version of all overlays of the network. */
const VERSION = 2
const BODY_AT = PREFIX_BYTES + 1
const KEY_AT = BODY_AT + 2

/** Where the parts of a signed packet lie; all are views. */
export interface SignedParts {
  readonly publicKey: Uint8Array
  readonly payload: Uint8Array
  /** What the signature is over. */
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** The first 22 bytes of every packet of an overlay. Throws RangeError when the id has not 20 bytes. */
export function prefixOf(communityId: Uint8Array): Uint8Array {
  if (communityId.length !== COMMUNITY_ID_BYTES) throw new RangeError('a community id has 20 bytes')
  const prefix = new Uint8Array(PREFIX_BYTES)
  prefix[1] = VERSION
  prefix.set(communityId, 2)
  return prefix
}

/** A packet without key and signature. */
export function plainPacket(prefix: Uint8Array, id: number, payload: Uint8Array): Uint8Array {
  const packet = new Uint8Array(BODY_AT + payload.length)
  packet.set(prefix)
  packet[PREFIX_BYTES] = id
  packet.set(payload, BODY_AT)
  return packet
}

/** A packet with our key and signature. */
export function signedPacket(prefix: Uint8Array, id: number, payload: Uint8Array, identity: Identity): Uint8Array {
  const { publicKey } = identity
  const message = new Uint8Array(KEY_AT + publicKey.length + payload.length)
  message.set(prefix)
  message[PREFIX_BYTES] = id
  message[BODY_AT] = publicKey.length >> 8
  message[BODY_AT + 1] = publicKey.length & 0xff
  message.set(publicKey, KEY_AT)
  message.set(payload, KEY_AT + publicKey.length)
  const signature = identity.sign(message)
  const packet = new Uint8Array(message.length + signature.length)
  packet.set(message)
  packet.set(signature, message.length)
  return packet
}

/** The payload of a packet that is not signed; a view. */
export function plainPayload(packet: Uint8Array): Uint8Array {
  return packet.subarray(BODY_AT)
}

/** Takes a signed packet apart without checking the signature; null when its lengths cannot be right, or its key is no key. */
export function splitSigned(packet: Uint8Array, check: Pick<SignatureCheck, 'signatureBytes'>): SignedParts | null {
  if (packet.length < KEY_AT) return null
  const keyBytes = ((packet[BODY_AT] ?? 0) << 8) | (packet[BODY_AT + 1] ?? 0)
  const payloadAt = KEY_AT + keyBytes
  if (payloadAt > packet.length) return null
  const publicKey = packet.subarray(KEY_AT, payloadAt)
  const signatureBytes = check.signatureBytes(publicKey)
  if (signatureBytes === null || payloadAt + signatureBytes > packet.length) return null
  const signatureAt = packet.length - signatureBytes
  return {
    publicKey,
    payload: packet.subarray(payloadAt, signatureAt),
    message: packet.subarray(0, signatureAt),
    signature: packet.subarray(signatureAt),
  }
}
