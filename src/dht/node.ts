// The Mainline DHT for the rest of the program: one node a family (BEP 32) behind one interface. Shares its sockets:
// their owner gives senders and hands datagrams in. Knows no torrents; a private one (BEP 27) must not come here.
// Invariant: after stop(), and for a family without a sender, nothing is sent.

import { type InfoHash, infoHashBytes, type PeerAddress } from '../base/ids.ts'
import { canonicalIp } from '../wire/net/compact-address.ts'
import { FamilyNode } from './family-node.ts'
import {
  findItem,
  type FoundItem,
  type ItemName,
  type ItemToPut,
  type PutResult,
  sampleInfoHashes,
  scrapeSwarm,
  storeItem,
  type SwarmEstimate,
} from './one-lookup.ts'
import type { PeerSearchDeps, PeerSearchOptions } from './peer-search.ts'
import { TorrentSearch } from './torrent-search.ts'
import type { DatagramSender, DhtDeps, DhtOptions, DhtStats, Family, SavedDht, SavedFamily } from './types.ts'

/** The search of one torrent, until it is closed. */
export interface PeerSource {
  /** Says how we announce from now on: a finished torrent becomes a seed. */
  update(options: Partial<PeerSearchOptions>): void
  /** The engine is short of peers: look up as soon as a minute has passed since the last time. */
  soon(): void
  close(): void
}

const FAMILIES: readonly Family[] = [4, 6]

/** Both DHTs. */
export class DhtNode {
  readonly #options: DhtOptions
  readonly #deps: DhtDeps
  readonly #nodes = new Map<Family, FamilyNode>()
  readonly #searches = new Set<TorrentSearch>()
  readonly #depsOf = new WeakMap<FamilyNode, PeerSearchDeps>()
  readonly #saved = new Map<Family, SavedFamily>()
  #readOnly: boolean
  #running = false

  /** `saved`: what exportState gave at another time, or null. */
  constructor(options: DhtOptions, deps: DhtDeps, saved: SavedDht | null) {
    this.#options = options
    this.#deps = deps
    this.#readOnly = options.readOnly
    for (const family of FAMILIES) {
      const state = saved?.[family] ?? null
      if (state !== null) this.#saved.set(family, state)
    }
  }

