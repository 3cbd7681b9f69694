// Peers that others announced to us, of one family (BEP 5, 33): for each infohash a set of unique addresses, oldest
// first. Bounded in torrents, peers a torrent, peers in all, and torrents an address; entries end on their own. Time is
// passed in.

import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Random } from '../ports/random.ts'
import { parseIp } from '../wire/net/compact-address.ts'
import { addToFilter, FILTER_BYTES } from '../wire/dht/dht-filter.ts'
import { idKey } from '../wire/dht/dht-id.ts'
import { isExemptIp, ownerKey } from './address-group.ts'

/** Most torrents kept; as many as libtorrent keeps. */
export const MAX_TORRENTS = 2000
/** Most peers of one torrent: filters of BEP 33 hold no more than 6,000. */
export const MAX_PEERS = 2000
/** Most peers in all: some 20 MB. */
const MAX_PEERS_IN_ALL = 100_000
/** Most torrents one address (a /64 of IPv6) may be in here: even a big seedbox has few so near to one node. */
export const MAX_TORRENTS_PER_ADDRESS = 100
/** A peer that does not announce again is forgotten; clients announce every 15 to 30 minutes (45, as in libtorrent). */
export const PEER_TTL_MS = 45 * 60_000
/** Filters are rebuilt after this at the earliest: they cost a hash a peer. */
const FILTER_MS = 60_000
/** The oldest torrents looked at when one must go; that with the fewest peers goes. */
const EVICTION_CHOICE = 16
/** Infohashes shown at once. */
const MAX_SAMPLES = 20
/** How long the same infohashes are shown (BEP 51). */
export const SAMPLE_INTERVAL_SEC = 600

interface StoredPeer {
  readonly address: PeerAddress
  readonly seed: boolean
  readonly atMs: number
}

/** The two filters of BEP 33. */
export interface SwarmFilters {
  readonly seeds: Uint8Array
  readonly peers: Uint8Array
}

interface Swarm {
  readonly infoHash: Uint8Array
  /** By IP address (BEP 33; local ones with their port), in the order of announcing. */
  readonly peers: Map<string, StoredPeer>
  filters: { readonly value: SwarmFilters; readonly atMs: number } | null
}

/** Announced peers. Infohashes are 20 bytes. */
export class PeerStore {
  readonly #random: Random
  /** In the order of the last announce. */
  readonly #swarms = new Map<string, Swarm>()
  /** Torrents an address (a /64 of IPv6) is in. */
  readonly #perOwner = new Map<string, number>()
  #total = 0
  #samples: { readonly list: readonly Uint8Array[]; readonly atMs: number } | null = null

  constructor(random: Random) {
    this.#random = random
  }

  /** Torrents, and peers in all. */
  get torrents(): number {
    return this.#swarms.size
  }
  get peers(): number {
    return this.#total
  }

