// The overlays' cryptography by node:crypto alone, for machines without sodium-native: each call makes objects and
// copies. Keys of layers are given as bytes, which can be zeroed; what Node makes of other secrets it zeroes itself
// when nothing holds it any more.

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES } from '../ports/overlay-crypto.ts'
import { canOpen, checkRoom, LayerNonce, refuse } from './layer-nonce.ts'
import type { CurvePrimitives, HandedLayerKey } from './overlay-primitives.ts'

const CIPHER = 'chacha20-poly1305'
const TAG = { authTagLength: LAYER_TAG_BYTES } as const
/** PKCS #8 up to the key itself (RFC 8410). A secret is not given as text, which could never be zeroed. */
const PRIVATE_FRAME = {
  X25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
  Ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
} as const
type Curve = keyof typeof PRIVATE_FRAME

/** Reading a secret takes ten times as long as using it; callers that use one twice pass the same array. */
const secrets = new WeakMap<Uint8Array, KeyObject>()

function secretKey(curve: Curve, secret: Uint8Array): KeyObject {
  const known = secrets.get(secret)
  if (known !== undefined) return known
  const der = Buffer.concat([PRIVATE_FRAME[curve], secret])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  secrets.set(secret, key)
  return key
}

/** From JSON: from DER it takes ten times as long. */
function publicKey(curve: Curve, bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: curve, x }, format: 'jwk' })
}

function publicOf(curve: Curve, secret: Uint8Array): Uint8Array {
  const { x } = createPublicKey(secretKey(curve, secret)).export({ format: 'jwk' })
  return Uint8Array.from(Buffer.from(x ?? '', 'base64url'))
}

/** The primitives over node:crypto. */
export const nodePrimitives: CurvePrimitives = {
  made: 'node:crypto',
  agreementPublic: secret => publicOf('X25519', secret),
  agree(secret, theirs) {
    try {
      return diffieHellman({ privateKey: secretKey('X25519', secret), publicKey: publicKey('X25519', theirs) })
    } catch {
      return null
    }
  },
  signingPublic: seed => publicOf('Ed25519', seed),
  sign: (message, seed) => Uint8Array.from(sign(null, message, secretKey('Ed25519', seed))),
  verify(signature, message, key) {
    try {
      return verify(null, message, publicKey('Ed25519', key), signature)
    } catch {
      return false
    }
  },
  layer: (key, salt, counter) => new NodeLayer(new LayerNonce(key, salt, counter)),
}

class NodeLayer implements HandedLayerKey {
  readonly #nonce: LayerNonce

  constructor(nonce: LayerNonce) {
    this.#nonce = nonce
  }

  seal(bytes: Uint8Array, start: number, end: number): boolean {
    const nonce = this.#nonce
    checkRoom(bytes, start, end)
    if (nonce.wiped) return refuse(bytes, start, end)
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

  handOver(into: Uint8Array, at: number, uses: number): boolean {
    return this.#nonce.handOver(into, at, uses)
  }

  wipe(): void {
    this.#nonce.wipe()
  }
}
