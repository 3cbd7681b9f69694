// Nodes of the overlay network in memory, on virtual time: each with an address, a key and all overlays, who find each
// other by one first address.

import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { NameResolver } from '../../../../src/ports/name-resolver.ts'
import type { SignatureCheck } from '../../../../src/chapters/overlay/core/identity.ts'
import { type BootstrapAddress, Overlays } from '../../../../src/chapters/overlay/core/index.ts'
import { DatagramHub, type HubLine } from '../../../kit/sim/datagram-hub.ts'
import { fakeCheck, fakeIdentity } from './fake-keys.ts'
import { HubUdp } from '../../../kit/sim/hub-udp.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const PORT = 8090

/** A node and where it is. */
export interface OverlayNode {
  readonly name: string
  readonly address: PeerAddress
  readonly overlays: Overlays
  stop(): Promise<void>
}

/** Names of this network; none unless a test sets some. */
export class FakeNames implements NameResolver {
  readonly known = new Map<string, string>()

  resolve(host: string): ReturnType<NameResolver['resolve']> {
    const ip = this.known.get(host)
    if (ip === undefined) return Promise.reject(new Error('no such name'))
    return Promise.resolve([{ ip, family: 4, class: 'public' }])
  }
}

/** Everything. */
export class OverlayNetwork {
  readonly clock = new VirtualClock()
  readonly random: SeededRandom
  readonly hub: DatagramHub
  readonly names = new FakeNames()
  readonly nodes: OverlayNode[] = []
  #count = 0

  constructor(seed: number, line: Partial<HubLine> = {}) {
    this.random = new SeededRandom(seed)
    this.hub = new DatagramHub(this.clock, this.random, line)
  }

  /** An address of its own. */
  freshIp(): string {
    const index = this.#count++
    return `${20 + (index >> 8)}.7.${index & 0xff}.9`
  }

  /** A node; started. Without `bootstrap` it asks the first node of the network first. */
  async add(
    params: {
      readonly ip?: string
      readonly name?: string
      readonly bootstrap?: readonly BootstrapAddress[]
      readonly check?: SignatureCheck
      /** Behind a NAT that lets in only whom it sent to. */
      readonly natted?: boolean
    } = {},
  ): Promise<OverlayNode> {
    const ip = params.ip ?? this.freshIp()
    const name = params.name ?? ip
    const first = this.nodes[0]?.address
    const usual = first === undefined ? [] : [{ host: first.ip, port: first.port }]
    const overlays = new Overlays(
      { ip: null, port: PORT, bootstrap: params.bootstrap ?? usual },
      {
        udp: new HubUdp(this.hub, ip, params.natted),
        clock: this.clock,
        random: this.random,
        log: silentLog,
        identity: fakeIdentity(name),
        check: params.check ?? fakeCheck,
        resolver: this.names,
        localIps: () => [ip],
      },
    )
    const node = { name, address: { ip, port: PORT }, overlays, stop: () => overlays.stop() }
    await overlays.start()
    this.nodes.push(node)
    return node
  }

  /** `count` nodes, and the time they need to settle. */
  async grow(count: number, settleMs = 60_000): Promise<void> {
    for (let made = 0; made < count; made++) await this.add()
    await this.clock.advance(settleMs)
  }

  /** Takes a node away without a word. */
  async kill(node: OverlayNode): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1)
    await node.stop()
  }

  /** Stops all. */
  async close(): Promise<void> {
    for (const node of this.nodes.splice(0)) await node.stop()
  }
}
