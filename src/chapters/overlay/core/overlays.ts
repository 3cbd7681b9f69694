// All overlays of the node: one UDP port, one key, one book of peers, one beat. Discovery and the DHT are always among
// them; others are opened and closed while it runs. Invariant: after stop() nothing is sent and no timer is left.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { NameResolver } from '../../../ports/name-resolver.ts'
import type { OverlayRow } from '../../../ports/overlay-network.ts'
import type { Random } from '../../../ports/random.ts'
import type { UdpNetwork } from '../../../ports/udp.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../wire/community-ids.ts'
import { Bootstrap, type BootstrapAddress } from './bootstrap.ts'
import { CheckBudget } from './check-budget.ts'
import { Churn } from './churn.ts'
import { decodeDiscoveryRequest, Discovery } from './discovery.ts'
import { DhtOverlay, type DhtOverlayStats } from './dht-overlay.ts'
import { Endpoint, type EndpointCounts } from './endpoint.ts'
import type { Identity, SignatureCheck } from './identity.ts'
import type { Communities, Community, CommunityOptions, OverlayDht } from './introduced.ts'
import { OwnAddresses } from './own-addresses.ts'
import type { Peer } from './peer.ts'
import { PeerBook } from './peer-book.ts'
import { WalkedOverlay, type WalkedOverlayDeps, type WalkedOverlayOptions } from './walked-overlay.ts'

/** Between two steps of all walks (section 12). */
const STEP_MS = 500
/** Between two questions for overlays (section 5). */
const SIMILARITY_EVERY_MS = 1_000
/** Addresses kept from one start to the next. */
const MAX_SAVED_ADDRESSES = 128

/** How the overlays run. */
export interface OverlaysOptions {
  /** Literal IPv4 address to bind to; null = any. */
  readonly ip: string | null
  /** 0: a free one. */
  readonly port: number
  /** Addresses to ask first; null = the servers of the network. */
  readonly bootstrap: readonly BootstrapAddress[] | null
  /** Milliseconds between two steps of a walk; absent = STEP_MS. */
  readonly stepMs?: number
}

/** What they work with. */
export interface OverlaysDeps {
  readonly udp: UdpNetwork
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly identity: Identity
  readonly check: SignatureCheck
  readonly resolver: NameResolver
  /** Literal IPv4 addresses of this machine's devices without loopback. */
  localIps(): readonly string[]
}

/** All overlays of the node: one UDP port, one key, one book of peers, one beat. */
export class Overlays implements Communities {
  readonly #options: OverlaysOptions
  readonly #deps: OverlaysDeps
  readonly #endpoint: Endpoint
  readonly #shared: WalkedOverlayDeps
  readonly #open = new Map<string, WalkedOverlay>()
  readonly #discovery: Discovery
  readonly #dht: DhtOverlay
  readonly #churn: Churn
  #timers: Timer[] = []
  #startedMs: number | null = null

