// UDP from a NetworkPlace only. A socket with a port stands at all addresses of its family, and answers leave from the
// address that was asked; one without a port (an outgoing one) stands at the address connections leave from. Addresses that go
// take their sockets with them, and sockets come back with the addresses. Without an address datagrams are lost.

import { AppError, errorText } from '../base/errors.ts'
import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { NetworkPlace } from '../ports/network-place.ts'
import type { UdpNetwork, UdpSocket } from '../ports/udp.ts'

/** Pause before an address that could not be bound is tried again: new IPv6 addresses need two seconds. */
const RETRY_MS = 5_000
/** Partners of whom it is known which address they know; the oldest is forgotten. */
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
   * `at.ip` is not looked at. Rejects with AppError when addresses are there and none could be bound; without an address
   * it resolves with a socket that waits for one.
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
  /** Sockets by their address as wanted. */
  readonly #open = new Map<string, UdpSocket>()
  /** Keys of #open by partner, where it is not the first. */
  readonly #partners = new Map<string, string>()
  readonly #unwatch: () => void
  #retry: Timer | null = null
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(family: 4 | 6, port: number, receive: Receive, deps: PlacedUdpDeps) {
    this.#family = family
    this.#port = port
    this.#receive = receive
    this.#deps = deps
    this.#unwatch = deps.place.watch(() => {
      this.#closeLost()
      void this.#fill()
    })
  }

  get address(): PeerAddress {
    const first = [...this.#open.values()][0]
    return first?.address ?? { ip: this.#family === 4 ? '0.0.0.0' : '::', port: this.#port }
  }

  /** Rejects when addresses are there and none could be bound. */
  async start(): Promise<void> {
    const errors = await this.#fill()
    if (this.#open.size > 0 || errors[0] === undefined) return
    await this.close()
    throw errors[0]
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    // Asking the place makes it look when its last look is old: what has gone closes its sockets here.
    if (this.#deps.place.localIp(this.#family) === null || this.#open.size === 0) return
    const known = this.#partners.size === 0 ? undefined : this.#partners.get(addressKey(to))
    const chosen = (known === undefined ? undefined : this.#open.get(known)) ?? this.#open.values().next().value
    chosen?.send(bytes, to)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch()
    this.#retry?.cancel()
    await this.#running
    const all = [...this.#open.values()]
    this.#open.clear()
    this.#partners.clear()
    await Promise.all(all.map(socket => socket.close()))
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

  #closeLost(): void {
    const wanted = new Set(this.#wanted().map(addressKey))
    for (const [key, socket] of [...this.#open]) {
      if (wanted.has(key)) continue
      this.#open.delete(key)
      void socket.close()
    }
  }

  /** Binds at each address that has no socket yet. */
  #fill(): Promise<AppError[]> {
    const errors: AppError[] = []
    const done = this.#running.then(() => this.#fillNow(errors))
    this.#running = done
    return done.then(() => errors)
  }

  async #fillNow(errors: AppError[]): Promise<void> {
    this.#retry?.cancel()
    for (let at = this.#missing(); at !== undefined && !this.#closed; at = this.#missing(errors.length)) {
      try {
        await this.#bindAt(at)
      } catch (error) {
        errors.push(error instanceof AppError ? error : new AppError('SourceFailed', errorText(error)))
        this.#deps.log.warn('cannot bind UDP at an address', { address: addressKey(at), error: errorText(error) })
      }
    }
    if (errors.length > 0 && !this.#closed) this.#retry = this.#deps.clock.after(RETRY_MS, () => void this.#fill())
  }

  /** The first wanted address without a socket, after `skip` that failed. */
  #missing(skip = 0): PeerAddress | undefined {
    return this.#wanted().filter(at => !this.#open.has(addressKey(at)))[skip]
  }

  async #bindAt(at: PeerAddress): Promise<void> {
    const key = addressKey(at)
    const socket = await this.#deps.udp.bind({ family: this.#family, ip: at.ip, port: at.port }, (bytes, from) => {
      this.#notePartner(from, key)
      this.#receive(bytes, from)
    })
    if (this.#closed || !this.#wanted().some(one => addressKey(one) === key)) return socket.close()
    this.#open.set(key, socket)
  }

  /** Remembers which of several addresses a partner knows. */
  #notePartner(from: PeerAddress, key: string): void {
    if (this.#open.size < 2) return
    const partner = addressKey(from)
    if (this.#partners.get(partner) === key) return
    this.#partners.delete(partner)
    this.#partners.set(partner, key)
    if (this.#partners.size <= MAX_PARTNERS) return
    const oldest = this.#partners.keys().next().value
    if (oldest !== undefined) this.#partners.delete(oldest)
  }
}
