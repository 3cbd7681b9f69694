// Nodes with circuits in memory, on virtual time: real keys and handshakes, real overlays, datagrams that may be lost,
// spoilt or dropped where a test says. Hosts beyond the exits are plain sockets of the same hub.

import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../../../src/ports/udp.ts'
import { EXIT, makeCircuitNode, type MadeCircuitNode, RELAY } from './made-circuit-node.ts'
import { DatagramHub, type HubLine, type HubSocket } from '../../../kit/sim/datagram-hub.ts'
import { HubUdp } from '../../../kit/sim/hub-udp.ts'
import { MemoryNetwork } from '../../../kit/sim/memory-network.ts'
import { FakeNames } from '../../overlay/kit/overlay-network.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const PORT = 8090

/** A node and where it is. */
export interface CircuitNode extends MadeCircuitNode {
  readonly name: string
  readonly address: PeerAddress
  /** What happens to a datagram of its overlay port on the way out; null: it is lost. */
  tamper: (bytes: Uint8Array, to: PeerAddress) => Uint8Array | null
}

/** How a node is made. */
export interface NodeParams {
  readonly flags?: number
  readonly places?: number
  /** Addresses that strangers may not have it reach. */
  readonly refused?: (ip: string) => boolean
  readonly limits?: { readonly min: number; readonly max: number }
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
    const kept: { tamper: CircuitNode['tamper'] } = { tamper: bytes => bytes }
    const first = this.nodes[0]?.address
    const node = await makeCircuitNode(
      {
        ...params,
        ip,
        port: PORT,
        bootstrap: first === undefined ? [] : [{ host: first.ip, port: first.port }],
        flags: params.flags ?? RELAY,
      },
      {
        udp: tampered(udp, (bytes, to) => kept.tamper(bytes, to)),
        exitUdp: udp,
        tcp: this.tcp.host(ip),
        clock: this.clock,
        random: this.random,
        resolver: this.names,
      },
    )
    const made: CircuitNode = Object.assign(kept, node, { name: ip, address: { ip, port: PORT } })
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
