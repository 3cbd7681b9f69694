// One node of the overlays on a real UDP port of loopback, with circuits and hidden services, and nothing else of
// Tributary. Everything it receives and sends, and all chance that it uses, can be written down.

import type { PeerAddress } from '../../../../src/base/ids.ts'
import { CircuitsForHidden } from '../../../../src/chapters/circuits/hidden/circuits-for-hidden.ts'
import { HiddenServices } from '../../../../src/chapters/circuits/hidden/hidden-services.ts'
import { CircuitLanes } from '../../../../src/chapters/circuits/core/lanes.ts'
import { Tunnels } from '../../../../src/chapters/circuits/core/tunnels.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { NetTcpNetwork } from '../../../../src/io/net/tcp-net.ts'
import { DgramNetwork } from '../../../../src/io/net/udp-dgram.ts'
import { type Community, Overlays } from '../../../../src/chapters/overlay/core/index.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { OverlayCrypto, OverlayKeyPair } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { Random } from '../../../../src/ports/random.ts'
import type { UdpNetwork } from '../../../../src/ports/udp.ts'
import { PEER_FLAG } from '../../../../src/chapters/overlay/wire/peer-flags.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'

/** Flags of the usual kinds of nodes. */
export const RELAY = PEER_FLAG.relay | PEER_FLAG.speedTest
export const EXIT = RELAY | PEER_FLAG.exitBittorrent | PEER_FLAG.exitIpv8

/** How a node is made. */
export interface CircuitNodeParams {
  readonly communityId: Uint8Array
  readonly flags: number
  /** Ports of loopback that are asked for introductions until somebody answers there. */
  readonly greet?: readonly number[]
  readonly udp?: UdpNetwork
  readonly random?: Random
  readonly clock?: Clock
  /** Private form of its key; else a new one. */
  readonly privateKey?: Uint8Array
}

/** A node that runs. */
export class CircuitNode {
  readonly keys: OverlayKeyPair
  readonly crypto: OverlayCrypto
  readonly overlays: Overlays
  readonly community: Community
  readonly tunnels: Tunnels
  readonly hidden: HiddenServices
  readonly lanes: CircuitLanes
  readonly #clock: Clock
  readonly #greeting: { cancel(): void }

  private constructor(params: CircuitNodeParams) {
    const clock = params.clock ?? new SystemClock()
    const random = params.random ?? new SystemRandom()
    const udp = params.udp ?? new DgramNetwork()
    const crypto = makeOverlayCrypto(random)
    const keys = params.privateKey === undefined ? crypto.generate() : crypto.fromPrivate(params.privateKey)
    const { publicKey, mid } = keys
    const member = Buffer.from(mid).toString('hex')
    const identity = { publicKey, mid, member, sign: (message: Uint8Array) => keys.sign(message) }
    const resolver = { resolve: () => Promise.reject(new Error('no names here')) }
    const base = { clock, random, log: silentLog, crypto, udp, resolver }
    this.#clock = clock
    this.keys = keys
    this.crypto = crypto
    this.overlays = new Overlays(
      { ip: '127.0.0.1', port: 0, bootstrap: [] },
      { ...base, identity, check: crypto, localIps: () => [] },
    )
    this.community = this.overlays.open({ communityId: params.communityId, name: 'TunnelCommunity' })
    this.tunnels = new Tunnels(
      { flags: params.flags, places: 200 },
      {
        ...base,
        community: this.community,
        respond: ephemeral => Promise.resolve(crypto.respond(keys, ephemeral)),
        tcp: new NetTcpNetwork(),
        mayReach: () => true,
        refusedPorts: new Set(),
      },
    )
    const host = new CircuitsForHidden(this.tunnels)
    this.hidden = new HiddenServices({
      ...base,
      host,
      overlay: this.community.overlay,
      dht: this.overlays.dht,
      communities: this.overlays,
      ownAddress: () => this.address,
    })
    host.listen(this.hidden)
    const join: HiddenServices['join'] = (hops, infoHash, found) => this.hidden.join(hops, infoHash, found)
    this.lanes = new CircuitLanes({
      tunnels: this.tunnels,
      hidden: host,
      clock,
      random,
      limits: () => ({ min: 1, max: 2 }),
      join,
    })
    this.#greeting = clock.every(500, () => this.#greet(params.greet ?? []))
  }

  /** Makes and starts one. */
  static async start(params: CircuitNodeParams): Promise<CircuitNode> {
    const node = new CircuitNode(params)
    await node.overlays.start()
    node.#greet(params.greet ?? [])
    return node
  }

  get address(): PeerAddress {
    return this.overlays.lanAddress ?? { ip: '0.0.0.0', port: 0 }
  }

  get publicKey(): string {
    return Buffer.from(this.keys.publicKey).toString('hex')
  }

  /** Ends everything, in order. */
  async stop(): Promise<void> {
    this.#greeting.cancel()
    this.hidden.close()
    this.lanes.stop()
    this.tunnels.stop()
    await this.overlays.stop()
  }

  /** Milliseconds of its clock. */
  now(): number {
    return this.#clock.now()
  }

  #greet(ports: readonly number[]): void {
    const known = new Set(this.community.overlay.peers().map(({ address }) => address.port))
    for (const port of ports)
      if (!known.has(port)) this.overlays.askAgain(this.community.overlay.id, [{ ip: '127.0.0.1', port }])
  }
}
