// Peers that stored themselves with us under their mids, so that others find them and get a way to them opened.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DhtNodeRef } from './dht-contact.ts'
import { DHT_STORED_PEER_MS } from './limits.ts'

/** Peers that are stored with us under their mids. */
const MAX_DHT_STORED_PEERS = 512

interface StoredPeer {
  readonly node: DhtNodeRef
  heardMs: number
}

/** Peers that stored themselves with us under their mids, so that others find them and get a way to them opened. */
export class DhtStoredPeers {
  readonly #clock: Clock
  /** By mid in hex, in the order they came. */
  readonly #peers = new Map<string, StoredPeer>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#peers.size
  }

  /** False when there is no room. */
  put(member: string, publicKey: Uint8Array, { ip, port }: PeerAddress): boolean {
    if (!this.#peers.has(member) && this.#peers.size >= MAX_DHT_STORED_PEERS) return false
    this.#peers.set(member, { node: { publicKey, address: { ip, port } }, heardMs: this.#clock.now() })
    return true
  }

  /** It pinged us: it is still there. */
  heard(member: string): void {
    const stored = this.#peers.get(member)
    if (stored !== undefined) stored.heardMs = this.#clock.now()
  }

  get(member: string): DhtNodeRef | null {
    const stored = this.#peers.get(member)
    return stored === undefined || this.#isOld(stored) ? null : stored.node
  }

  /** True when one of them is there. */
  hasAddress({ ip, port }: PeerAddress): boolean {
    for (const { node } of this.#peers.values()) if (node.address.port === port && node.address.ip === ip) return true
    return false
  }

  /** Gives up those that are silent. */
  expire(): void {
    for (const [member, stored] of this.#peers) if (this.#isOld(stored)) this.#peers.delete(member)
  }

  #isOld({ heardMs }: StoredPeer): boolean {
    return this.#clock.now() - heardMs >= DHT_STORED_PEER_MS
  }
}
