// Nodes of the DHT that torrents name (BEP 5: `nodes`): each is tried once, one after the other, so that many torrents
// at once are no flood of names and pings. What a node is tried with is given from outside.

import type { DhtNode } from '../../dht/node.ts'
import type { TorrentDhtNode } from '../../wire/metainfo/torrent-types.ts'
import type { DhtSearches } from './swarm-announcers.ts'

/** Most nodes that wait; more are passed over: a DHT that has asked so many needs no others. */
const MAX_WAITING = 200
/** Nodes that were tried and are not tried again for as long as that many have not come after them. */
const MAX_TRIED = 1000

/**
 * Nodes of the DHT that torrents name (BEP 5: `nodes`): each is tried once, one after the other, so that many torrents
 * at once are no flood of names and pings.
 */
export class TorrentDhtNodes {
  readonly #tryOne: (contact: TorrentDhtNode) => Promise<void>
  readonly #tried = new Set<string>()
  #waiting: TorrentDhtNode[] = []
  #busy = false

  /** `tryOne` must not reject. */
  constructor(tryOne: (contact: TorrentDhtNode) => Promise<void>) {
    this.#tryOne = tryOne
  }

  /** The nodes of one torrent. */
  add(contacts: readonly TorrentDhtNode[]): void {
    for (const contact of contacts)
      if (this.#waiting.length < MAX_WAITING && this.#isNew(contact)) this.#waiting.push(contact)
    if (!this.#busy) void this.#work()
  }

  /** Forgets all that wait. */
  stop(): void {
    this.#waiting = []
  }

  #isNew({ host, port }: TorrentDhtNode): boolean {
    const key = `${host} ${port}`
    if (this.#tried.has(key)) return false
    this.#tried.add(key)
    const oldest = this.#tried.size > MAX_TRIED ? this.#tried.values().next().value : undefined
    if (oldest !== undefined) this.#tried.delete(oldest)
    return true
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#tryOne(next)
    this.#busy = false
  }
}

/** How torrents are looked for in a DHT, whose nodes they may name; null: there is no DHT. */
export function searchesOf(dht: DhtNode | null, named: TorrentDhtNodes | null): DhtSearches | null {
  if (dht === null) return null
  return {
    peers: (infoHash, options, onPeers) => dht.peers(infoHash, options, onPeers),
    nodesAt: contacts => named?.add(contacts),
  }
}
