// The places for connections of one torrent: how many there are, and how many one address has. Connections that are
// being made count too.

import { AddressCounts } from './address-counts.ts'
import type { TorrentCore } from '../session/torrent-core.ts'

/** The places of one torrent. */
export class ConnectionPlaces {
  readonly #core: TorrentCore
  /** Of connected peers and of connections being made. */
  readonly #addresses = new AddressCounts()

  constructor(core: TorrentCore) {
    this.#core = core
  }

  /** Connections of this torrent at a time. */
  get limit(): number {
    return this.#core.engine.limits.maxConnectionsPerTorrent
  }

  /** All places of this torrent, or all there are, are taken by connected peers. */
  get taken(): boolean {
    const { engine, peers } = this.#core
    return peers.size >= this.limit || engine.connections.connected >= engine.limits.maxConnections
  }

  /** Places that are left beside connected peers and `dialing` connections being made; may be below 0. */
  left(dialing: number): number {
    return this.limit - this.#core.peers.size - dialing
  }

  /** As many connections with this address, or its network, as there may be. */
  crowded(ip: string): boolean {
    return this.#core.engine.connections.crowds(ip, this.#addresses)
  }

  /** A connection more with this address. */
  add(ip: string): void {
    this.#addresses.add(ip)
    this.#core.engine.connections.addresses.add(ip)
  }

  /** A connection less with this address. */
  remove(ip: string): void {
    this.#addresses.remove(ip)
    this.#core.engine.connections.addresses.remove(ip)
  }
}
