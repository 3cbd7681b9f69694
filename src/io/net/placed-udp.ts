// UDP from a NetworkPlace only. A socket with a port is bound to all addresses of its family, and answers leave from
// the address that was asked; one without a port (an outgoing one) is bound to the address connections leave from.
// Sockets close and open again as their addresses go and come. Without an address datagrams are lost.

import { addressKey, type PeerAddress } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'
import { PlaceFollower } from './place-follower.ts'

/** Remote hosts for which we remember the address of ours they use; the oldest is forgotten. */
const MAX_PARTNERS = 4_096

/** What placed UDP goes through. */
export interface PlacedUdpDeps {
  readonly udp: UdpNetwork
  readonly place: NetworkPlace
  readonly clock: Clock
  readonly log: Log
}

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** UdpNetwork that keeps to a place. */
export class PlacedUdpNetwork implements UdpNetwork {
  readonly #deps: PlacedUdpDeps

  constructor(deps: PlacedUdpDeps) {
    this.#deps = deps
  }

  /**
   * `at.ip` is not looked at. Rejects with AppError when addresses are there and none could be bound; without an
   * address it resolves with a socket that waits for one.
   */
  async bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<UdpSocket> {
    const socket = new PlacedUdpSocket(at.family, at.port, receive, this.#deps)
    await socket.start()
    return socket
  }
}

class PlacedUdpSocket implements UdpSocket {
  readonly #family: 4 | 6
  readonly #port: number
  readonly #receive: Receive
  readonly #deps: PlacedUdpDeps
  readonly #follower: PlaceFollower<UdpSocket>
  /** Keys of the follower's sockets by partner, where it is not the first. */
  readonly #partners = new Map<string, string>()

  constructor(family: 4 | 6, port: number, receive: Receive, deps: PlacedUdpDeps) {
    this.#family = family
    this.#port = port
    this.#receive = receive
    this.#deps = deps
    this.#follower = new PlaceFollower({
      ...deps,
      trouble: 'cannot bind UDP at an address',
      failure: 'SourceFailed',
      wanted: () => this.#wanted(),
      open: at => this.#bindAt(at),
      opened: at => at,
      lost: socket => socket.close(),
    })
  }

  get address(): PeerAddress {
    const first = this.#follower.sockets.values().next().value
    return first?.address ?? { ip: this.#family === 4 ? '0.0.0.0' : '::', port: this.#port }
  }

  /** Rejects when addresses are there and none could be bound. */
  start(): Promise<void> {
    return this.#follower.start()
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    // Asking the place makes it look when its last look is old: what has gone closes its sockets here.
    const { sockets } = this.#follower
    if (this.#deps.place.localIp(this.#family) === null || sockets.size === 0) return
    const known = this.#partners.size === 0 ? undefined : this.#partners.get(addressKey(to))
    const chosen = (known === undefined ? undefined : sockets.get(known)) ?? sockets.values().next().value
    chosen?.send(bytes, to)
  }

  get unsentBytes(): number {
    let bytes = 0
    for (const socket of this.#follower.sockets.values()) bytes += socket.unsentBytes ?? 0
    return bytes
  }

  async close(): Promise<void> {
    await this.#follower.close()
    this.#partners.clear()
  }

  #wanted(): PeerAddress[] {
    const { place } = this.#deps
    if (this.#port === 0) {
      const ip = place.localIp(this.#family)
      return ip === null ? [] : [{ ip, port: 0 }]
    }
    const mine = place.endpoints().filter(({ ip }) => ip.includes(':') === (this.#family === 6))
    return mine.map(({ ip, port }) => ({ ip, port: port ?? this.#port }))
  }

  #bindAt(at: PeerAddress): Promise<UdpSocket> {
    const key = addressKey(at)
    return this.#deps.udp.bind({ family: this.#family, ip: at.ip, port: at.port }, (bytes, from) => {
      this.#notePartner(from, key)
      this.#receive(bytes, from)
    })
  }

  /** Remembers which of several addresses a partner knows. */
  #notePartner(from: PeerAddress, key: string): void {
    if (this.#follower.sockets.size < 2) return
    const partner = addressKey(from)
    if (this.#partners.get(partner) === key) return
    this.#partners.delete(partner)
    this.#partners.set(partner, key)
    if (this.#partners.size <= MAX_PARTNERS) return
    const oldest = this.#partners.keys().next().value
    if (oldest !== undefined) this.#partners.delete(oldest)
  }
}
