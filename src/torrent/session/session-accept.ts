// Incoming connections until their handshake names a torrent of ours: bounded in number and time, banned ones refused.
// Invariant: every link here is ended by its handshake, its time-out, or the end of the session.

import type { InfoHash } from '../../base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import { AddressCounts } from '../peers/address-counts.ts'
import type { Engine } from './engine.ts'
import type { Ticker } from './tickers.ts'
import { type LinkOwner, PeerLink, type Takeover } from '../peers/peer-link.ts'

/** Time an incoming connection has for its handshake. */
const HANDSHAKE_MS = 10_000
/** Incoming connections without handshake at a time; of one address; of one network. */
const MAX_PENDING = 100
const MAX_PENDING_PER_IP = 10
const MAX_PENDING_PER_NETWORK = 25
/** While all these places are taken, who has said nothing for so long goes for the next. */
const HURRY_MS = 2000

/** Where a handshake leads: the torrent with this info hash, if it takes connections. */
export type Route = (infoHash: InfoHash) => { accept(link: PeerLink, handshake: Handshake): Takeover } | undefined

/** The waiting room of a session. */
export class SessionAccept implements LinkOwner, Ticker {
  readonly #engine: Engine
  readonly #route: Route
  readonly #pending = new Set<PeerLink>()
  readonly #addresses = new AddressCounts()

  constructor(engine: Engine, route: Route) {
    this.#engine = engine
    this.#route = route
  }

  /** Connections in the waiting room. */
  get pending(): number {
    return this.#pending.size
  }

  /** A connection came in; null = refused. */
  accept(stream: TcpStream): TcpStreamHandlers | null {
    const engine = this.#engine
    const nowMs = engine.clock.now()
    const { ip } = stream.remote
    if (engine.stopping || engine.connections.refuses(ip, nowMs) || this.#crowds(ip) || !engine.connections.admits(ip))
      return null
    if (this.#pending.size >= (engine.limits.maxPending ?? MAX_PENDING) && !this.#makePlace(nowMs)) return null
    const link = new PeerLink(this, engine.connections.link)
    const accepted = engine.connections.encryption.accept(stream, link)
    link.attach(accepted.stream)
    this.#pending.add(link)
    this.#addresses.add(ip)
    engine.tickers.activate(this)
    return accepted.handlers
  }

  /** Another IP filter is in force: ends connections that it refuses. */
  closeRefused(): void {
    const nowMs = this.#engine.clock.now()
    for (const link of this.#pending)
      if (this.#engine.connections.refuses(link.remote.ip, nowMs)) link.end('in the IP filter')
  }

  /**
   * A torrent is being removed: ends connections that named it within an encrypted handshake, and said nothing since.
   */
  closeNamed(names: readonly InfoHash[]): void {
    for (const link of this.#pending)
      if (link.named !== null && names.includes(link.named)) link.end('its torrent is gone')
  }

  closeAll(): void {
    for (const link of this.#pending) link.end('shutting down')
  }

  #crowds(ip: string): boolean {
    let same = 0
    for (const { remote } of this.#pending) if (remote.ip === ip) same += 1
    return same >= MAX_PENDING_PER_IP || this.#addresses.ofNetwork(ip) >= MAX_PENDING_PER_NETWORK
  }

  #leaves(link: PeerLink): void {
    if (this.#pending.delete(link)) this.#addresses.remove(link.remote.ip)
  }

  /** The one that has waited longest goes, if that was long enough. */
  #makePlace(nowMs: number): boolean {
    for (const link of this.#pending) {
      if (!link.alive) continue
      if (nowMs - link.startedMs < HURRY_MS) return false
      link.end('all places are taken, and it said nothing for longest')
      return true
    }
    return false
  }

  // --- LinkOwner

  opened(): void {
    // Only outgoing streams open.
  }

  handshake(link: PeerLink, handshake: Handshake): Takeover {
    const comes = this.#engine.connections.admits(link.remote.ip)
    const taken = comes ? (this.#route(handshake.infoHash)?.accept(link, handshake) ?? null) : null
    // One that waits for its torrent to wake keeps its place here, and its time.
    if (!(taken instanceof Promise)) this.#leaves(link)
    else void taken.catch(() => undefined).then(() => this.#leaves(link))
    return taken
  }

  failed(link: PeerLink): void {
    this.#leaves(link)
  }

  // --- Ticker

  tick(nowMs: number): boolean {
    for (const link of this.#pending) if (nowMs - link.startedMs > HANDSHAKE_MS) link.end('no handshake in time')
    return this.#pending.size > 0
  }
}
