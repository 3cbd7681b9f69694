// What the signature of an order statement covers, and checking it. The signed bytes begin with a line of their own, so
// that no signature of a statement is one of anything else (a packet of an overlay, a record of a channel) made with
// the same key.

import { type PublicKey, parsePublicKey, SIGNATURE_BYTES } from '../../overlay/wire/public-key.ts'
import type { OrderStatement } from './types.ts'

const DOMAIN = Buffer.from('tributary market order 1\n', 'latin1')

/** The bytes that a signature covers, of an encoding without one. */
export function statementSignedPart(unsigned: Uint8Array): Uint8Array {
  return Buffer.concat([DOMAIN, unsigned])
}

/**
 * Whether the statement is signed by its trader: what `verify` says (of the overlay's signature check, at once or
 * later) of the key, the signed bytes and the signature of 64 bytes.
 */
export function verifyStatement<T extends boolean | Promise<boolean>>(
  statement: OrderStatement,
  verify: (key: PublicKey, message: Uint8Array, signature: Uint8Array) => T,
): T {
  const { bytes, publicKey } = statement
  const end = bytes.length - SIGNATURE_BYTES
  return verify(parsePublicKey(publicKey), statementSignedPart(bytes.subarray(0, end)), bytes.subarray(end))
}
