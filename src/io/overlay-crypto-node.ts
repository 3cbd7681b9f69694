// The overlays' cryptography by node:crypto alone, for machines without sodium-native. Each call makes objects and copies, so that
// a layer costs about three times as much. Keys of layers are given as bytes, which can be zeroed; copies inside Node cannot.

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from 'node:crypto'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../ports/overlay-crypto.ts'
import { nodeEd25519 } from './ed25519.ts'
import { canOpen, checkRoom, LayerNonce } from './layer-nonce.ts'
import type { CurvePrimitives } from './overlay-primitives.ts'

const KEY_BYTES = 32
const CIPHER = 'chacha20-poly1305'
const TAG = { authTagLength: LAYER_TAG_BYTES } as const
/** SubjectPublicKeyInfo and PKCS #8 of X25519 up to the key itself (RFC 8410). */
const PUBLIC_FRAME = Buffer.from('302a300506032b656e032100', 'hex')
const PRIVATE_FRAME = Buffer.from('302e020100300506032b656e04220420', 'hex')

function secretKey(secret: Uint8Array): KeyObject {
  const der = Buffer.concat([PRIVATE_FRAME, secret])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  return key
}

/** The primitives over node:crypto. */
export const nodePrimitives: CurvePrimitives = {
  made: 'node:crypto',
  agreementPublic(secret) {
    const der = createPublicKey(secretKey(secret)).export({ format: 'der', type: 'spki' })
    return Uint8Array.from(der.subarray(der.length - KEY_BYTES))
  },
  agree(secret, theirs) {
    try {
      const key = Buffer.concat([PUBLIC_FRAME, theirs])
      const publicKey = createPublicKey({ key, format: 'der', type: 'spki' })
      return diffieHellman({ privateKey: secretKey(secret), publicKey })
    } catch {
      return null
    }
  },
  signingPublic: seed => nodeEd25519.publicKey(seed),
  sign: (message, seed) => nodeEd25519.sign(message, seed),
  verify: (signature, message, publicKey) => nodeEd25519.verify(signature, message, publicKey),
  layer: (key, salt, counter) => new NodeLayer(new LayerNonce(key, salt, counter)),
}

class NodeLayer implements LayerKey {
  readonly #nonce: LayerNonce

  constructor(nonce: LayerNonce) {
    this.#nonce = nonce
  }

  seal(bytes: Uint8Array, start: number, end: number): boolean {
    const nonce = this.#nonce
    checkRoom(bytes, start, end)
    if (nonce.wiped) return false
    nonce.next(bytes, start - LAYER_HEAD_BYTES)
    const cipher = createCipheriv(CIPHER, nonce.key, nonce.own, TAG)
    bytes.set(cipher.update(bytes.subarray(start, end)), start)
    cipher.final()
    bytes.set(cipher.getAuthTag(), end)
    return true
  }

  open(bytes: Uint8Array, start: number, end: number): boolean {
    const nonce = this.#nonce
    if (nonce.wiped || !canOpen(bytes, start, end)) return false
    nonce.of(bytes, start)
    const tagAt = end - LAYER_TAG_BYTES
    try {
      const decipher = createDecipheriv(CIPHER, nonce.key, nonce.theirs, TAG)
      decipher.setAuthTag(bytes.subarray(tagAt, end))
      const message = decipher.update(bytes.subarray(start + LAYER_HEAD_BYTES, tagAt))
      decipher.final()
      bytes.set(message, start + LAYER_HEAD_BYTES)
      return true
    } catch {
      return false
    }
  }

  wipe(): void {
    this.#nonce.wipe()
  }
}
