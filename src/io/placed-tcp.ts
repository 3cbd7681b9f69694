// TCP from a NetworkPlace only: connections leave from its address, listeners stand at all of its addresses. An address that
// goes takes its sockets with it before anything else is sent; when it comes back the listeners stand again, at the same
// port. Where the place has no address, connecting fails and nothing leaves.

import { AppError, errorText } from '../base/errors.ts'
import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { NetworkPlace } from '../ports/network-place.ts'
import type { Random } from '../ports/random.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../ports/tcp.ts'
import { FailedStream } from './failed-stream.ts'

/** Pause before an address that could not be listened on is tried again: new IPv6 addresses need two seconds. */
const RETRY_MS = 5_000
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
  readonly #accept: Accept
  /** Listeners by their address as wanted. */
  readonly #open = new Map<string, TcpListener>()
  readonly #unwatch: () => void
  /** The common port; 0 until the system has chosen one. */
  #port: number
  #retry: Timer | null = null
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(port: number, accept: Accept, deps: PlacedTcpDeps) {
    this.#port = port
    this.#accept = accept
    this.#deps = deps
    this.#unwatch = deps.place.watch(() => {
      this.#closeLost()
      void this.#fill()
    })
  }

  /** Where peers are told to connect to: the first address, the port also while there is no address. */
  get address(): PeerAddress {
    const first = [...this.#open.values()][0]
    return first?.address ?? this.#wanted()[0] ?? { ip: '0.0.0.0', port: this.#port }
  }

  /** Rejects with AppError PortTaken or BadConfiguration when addresses are there and none could be had. */
  async start(): Promise<void> {
    const errors = await this.#fill()
    if (this.#open.size === 0 && errors[0] !== undefined) {
      await this.close()
      throw errors[0]
    }
    if (this.#port === 0) this.#port = FIRST_PRIVATE_PORT + this.#deps.random.below(65_536 - FIRST_PRIVATE_PORT)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch()
    this.#retry?.cancel()
    await this.#running
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(listener => listener.close()))
  }

  #wanted(): PeerAddress[] {
    return this.#deps.place.endpoints().map(({ ip, port }) => ({ ip, port: port ?? this.#port }))
  }

  /** Closing a listener closes what it has accepted. */
  #closeLost(): void {
    const wanted = new Set(this.#wanted().map(addressKey))
    for (const [key, listener] of [...this.#open]) {
      if (wanted.has(key)) continue
      this.#open.delete(key)
      void (listener.reset?.() ?? listener.close())
    }
  }

  /** Listens at each address that has no listener yet, one after the other. */
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
        await this.#listenAt(at)
      } catch (error) {
        errors.push(error instanceof AppError ? error : new AppError('BadConfiguration', errorText(error)))
        this.#deps.log.warn('cannot listen for peers at an address', {
          address: addressKey(at),
          error: errorText(error),
        })
      }
    }
    if (errors.length > 0 && !this.#closed) this.#retry = this.#deps.clock.after(RETRY_MS, () => void this.#fill())
  }

  /** The first wanted address without a listener, after `skip` that failed. */
  #missing(skip = 0): PeerAddress | undefined {
    return this.#wanted().filter(at => !this.#open.has(addressKey(at)))[skip]
  }

  async #listenAt(at: PeerAddress): Promise<void> {
    const listener = await this.#deps.tcp.listen(at, this.#accept)
    // Gone while it was being made.
    if (this.#closed || !this.#wanted().some(one => addressKey(one) === addressKey(at))) return listener.close()
    // The port the system chose is the one of all addresses from now on.
    if (at.port === 0) this.#port = listener.address.port
    this.#open.set(addressKey({ ip: at.ip, port: at.port === 0 ? this.#port : at.port }), listener)
  }
}