  /** Keeps a peer; false when there is no room for it. */
  announce(infoHash: Uint8Array, address: PeerAddress, seed: boolean, nowMs: number): boolean {
    const key = idKey(infoHash)
    const peerKey = isExemptIp(address.ip) ? addressKey(address) : address.ip
    const known = this.#swarms.get(key)
    if (known !== undefined) this.#removePeer(known, peerKey)
    const owner = ownerKey(address)
    const inTorrents = this.#perOwner.get(owner) ?? 0
    if (inTorrents >= MAX_TORRENTS_PER_ADDRESS || this.#total >= MAX_PEERS_IN_ALL) return false
    const swarm: Swarm = known ?? {
      infoHash: Uint8Array.from(infoHash),
      peers: new Map<string, StoredPeer>(),
      filters: null,
    }
    this.#swarms.delete(key)
    if (known === undefined && this.#swarms.size >= MAX_TORRENTS) this.#evict()
    this.#swarms.set(key, swarm)
    const oldest = swarm.peers.size >= MAX_PEERS ? swarm.peers.keys().next().value : undefined
    if (oldest !== undefined) this.#removePeer(swarm, oldest)
    swarm.peers.set(peerKey, { address, seed, atMs: nowMs })
    this.#perOwner.set(owner, inTorrents + 1)
    this.#total++
    return true
  }

  /** True when announces for this torrent are not taken at present: its askers get no token (BEP 33). */
  isFull(infoHash: Uint8Array): boolean {
    return this.#total >= MAX_PEERS_IN_ALL && !this.#swarms.has(idKey(infoHash))
  }

  has(infoHash: Uint8Array): boolean {
    return this.#swarms.has(idKey(infoHash))
  }

  /** Up to `count` peers, by chance; with `noSeed` seeds come last (BEP 33). */
  pick(infoHash: Uint8Array, count: number, noSeed: boolean): PeerAddress[] {
    const peers = [...(this.#swarms.get(idKey(infoHash))?.peers.values() ?? [])]
    shuffleFront(peers, noSeed ? peers.length : count, this.#random)
    if (noSeed) peers.sort((a, b) => Number(a.seed) - Number(b.seed))
    return peers.slice(0, count).map(peer => peer.address)
  }

  /** The filters of a torrent, up to a minute old, or null when it has no peers here. */
  filters(infoHash: Uint8Array, nowMs: number): SwarmFilters | null {
    const swarm = this.#swarms.get(idKey(infoHash))
    if (swarm === undefined) return null
    if (swarm.filters === null || nowMs - swarm.filters.atMs >= FILTER_MS)
      swarm.filters = { value: makeFilters(swarm.peers), atMs: nowMs }
    return swarm.filters.value
  }

  /** Infohashes to show (BEP 51): the same ones for ten minutes. */
  samples(nowMs: number): readonly Uint8Array[] {
    if (this.#samples !== null && nowMs - this.#samples.atMs < SAMPLE_INTERVAL_SEC * 1000) return this.#samples.list
    const all = [...this.#swarms.values()].map(swarm => swarm.infoHash)
    shuffleFront(all, MAX_SAMPLES, this.#random)
    this.#samples = { list: all.slice(0, MAX_SAMPLES), atMs: nowMs }
    return this.#samples.list
  }

  /** Forgets peers that did not announce again. */
  expire(nowMs: number): void {
    for (const [key, swarm] of this.#swarms) {
      for (const [peerKey, peer] of swarm.peers) {
        if (nowMs - peer.atMs < PEER_TTL_MS) break
        this.#removePeer(swarm, peerKey)
      }
      if (swarm.peers.size === 0) this.#swarms.delete(key)
    }
  }

  #evict(): void {
    let smallest: { readonly key: string; readonly swarm: Swarm } | null = null
    let seen = 0
    for (const [key, swarm] of this.#swarms) {
      if (seen++ >= EVICTION_CHOICE) break
      if (smallest === null || swarm.peers.size < smallest.swarm.peers.size) smallest = { key, swarm }
    }
    if (smallest === null) return
    for (const peerKey of smallest.swarm.peers.keys()) this.#removePeer(smallest.swarm, peerKey)
    this.#swarms.delete(smallest.key)
  }

  #removePeer(swarm: Swarm, peerKey: string): void {
    const peer = swarm.peers.get(peerKey)
    if (peer === undefined) return
    swarm.peers.delete(peerKey)
    this.#total--
    const owner = ownerKey(peer.address)
    const left = (this.#perOwner.get(owner) ?? 1) - 1
    if (left <= 0) this.#perOwner.delete(owner)
    else this.#perOwner.set(owner, left)
  }
}

/** Puts `count` items chosen by chance in front. */
function shuffleFront(items: unknown[], count: number, random: Random): void {
  const end = Math.min(count, items.length)
  for (let at = 0; at < end; at++) {
    const other = at + random.below(items.length - at)
    const held = items[at]
    items[at] = items[other]
    items[other] = held
  }
}

function makeFilters(peers: ReadonlyMap<string, StoredPeer>): SwarmFilters {
  const filters = { seeds: new Uint8Array(FILTER_BYTES), peers: new Uint8Array(FILTER_BYTES) }
  for (const { address, seed } of peers.values()) {
    const bytes = parseIp(address.ip)
    if (bytes !== null) addToFilter(seed ? filters.seeds : filters.peers, bytes)
  }
  return filters
}
