// Tokens of the overlay DHT: proof that who stores has just asked from the same address. Made of the asker and a secret
// that changes every five minutes; two secrets are good.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../../ports/random.ts'
import type { DhtNodeRef } from './dht-contact.ts'

/** A secret of tokens is used so long (section 6). */
const DHT_SECRET_MS = 300_000

const SECRET_BYTES = 16

/** Makes tokens and knows them again. */
export class DhtTokens {
  readonly #random: Random
  #secrets: readonly [Uint8Array, Uint8Array]
  #sinceMs: number

  constructor(random: Random, nowMs: number) {
    this.#random = random
    this.#secrets = [random.bytes(SECRET_BYTES), random.bytes(SECRET_BYTES)]
    this.#sinceMs = nowMs
  }

  /** 20 bytes for this node at this address. */
  issue(node: DhtNodeRef, nowMs: number): Uint8Array {
    this.#turn(nowMs)
    return tokenOf(this.#secrets[0], node)
  }

  /** True when the token was issued for the node not over ten minutes ago. */
  accepts(token: Uint8Array, node: DhtNodeRef, nowMs: number): boolean {
    this.#turn(nowMs)
    return token.length === 20 && this.#secrets.some(secret => timingSafeEqual(tokenOf(secret, node), token))
  }

  #turn(nowMs: number): void {
    const ageMs = nowMs - this.#sinceMs
    if (ageMs < DHT_SECRET_MS) return
    const before = ageMs < 2 * DHT_SECRET_MS ? this.#secrets[0] : this.#random.bytes(SECRET_BYTES)
    this.#secrets = [this.#random.bytes(SECRET_BYTES), before]
    this.#sinceMs = nowMs
  }
}

function tokenOf(secret: Uint8Array, { publicKey, address }: DhtNodeRef): Uint8Array {
  return createHash('sha1').update(secret).update(`${address.ip}:${address.port}`).update(publicKey).digest()
}
