// What the seal worker does: signatures, both halves of handshakes, layers of many cells. All of it in shared memory;
// what came of a job takes the place of what it was given (src/chapters/overlay/sealing/seal-slot.ts).

import { handedKey, HANDED_KEY_BYTES } from '../io/layer-nonce.ts'
import { answerHandshake, finishHandshake, makeOverlayCrypto } from '../io/overlay-crypto.ts'
import { nodePrimitives } from '../io/overlay-crypto-node.ts'
import { sodiumPrimitives } from '../io/overlay-crypto-sodium.ts'
import { SystemRandom } from '../../../io/random.ts'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../ports/overlay-crypto.ts'
import { parsePublicKey } from '../wire/public-key.ts'
import type { LayersReply, LayersRequest, SlotReply } from '../../../pools/contract/jobs.ts'
import { partsOf, putParts } from './seal-slot.ts'

const curve = sodiumPrimitives() ?? nodePrimitives
const crypto = makeOverlayCrypto(new SystemRandom(), curve)

/** Parts: public form, signature, what it is over. Done: it is right. */
export function verifySignature(slot: Uint8Array): SlotReply {
  const [form, signature, signedPart] = partsOf(slot) as [Uint8Array, Uint8Array, Uint8Array]
  return { done: crypto.verify(parsePublicKey(form), signedPart, signature) }
}

/** Parts: Ed25519 seed, public key, message. Becomes: signature. */
export function signMessage(slot: Uint8Array): SlotReply {
  const [seed, publicKey, message] = partsOf(slot) as [Uint8Array, Uint8Array, Uint8Array]
  const signature = curve.sign(message, seed, publicKey)
  return { done: putParts(slot, [signature]) }
}

/**
 * Parts: X25519 secret of the hop, ephemeral key of the originator, fresh secret. Becomes: ephemeral key, proof,
 * material.
 */
export function answerCreate(slot: Uint8Array): SlotReply {
  const [secret, ephemeral, fresh] = partsOf(slot) as [Uint8Array, Uint8Array, Uint8Array]
  const answered = answerHandshake(curve, secret, ephemeral, fresh)
  if (answered === null) return { done: false }
  const done = putParts(slot, [answered.ephemeral, answered.auth, answered.material])
  answered.material.fill(0)
  return { done }
}

/** Parts: ephemeral secret, public form of the hop, its ephemeral key, its proof. Becomes: material. */
export function finishCreate(slot: Uint8Array): SlotReply {
  const [secret, hopKey, ephemeral, auth] = partsOf(slot) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  const material = finishHandshake(curve, secret, hopKey, { ephemeral, auth })
  if (material === null) return { done: false }
  const done = putParts(slot, [material])
  material.fill(0)
  return { done }
}

/** Puts all keys around each cell, or takes them off, in their order. `batch` begins with the keys. */
export function workLayers(batch: Uint8Array, request: LayersRequest): LayersReply {
  const keys = Array.from({ length: request.keys }, (_, i) => {
    const { key, salt, counter } = handedKey(batch, i * HANDED_KEY_BYTES)
    return curve.layer(key, salt, counter)
  })
  const { cells, open } = request
  const fine = Uint8Array.from({ length: cells.length / 2 }, (_, i) => {
    const [start, end] = [cells[2 * i] as number, cells[2 * i + 1] as number]
    return (open ? takeOff(keys, batch, start, end) : putOn(keys, batch, start, end)) ? 1 : 0
  })
  for (const key of keys) key.wipe()
  return { fine }
}

function putOn(keys: readonly LayerKey[], bytes: Uint8Array, start: number, end: number): boolean {
  return keys.every((key, i) => key.seal(bytes, start - i * LAYER_HEAD_BYTES, end + i * LAYER_TAG_BYTES))
}

function takeOff(keys: readonly LayerKey[], bytes: Uint8Array, start: number, end: number): boolean {
  return keys.every((key, i) => key.open(bytes, start + i * LAYER_HEAD_BYTES, end - i * LAYER_TAG_BYTES))
}
