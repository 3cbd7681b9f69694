// Whom a torrent calls: known addresses, when it is their turn, connections until their handshake. Invariant: an
// address in `known` is busy while a connection to it is being made, and engine.connections.halfOpen counts each once.

import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { PeerOrigin } from '../../ports/announcer.ts'
import type { TcpNetwork } from '../../ports/tcp.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import type { ConnectionPlaces } from './connection-places.ts'
import { type LinkKind, nextKind, noteFailure, noteSeriesFailed, noteSuccess } from './connection-policy.ts'
import { askForIntroduction } from './holepunch.ts'
import { type KnownPeer, ORIGIN_BITS } from './known-peers.ts'
import { type LinkOwner, type LinkReceiver, PeerLink } from './peer-link.ts'
import { handshakeOf, hashesOf } from './torrent-handshake.ts'
import type { PeerCall } from '../types.ts'
import type { TorrentCore } from '../session/torrent-core.ts'
import { isAnswer } from '../pieces/v2-upgrade.ts'

const CONNECT_TIMEOUT_MS = 10_000
const HANDSHAKE_TIMEOUT_MS = 20_000
/** Who has taken a connection by TCP and says nothing for this long may have more to say by uTP; libtorrent's limit. */
const MUTE_TIMEOUT_MS = 10_000
/** A call by uTP to whom TCP leads nowhere; libtorrent: 3 s. */
const UTP_TIMEOUT_MS = 3000

/** Connections begun by one torrent in one tick: the half-open places are shared. */
const CONNECTS_PER_TICK = 10

/** A torrent that gets nothing, while all places are taken, has somebody go for a call of its own this often. */
const NEED_MS = 5000

/** Addresses that are not due for this long do not keep a torrent awake. */
const REST_MS = 15_000

/** A connection that is being made. */
interface Dial {
  readonly known: KnownPeer
  readonly kind: LinkKind
  opened: boolean
  /** When it opened, clock ms, if TCP carries it; else null. */
  tcpSinceMs: number | null
  /** Its handshake came, be it for another torrent. */
  answered: boolean
}

/** Who takes connections over whose handshakes are done; see TorrentPeers. */
export interface ConnectionTaker {
  /** Null = not wanted after all. */
  join(link: PeerLink, handshake: Handshake, known: KnownPeer, infoHash: InfoHash): LinkReceiver | null
}

/** The calls of one torrent. */
export class OutboundConnector implements LinkOwner {
  readonly #core: TorrentCore
  readonly #places: ConnectionPlaces
  readonly #taker: ConnectionTaker
  readonly #dialing = new Map<PeerLink, Dial>()
  /** Of these the ones that somebody introduced us for: by uTP alone, and not a second time. */
  readonly #punching = new Set<PeerLink>()
  #needMs = Number.NEGATIVE_INFINITY

  constructor(core: TorrentCore, places: ConnectionPlaces, taker: ConnectionTaker) {
    this.#core = core
    this.#places = places
    this.#taker = taker
  }

  /** Connections being made. */
  get size(): number {
    return this.#dialing.size
  }

