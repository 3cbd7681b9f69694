// What both ends of a circuit's handshake make of the two results of X25519 (IPv8, section 7.3): the proof that the hop
// has its key, and the keys of the layer. Pure, over the hashes of node:crypto.

import { createHmac } from 'node:crypto'
import { hsalsa20 } from './hsalsa20.ts'

/** Bytes of the keys of a layer together: two keys of 32, two salts of 4. */
export const SESSION_BYTES = 72
/** Bytes of the proof. */
export const AUTH_BYTES = 32
const INFO = Buffer.from('key_generation', 'latin1')

/** Proof and keys of one handshake. `material` is backward key, forward key, backward salt, forward salt. */
export interface CircuitSecrets {
  readonly auth: Uint8Array
  readonly material: Uint8Array
}

/**
 * `ephemeral` and `identity`: X25519 of both ephemeral keys, and of the originator's ephemeral with the hop's own key,
 * 32 bytes each; both are wiped. `answer`: the hop's ephemeral public key.
 */
export function circuitSecrets(ephemeral: Uint8Array, identity: Uint8Array, answer: Uint8Array): CircuitSecrets {
  const shared = new Uint8Array(64)
  for (const [i, agreed] of [ephemeral, identity].entries()) {
    const half = hsalsa20(agreed)
    shared.set(half, 32 * i)
    half.fill(0)
    agreed.fill(0)
  }
  // NaCl's crypto_auth: HMAC-SHA512 cut to 32 bytes, which is not SHA-512/256.
  const auth = createHmac('sha512', shared.subarray(0, 32)).update(answer).digest().subarray(0, AUTH_BYTES)
  const material = expand(shared)
  shared.fill(0)
  return { auth, material }
}

/** HKDF-Expand of RFC 5869 with SHA-256; there is no extract step. */
function expand(secret: Uint8Array): Uint8Array {
  const material = new Uint8Array(SESSION_BYTES)
  let block = Buffer.alloc(0)
  for (let at = 0, number = 1; at < SESSION_BYTES; at += block.length, number++) {
    block = createHmac('sha256', secret).update(block).update(INFO).update(Uint8Array.of(number)).digest()
    material.set(block.subarray(0, SESSION_BYTES - at), at)
  }
  block.fill(0)
  return material
}
