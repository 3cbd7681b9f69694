// TCP from a NetworkPlace only: connections leave from its address, and all of its addresses have a listener. When an
// address goes its sockets are closed before anything else is sent; when it comes back it gets its listener again, at
// the same port. Where the place has no address, connecting fails and nothing leaves.

import type { PeerAddress } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import type { Random } from '../../ports/random.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import { FailedStream } from './failed-stream.ts'
import { PlaceFollower } from './place-follower.ts'

/** Ports to draw from while no address is there that the system could choose one for (RFC 6335: private use). */
const FIRST_PRIVATE_PORT = 49_152

/** What placed TCP goes through. */
export interface PlacedTcpDeps {
  readonly tcp: TcpNetwork
  readonly place: NetworkPlace
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

type Accept = (stream: TcpStream) => TcpStreamHandlers | null

/** TcpNetwork that keeps to a place. */
export class PlacedTcpNetwork implements TcpNetwork {
  readonly #deps: PlacedTcpDeps
  /** Outgoing streams with the address they left from. */
  readonly #streams = new Map<TcpStream, string>()
  readonly #unwatch: () => void

  constructor(deps: PlacedTcpDeps) {
    this.#deps = deps
    this.#unwatch = deps.place.watch(() => this.#closeLost())
  }

  /** `localIp` of the options is not looked at: the place knows it. */
  connect(
    remote: PeerAddress,
    options: { localIp: string | null; timeoutMs: number },
    handlers: TcpStreamHandlers,
  ): TcpStream {
    const localIp = this.#deps.place.localIp(remote.ip.includes(':') ? 6 : 4)
    if (localIp === null) return new FailedStream(remote, new Error('no local address to connect from'), handlers)
    const stream: TcpStream = this.#deps.tcp.connect(
      remote,
      { localIp, timeoutMs: options.timeoutMs },
      {
        open: () => handlers.open?.(),
        data: chunk => handlers.data(chunk),
        drain: () => handlers.drain(),
        close: error => {
          this.#streams.delete(stream)
          handlers.close(error)
        },
      },
    )
    this.#streams.set(stream, localIp)
    return stream
  }

  /** Listens at every address of the place, now and when it comes; `at.ip` is not looked at. Rejects with AppError. */
  async listen(at: PeerAddress, accept: Accept): Promise<TcpListener> {
    const listener = new PlacedListener(at.port, accept, this.#deps)
    await listener.start()
    return listener
  }

  /** Ends the watch and all outgoing streams; listeners are closed by their owners. */
  close(): void {
    this.#unwatch()
    for (const stream of [...this.#streams.keys()]) stream.destroy()
  }

  #closeLost(): void {
    const here = new Set(this.#deps.place.endpoints().map(endpoint => endpoint.ip))
    for (const [stream, localIp] of [...this.#streams]) {
      if (here.has(localIp)) continue
      if (stream.reset === undefined) stream.destroy()
      else stream.reset()
    }
  }
}

/** One port at all addresses of the place. */
class PlacedListener implements TcpListener {
  readonly #deps: PlacedTcpDeps
  readonly #follower: PlaceFollower<TcpListener>
  /** The common port; 0 until the system has chosen one. */
  #port: number

  constructor(port: number, accept: Accept, deps: PlacedTcpDeps) {
    this.#port = port
    this.#deps = deps
    this.#follower = new PlaceFollower({
      ...deps,
      trouble: 'cannot listen for peers at an address',
      failure: 'BadConfiguration',
      wanted: () => this.#wanted(),
      open: at => deps.tcp.listen(at, accept),
      opened: (at, listener) => this.#opened(at, listener),
      // Closing a listener closes what it has accepted.
      lost: listener => listener.reset?.() ?? listener.close(),
    })
  }

  /** The address to announce to peers: the first one; the port is known also while there is no address. */
  get address(): PeerAddress {
    const first = this.#follower.sockets.values().next().value
    return first?.address ?? this.#wanted()[0] ?? { ip: '0.0.0.0', port: this.#port }
  }

  /** Rejects with AppError PortTaken or BadConfiguration when addresses are there and none could be had. */
  async start(): Promise<void> {
    await this.#follower.start()
    if (this.#port === 0) this.#port = FIRST_PRIVATE_PORT + this.#deps.random.below(65_536 - FIRST_PRIVATE_PORT)
  }

  close(): Promise<void> {
    return this.#follower.close()
  }

  #wanted(): PeerAddress[] {
    return this.#deps.place.endpoints().map(({ ip, port }) => ({ ip, port: port ?? this.#port }))
  }

  /** The port the system chose is the one of all addresses from now on. */
  #opened(at: PeerAddress, listener: TcpListener): PeerAddress {
    if (at.port !== 0) return at
    this.#port = listener.address.port
    return { ip: at.ip, port: this.#port }
  }
}