  /** Learns addresses of `origin`, null: of the user or a magnet; our own and refused ones are left out. */
  addAddresses(addresses: readonly PeerAddress[], origin: PeerOrigin | null): void {
    const nowMs = this.#core.now()
    for (const address of addresses) {
      if (address.port < 1 || address.port > 65535 || this.#core.engine.connections.refuses(address.ip, nowMs)) continue
      const known = this.#core.known.add(address, origin === 'tracker')
      if (known !== null && origin !== null) known.origins |= ORIGIN_BITS[origin]
    }
    this.connectSome(nowMs)
  }

  /** The user named a peer: it is called in its turn, however often it failed before. */
  call(address: PeerAddress): PeerCall {
    const nowMs = this.#core.now()
    if (this.#core.engine.connections.refuses(address.ip, nowMs)) return 'refused'
    const known = this.#core.known.add(address)
    if (known === null) return 'full'
    if (known.busy || known.nextTryMs === Number.POSITIVE_INFINITY) return 'known'
    this.#core.known.wanted(known)
    this.connectSome(nowMs)
    return 'called'
  }

  /** Begins connections as far as limits and known addresses allow. */
  connectSome(nowMs: number): void {
    const { engine, known } = this.#core
    if (!this.#core.online) return
    for (let begun = 0; begun < CONNECTS_PER_TICK; begun += 1) {
      if (engine.connections.halfOpen >= engine.connections.maxHalfOpen) return
      const full = !engine.connections.hasRoom || this.#places.left(this.size) <= 0
      if (full && !(this.#places.taken && this.#needs(nowMs))) return
      const peer = known.next(nowMs, one => this.#worthwhile(one))
      if (peer === null) return
      if (full && !this.#makePlace(peer, nowMs)) return
      this.#dial(peer)
    }
  }

  /** It is given nothing that it misses, and has waited for a place: others sit on all of them. */
  #needs(nowMs: number): boolean {
    const { working, satisfied, down } = this.#core
    return nowMs - this.#needMs >= NEED_MS && !(working && satisfied) && down.rate(nowMs) === 0
  }

  #makePlace(peer: KnownPeer, nowMs: number): boolean {
    const { engine, peers } = this.#core
    this.#needMs = nowMs
    const here = engine.connections.connected < engine.limits.maxConnections
    return engine.connections.places.make(peer.address.ip, nowMs, here ? peers.values() : undefined)
  }

  /** True while known addresses may be worth a connection later. */
  get hasCandidates(): boolean {
    return this.#core.known.hasCandidates(one => this.#worthwhile(one))
  }

  /** True when a known address is to be tried now or within REST_MS. */
  hasDue(nowMs: number): boolean {
    return this.#core.known.next(nowMs + REST_MS, one => this.#worthwhile(one)) !== null
  }

  /** Once a second: who does not answer is given up. */
  tick(nowMs: number): void {
    for (const [link, dial] of this.#dialing) {
      const late = nowMs - link.startedMs > CONNECT_TIMEOUT_MS + HANDSHAKE_TIMEOUT_MS
      if (late || this.#isMute(link, dial, nowMs)) link.end('handshake timed out')
    }
  }

  /** Nothing has come by TCP, and uTP is left to be tried. */
  #isMute(link: PeerLink, { tcpSinceMs, known }: Dial, nowMs: number): boolean {
    if (tcpSinceMs === null || link.lastInMs > tcpSinceMs || known.links.utpAlone) return false
    return this.#core.engine.deps.swarm?.utp !== undefined && nowMs - tcpSinceMs > MUTE_TIMEOUT_MS
  }

  /** Ends the calls of whom no tracker named. */
  keepTracked(reason: string): void {
    for (const [link, { known }] of this.#dialing) if (!known.tracked) link.end(reason)
  }

  /** Ends the calls to addresses that are refused now. */
  closeRefused(reason: string): void {
    const nowMs = this.#core.now()
    for (const link of this.#dialing.keys())
      if (this.#core.engine.connections.refuses(link.remote.ip, nowMs)) link.end(reason)
  }

  /** Ends all; nobody is blamed for it. */
  closeAll(reason: string): void {
    for (const [link, { known }] of this.#dialing) {
      this.#punching.delete(link)
      this.#ended(link, known)
      this.#core.known.released(known)
      link.cut(reason)
    }
  }

  // --- LinkOwner

  opened(link: PeerLink): void {
    const dial = this.#dialing.get(link)
    if (dial !== undefined) {
      dial.opened = true
      dial.tcpSinceMs = link.utp ? null : this.#core.now()
    }
    link.send(handshakeOf(this.#core, hashesOf(this.#core).infoHash))
  }

  handshake(link: PeerLink, handshake: Handshake): LinkReceiver | null {
    const dial = this.#dialing.get(link)
    if (dial === undefined) return null
    dial.answered = true
    if (!isAnswer(hashesOf(this.#core), handshake) || !this.#core.online) return null
    this.#punching.delete(link)
    this.#ended(link, dial.known)
    noteSuccess(dial.known.links, dial.kind)
    this.#core.refusedHandshakes = 0
    return this.#taker.join(link, handshake, dial.known, handshake.infoHash)
  }

  failed(link: PeerLink, _reason: string): void {
    const dial = this.#dialing.get(link)
    if (dial === undefined) return
    const { engine, known } = this.#core
    const nowMs = this.#core.now()
    this.#ended(link, dial.known)
    // The other kind of connection is tried at once: most peers that break off want encryption, or know none. Who
    // answered with a handshake, of whatever torrent, understood this kind.
    const other =
      !dial.answered &&
      noteFailure(engine.connections.encryption.settings.mode, dial.known.links, dial.kind, dial.opened)
    if (dial.opened && !other) this.#core.refusedHandshakes += 1
    const again = other || this.#leavesUtp(dial)
    if (again) known.released(dial.known)
    else known.failed(dial.known, nowMs)
    // Who cannot be reached even so is not asked for again at once.
    if (!this.#punching.delete(link) && !again) askForIntroduction(this.#core, dial.known, nowMs)
    this.connectSome(nowMs)
  }

  /** No kind of connection led anywhere; by TCP, which leaves uTP. */
  #leavesUtp({ known, tcpSinceMs, answered }: Dial): boolean {
    const muteByTcp = tcpSinceMs !== null && !answered
    return noteSeriesFailed(known.links, muteByTcp && this.#core.engine.deps.swarm?.utp !== undefined)
  }

  #worthwhile(peer: KnownPeer): boolean {
    if (peer.seed && this.#core.working && this.#core.satisfied) return false
    const { engine } = this.#core
    return !engine.connections.refuses(peer.address.ip, this.#core.now()) && !this.#places.crowded(peer.address.ip)
  }

  /** A connection is not being made any more. */
  #ended(link: PeerLink, known: KnownPeer): void {
    this.#dialing.delete(link)
    this.#core.engine.connections.halfOpen -= 1
    this.#places.remove(known.address.ip)
  }

  #dial(peer: KnownPeer): void {
    const { engine } = this.#core
    const link = new PeerLink(this, engine.connections.link)
    peer.busy = true
    engine.connections.halfOpen += 1
    this.#places.add(peer.address.ip)
    const kind = nextKind(engine.connections.encryption.settings.mode, peer.links)
    this.#dialing.set(link, { known: peer, kind, opened: false, tcpSinceMs: null, answered: false })
    // The first peers decide how long somebody looks at nothing.
    const hurried = this.#core.peers.size === 0
    const { network, timeoutMs } = this.#networkFor(peer, link)
    const options = { localIp: engine.options.localIp, timeoutMs, hurried }
    const stream = engine.connections.encryption.connect(kind, hashesOf(this.#core).infoHash, link, handlers =>
      network.connect(peer.address, options, handlers),
    )
    link.attach(stream)
  }

  /**
   * The way to `peer`, and how long it may take: to whom we were introduced by uTP, as the other side calls so too
   * (BEP 55), and to whom TCP led nowhere.
   */
  #networkFor(peer: KnownPeer, link: PeerLink): { network: TcpNetwork; timeoutMs: number } {
    const { tcp, swarm } = this.#core.engine.deps
    const introduced = peer.punch
    peer.punch = false
    if (swarm?.utp === undefined) return { network: tcp, timeoutMs: CONNECT_TIMEOUT_MS }
    if (introduced) this.#punching.add(link)
    else if (!peer.links.utpAlone) return { network: tcp, timeoutMs: CONNECT_TIMEOUT_MS }
    return { network: swarm.utp, timeoutMs: introduced ? CONNECT_TIMEOUT_MS : UTP_TIMEOUT_MS }
  }
}
