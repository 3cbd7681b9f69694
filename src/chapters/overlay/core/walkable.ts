// Addresses at which a peer may be: named by others, not heard from yet. Bounded; those that were named longest ago go
// first.

import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { Random } from '../../../ports/random.ts'

/** Addresses of an overlay at which somebody may be. */
const MAX_WALKABLE = 256

/** The addresses of one overlay. */
export class Walkable {
  readonly #random: Random
  /** In the order they came. */
  readonly #addresses = new Map<string, PeerAddress>()

  constructor(random: Random) {
    this.#random = random
  }

  get size(): number {
    return this.#addresses.size
  }

  add(address: PeerAddress): void {
    const key = addressKey(address)
    if (this.#addresses.has(key)) return
    this.#addresses.set(key, { ip: address.ip, port: address.port })
    for (const oldest of this.#addresses.keys()) {
      if (this.#addresses.size <= MAX_WALKABLE) break
      this.#addresses.delete(oldest)
    }
  }

  remove(address: PeerAddress): void {
    this.#addresses.delete(addressKey(address))
  }

  /** One by chance, of those that `fits` likes; null: there is none. */
  pick(fits: (address: PeerAddress) => boolean): PeerAddress | null {
    const fitting = [...this.#addresses.values()].filter(fits)
    return fitting[this.#random.below(fitting.length)] ?? null
  }
}
