// Datagram sockets of a lane: each destination is reached by one circuit for as long as that lives, as it knows us by
// the exit's address. Sockets of a lane share its circuits; what comes in goes to the one that spoke with its sender
// over that circuit.

import { AppError } from '../../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../../ports/udp.ts'
import { encodedAddress } from './known-addresses.ts'
import { MOST_DATAGRAM_BYTES, MOST_LINKED_DATAGRAM_BYTES } from '../wire/data-cell.ts'
import type { OwnCircuit } from './own-circuit.ts'

/** Destinations of a lane's socket whose circuits are remembered. */
export const MAX_ROUTES = 4_096

/** What sockets send through. */
export interface LaneWays {
  /** The circuit for a new destination; null: none is ready. */
  choose(): OwnCircuit | null
  /** A destination is carried by a circuit, or no longer. */
  carry(circuit: OwnCircuit, more: 1 | -1): void
  /** The linked circuit behind an address; undefined: a real address. */
  linkedAt(to: PeerAddress): OwnCircuit | undefined
}

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

interface Route {
  readonly key: string
  /** The destination as cells have it. */
  readonly encoded: Uint8Array
  /** Nothing else will do: the circuit is the destination. */
  readonly fixed: boolean
  circuit: OwnCircuit | null
  /** Forgotten: holders of it ask for a new one. */
  gone: boolean
}

/** First of the numbers used as ports. */
const FIRST_PORT = 49_152

/** The sockets of one lane. */
export class LaneSockets implements UdpNetwork {
  readonly #ways: LaneWays
  /** Oldest first. */
  readonly #sockets = new Set<LaneSocket>()
  #nextPort = FIRST_PORT
  /** Datagrams that found no circuit. */
  unsent = 0
  /** Datagrams that no cell holds whole. */
  tooLong = 0

  constructor(ways: LaneWays) {
    this.#ways = ways
  }

  /** `at.port` is a number without meaning beyond this node. Rejects with AppError SourceFailed for family 6. */
  bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<UdpSocket> {
    if (at.family === 6) return Promise.reject(new AppError('SourceFailed', 'Circuits carry IPv4 only.'))
    const port = at.port === 0 ? this.#freePort() : at.port
    const socket = new LaneSocket(port, receive, this.#ways, {
      lost: () => this.unsent++,
      tooLong: () => this.tooLong++,
      closed: () => this.#sockets.delete(socket),
    })
    this.#sockets.add(socket)
    return Promise.resolve(socket)
  }

  /** A datagram came out of a circuit. `bytes` is valid only during the call. */
  receive(circuit: OwnCircuit, from: PeerAddress, bytes: Uint8Array): void {
    if (this.#sockets.size > 1) {
      const key = addressKey(from)
      let known = false
      for (const socket of this.#sockets) {
        if (!socket.knows(key, from.port, circuit)) continue
        known = true
        socket.receive(bytes, from)
      }
      if (known) return
    }
    // A sender that no socket has sent to goes to the socket for strangers: the first.
    for (const socket of this.#sockets) return socket.receive(bytes, from)
  }

  /** A circuit is gone: what it carried takes other ones. */
  lost(circuit: OwnCircuit): void {
    for (const socket of this.#sockets) socket.lost(circuit)
  }

  stop(): void {
    for (const socket of [...this.#sockets]) void socket.close()
  }

  #freePort(): number {
    const taken = new Set([...this.#sockets].map(({ address }) => address.port))
    do this.#nextPort = this.#nextPort >= 0xffff ? FIRST_PORT : this.#nextPort + 1
    while (taken.has(this.#nextPort))
    return this.#nextPort
  }
}

interface Heard {
  /** A datagram found no circuit. */
  lost(): void
  /** A datagram does not fit. */
  tooLong(): void
  closed(): void
}

class LaneSocket implements UdpSocket {
  readonly address: PeerAddress
  readonly #receive: Receive
  readonly #ways: LaneWays
  readonly #heard: Heard
  /** By destination, in the order of their making. */
  readonly #routes = new Map<string, Route>()
  /** Callers give the same object for the same destination: no text is made for each datagram. */
  readonly #byObject = new WeakMap<PeerAddress, Route>()
  #closed = false
  #lost: (key: string) => void = () => undefined

  constructor(port: number, receive: Receive, ways: LaneWays, heard: Heard) {
    this.address = { ip: '0.0.0.0', port }
    this.#receive = receive
    this.#ways = ways
    this.#heard = heard
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    let route = this.#byObject.get(to)
    if (route === undefined || route.gone) {
      const linked = this.#ways.linkedAt(to)
      route = this.#routeTo(addressKey(to), linked, () => encodedAddress(to))
      this.#byObject.set(to, route)
    }
    this.#sendOn(route, bytes)
  }

  sendToName(bytes: Uint8Array, to: { readonly host: string; readonly port: number }): void {
    this.#sendOn(
      this.#routeTo(nameKey(to.host, to.port), undefined, () => encodedAddress(to)),
      bytes,
    )
  }

  watchLost(lost: (key: string) => void): void {
    this.#lost = lost
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      for (const route of this.#routes.values()) this.#leave(route)
      this.#routes.clear()
      this.#heard.closed()
    }
    return Promise.resolve()
  }

  receive(bytes: Uint8Array, from: PeerAddress): void {
    if (!this.#closed) this.#receive(bytes, from)
  }

  /** Whether it sent to this address over the circuit, or to a name with this port. */
  knows(key: string, port: number, circuit: OwnCircuit): boolean {
    const route = this.#routes.get(key)
    if (route !== undefined) return route.circuit === circuit
    for (const named of this.#routes.values()) {
      if (named.circuit === circuit && named.key.startsWith('@') && named.key.endsWith(` ${port}`)) return true
    }
    return false
  }

  lost(circuit: OwnCircuit): void {
    for (const [key, route] of this.#routes) {
      if (route.circuit !== circuit) continue
      route.circuit = null
      if (route.fixed) {
        route.gone = true
        this.#routes.delete(key)
      }
      this.#lost(key)
    }
  }

  #sendOn(route: Route, bytes: Uint8Array): void {
    if (this.#closed) return
    // In fragments it would be lost with any of them, and tell the cells of this download from others.
    if (bytes.length > (route.fixed ? MOST_LINKED_DATAGRAM_BYTES : MOST_DATAGRAM_BYTES)) return this.#heard.tooLong()
    if (route.circuit?.ready !== true && !route.fixed) {
      route.circuit = this.#ways.choose()
      if (route.circuit !== null) this.#ways.carry(route.circuit, 1)
    }
    if (route.circuit?.ready === true) route.circuit.sendData(route.encoded, bytes)
    else this.#heard.lost()
  }

  #routeTo(key: string, linked: OwnCircuit | undefined, encode: () => Uint8Array): Route {
    const known = this.#routes.get(key)
    if (known !== undefined) return known
    const route: Route = { key, encoded: encode(), fixed: linked !== undefined, circuit: linked ?? null, gone: false }
    this.#routes.set(key, route)
    for (const oldest of this.#routes.values()) {
      if (this.#routes.size <= MAX_ROUTES) break
      this.#routes.delete(oldest.key)
      this.#leave(oldest)
    }
    return route
  }

  #leave(route: Route): void {
    if (route.circuit !== null) this.#ways.carry(route.circuit, -1)
    route.circuit = null
    route.gone = true
  }
}

function nameKey(host: string, port: number): string {
  return `@${host} ${port}`
}
