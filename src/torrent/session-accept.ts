// Incoming connections until their handshake names a torrent of ours: bounded in number and time, banned ones refused.
// Invariant: every link here is ended by its handshake, its time-out, or the end of the session.

import type { InfoHash } from '../base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../ports/tcp.ts'
import type { Handshake } from '../wire/peer/handshake.ts'
import type { Engine, Ticker } from './engine.ts'
import { type LinkOwner, PeerLink, type Takeover } from './peer-link.ts'

/** Time an incoming connection has for its handshake. */
const HANDSHAKE_MS = 10_000
/** Incoming connections without handshake at a time; and of one address. */
const MAX_PENDING = 100
const MAX_PENDING_PER_IP = 10

/** Where a handshake leads: the torrent with this info hash, if it takes connections. */
export type Route = (infoHash: InfoHash) => { accept(link: PeerLink, handshake: Handshake): Takeover } | undefined

/** The waiting room of a session. */
export class SessionAccept implements LinkOwner, Ticker {
  readonly #engine: Engine
  readonly #route: Route
  readonly #pending = new Set<PeerLink>()

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
    if (engine.stopping || !engine.hasRoom || this.#pending.size >= MAX_PENDING) return null
    if (engine.refuses(stream.remote.ip, nowMs)) return null
    let same = 0
    for (const link of this.#pending) if (link.remote.ip === stream.remote.ip) same += 1
    if (same >= MAX_PENDING_PER_IP) return null
    const link = new PeerLink(this, engine.link)
    const accepted = engine.encryption.accept(stream, link)
    link.attach(accepted.stream)
    this.#pending.add(link)
    engine.activate(this)
    return accepted.handlers
  }

  /** Another IP filter is in force: whom it refuses goes. */
  closeRefused(): void {
    const nowMs = this.#engine.clock.now()
    for (const link of this.#pending) if (this.#engine.refuses(link.remote.ip, nowMs)) link.end('in the IP filter')
  }

  /** A torrent is being removed: who has named it within an encrypted handshake, and said nothing since, goes. */
  closeNamed(names: readonly InfoHash[]): void {
    for (const link of this.#pending)
      if (link.named !== null && names.includes(link.named)) link.end('its torrent is gone')
  }

  closeAll(): void {
    for (const link of this.#pending) link.end('shutting down')
  }

  // --- LinkOwner

  opened(): void {
    // Only outgoing streams open.
  }

  handshake(link: PeerLink, handshake: Handshake): Takeover {
    const taken = this.#engine.hasRoom ? (this.#route(handshake.infoHash)?.accept(link, handshake) ?? null) : null
    // One that waits for its torrent to wake keeps its place here, and its time.
    if (!(taken instanceof Promise)) this.#pending.delete(link)
    else void taken.catch(() => undefined).then(() => this.#pending.delete(link))
    return taken
  }

  failed(link: PeerLink): void {
    this.#pending.delete(link)
  }

  // --- Ticker

  tick(nowMs: number): boolean {
    for (const link of this.#pending) if (nowMs - link.startedMs > HANDSHAKE_MS) link.end('no handshake in time')
    return this.#pending.size > 0
  }
}
