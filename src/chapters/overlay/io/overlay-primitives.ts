// What the overlays' cryptography is built of. Two adapters give it: sodium-native and node:crypto; everything above is
// the same.

import type { LayerKey } from '../ports/overlay-crypto.ts'

/** A layer key whose next seals another thread can make. */
export interface HandedLayerKey extends LayerKey {
  /** LayerNonce.handOver. */
  handOver(into: Uint8Array, at: number, uses: number): boolean
}

/** True for the keys that are made here. */
export function canHandOver(key: LayerKey): key is HandedLayerKey {
  return 'handOver' in key
}

/** The functions of one library. Keys and secrets have 32 bytes, signatures 64. */
export interface CurvePrimitives {
  readonly made: 'sodium-native' | 'node:crypto'
  /** X25519 public key of a secret. */
  agreementPublic(secret: Uint8Array): Uint8Array
  /** X25519, into memory of its own; null when the result is no secret (points of low order). */
  agree(secret: Uint8Array, theirs: Uint8Array): Uint8Array | null
  /** Ed25519 public key of a seed. */
  signingPublic(seed: Uint8Array): Uint8Array
  sign(message: Uint8Array, seed: Uint8Array, publicKey: Uint8Array): Uint8Array
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  /** ChaCha20-Poly1305 with a salt of 4 bytes; the first seal uses `counter` + 1. Copies what it is given. */
  layer(key: Uint8Array, salt: Uint8Array, counter: number): HandedLayerKey
}
