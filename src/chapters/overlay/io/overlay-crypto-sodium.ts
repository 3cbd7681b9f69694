// The overlays' cryptography by libsodium (sodium-native, an optional package): layers are put on and taken off where
// the bytes lie.

import { createRequire } from 'node:module'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES } from '../ports/overlay-crypto.ts'
import { canOpen, checkRoom, LayerNonce, refuse } from './layer-nonce.ts'
import type { CurvePrimitives, HandedLayerKey } from './overlay-primitives.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64

/** The parts of sodium-native in use. Those that answer nothing throw. */
interface Sodium {
  crypto_aead_chacha20poly1305_ietf_encrypt(
    text: Uint8Array,
    message: Uint8Array,
    data: null,
    none: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): number
  crypto_aead_chacha20poly1305_ietf_decrypt(
    message: Uint8Array,
    none: null,
    text: Uint8Array,
    data: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): number
  crypto_scalarmult(shared: Uint8Array, secret: Uint8Array, theirs: Uint8Array): void
  crypto_scalarmult_base(publicKey: Uint8Array, secret: Uint8Array): void
  crypto_sign_seed_keypair(publicKey: Uint8Array, secret: Uint8Array, seed: Uint8Array): void
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secret: Uint8Array): void
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
}

/** The primitives over sodium-native; null where it is not installed or has no machine code for this machine. */
export function sodiumPrimitives(): CurvePrimitives | null {
  try {
    return primitivesOf(createRequire(import.meta.url)('sodium-native') as Sodium)
  } catch {
    return null
  }
}

function primitivesOf(sodium: Sodium): CurvePrimitives {
  return {
    made: 'sodium-native',
    agreementPublic(secret) {
      const publicKey = new Uint8Array(KEY_BYTES)
      sodium.crypto_scalarmult_base(publicKey, secret)
      return publicKey
    },
    agree(secret, theirs) {
      const shared = Buffer.allocUnsafeSlow(KEY_BYTES)
      try {
        sodium.crypto_scalarmult(shared, secret, theirs)
        return shared
      } catch {
        return null
      }
    },
    signingPublic(seed) {
      const publicKey = new Uint8Array(KEY_BYTES)
      const secret = Buffer.allocUnsafeSlow(2 * KEY_BYTES)
      sodium.crypto_sign_seed_keypair(publicKey, secret, seed)
      secret.fill(0)
      return publicKey
    },
    sign(message, seed, publicKey) {
      const signature = new Uint8Array(SIGNATURE_BYTES)
      const secret = Buffer.allocUnsafeSlow(2 * KEY_BYTES)
      secret.set(seed)
      secret.set(publicKey, KEY_BYTES)
      sodium.crypto_sign_detached(signature, message, secret)
      secret.fill(0)
      return signature
    },
    verify: (signature, message, publicKey) =>
      sodium.crypto_sign_verify_detached(unshared(signature), unshared(message), unshared(publicKey)),
    layer: (key, salt, counter) => new SodiumLayer(sodium, new LayerNonce(key, salt, counter)),
  }
}

/** Verifying is the one function here that takes shared memory for empty (and so every signature for wrong). */
function unshared(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? Uint8Array.from(bytes) : bytes
}

class SodiumLayer implements HandedLayerKey {
  readonly #sodium: Sodium
  readonly #nonce: LayerNonce

  constructor(sodium: Sodium, nonce: LayerNonce) {
    this.#sodium = sodium
    this.#nonce = nonce
  }

  seal(bytes: Uint8Array, start: number, end: number): boolean {
    const nonce = this.#nonce
    checkRoom(bytes, start, end)
    if (nonce.wiped) return refuse(bytes, start, end)
    nonce.next(bytes, start - LAYER_HEAD_BYTES)
    // Plain views of the memory: those of a Buffer take longer to make.
    const at = bytes.byteOffset + start
    const message = new Uint8Array(bytes.buffer, at, end - start)
    const text = new Uint8Array(bytes.buffer, at, end - start + LAYER_TAG_BYTES)
    this.#sodium.crypto_aead_chacha20poly1305_ietf_encrypt(text, message, null, null, nonce.own, nonce.key)
    return true
  }

  open(bytes: Uint8Array, start: number, end: number): boolean {
    const nonce = this.#nonce
    if (nonce.wiped || !canOpen(bytes, start, end)) return false
    nonce.of(bytes, start)
    const at = bytes.byteOffset + start + LAYER_HEAD_BYTES
    const length = end - start - LAYER_HEAD_BYTES
    const text = new Uint8Array(bytes.buffer, at, length)
    const message = new Uint8Array(bytes.buffer, at, length - LAYER_TAG_BYTES)
    try {
      this.#sodium.crypto_aead_chacha20poly1305_ietf_decrypt(message, null, text, null, nonce.theirs, nonce.key)
      return true
    } catch {
      return false
    }
  }

  handOver(into: Uint8Array, at: number, uses: number): boolean {
    return this.#nonce.handOver(into, at, uses)
  }

  wipe(): void {
    this.#nonce.wipe()
  }
}
