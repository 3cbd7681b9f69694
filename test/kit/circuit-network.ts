// Nodes with circuits in memory, on virtual time: real keys and handshakes, real overlays, datagrams that may be lost, spoilt or
// dropped by whom a test says. Hosts beyond the exits are plain sockets of the same hub.

import type { PeerAddress } from '../../src/base/ids.ts'
import { CircuitsForHidden } from '../../src/circuits/circuits-for-hidden.ts'
import { HiddenServices } from '../../src/circuits/hidden-services.ts'
import { CircuitLanes } from '../../src/circuits/lanes.ts'
import { Tunnels } from '../../src/circuits/tunnels.ts'
import { makeOverlayCrypto } from '../../src/io/overlay-crypto.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { type Community, type Identity, Overlays } from '../../src/overlay/index.ts'
import type { OverlayKeyPair } from '../../src/ports/overlay-crypto.ts'
import type { UdpNetwork, UdpSocket } from '../../src/ports/udp.ts'
import { communityIdBytes, COMMUNITY_IDS } from '../../src/wire/overlay/community-ids.ts'
import { PEER_FLAG } from '../../src/wire/overlay/peer-flags.ts'
import { DatagramHub, type HubLine, type HubSocket } from './datagram-hub.ts'
import { HubUdp } from './hub-udp.ts'
import { MemoryNetwork } from './memory-network.ts'
import { FakeNames } from './overlay-network.ts'
import { SeededRandom } from './seeded-random.ts'
import { silentLog } from './silent-log.ts'
import { VirtualClock } from './virtual-clock.ts'

const PORT = 8090
const crypto = makeOverlayCrypto(new SystemRandom())

/** Flags of the usual kinds of nodes. */
export const RELAY = PEER_FLAG.relay | PEER_FLAG.speedTest
export const EXIT = RELAY | PEER_FLAG.exitBittorrent | PEER_FLAG.exitIpv8 | PEER_FLAG.exitHttp

/** A node and where it is. */
export interface CircuitNode {
  readonly name: string
  readonly address: PeerAddress
  readonly keys: OverlayKeyPair
  readonly community: Community
  readonly tunnels: Tunnels
  readonly circuits: CircuitLanes
  readonly services: HiddenServices
  /** What happens to a datagram of its overlay port on the way out; null: it is lost. */
  tamper: (bytes: Uint8Array, to: PeerAddress) => Uint8Array | null
  stop(): Promise<void>
}

/** How a node is made. */
export interface NodeParams {
  readonly flags?: number
  readonly places?: number
  /** Addresses that strangers may not have it reach. */
  readonly refused?: (ip: string) => boolean
}

/** Everything. */
export class CircuitNetwork {
  readonly clock = new VirtualClock()
  readonly random: SeededRandom
  readonly hub: DatagramHub
  readonly tcp: MemoryNetwork
  readonly names = new FakeNames()
  readonly nodes: CircuitNode[] = []
  #count = 0

  constructor(seed: number, line: Partial<HubLine> = {}) {
    this.random = new SeededRandom(seed)
    this.hub = new DatagramHub(this.clock, this.random, { minMs: 5, spreadMs: 5, ...line })
    this.tcp = new MemoryNetwork(this.clock)
  }

  /** A node; started. It asks the first node of the network first. */
  async add(params: NodeParams = {}): Promise<CircuitNode> {
    const ip = `20.7.${this.#count++}.9`
    const udp = new HubUdp(this.hub, ip)
    const keys = crypto.generate()
    const node = { tamper: (bytes: Uint8Array): Uint8Array | null => bytes }
    const first = this.nodes[0]?.address
    const bootstrap = first === undefined ? [] : [{ host: first.ip, port: first.port }]
    const overlays = new Overlays(
      { ip: null, port: PORT, bootstrap },
      {
        udp: tampered(udp, (bytes, to) => made.tamper(bytes, to)),
        clock: this.clock,
        random: this.random,
        log: silentLog,
        identity: identityOf(keys),
        check: crypto,
        resolver: this.names,
        localIps: () => [ip],
      },
    )
    const communityId = communityIdBytes(COMMUNITY_IDS.tunnels) as Uint8Array
    const community = overlays.open({ communityId, name: 'TunnelCommunity' })
    const tunnels = new Tunnels(
      { flags: params.flags ?? RELAY, places: params.places ?? 100 },
      {
        community,
        clock: this.clock,
        random: this.random,
        log: silentLog,
        crypto,
        respond: ephemeral => Promise.resolve(crypto.respond(keys, ephemeral)),
        udp,
        tcp: this.tcp.host(ip),
        resolver: this.names,
        mayReach: to => params.refused?.(to) !== true,
      },
    )
    const hidden = new CircuitsForHidden(tunnels)
    const { clock, random } = this
    const address = { ip, port: PORT }
    const services = new HiddenServices({
      ...{ host: hidden, overlay: community.overlay, dht: overlays.dht, communities: overlays },
      ...{ crypto, clock, random, log: silentLog, ownAddress: () => address },
    })
    hidden.listen(services)
    const join: HiddenServices['join'] = (hops, infoHash, found) => services.join(hops, infoHash, found)
    const circuits = new CircuitLanes({ tunnels, hidden, clock, random, limits: () => ({ min: 3, max: 8 }), join })
    const made: CircuitNode = Object.assign(node, {
      name: ip,
      address,
      keys,
      community,
      tunnels,
      circuits,
      services,
      stop: () => {
        services.close()
        circuits.stop()
        tunnels.stop()
        return overlays.stop()
      },
    })
    await overlays.start()
    this.nodes.push(made)
    return made
  }

  /** Relays and exits, and time to get to know each other. */
  async grow(relays: number, exits: number, settleMs = 60_000): Promise<void> {
    for (let made = 0; made < relays; made++) await this.add()
    for (let made = 0; made < exits; made++) await this.add({ flags: EXIT })
    await this.clock.advance(settleMs)
  }

  /** A plain host that answers each datagram with what `answer` gives. */
  host(ip: string, answer: (bytes: Uint8Array, from: PeerAddress) => Uint8Array | null): HubSocket {
    const socket: HubSocket = this.hub.attach({ ip, port: 6881 }, (bytes, from) => {
      const reply = answer(bytes, from)
      if (reply !== null) socket.send(reply, from)
    })
    return socket
  }

  /** Takes a node away without a word. */
  async kill(node: CircuitNode): Promise<void> {
    node.tamper = () => null
    this.nodes.splice(this.nodes.indexOf(node), 1)
    await node.stop()
  }

  /** Stops all. */
  async close(): Promise<void> {
    for (const node of this.nodes.splice(0)) await node.stop()
  }
}

function identityOf(keys: OverlayKeyPair): Identity {
  const { publicKey, mid } = keys
  return { publicKey, mid, member: Buffer.from(mid).toString('hex'), sign: message => keys.sign(message) }
}

function tampered(udp: UdpNetwork, change: CircuitNode['tamper']): UdpNetwork {
  return {
    async bind(at, receive): Promise<UdpSocket> {
      const socket = await udp.bind(at, receive)
      return {
        address: socket.address,
        send: (bytes, to) => {
          const changed = change(bytes, to)
          if (changed !== null) socket.send(changed, to)
        },
        close: () => socket.close(),
      }
    },
  }
}
