// One node with overlays and circuits, put together as the program does it: over sockets in memory or of the machine.

import type { PeerAddress } from '../../../../src/base/ids.ts'
import { CircuitsForHidden } from '../../../../src/chapters/circuits/hidden/circuits-for-hidden.ts'
import { HiddenServices } from '../../../../src/chapters/circuits/hidden/hidden-services.ts'
import { CircuitLanes } from '../../../../src/chapters/circuits/core/lanes.ts'
import { Tunnels } from '../../../../src/chapters/circuits/core/tunnels.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import {
  type BootstrapAddress,
  type Community,
  type Identity,
  Overlays,
} from '../../../../src/chapters/overlay/core/index.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { NameResolver } from '../../../../src/ports/name-resolver.ts'
import type { OverlayKeyPair } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { OverlayCryptoPool } from '../../../../src/chapters/overlay/ports/overlay-crypto-pool.ts'
import type { Random } from '../../../../src/ports/random.ts'
import type { TcpNetwork } from '../../../../src/ports/tcp.ts'
import type { UdpNetwork } from '../../../../src/ports/udp.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import { PEER_FLAG } from '../../../../src/chapters/overlay/wire/peer-flags.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'

/** Flags of the usual kinds of nodes. */
export const RELAY = PEER_FLAG.relay | PEER_FLAG.speedTest
export const EXIT = RELAY | PEER_FLAG.exitBittorrent | PEER_FLAG.exitIpv8 | PEER_FLAG.exitHttp

/** Keys of nodes in tests; real ones. */
export const testCrypto = makeOverlayCrypto(new SystemRandom())

/** How a node is made. */
export interface CircuitNodeOptions {
  readonly ip: string
  /** 0: a free one. */
  readonly port: number
  /** Asked first, as servers that are no peers. */
  readonly bootstrap?: readonly BootstrapAddress[]
  /** Nodes that are asked first. */
  readonly known?: readonly PeerAddress[]
  readonly flags: number
  readonly places?: number
  readonly communityId?: string
  /** Addresses that strangers may not have it reach. */
  readonly refused?: (ip: string) => boolean
  readonly limits?: { readonly min: number; readonly max: number }
}

/** What it goes through. */
export interface CircuitNodeDeps {
  /** Of the overlay. */
  readonly udp: UdpNetwork
  /** Of exits. */
  readonly exitUdp: UdpNetwork
  readonly tcp: TcpNetwork
  readonly clock: Clock
  readonly random: Random
  readonly resolver: NameResolver
  /** Puts layers on cells under load; absent: nobody does. */
  readonly pool?: Pick<OverlayCryptoPool, 'sealAll'>
}

/** A node that runs. */
export interface MadeCircuitNode {
  readonly keys: OverlayKeyPair
  readonly overlays: Overlays
  readonly community: Community
  readonly tunnels: Tunnels
  readonly circuits: CircuitLanes
  readonly services: HiddenServices
  /** It answers handshakes with the key of somebody else from now on. */
  respondWith(keys: OverlayKeyPair): void
  stop(): Promise<void>
}

/** Makes and starts it. */
export async function makeCircuitNode(options: CircuitNodeOptions, deps: CircuitNodeDeps): Promise<MadeCircuitNode> {
  const { ip, port, bootstrap = [], flags, places = 100 } = options
  const { clock, random, resolver } = deps
  const keys = testCrypto.generate()
  let answering = keys
  const identity = identityOf(keys)
  const overlays = new Overlays(
    { ip, port, bootstrap },
    { udp: deps.udp, clock, random, log: silentLog, identity, check: testCrypto, resolver, localIps: () => [ip] },
  )
  const communityId = communityIdBytes(options.communityId ?? COMMUNITY_IDS.plainTunnels) as Uint8Array
  const community = overlays.open({ communityId, name: 'TunnelCommunity' })
  const tunnels = new Tunnels(
    { flags, places },
    {
      community,
      clock,
      random,
      log: silentLog,
      crypto: testCrypto,
      resolver,
      udp: deps.exitUdp,
      ...(deps.pool === undefined ? {} : { pool: deps.pool }),
      tcp: deps.tcp,
      respond: ephemeral => Promise.resolve(testCrypto.respond(answering, ephemeral)),
      mayReach: to => options.refused?.(to) !== true,
      refusedPorts: new Set([9200]),
      unsent: () => overlays.unsentBytes,
    },
  )
  const hidden = new CircuitsForHidden(tunnels)
  const limits = (): { min: number; max: number } => options.limits ?? { min: 3, max: 8 }
  const services = new HiddenServices({
    host: hidden,
    overlay: community.overlay,
    dht: overlays.dht,
    communities: overlays,
    crypto: testCrypto,
    clock,
    random,
    log: silentLog,
    ownAddress: () => ({ ip, port: overlays.lanAddress?.port ?? port }),
  })
  hidden.listen(services)
  const join: HiddenServices['join'] = (hops, infoHash, found) => services.join(hops, infoHash, found)
  const circuits = new CircuitLanes({ tunnels, hidden, clock, random, limits, join })
  await overlays.start()
  overlays.askAgain(community.overlay.id, options.known ?? [])
  const stop = (): Promise<void> => {
    services.close()
    circuits.stop()
    tunnels.stop()
    return overlays.stop()
  }
  const respondWith = (other: OverlayKeyPair): void => {
    answering = other
  }
  return { keys, overlays, community, tunnels, circuits, services, respondWith, stop }
}

function identityOf(keys: OverlayKeyPair): Identity {
  const { publicKey, mid } = keys
  return { publicKey, mid, member: Buffer.from(mid).toString('hex'), sign: message => keys.sign(message) }
}
