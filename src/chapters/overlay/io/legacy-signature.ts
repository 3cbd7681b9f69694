// Signatures of the old keys that bootstrap servers have (IPv8, section 2): ECDSA with SHA-1 over curves of binary
// fields. The two numbers are as wide as the field, not as the group order, so the raw form that Node reads does not
// fit and DER is made.

import { createPublicKey, verify } from 'node:crypto'
import type { PublicKey } from '../wire/public-key.ts'

/** Whether `signature` is one of the owner of an old key; false for anything malformed. */
export function verifyLegacy(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== key.signatureBytes) return false
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key.form), format: 'der', type: 'spki' })
    return verify('sha1', signedPart, publicKey, derSignature(signature))
  } catch {
    // No point of the curve, or a curve that this OpenSSL was built without.
    return false
  }
}

function derSignature(signature: Uint8Array): Buffer {
  const half = signature.length / 2
  const body = Buffer.concat([derNumber(signature.subarray(0, half)), derNumber(signature.subarray(half))])
  const head = body.length < 0x80 ? [0x30, body.length] : [0x30, 0x81, body.length]
  return Buffer.concat([Uint8Array.from(head), body])
}

/** An INTEGER: no needless zeroes, and one where the first bit would be a sign. */
function derNumber(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const sign = ((bytes[start] ?? 0) & 0x80) === 0 ? [] : [0]
  const value = [...sign, ...bytes.subarray(start)]
  return Buffer.from([0x02, value.length, ...value])
}
