// The connections of all torrents of a session, as far as they share places: how many there are, with whom, whom
// nobody is to be connected to, and what a new one is made with.

import type { Clock } from '../../ports/clock.ts'
import { AddressCounts } from '../peers/address-counts.ts'
import { BanList } from '../peers/ban-list.ts'
import { IpFilter } from '../peers/ip-filter.ts'
import type { LinkDeps } from '../peers/peer-link.ts'
import { PeerPlaces } from '../peers/peer-places.ts'
import type { StreamEncryption } from '../peers/stream-encryption.ts'
import type { SessionDeps, SessionLimits } from './session-types.ts'

/** Part of all places that one address, and one network, may have. */
const ADDRESS_SHARE = 4

/** What the connections are measured by. */
export interface ConnectionsHost {
  readonly clock: Clock
  readonly deps: Pick<SessionDeps, 'swarm'>
  readonly limits: SessionLimits
}

/** The connections of one session. */
export class Connections {
  readonly bans = new BanList()
  /** Connections, also those being made, of all torrents. */
  readonly addresses = new AddressCounts()
  /** Connected peers of all torrents. */
  readonly places = new PeerPlaces()
  /** The owner's lists. A new one is a new filter. */
  ipFilter = IpFilter.none
  readonly link: LinkDeps
  readonly encryption: StreamEncryption
  readonly maxHalfOpen: number
  /** Outgoing connections before their handshake, and connected peers, of all torrents. */
  halfOpen = 0
  connected = 0
  readonly #host: ConnectionsHost

  constructor(host: ConnectionsHost, link: LinkDeps, encryption: StreamEncryption, maxHalfOpen: number) {
    this.#host = host
    this.link = link
    this.encryption = encryption
    this.maxHalfOpen = maxHalfOpen
  }

  /** Room for one more connection of any kind. */
  get hasRoom(): boolean {
    return this.connected + this.halfOpen < this.#host.limits.maxConnections
  }

  /** True for an address nobody is to be connected to at: banned, or in the owner's lists. */
  refuses(ip: string, nowMs: number): boolean {
    if (this.bans.isBanned(ip, nowMs)) return true
    return this.ipFilter.blocks(ip) && this.#host.deps.swarm?.standsForCircuit?.(ip) !== true
  }

  /**
   * True when `ip` or its network has as many connections as it may have, `here` of them with the torrent that asks. A
   * network has a quarter of the places of the torrent and of all.
   */
  crowds(ip: string, here: AddressCounts): boolean {
    const { maxConnectionsPerIp: most = 0, maxConnections, maxConnectionsPerTorrent } = this.#host.limits
    if (most <= 0) return false
    const all = Math.max(most, maxConnections / ADDRESS_SHARE)
    const torrents = Math.max(most, maxConnectionsPerTorrent / ADDRESS_SHARE)
    if (here.of(ip) >= most || this.addresses.of(ip) >= all) return true
    return here.ofNetwork(ip) >= torrents || this.addresses.ofNetwork(ip) >= all
  }

  /** Room for somebody at `ip`, or somebody who would go for it. */
  admits(ip: string): boolean {
    return this.hasRoom || this.places.canMake(ip, this.#host.clock.now())
  }
}
