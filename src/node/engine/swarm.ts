// How this node finds and reaches peers beside trackers and TCP: one UDP port with uTP and DHT, local discovery, port
// mapping, the vote on its own address. Made from the settings; started when the session listens, stopped after it.

import { CountedUdpNetwork } from '../../io/net/counted-udp.ts'
import { nodeEd25519 } from '../../io/ed25519.ts'
import type { LocalLane, NetworkStack } from '../../io/net/network-stack.ts'
import { errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import { defaultDhtOptions, type SavedDht } from '../../dht/types.ts'
import { DhtNode } from '../../dht/node.ts'
import type { LocalDiscovery } from '../../lsd/discovery.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NetworkCounts } from '../../ports/network-counts.ts'
import type { NetworkFacts, PortMapping } from '../../ports/network-facts.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import type { Random } from '../../ports/random.ts'
import type { TcpNetwork } from '../../ports/tcp.ts'
import type { UdpSocket } from '../../ports/udp.ts'
import { PortMapper } from '../../portmap/mapper.ts'
import { DualNetwork } from '../../torrent/peers/dual-network.ts'
import type { ExternalAddress, NetworkTrouble, Session, SwarmParts } from '../../torrent/index.ts'
import { UtpNetwork } from '../../utp/mux.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { bootstrapEntries } from './bootstrap-entries.ts'
import { DueClock } from './due-clock.ts'
import { discoveryOf } from './local-discovery.ts'
import { NamedDhtNodes } from './named-dht-nodes.ts'
import { EngineCounts } from './network-counts.ts'
import type { Settings } from '../settings/settings-schema.ts'
import type { DhtSearches } from './swarm-announcers.ts'
import { searchesOf, TorrentDhtNodes } from './torrent-dht-nodes.ts'

/** What it works with. */
export interface SwarmDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly stack: NetworkStack
  /** The vote on this node's address, in which others vote too. */
  readonly external: ExternalAddress
  /** What exportDht() gave in an earlier run. */
  readonly savedDht: SavedDht | null
}

/**
 * How this node finds and reaches peers beside trackers and TCP: one UDP port with uTP and DHT, local discovery, port
 * mapping, the vote on its own address.
 */
export class Swarm {
  /** For peers: TCP, or uTP before it. */
  readonly network: TcpNetwork
  readonly dht: DhtNode | null
  readonly parts: SwarmParts
  readonly utp: UtpNetwork | null
  readonly #deps: SwarmDeps
  readonly #settings: Settings['libtorrent']
  readonly #external: ExternalAddress
  readonly #dueClock: DueClock
  readonly #sockets: { 4: UdpSocket | null; 6: UdpSocket | null } = { 4: null, 6: null }
  readonly #udp: CountedUdpNetwork
  #boundAtMs: number | null = null
  #discovery: LocalDiscovery | null = null
  readonly #named: NamedDhtNodes | null
  readonly #fromTorrents: TorrentDhtNodes | null
  #mapper: PortMapper | null = null
  #exchanges: boolean
  #unwatch: () => void = () => undefined
  #unwatchDht: () => void = () => undefined

