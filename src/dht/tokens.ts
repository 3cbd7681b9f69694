// Write tokens (BEP 5, 44): proof that the node that announces or stores has just asked from the same address. Bound to
// address and target, good for five to ten minutes, nothing is stored for each.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../ports/random.ts'

/** A secret makes tokens for this long, and is accepted for as long again (BEP 5). */
export const TOKEN_SECRET_MS = 5 * 60_000
const SECRET_BYTES = 16
const TOKEN_BYTES = 8

/** Makes tokens and knows them again. */
export class WriteTokens {
  readonly #random: Random
  #current: Uint8Array
  #previous: Uint8Array
  #sinceMs: number

  constructor(random: Random, nowMs: number) {
    this.#random = random
    this.#current = random.bytes(SECRET_BYTES)
    this.#previous = random.bytes(SECRET_BYTES)
    this.#sinceMs = nowMs
  }

  /** The token with which `ip` may write at `target` (20 bytes). */
  issue(ip: string, target: Uint8Array, nowMs: number): Uint8Array {
    this.#rotate(nowMs)
    return makeToken(this.#current, ip, target)
  }

  /** True when `token` was issued for this address and target not over ten minutes ago. */
  accepts(token: Uint8Array, ip: string, target: Uint8Array, nowMs: number): boolean {
    this.#rotate(nowMs)
    if (token.length !== TOKEN_BYTES) return false
    return [this.#current, this.#previous].some(secret => timingSafeEqual(makeToken(secret, ip, target), token))
  }

  #rotate(nowMs: number): void {
    const ageMs = nowMs - this.#sinceMs
    if (ageMs < TOKEN_SECRET_MS) return
    // After a long silence the last secret is too old as well.
    this.#previous = ageMs < 2 * TOKEN_SECRET_MS ? this.#current : this.#random.bytes(SECRET_BYTES)
    this.#current = this.#random.bytes(SECRET_BYTES)
    this.#sinceMs = nowMs
  }
}

function makeToken(secret: Uint8Array, ip: string, target: Uint8Array): Uint8Array {
  const hash = createHash('sha1').update(secret).update(ip).update(Uint8Array.of(0)).update(target)
  return Uint8Array.from(hash.digest().subarray(0, TOKEN_BYTES))
}
