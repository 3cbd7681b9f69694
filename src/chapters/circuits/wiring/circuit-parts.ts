// Circuits over the running overlays, put together from the settings: what this node is for others, what exits leave
// through, lanes of its own downloads. Loaded with the overlay.

import type { PeerAddress } from '../../../base/ids.ts'
import { CircuitLanes } from '../core/lanes.ts'
import { type CircuitFigures, circuitFigures } from '../core/circuit-facts.ts'
import { CircuitsForHidden } from '../hidden/circuits-for-hidden.ts'
import { isSomewhere } from '../hidden/hidden-points.ts'
import { HiddenServices } from '../hidden/hidden-services.ts'
import { Tunnels } from '../core/tunnels.ts'
import type { Overlays } from '../../overlay/core/index.ts'
import type { Circuits } from '../ports/circuits.ts'
import { NO_ADDRESS } from '../../overlay/wire/address.ts'
import { communityIdBytes } from '../../overlay/wire/community-ids.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import { ExitAddresses } from './exit-addresses.ts'
import type { RiderDeps } from '../../overlay/wiring/overlay-rider.ts'
import type { OverlaySettings } from '../../overlay/wiring/settings-overlay.ts'

/** They run until stop(). */
export interface CircuitParts {
  readonly circuits: Circuits
  readonly facts: CircuitFigures
  /** Ends all circuits, with a destroy to the neighbours. The overlays are the caller's to stop, afterwards. */
  stop(): void
}

/** Opens the tunnel overlay. */
export function makeCircuits(deps: RiderDeps): CircuitParts {
  const { tunnel_community: settings } = deps.settings
  const { overlays, crypto, pool, pair, clock, random, stack } = deps
  const log = deps.log.part('circuits')
  const communityId = communityIdBytes(settings.community_id) ?? new Uint8Array(20)
  const community = overlays.open({ communityId, name: 'TunnelCommunity' })
  const { udp, tcp, resolver } = stack.peers
  const reach = new ExitAddresses({
    allowPrivate: settings.exit_allow_private,
    nowMs: () => clock.now(),
    seenAs: () => [overlays.wanAddress, overlays.lanAddress].flatMap(address => address?.ip ?? []),
  })
  const tunnels = new Tunnels(
    { flags: flagsOf(settings), places: settings.random_slots + settings.competing_slots },
    {
      community,
      clock,
      random,
      log,
      crypto,
      pool,
      udp,
      tcp,
      resolver,
      respond: ephemeral => pool.respond(pair, ephemeral),
      mayReach: ip => reach.mayReach(ip),
      refusedPorts: new Set(settings.exit_refused_ports.map(Number)),
      unsent: () => overlays.unsentBytes,
    },
  )
  const hidden = new CircuitsForHidden(tunnels)
  const limits = (): { min: number; max: number } => ({ min: settings.min_circuits, max: settings.max_circuits })
  const services = new HiddenServices({
    host: hidden,
    overlay: community.overlay,
    dht: overlays.dht,
    communities: overlays,
    crypto,
    clock,
    random,
    log: log.part('hidden'),
    ownAddress: () => reachableAddress(overlays),
  })
  hidden.listen(services)
  const join: HiddenServices['join'] = (hops, infoHash, found) => services.join(hops, infoHash, found)
  const lanes = new CircuitLanes({ tunnels, hidden, clock, random, limits, join })
  return {
    circuits: { lane: hops => Promise.resolve(lanes.lane(hops)) },
    facts: circuitFigures(tunnels),
    stop() {
      services.close()
      lanes.stop()
      tunnels.stop()
      community.close()
    },
  }
}

/** Where others find us: as they see us, or, in a network without an outside, where we are; NO_ADDRESS: not known. */
function reachableAddress({ wanAddress, lanAddress }: Overlays): PeerAddress {
  return [wanAddress, lanAddress].find(address => address !== null && isSomewhere(address)) ?? NO_ADDRESS
}

/** What introductions say that this node does for others. */
function flagsOf(settings: OverlaySettings['tunnel_community']): number {
  const relay = PEER_FLAG.relay | PEER_FLAG.speedTest
  const exit = PEER_FLAG.exitBittorrent | PEER_FLAG.exitIpv8 | PEER_FLAG.exitHttp | PEER_FLAG.speedTest
  return (settings.relay_enabled ? relay : 0) | (settings.exitnode_enabled ? exit : 0)
}