  constructor(settings: Settings['libtorrent'], deps: SwarmDeps) {
    const { clock, random, stack } = deps
    this.#deps = deps
    this.#settings = settings
    this.#exchanges = settings.pex
    this.#external = deps.external
    this.#dueClock = new DueClock(clock)
    this.#udp = new CountedUdpNetwork(stack.peers.udp)
    this.utp = settings.utp ? new UtpNetwork({}, { clock, random, sockets: this.#sockets }) : null
    this.dht = settings.dht ? this.#makeDht() : null
    this.#named = this.dht !== null && stack.peers.namesToProxy ? this.#findNamed(this.dht) : null
    this.#fromTorrents = this.dht === null ? null : this.#nodesOfTorrents(this.dht)
    const { tcp } = stack.peers
    this.network = this.utp === null ? tcp : new DualNetwork({ tcp, utp: this.utp, clock })
    this.parts = this.#makeParts()
  }

  /** Binds the UDP port and begins to look around. What cannot be bound is done without. */
  async start(session: Session): Promise<void> {
    const { listenPort } = session
    await Promise.all(([4, 6] as const).map(family => this.#bind(family, listenPort)))
    this.dht?.start()
    this.#named?.start()
    const { local, place } = this.#deps.stack
    if (this.dht !== null && place !== null) this.#followPlace(this.dht, place)
    if (local === null) return
    if (this.#settings.lsd) await this.#discover(session, local)
    if (this.#settings.upnp || this.#settings.natpmp) this.#map(session, local)
  }

  /** Changed settings that apply at once. */
  follow({ pex }: Settings['libtorrent']): void {
    this.#exchanges = pex
  }

  /** How torrents are looked for in the DHT; null: there is none. */
  get searches(): DhtSearches | null {
    return searchesOf(this.dht, this.#fromTorrents)
  }

  /** The DHT's nodes, to be kept for the next start. */
  exportDht(): SavedDht | null {
    return this.dht?.exportState() ?? null
  }

  /** What is known of the node's place in the network. */
  get facts(): NetworkFacts {
    const { place, peers, keepsToDevices } = this.#deps.stack
    return {
      boundTo: () => place?.endpoints().map(({ ip }) => ip) ?? null,
      keepsToDevices,
      proxied: peers.route !== null && peers.route.proxy !== null,
      mappings: () => this.#mapper?.rows() ?? [],
      mappingProblems: () => this.#mapper?.problems() ?? [],
      externalIp: family => this.#external.get(family),
    }
  }

  /** What passed the UDP port and the DHT. */
  counts(listenPort: () => number): NetworkCounts {
    return new EngineCounts({
      clock: this.#deps.clock,
      facts: this.facts,
      dht: this.dht,
      datagrams: () => this.#udp.counts,
      boundAtMs: () => this.#boundAtMs,
      listenPort,
    })
  }

  /** Takes mappings away, leaves all groups and closes the UDP port; `deadlineMs` bounds what others have to answer. */
  async stop(deadlineMs: number): Promise<void> {
    await Promise.all([this.#mapper?.stop(deadlineMs), this.#discovery?.stop()])
    this.#unwatch()
    this.#unwatchDht()
    this.#named?.stop()
    this.#fromTorrents?.stop()
    this.dht?.stop()
    this.utp?.close()
    this.#dueClock.close()
    const sockets = [this.#sockets[4], this.#sockets[6]]
    this.#sockets[4] = this.#sockets[6] = null
    await Promise.all(sockets.map(async socket => socket?.close()))
  }

  #makeDht(): DhtNode {
    const { random, stack, savedDht } = this.#deps
    const options = {
      ...defaultDhtOptions,
      readOnly: this.#settings.dht_read_only,
      bootstrap: bootstrapEntries(this.#settings.dht_bootstrap),
    }
    const { resolver } = stack.peers
    const sender = (family: 4 | 6): UdpSocket | null => this.#sender(family)
    // Asked for at the start, when the sockets are bound.
    const senders = {
      get 4() {
        return sender(4)
      },
      get 6() {
        return sender(6)
      },
    }
    return new DhtNode(options, { clock: this.#dueClock, random, resolver, ed25519: nodeEd25519, senders }, savedDht)
  }

  #trouble(): NetworkTrouble | null {
    const { place, peers } = this.#deps.stack
    if (place !== null && place.endpoints().length === 0) return 'interface_gone'
    return peers.failing() ? 'proxy_failing' : null
  }

  /** What the DHT of a family goes through; null while the bound place has no address of the family: it sleeps then. */
  #sender(family: 4 | 6): UdpSocket | null {
    const { place } = this.#deps.stack
    return place !== null && place.localIp(family) === null ? null : this.#sockets[family]
  }

  /** An address of the bound place went or came: the DHT of its family sleeps, or joins from there. */
  #followPlace(dht: DhtNode, place: NetworkPlace): void {
    const known = { 4: place.localIp(4), 6: place.localIp(6) }
    this.#unwatchDht = place.watch(() => {
      for (const family of [4, 6] as const) {
        const ip = place.localIp(family)
        if (ip === known[family]) continue
        known[family] = ip
        dht.useSender(family, this.#sender(family))
      }
    })
  }

  #makeParts(): SwarmParts {
    const { dht, utp } = this
    const sockets = this.#sockets
    return {
      ...(utp === null ? {} : { utp }),
      ...(dht === null
        ? {}
        : {
            dht: {
              get port() {
                return sockets[4]?.address.port ?? sockets[6]?.address.port ?? 0
              },
              nodeAt: address => dht.addNode(address),
            },
          }),
      external: this.#external,
      exchangesPeers: () => this.#exchanges,
      discoversLocally: () => this.#discovery !== null,
      networkTrouble: () => this.#trouble(),
    }
  }

  async #bind(family: 4 | 6, port: number): Promise<void> {
    if (this.utp === null && this.dht === null) return
    const receive = (bytes: Uint8Array, from: PeerAddress): void => {
      if (this.#named?.receive(bytes, from) === true) return
      if (this.utp?.receive(bytes, from) !== true) this.dht?.receive(family, bytes, from)
    }
    try {
      this.#sockets[family] = await this.#udp.bind({ family, ip: null, port }, receive)
      this.#boundAtMs ??= this.#deps.clock.now()
    } catch (error) {
      this.#deps.log.part('udp').warn('no uTP and no DHT for a family', { family, error: errorText(error) })
    }
  }

  async #discover(session: Session, { multicast }: LocalLane): Promise<void> {
    const { clock, random, log } = this.#deps
    this.#discovery = discoveryOf(session, { clock, random, log, multicast })
    await this.#discovery.start()
  }

  #map(session: Session, { gateways, udp, http }: LocalLane): void {
    const { clock, random, log, stack } = this.#deps
    const { upnp, natpmp } = this.#settings
    const mapper = new PortMapper(
      {
        portAt: localIp => stack.place?.endpoints().find(({ ip }) => ip === localIp)?.port ?? session.listenPort,
        description: 'Tributary',
        upnp,
        natpmp,
      },
      { gateways, udp, http, clock, random, log: log.part('portmap'), changed: rows => this.#mapped(session, rows) },
    )
    this.#mapper = mapper
    this.#unwatch = stack.place?.watch(() => mapper.lookAgain()) ?? this.#unwatch
    mapper.start()
  }

  /** Routers tell our address and port outside. */
  #mapped(session: Session, rows: readonly PortMapping[]): void {
    for (const row of rows) if (row.externalIp !== null) this.#external.vote(row.externalIp, row.gateway, 'router')
    const mapped = rows.filter(row => row.protocol === 'tcp' && row.internalPort === session.listenPort)
    // Where one router gives the port itself, others may come by another one: that is known to fewer.
    const same = mapped.some(row => row.externalPort === session.listenPort)
    session.setOutsidePort(same ? null : (mapped[0]?.externalPort ?? null))
  }

  /** Names go to the proxy where that resolves them; what is at home is not asked for a torrent. */
  #nodesOfTorrents(dht: DhtNode): TorrentDhtNodes {
    return new TorrentDhtNodes(async contact => {
      if (this.#named === null || parseIp(contact.host) !== null) await dht.addNamedNode(contact.host, contact.port)
      else this.#named.pingAt(contact)
    })
  }

  /** Names of first DHT nodes, where the proxy resolves them. */
  #findNamed(dht: DhtNode): NamedDhtNodes {
    const entries = bootstrapEntries(this.#settings.dht_bootstrap)
    return new NamedDhtNodes(entries, {
      clock: this.#deps.clock,
      random: this.#deps.random,
      send: (bytes, to) => this.#sockets[4]?.sendToName?.(bytes, to),
      needed: () => dht.stats().nodes === 0,
      found: address => dht.addNode(address),
    })
  }
}
