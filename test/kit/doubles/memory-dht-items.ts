// The DHT's store of mutable items in memory, shared by all who have it: keeps the newest, forgets after two hours of
// the clock.

import type { FoundSignedItem, SignedItem, TargetedItems } from '../../../src/ports/dht-items.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { mutableTarget, signedBytes } from '../../../src/wire/dht/dht-item.ts'
import { verifySignature } from './signing-key.ts'

const KEPT_MS = 2 * 3600_000

/**
 * The DHT's store of mutable items in memory, shared by all who have it: keeps the newest, forgets after two hours of
 * the clock.
 */
export class MemoryDhtItems implements TargetedItems {
  readonly #clock: Clock
  readonly #items = new Map<string, { item: SignedItem; atMs: number }>()
  puts = 0
  gets = 0
  /** Nodes that are said to have an item. */
  copies = 8

  constructor(clock: Clock) {
    this.#clock = clock
  }

  findTarget(target: Uint8Array): Promise<FoundSignedItem | null> {
    this.gets++
    return Promise.resolve(this.#at(Buffer.from(target).toString('hex')))
  }

  find(key: Uint8Array, salt: Uint8Array): Promise<FoundSignedItem | null> {
    return this.findTarget(mutableTarget(key, salt))
  }

  store(item: SignedItem): Promise<{ stored: number; newer: FoundSignedItem | null }> {
    this.puts++
    const target = Buffer.from(mutableTarget(item.key, item.salt)).toString('hex')
    const found = this.#at(target)
    if (found !== null && found.seq > item.seq) return Promise.resolve({ stored: 0, newer: found })
    const signed = signedBytes(item.salt, item.seq, item.value)
    if (!verifySignature(item.key, signed, item.signature)) return Promise.resolve({ stored: 0, newer: null })
    this.#items.set(target, { item, atMs: this.#clock.now() })
    return Promise.resolve({ stored: this.copies, newer: null })
  }

  #at(target: string): FoundSignedItem | null {
    const kept = this.#items.get(target)
    if (kept === undefined || this.#clock.now() - kept.atMs > KEPT_MS) return null
    return { ...kept.item, copies: this.copies }
  }
}
