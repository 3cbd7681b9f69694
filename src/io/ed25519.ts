// Ed25519 by the crypto module of Node. Raw keys are put into the fixed DER frames of RFC 8410.

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Ed25519 } from '../ports/ed25519.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** SubjectPublicKeyInfo and PKCS #8 up to the key itself. */
const PUBLIC_FRAME = Buffer.from('302a300506032b6570032100', 'hex')
const PRIVATE_FRAME = Buffer.from('302e020100300506032b657004220420', 'hex')

function privateKey(seed: Uint8Array): KeyObject {
  if (seed.length !== KEY_BYTES) throw new RangeError('a seed has 32 bytes')
  return createPrivateKey({ key: Buffer.concat([PRIVATE_FRAME, seed]), format: 'der', type: 'pkcs8' })
}

/** The Ed25519 port over node:crypto. */
export const nodeEd25519: Ed25519 = {
  verify(signature, message, publicKey) {
    if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false
    try {
      const key = createPublicKey({ key: Buffer.concat([PUBLIC_FRAME, publicKey]), format: 'der', type: 'spki' })
      return verify(null, message, key, signature)
    } catch {
      // A key that is no point of the curve.
      return false
    }
  },
  sign(message, seed) {
    return Uint8Array.from(sign(null, message, privateKey(seed)))
  },
  publicKey(seed) {
    const der = createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' })
    return Uint8Array.from(der.subarray(der.length - KEY_BYTES))
  },
}

/** Keys that a verifier remembers. */
const REMEMBERED_KEYS = 256

/**
 * Checks signatures with the keys that come again and again kept ready, which takes a third of the time off. False for
 * anything malformed.
 */
export function verifierOfKeys(): (publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array) => boolean {
  const keys = new Map<string, KeyObject>()
  return (publicKey, signed, signature) => {
    if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false
    const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, KEY_BYTES).toString('latin1')
    try {
      const key =
        keys.get(name) ??
        createPublicKey({ key: Buffer.concat([PUBLIC_FRAME, publicKey]), format: 'der', type: 'spki' })
      if (keys.size >= REMEMBERED_KEYS) keys.clear()
      keys.set(name, key)
      return verify(null, signed, key, signature)
    } catch {
      return false
    }
  }
}
