// The overlays' cryptography over either library: key pairs, handshakes and the keys that come of them (IPv8, sections
// 2, 7.3). Secrets lie in memory of their own, which wipe() zeroes. Load it when the overlay starts: sodium-native
// takes a megabyte.

import { timingSafeEqual } from 'node:crypto'
import { DecodeError } from '../../../base/errors.ts'
import type {
  CircuitEnd,
  HandshakeAnswer,
  HandshakeDone,
  HandshakeFinished,
  HandshakeStart,
  OverlayCrypto,
  OverlayKeyPair,
  SessionKeys,
} from '../ports/overlay-crypto.ts'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES } from '../ports/overlay-crypto.ts'
import type { Random } from '../../../ports/random.ts'
import { AUTH_BYTES, type CircuitSecrets, circuitSecrets, SESSION_BYTES } from '../wire/circuit-secrets.ts'
import {
  agreementHalf,
  KEY_FORM_BYTES,
  KEY_HALF_BYTES,
  midOf,
  PRIVATE_FORM_START,
  type PublicKey,
  privateForm,
  publicForm,
  signingHalf,
} from '../wire/public-key.ts'
import { verifyLegacy } from './legacy-signature.ts'
import { nodePrimitives } from './overlay-crypto-node.ts'
import { sodiumPrimitives } from './overlay-crypto-sodium.ts'
import type { CurvePrimitives } from './overlay-primitives.ts'

/**
 * Where forward counters begin. The hop encrypts its candidates forward with counter 2, with the key that the
 * originator uses for its own first cell: the originator begins one later, so that no nonce is used twice (section 14).
 */
const FIRST_FORWARD = { originator: 2, hop: 1 } as const
const FIRST_BACKWARD = 1

/** The cryptography by sodium-native where it loads, else by node:crypto; `primitives` for tests. */
export function makeOverlayCrypto(
  random: Random,
  primitives: CurvePrimitives = sodiumPrimitives() ?? nodePrimitives,
): OverlayCrypto {
  return new CurveCrypto(random, primitives)
}

class CurveCrypto implements OverlayCrypto {
  readonly #random: Random
  readonly #curve: CurvePrimitives

  constructor(random: Random, curve: CurvePrimitives) {
    this.#random = random
    this.#curve = curve
  }

  get made(): CurvePrimitives['made'] {
    return this.#curve.made
  }