  /** Joins the network of each family that has a sender. */
  start(): void {
    if (this.#running) return
    this.#running = true
    for (const family of FAMILIES) this.#open(family, this.#deps.senders[family])
  }

  /** Leaves; promises that are pending settle with what is known so far. */
  stop(): void {
    this.#running = false
    for (const search of [...this.#searches]) search.close()
    for (const family of FAMILIES) this.#close(family)
  }

  /** The socket of a family was opened again, on another address perhaps, or is gone (null). */
  useSender(family: Family, sender: DatagramSender | null): void {
    this.#close(family)
    if (this.#running) this.#open(family, sender)
  }

  /** Read-only mode on or off (BEP 43). */
  setReadOnly(readOnly: boolean): void {
    this.#readOnly = readOnly
    for (const node of this.#nodes.values()) node.setReadOnly(readOnly)
  }

  /** A datagram of this family's socket; true when it was the DHT's. `bytes` is read within the call only. */
  receive(family: Family, bytes: Uint8Array, from: PeerAddress): boolean {
    return this.#nodes.get(family)?.receive(bytes, from) ?? false
  }

  /**
   * Looks for peers of a torrent until closed: now and at each announce interval, announcing us where `options` says
   * so. `onPeers` gets peers as nodes name them; the same ones may come again.
   */
  peers(infoHash: InfoHash, options: PeerSearchOptions, onPeers: (peers: readonly PeerAddress[]) => void): PeerSource {
    const search = new TorrentSearch({ infoHash, options, onPeers }, this.#searches)
    this.#searches.add(search)
    for (const node of this.#nodes.values()) search.begin(node.family, this.#searchDeps(node))
    return search
  }

  /** How many seeds and other peers the DHT knows of (BEP 33), estimated. Takes some seconds. */
  scrape(infoHash: InfoHash): Promise<SwarmEstimate> {
    return scrapeSwarm(this.#all(), infoHashBytes(infoHash))
  }

  /** Infohashes stored by the nodes nearest to `target` (20 bytes; BEP 51). */
  sample(target: Uint8Array): Promise<{ infoHashes: InfoHash[]; nodes: number; total: number }> {
    return sampleInfoHashes(this.#all(), target)
  }

  /** An item of the DHT, checked, of a mutable one the newest; null when no node has it (BEP 44). */
  getItem(name: ItemName): Promise<FoundItem | null> {
    return findItem(this.#all(), this.#deps.ed25519, name)
  }

  /**
   * Stores an item at the nodes nearest to it (BEP 44); it lasts two hours. Rejects with RangeError when it is too big.
   */
  putItem(item: ItemToPut): Promise<PutResult> {
    return storeItem(this.#all(), this.#deps.ed25519, item)
  }

  /** There may be a node at `address`: from a PORT message, or the `nodes` of a torrent whose host is a literal. */
  addNode(address: PeerAddress): void {
    const ip = canonicalIp(address.ip)
    if (ip === null || address.port < 1 || address.port > 65_535) return
    this.#nodes.get(ip.includes(':') ? 6 : 4)?.addAddress({ ip, port: address.port })
  }

  /** A node by name, as the `nodes` of a torrent may give it (BEP 5). A name that leads nowhere is passed over. */
  async addNamedNode(host: string, port: number): Promise<void> {
    const found = await this.#deps.resolver.resolve(host).catch(() => [])
    for (const { ip } of found.filter(address => address.class === 'public').slice(0, 2)) this.addNode({ ip, port })
  }

  /** Ids and good nodes, as plain values; give them to the constructor at the next start. */
  exportState(): SavedDht {
    for (const [family, node] of this.#nodes) this.#keep(family, node)
    return { 4: this.#saved.get(4) ?? null, 6: this.#saved.get(6) ?? null }
  }

  stats(): DhtStats {
    const four = this.#nodes.get(4)?.stats() ?? null
    const six = this.#nodes.get(6)?.stats() ?? null
    return {
      nodes: (four?.nodes ?? 0) + (six?.nodes ?? 0),
      good: (four?.good ?? 0) + (six?.good ?? 0),
      4: four,
      6: six,
    }
  }

  #all(): FamilyNode[] {
    return [...this.#nodes.values()]
  }

  #open(family: Family, sender: DatagramSender | null): void {
    if (sender === null) return
    const { clock, random, resolver, ed25519 } = this.#deps
    const sibling = (): FamilyNode | null => this.#nodes.get(family === 4 ? 6 : 4) ?? null
    const options = { ...this.#options, readOnly: this.#readOnly }
    const deps = { clock, random, resolver, ed25519, sender, sibling }
    const node = new FamilyNode(family, options, deps, this.#saved.get(family) ?? null)
    this.#nodes.set(family, node)
    node.start()
    for (const search of this.#searches) search.begin(family, this.#searchDeps(node))
  }

  #close(family: Family): void {
    const node = this.#nodes.get(family)
    if (node === undefined) return
    this.#keep(family, node)
    this.#nodes.delete(family)
    for (const search of this.#searches) search.end(family)
    node.stop()
  }

  /** An empty table is no reason to forget the nodes of last time. */
  #keep(family: Family, node: FamilyNode): void {
    const state = node.exportState()
    const before = this.#saved.get(family)
    this.#saved.set(family, state.nodes.length > 0 || before === undefined ? state : { ...before, id: state.id })
  }

  /** One object for all searches of a family. */
  #searchDeps(node: FamilyNode): PeerSearchDeps {
    const known = this.#depsOf.get(node)
    if (known !== undefined) return known
    const { clock, random } = this.#deps
    const deps = { clock, random, node, intervalMs: this.#options.announceIntervalMs }
    this.#depsOf.set(node, deps)
    return deps
  }
}