  constructor(options: OverlaysOptions, deps: OverlaysDeps) {
    this.#options = options
    this.#deps = deps
    const { clock, random, resolver, identity } = deps
    this.#endpoint = new Endpoint(deps)
    this.#shared = {
      ...deps,
      endpoint: this.#endpoint,
      budget: new CheckBudget(),
      book: new PeerBook(identity.publicKey, { clock }),
      own: new OwnAddresses({ bound: () => this.#endpoint.address, localIps: () => deps.localIps() }),
      bootstrap: new Bootstrap(options.bootstrap, { clock, resolver }),
    }
    this.#discovery = this.#makeDiscovery()
    this.#dht = this.#makeDht()
    this.#churn = new Churn({ book: this.#shared.book, clock, random, ping: peer => this.#ping(peer) })
  }

  /**
   * Binds the port (another one than the options have, where given) and begins to look for peers. AppErrors PortTaken,
   * SourceFailed: nothing has begun, it may be called again.
   */
  async start(port = this.#options.port): Promise<void> {
    const { clock } = this.#deps
    await this.#endpoint.open({ ...this.#options, port })
    this.#startedMs = clock.now()
    this.#dht.start()
    this.#timers = [
      clock.every(STEP_MS, () => this.#step()),
      clock.every(SIMILARITY_EVERY_MS, () => this.#discovery.step()),
    ]
  }

  open(options: CommunityOptions): Community {
    return this.#add(options)
  }

  /** The DHT of the overlays. */
  get dht(): OverlayDht {
    return this.#dht
  }

  /** What the DHT holds. */
  get dhtStats(): DhtOverlayStats {
    return this.#dht.stats
  }

  /** Where the port is bound; null: it is not. */
  get lanAddress(): PeerAddress | null {
    const bound = this.#endpoint.address
    return bound === null ? null : this.#shared.own.lanFor(bound)
  }

  /** Our address as others see it; null: not known. */
  get wanAddress(): PeerAddress | null {
    return this.#shared.own.wan
  }

  /** Seconds since the start. */
  get runtimeS(): number {
    return this.#startedMs === null ? 0 : Math.max(0, (this.#deps.clock.now() - this.#startedMs) / 1000)
  }

  /** Bytes of sent packets that wait for the kernel. */
  get unsentBytes(): number {
    return this.#endpoint.unsentBytes
  }

  get counts(): EndpointCounts {
    return this.#endpoint.counts
  }

  /** One row an overlay. */
  rows(): readonly OverlayRow[] {
    const { member } = this.#deps.identity
    return [...this.#open.values()].map(({ overlay }) => ({
      id: overlay.id,
      name: overlay.name,
      member,
      peers: overlay.peers().length,
      globalTime: overlay.globalTime,
      ...overlay.counts,
    }))
  }

  /** Asks at addresses that were known at another time, in an overlay that is open. */
  askAgain(overlay: string, addresses: readonly PeerAddress[]): void {
    const walked = this.#open.get(overlay)
    for (const address of addresses.slice(0, MAX_SAVED_ADDRESSES)) walked?.walkable.add(address)
  }

  /** Addresses of peers of an overlay, for the next start. */
  addressesOf(overlay: string): readonly PeerAddress[] {
    const peers = this.#open.get(overlay)?.overlay.peers() ?? []
    return peers.slice(0, MAX_SAVED_ADDRESSES).map(peer => peer.address)
  }

  /** Ends all overlays and closes the port. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.cancel()
    this.#shared.bootstrap.stop()
    this.#dht.stop()
    for (const walked of [...this.#open.values()]) walked.close()
    this.#startedMs = null
    await this.#endpoint.close()
  }

  #makeDiscovery(): Discovery {
    const { overlay, introductions } = this.#add({
      communityId: knownId(COMMUNITY_IDS.discovery),
      name: 'DiscoveryCommunity',
      decodeRequest: decodeDiscoveryRequest,
    })
    return new Discovery({
      ...this.#shared,
      overlay,
      introductions,
      communityIds: () => [...this.#open.values()].map(walked => walked.communityId),
      found: (peer, id) => this.#open.get(id)?.found(peer),
    })
  }

  #makeDht(): DhtOverlay {
    const { overlay, introductions } = this.#add({
      communityId: knownId(COMMUNITY_IDS.dht),
      name: 'DHTCommunity',
    })
    return new DhtOverlay({ ...this.#shared, overlay, introductions })
  }

  #add(options: WalkedOverlayOptions): WalkedOverlay {
    const walked: WalkedOverlay = new WalkedOverlay(
      { stepMs: this.#options.stepMs ?? 0, ...options },
      this.#shared,
      () => this.#open.delete(walked.overlay.id),
    )
    this.#open.set(walked.overlay.id, walked)
    return walked
  }

  #step(): void {
    const nowMs = this.#deps.clock.now()
    for (const walked of this.#open.values()) walked.step(nowMs)
    this.#churn.step()
  }

  /** By the discovery overlay where the peer is in it; else by asking for an introduction. */
  #ping(peer: Peer): void {
    if (peer.overlays.has(COMMUNITY_IDS.discovery)) return this.#discovery.ping(peer)
    for (const id of peer.overlays) {
      const walked = this.#open.get(id)
      if (walked !== undefined) return walked.introductions.askPeer(peer)
    }
  }
}

function knownId(text: string): Uint8Array {
  const id = communityIdBytes(text)
  if (id === null) throw new RangeError('not a community id')
  return id
}