  generate(): OverlayKeyPair {
    return new KeyPair(this.#curve, this.#random.bytes(2 * KEY_HALF_BYTES))
  }

  fromPrivate(form: Uint8Array): OverlayKeyPair {
    const start = form.subarray(0, PRIVATE_FORM_START.length)
    if (form.length !== KEY_FORM_BYTES || Buffer.compare(start, PRIVATE_FORM_START) !== 0)
      throw new DecodeError('not a private key')
    return new KeyPair(this.#curve, Uint8Array.from(form.subarray(PRIVATE_FORM_START.length)))
  }

  verify(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): boolean {
    if (key.curve !== 'curve25519') return verifyLegacy(key, signedPart, signature)
    return signature.length === key.signatureBytes && this.#curve.verify(signature, signedPart, signingHalf(key.form))
  }

  begin(): HandshakeStart {
    return new Start(this, this.#curve, this.#random.bytes(KEY_HALF_BYTES))
  }

  respond(own: OverlayKeyPair, ephemeral: Uint8Array): HandshakeDone | null {
    const { agreement } = pairSecrets(own)
    const answered = answerHandshake(this.#curve, agreement, ephemeral, this.#random.bytes(KEY_HALF_BYTES))
    if (answered === null) return null
    const keys = this.session(answered.material, 'hop')
    answered.material.fill(0)
    return { ephemeral: answered.ephemeral, auth: answered.auth, keys }
  }

  session(material: Uint8Array, end: CircuitEnd): SessionKeys {
    if (material.length !== SESSION_BYTES) throw new RangeError('keys of a layer have 72 bytes')
    const forward = this.#curve.layer(material.subarray(32, 64), material.subarray(68), FIRST_FORWARD[end])
    const backward = this.#curve.layer(material.subarray(0, 32), material.subarray(64, 68), FIRST_BACKWARD)
    return {
      forward,
      backward,
      wipe() {
        forward.wipe()
        backward.wipe()
      },
    }
  }
}

/** The two secrets of a pair, 32 bytes each; views. */
export interface PairSecrets {
  readonly agreement: Uint8Array
  readonly seed: Uint8Array
}

/** The secrets of a pair that was made here. Throws Error after wipe(), TypeError for another pair. */
export function pairSecrets(pair: OverlayKeyPair): PairSecrets {
  if (!(pair instanceof KeyPair)) throw new TypeError('a key pair of this module')
  return pair.secrets
}

/**
 * The secret (32 bytes, a view) of a handshake that was begun here; null after wipe(). Throws TypeError for another
 * one.
 */
export function startSecret(start: HandshakeStart): Uint8Array | null {
  if (!(start instanceof Start)) throw new TypeError('a handshake of this module')
  return start.secret
}

/** The hop's half of the arithmetic; `fresh` (32 random bytes) becomes its ephemeral secret and is wiped. */
export function answerHandshake(
  curve: CurvePrimitives,
  agreementSecret: Uint8Array,
  ephemeral: Uint8Array,
  fresh: Uint8Array,
): (CircuitSecrets & { readonly ephemeral: Uint8Array }) | null {
  const ours = curve.agreementPublic(fresh)
  const secrets = secretsOf(ours, [curve.agree(fresh, ephemeral), curve.agree(agreementSecret, ephemeral)])
  fresh.fill(0)
  return secrets === null ? null : { ...secrets, ephemeral: ours }
}

/**
 * The originator's half: material for keys, or null when the proof does not fit. Whether they are the hop's, openedBy
 * shows.
 */
export function finishHandshake(
  curve: CurvePrimitives,
  secret: Uint8Array,
  hopKey: Uint8Array,
  answer: HandshakeAnswer,
): Uint8Array | null {
  const hop = agreementHalf(hopKey)
  const secrets = secretsOf(answer.ephemeral, [curve.agree(secret, answer.ephemeral), curve.agree(secret, hop)])
  if (secrets === null) return null
  if (answer.auth.length === AUTH_BYTES && timingSafeEqual(secrets.auth, answer.auth)) return secrets.material
  secrets.material.fill(0)
  return null
}

/**
 * Keys and what is in `sealed`, a text that came with the answer; null, and the keys are wiped, when they do not open
 * it.
 */
export function openedBy(keys: SessionKeys, sealed: Uint8Array): HandshakeFinished | null {
  const bytes = Uint8Array.from(sealed)
  if (keys.forward.open(bytes, 0, bytes.length)) return { keys, text: bytes.slice(LAYER_HEAD_BYTES, -LAYER_TAG_BYTES) }
  keys.wipe()
  return null
}

function secretsOf(answer: Uint8Array, agreed: readonly [Uint8Array | null, Uint8Array | null]): CircuitSecrets | null {
  const [ephemeral, identity] = agreed
  if (ephemeral !== null && identity !== null) return circuitSecrets(ephemeral, identity, answer)
  ephemeral?.fill(0)
  identity?.fill(0)
  return null
}

/** Owns the memory of its secrets. */
class KeyPair implements OverlayKeyPair {
  readonly publicKey: Uint8Array
  readonly mid: Uint8Array
  readonly #curve: CurvePrimitives
  /** Both secrets, 64 bytes, and views of them that stay the same. */
  readonly #secrets: Uint8Array
  readonly #agreement: Uint8Array
  readonly #seed: Uint8Array
  #wiped = false

  /** Takes `secrets` over. */
  constructor(curve: CurvePrimitives, secrets: Uint8Array) {
    this.#curve = curve
    this.#secrets = secrets
    this.#agreement = secrets.subarray(0, KEY_HALF_BYTES)
    this.#seed = secrets.subarray(KEY_HALF_BYTES)
    this.publicKey = publicForm(curve.agreementPublic(this.#agreement), curve.signingPublic(this.#seed))
    this.mid = midOf(this.publicKey)
  }

  get secrets(): PairSecrets {
    if (this.#wiped) throw new Error('the key is wiped')
    return { agreement: this.#agreement, seed: this.#seed }
  }

  sign(bytes: Uint8Array): Uint8Array {
    return this.#curve.sign(bytes, this.secrets.seed, signingHalf(this.publicKey))
  }

  privateForm(): Uint8Array {
    const { agreement, seed } = this.secrets
    return privateForm(agreement, seed)
  }

  wipe(): void {
    this.#wiped = true
    this.#secrets.fill(0)
  }
}

class Start implements HandshakeStart {
  readonly ephemeral: Uint8Array
  readonly #crypto: CurveCrypto
  readonly #curve: CurvePrimitives
  readonly #secret: Uint8Array
  #wiped = false

  /** Takes `secret` over. */
  constructor(crypto: CurveCrypto, curve: CurvePrimitives, secret: Uint8Array) {
    this.#crypto = crypto
    this.#curve = curve
    this.#secret = secret
    this.ephemeral = curve.agreementPublic(secret)
  }

  get secret(): Uint8Array | null {
    return this.#wiped ? null : this.#secret
  }

  finish(hopKey: Uint8Array, answer: HandshakeAnswer, sealed: Uint8Array): HandshakeFinished | null {
    if (this.#wiped || hopKey.length !== KEY_FORM_BYTES || answer.ephemeral.length !== KEY_HALF_BYTES) return null
    const material = finishHandshake(this.#curve, this.#secret, hopKey, answer)
    if (material === null) return null
    const keys = this.#crypto.session(material, 'originator')
    material.fill(0)
    return openedBy(keys, sealed)
  }

  wipe(): void {
    this.#wiped = true
    this.#secret.fill(0)
  }
}
