// Keeps a socket open at every wanted address of a NetworkPlace: opened one after the other, closed when their address
// goes, tried again after a failure. What kind of socket it is, its owner knows (placed-tcp.ts, placed-udp.ts).
// Invariant: after close() no socket is opened.

import { AppError, errorText } from '../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'

/** Pause before an address that could not be had is tried again: new IPv6 addresses need two seconds. */
const RETRY_MS = 5_000

/** What is followed, and how sockets are opened. */
export interface PlaceFollowerDeps<Socket> {
  readonly place: Pick<NetworkPlace, 'watch'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
  /** What the log says when an address cannot be had. */
  readonly trouble: string
  /** Code of what goes wrong without a code of its own. */
  readonly failure: 'BadConfiguration' | 'SourceFailed'
  /** Addresses that should have a socket now. */
  wanted(): readonly PeerAddress[]
  open(at: PeerAddress): Promise<Socket>
  /** A socket for `at` is open; answers the wanted address that it serves from now on. */
  opened(at: PeerAddress, socket: Socket): PeerAddress
  /** The address of a socket went. */
  lost(socket: Socket): Promise<void>
}

/**
 * Keeps a socket open at every wanted address of a NetworkPlace: opened one after the other, closed when their address
 * goes, tried again after a failure.
 */
export class PlaceFollower<Socket extends { close(): Promise<void> }> {
  readonly #deps: PlaceFollowerDeps<Socket>
  /** Sockets by their address as wanted. */
  readonly #sockets = new Map<string, Socket>()
  readonly #unwatch: () => void
  #retry: Timer | null = null
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: PlaceFollowerDeps<Socket>) {
    this.#deps = deps
    this.#unwatch = deps.place.watch(() => {
      this.#closeLost()
      void this.#fill()
    })
  }

  /** Open sockets by the key (addressKey) of their address as wanted, the oldest first. */
  get sockets(): ReadonlyMap<string, Socket> {
    return this.#sockets
  }

  /** Rejects, closed, with the first AppError when addresses are there and none could be had. */
  async start(): Promise<void> {
    const errors = await this.#fill()
    if (this.#sockets.size > 0 || errors[0] === undefined) return
    await this.close()
    throw errors[0]
  }

  /** Follows no more and closes every socket. */
  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch()
    this.#retry?.cancel()
    await this.#running
    const all = [...this.#sockets.values()]
    this.#sockets.clear()
    await Promise.all(all.map(socket => socket.close()))
  }

  #closeLost(): void {
    const wanted = new Set(this.#deps.wanted().map(addressKey))
    for (const [key, socket] of [...this.#sockets]) {
      if (wanted.has(key)) continue
      this.#sockets.delete(key)
      void this.#deps.lost(socket)
    }
  }

  /** Opens what is missing, one after the other, and after what is being opened already. */
  #fill(): Promise<AppError[]> {
    const errors: AppError[] = []
    const done = this.#running.then(() => this.#fillNow(errors))
    this.#running = done
    return done.then(() => errors)
  }

  async #fillNow(errors: AppError[]): Promise<void> {
    const { clock, log, trouble, failure } = this.#deps
    this.#retry?.cancel()
    for (let at = this.#missing(); at !== undefined && !this.#closed; at = this.#missing(errors.length)) {
      try {
        await this.#openAt(at)
      } catch (error) {
        errors.push(error instanceof AppError ? error : new AppError(failure, errorText(error)))
        log.warn(trouble, { address: addressKey(at), error: errorText(error) })
      }
    }
    if (errors.length > 0 && !this.#closed) this.#retry = clock.after(RETRY_MS, () => void this.#fill())
  }

  /** The first wanted address without a socket, after `skip` that failed. */
  #missing(skip = 0): PeerAddress | undefined {
    return this.#deps.wanted().filter(at => !this.#sockets.has(addressKey(at)))[skip]
  }

  async #openAt(at: PeerAddress): Promise<void> {
    const socket = await this.#deps.open(at)
    // Gone while it was being opened.
    const key = addressKey(at)
    if (this.#closed || !this.#deps.wanted().some(one => addressKey(one) === key)) return socket.close()
    this.#sockets.set(addressKey(this.#deps.opened(at, socket)), socket)
  }
}
