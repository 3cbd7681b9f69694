// How downloads over circuits find and reach peers: one socket of a lane with uTP and a DHT node of its own. No TCP, no
// local discovery, no port mapping, no name look-ups: there is nothing here that could do them.

import { errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import { DhtNode } from '../../../dht/node.ts'
import { defaultDhtOptions } from '../../../dht/types.ts'
import type { AddressPolicy } from '../../../io/net/address-policy.ts'
import { nodeEd25519 } from '../../../io/ed25519.ts'
import { LiteralResolver } from '../../../io/net/literal-resolver.ts'
import type { CircuitLane } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { UdpSocket } from '../../../ports/udp.ts'
import type { SwarmParts } from '../../../torrent/index.ts'
import { UtpNetwork } from '../../../utp/mux.ts'
import { parseIp } from '../../../wire/net/compact-address.ts'
import { MOST_LINKED_DATAGRAM_BYTES } from '../wire/data-cell.ts'
import type { TorrentDhtNode } from '../../../wire/metainfo/torrent-types.ts'
import { bootstrapEntries } from '../../../node/engine/bootstrap-entries.ts'
import { DueClock } from '../../../node/engine/due-clock.ts'
import { NamedDhtNodes } from '../../../node/engine/named-dht-nodes.ts'
import type { DhtSearches } from '../../../node/engine/swarm-announcers.ts'
import { searchesOf, TorrentDhtNodes } from '../../../node/engine/torrent-dht-nodes.ts'

/** The port of peers that have a circuit instead of an address (protocol 8.5). */
export const HIDDEN_PORT = 1024
/** Circuits that lead to peers, remembered: as many as there may be connections, and more. */
const MAX_HIDDEN = 2000

/** What the settings say of it; `pex` may change. */
export interface CircuitSwarmOptions {
  readonly dht: boolean
  readonly dhtBootstrap: readonly string[]
  readonly pex: boolean
}

/** What it works with. */
export interface CircuitSwarmDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  readonly lane: CircuitLane
  /** Connections ended with a circuit. */
  dropped(): void
}

/** How downloads over circuits find and reach peers: one socket of a lane with uTP and a DHT node of its own. */
export class CircuitSwarm {
  readonly utp: UtpNetwork
  readonly dht: DhtNode | null
  readonly parts: SwarmParts
  readonly #deps: CircuitSwarmDeps
  readonly #dueClock: DueClock
  readonly #sockets: { 4: UdpSocket | null; readonly 6: null } = { 4: null, 6: null }
  readonly #named: NamedDhtNodes | null
  readonly #fromTorrents: TorrentDhtNodes
  readonly #hidden = new Set<string>()
  #exchanges: boolean

  constructor(options: CircuitSwarmOptions, deps: CircuitSwarmDeps) {
    const { clock, random } = deps
    this.#deps = deps
    this.#exchanges = options.pex
    this.#dueClock = new DueClock(clock)
    this.utp = new UtpNetwork(
      { maxDatagramBytes: MOST_LINKED_DATAGRAM_BYTES },
      { clock, random, sockets: this.#sockets },
    )
    this.dht = options.dht ? this.#makeDht(options.dhtBootstrap) : null
    this.#named = this.dht === null ? null : this.#findNamed(this.dht, options.dhtBootstrap)
    this.#fromTorrents = new TorrentDhtNodes(async contact => this.#tryNode(contact))
    this.parts = this.#makeParts()
  }

  /** Opens the socket; nothing leaves by it before the lane has circuits. */
  async start(): Promise<void> {
    const receive = (bytes: Uint8Array, from: PeerAddress): void => this.#receive(bytes, from)
    try {
      const socket = await this.#deps.lane.udp.bind({ family: 4, ip: null, port: 0 }, receive)
      this.#sockets[4] = socket
      socket.watchLost?.(key => {
        if (this.utp.dropAt(key, 'its circuit is gone')) this.#deps.dropped()
      })
    } catch (error) {
      this.#deps.log.error('a lane gives no socket', { error: errorText(error) })
    }
  }

  /** There are circuits: the DHT joins its network. Again: it does no harm. */
  reach(): void {
    this.dht?.start()
    this.#named?.start()
  }

  /** This address means a peer behind a circuit. */
  noteHidden({ ip }: PeerAddress): void {
    this.#hidden.delete(ip)
    this.#hidden.add(ip)
    const oldest = this.#hidden.size > MAX_HIDDEN ? this.#hidden.values().next().value : undefined
    if (oldest !== undefined) this.#hidden.delete(oldest)
  }

  /** Changed settings that apply at once. */
  follow({ pex }: Pick<CircuitSwarmOptions, 'pex'>): void {
    this.#exchanges = pex
  }

  /** How torrents are looked for in the DHT; null: there is none. */
  get searches(): DhtSearches | null {
    return searchesOf(this.dht, this.#fromTorrents)
  }

  /** Ends all connections and closes the socket. */
  async stop(): Promise<void> {
    this.#named?.stop()
    this.#fromTorrents.stop()
    this.dht?.stop()
    this.utp.close()
    this.#dueClock.close()
    const socket = this.#sockets[4]
    this.#sockets[4] = null
    await socket?.close()
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    if (from.port === HIDDEN_PORT && !this.#hidden.has(from.ip)) this.noteHidden(from)
    if (this.#named?.receive(bytes, from) === true) return
    if (!this.utp.receive(bytes, from)) this.dht?.receive(4, bytes, from)
  }

  /** Its id is of its own and never kept; it answers no queries, since the exits that carry it change (BEP 43). */
  #makeDht(bootstrap: readonly string[]): DhtNode {
    const { random, policy } = this.#deps
    const options = { ...defaultDhtOptions, readOnly: true, bootstrap: bootstrapEntries(bootstrap) }
    const resolver = new LiteralResolver(policy)
    const sockets = this.#sockets
    const senders = {
      get 4() {
        return sockets[4]
      },
      6: null,
    }
    return new DhtNode(options, { clock: this.#dueClock, random, resolver, ed25519: nodeEd25519, senders }, null)
  }

  #findNamed(dht: DhtNode, bootstrap: readonly string[]): NamedDhtNodes {
    return new NamedDhtNodes(bootstrapEntries(bootstrap), {
      clock: this.#deps.clock,
      random: this.#deps.random,
      send: (bytes, to) => this.#sockets[4]?.sendToName?.(bytes, to),
      needed: () => dht.stats().nodes === 0,
      found: address => dht.addNode(address),
    })
  }

  #tryNode(contact: TorrentDhtNode): void {
    if (parseIp(contact.host) === null) this.#named?.pingAt(contact)
    else this.dht?.addNode({ ip: contact.host, port: contact.port })
  }

  #makeParts(): SwarmParts {
    const { dht } = this
    return {
      // Port 0: no DHT port is sent to peers, since the node would answer none.
      ...(dht === null ? {} : { dht: { port: 0, nodeAt: (address: PeerAddress) => dht.addNode(address) } }),
      exchangesPeers: () => this.#exchanges,
      standsForCircuit: ip => this.#hidden.has(ip),
    }
  }
}
