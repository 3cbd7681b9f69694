// What announces a torrent, put together: its trackers, and the DHT unless the torrent is private (BEP 27). Adds the
// row `[DHT]` to the trackers' rows. One of the places where parts that do not know each other meet.

import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type {
  AnnounceCounters,
  Announcer,
  AnnouncerParams,
  Announcers,
  HashAnnouncer,
  TrackerRow,
} from '../../ports/announcer.ts'
import type { TorrentDhtNode } from '../../wire/metainfo/torrent-types.ts'
import { TwoTrackerSwarms } from './two-tracker-swarms.ts'

/** How a torrent is announced in the DHT; see src/dht/peer-search.ts. */
export interface DhtAnnounce {
  readonly announcePort: number | null
  readonly seed: boolean
  readonly impliedPort: boolean
}

/** The search of one torrent; DhtNode.peers() makes them. */
export interface DhtSearch {
  update(options: Partial<DhtAnnounce>): void
  soon(): void
  close(): void
}

/** What is used of the DHT. */
export interface DhtSearches {
  peers(infoHash: InfoHash, options: DhtAnnounce, onPeers: (peers: readonly PeerAddress[]) => void): DhtSearch
  /** There may be nodes there, says a torrent. */
  nodesAt(contacts: readonly TorrentDhtNode[]): void
}

/** What SwarmAnnouncers is made from. */
export interface SwarmAnnouncersDeps {
  readonly trackers: Announcers<HashAnnouncer>
  /** Null: no DHT. */
  readonly dht: DhtSearches | null
  /** uTP listens where the DHT's datagrams leave. */
  readonly impliedPort: boolean
}

/** Announcers of all sources. */
export class SwarmAnnouncers implements Announcers {
  readonly #deps: SwarmAnnouncersDeps
  #port = 0

  constructor(deps: SwarmAnnouncersDeps) {
    this.#deps = deps
  }

  create(params: AnnouncerParams): Announcer {
    const options = () => ({
      announcePort: this.#port === 0 ? null : this.#port,
      seed: params.counters().left === 0,
      impliedPort: this.#deps.impliedPort,
    })
    return new SwarmAnnouncer(this.#deps.trackers, params, this.#deps.dht, options)
  }

  setListenPort(port: number): void {
    this.#port = port
    this.#deps.trackers.setListenPort(port)
  }
}

/** The swarm of one info hash, in the DHT. */
interface DhtSwarm {
  readonly infoHash: InfoHash
  /** Null while it is not announced there. */
  search: DhtSearch | null
  /** Peers in the last answer. */
  found: number
}

/** The announcing of one torrent. */
class SwarmAnnouncer implements Announcer {
  readonly #makers: Announcers<HashAnnouncer>
  /** Under every info hash. */
  #trackers: HashAnnouncer
  readonly #params: AnnouncerParams
  readonly #dht: DhtSearches | null
  readonly #options: () => DhtAnnounce
  /** One for each info hash. */
  readonly #swarms: DhtSwarm[]
  /** Nodes that its file names; told once. */
  #nodes: readonly TorrentDhtNode[]
  #started = false
  #changes = 0

  constructor(
    makers: Announcers<HashAnnouncer>,
    params: AnnouncerParams,
    dht: DhtSearches | null,
    options: () => DhtAnnounce,
  ) {
    this.#makers = makers
    this.#trackers = makers.create(params)
    this.#params = params
    this.#swarms = [{ infoHash: params.infoHash, search: null, found: 0 }]
    this.#dht = dht
    this.#nodes = params.dhtNodes ?? []
    this.#options = options
  }

  start(): void {
    this.#trackers.start()
    this.#started = true
    this.#follow()
  }

  completed(): void {
    this.#trackers.completed()
    for (const { search } of this.#swarms) search?.update(this.#options())
  }

  announceSoon(urgent = false): void {
    this.#trackers.announceSoon(urgent)
    if (this.#params.isPrivate()) this.#leave()
    else this.#searchSoon()
  }

  addTiers(tiers: readonly (readonly string[])[]): string[] {
    return this.#trackers.addTiers(tiers)
  }

  remove(urls: readonly string[]): string[] {
    return this.#trackers.remove(urls)
  }

  setTiers(tiers: readonly (readonly string[])[]): void {
    this.#trackers.setTiers(tiers)
  }

  announceNow(urls: readonly string[] | null): number {
    if (urls === null && !this.#params.isPrivate()) this.#searchSoon()
    return this.#trackers.announceNow(urls)
  }

  tiers(): string[][] {
    return this.#trackers.tiers()
  }

  rows(): TrackerRow[] {
    const status = this.#searching && !this.#params.isPrivate() ? 'Working' : 'Disabled'
    const peers = this.#swarms.reduce((sum, { found }) => sum + found, 0)
    const dht = { url: '[DHT]', status, peers, seeders: null, leechers: null }
    return [...this.#trackers.rows(), dht]
  }

  get revision(): number {
    return this.#trackers.revision + this.#changes
  }

  alsoAs(infoHash: InfoHash): void {
    if (this.#swarms.some(swarm => swarm.infoHash === infoHash)) return
    this.#swarms.push({ infoHash, search: null, found: 0 })
    // What goes up and down is reported in one of the two swarms: a tracker of both would count it twice.
    const counters = (): AnnounceCounters => ({ ...this.#params.counters(), uploaded: 0, downloaded: 0 })
    const other = this.#makers.create({ ...this.#params, counters, infoHash, tiers: this.#trackers.tiers() })
    this.#trackers = new TwoTrackerSwarms(this.#trackers, other)
    if (!this.#started) return
    other.start()
    this.#follow()
  }

  metadataKnown(): void {
    // At once: a search goes on by itself, and would name a private torrent again.
    if (this.#params.isPrivate()) this.#leave()
  }

  stop(deadlineMs: number): Promise<void> {
    this.#started = false
    this.#leave()
    return this.#trackers.stop(deadlineMs)
  }

  #follow(): void {
    if (this.#dht === null || this.#params.isPrivate()) return
    this.#dht.nodesAt(this.#nodes)
    this.#nodes = []
    for (const swarm of this.#swarms) {
      if (swarm.search !== null) continue
      this.#changes += 1
      swarm.search = this.#dht.peers(swarm.infoHash, this.#options(), peers => this.#named(swarm, peers))
    }
  }

  get #searching(): boolean {
    return this.#swarms.some(swarm => swarm.search !== null)
  }

  #searchSoon(): void {
    for (const { search } of this.#swarms) search?.soon()
  }

  #named(swarm: DhtSwarm, peers: readonly PeerAddress[]): void {
    // A magnet whose metadata has come meanwhile may be private.
    if (this.#params.isPrivate()) return this.#leave()
    swarm.found = peers.length
    this.#changes += 1
    this.#params.onPeers(peers, 'dht')
  }

  #leave(): void {
    if (!this.#searching) return
    for (const swarm of this.#swarms) {
      swarm.search?.close()
      swarm.search = null
      swarm.found = 0
    }
    this.#changes += 1
  }
}
