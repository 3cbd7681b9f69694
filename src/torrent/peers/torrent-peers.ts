// The peers of one torrent: who may come and stay, keep-alives, going idle. Whom it calls is in
// outbound-connector.ts. Invariant: an address in `known` is busy exactly while a connection to it exists or is being
// made; engine.connections.connected counts every peer here once.

import { Allowance } from '../../base/allowance.ts'
import { type InfoHash, type PeerAddress, addressKey } from '../../base/ids.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import { ConnectionPlaces } from './connection-places.ts'
import type { KnownPeer } from './known-peers.ts'
import { type LinkReceiver, PeerLink } from './peer-link.ts'
import { NO_PRIORITY, priorityFrom } from './peer-priority.ts'
import { type PeerOwner, PeerSession } from './peer-session.ts'
import type { PeerShortage } from './peer-shortage.ts'
import type { TorrentChoking } from './torrent-choking.ts'
import { handshakeOf, hashesOf } from './torrent-handshake.ts'
import type { TorrentTraffic } from './torrent-traffic.ts'
import type { TorrentCore } from '../session/torrent-core.ts'
import { answeringHash } from '../pieces/v2-upgrade.ts'
import { type ConnectionTaker, OutboundConnector } from './outbound-connector.ts'

/** BEP 3: a keep-alive every two minutes; who is silent for four is gone. */
const KEEP_ALIVE_MS = 120_000
const IDLE_MS = 240_000
/** Nobody interested on either side for this long: the place is for somebody else, when places are short. */
const USELESS_MS = 120_000
/** A peer that takes nothing of what is on its way to it for this long is dropped: it pins memory. */
const STALL_MS = 60_000
/** Unsent bytes beyond which a peer that does not read is dropped. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024
/** Two connections to one peer that are younger than this crossed each other. */
const CROSSED_MS = 20_000
/** A peer keeps its place this long, whoever comes (BEP 40): who has only just come has had no chance yet. */
const MIN_STAY_MS = 60_000
/** Places given to newcomers, at most: whoever opens connection after connection does not turn the torrent over. */
const REPLACED = { places: 5, refillMs: 10_000 }

/** Why seeds are let go. They did nothing wrong: they are called again as soon as something is missing. */
const BOTH_COMPLETE = 'both sides have everything'

/** Why the connection of an address ends that says to be somebody else now. */
const ANOTHER_ID = 'another connection from the same port'

/** The peers of one torrent. */
export class TorrentPeers implements PeerOwner, ConnectionTaker {
  /** Whom it calls. */
  readonly connector: OutboundConnector
  readonly #core: TorrentCore
  readonly #traffic: TorrentTraffic
  readonly #choking: TorrentChoking
  readonly #shortage: PeerShortage
  readonly #places: ConnectionPlaces
  readonly #replaced = new Allowance(REPLACED.places, REPLACED.refillMs)
  #priorityOf: (address: PeerAddress) => number = () => NO_PRIORITY
  /** Our own addresses, as #priorityOf has them. */
  #own = ''
  /** Connected peers by address and peer id: one connection each. */
  readonly #ids = new Map<string, PeerSession>()

  constructor(core: TorrentCore, traffic: TorrentTraffic, choking: TorrentChoking, shortage: PeerShortage) {
    this.#core = core
    this.#traffic = traffic
    this.#choking = choking
    this.#shortage = shortage
    this.#places = new ConnectionPlaces(core)
    this.connector = new OutboundConnector(core, this.#places, this)
  }

  /** How many more addresses would be of use. */
  get wanted(): number {
    if (!this.#core.online || (this.#core.working && this.#core.satisfied)) return 0
    return Math.max(0, this.#places.left(this.connector.size))
  }

  /** Takes over an incoming connection whose handshake named this torrent; null = refused. */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null {
    const { engine } = this.#core
    if (!this.#core.online || engine.connections.refuses(link.remote.ip, this.#core.now())) return null
    if (this.#places.crowded(link.remote.ip)) return null
    if (!this.#placeFor(link.remote)) return null
    const infoHash = answeringHash(hashesOf(this.#core), handshake)
    link.send(handshakeOf(this.#core, infoHash))
    return this.join(link, handshake, null, infoHash)
  }

  /** Once a second: time-outs, keep-alives, choking, new connections. */
  tick(nowMs: number): void {
    this.#followOwnAddress()
    this.connector.tick(nowMs)
    for (const peer of this.#core.peers.values()) this.#tend(peer, nowMs)
    this.#choking.tick(nowMs)
    this.connector.connectSome(nowMs)
    if (this.wanted > 0) this.#shortage.tick(nowMs)
  }

  /**
   * The metadata says that the torrent is private: addresses from a magnet or from peers are forgotten, and connections
   * we made to them end (BEP 27). Who came to us stays: where it knows us from cannot be told.
   */
  goPrivate(): void {
    const reason = 'not from a tracker of this private torrent'
    this.connector.keepTracked(reason)
    for (const peer of this.#core.peers.values()) {
      if (!peer.link.incoming && this.#core.known.get(addressKey(peer.address))?.tracked !== true) peer.close(reason)
    }
    this.#core.known.keepTracked()
  }

  /**
   * Ends everything; afterwards no peer is left, and none is blamed for it. `cut`: nothing more is sent to them either.
   */
  closeAll(reason: string, cut = false): void {
    this.connector.closeAll(reason)
    for (const peer of this.#core.peers.values()) {
      if (cut) peer.link.cut(reason)
      peer.close(reason)
      this.gone(peer, false, reason)
      const known = this.#core.known.get(addressKey(peer.address))
      if (known !== undefined) this.#core.known.released(known)
    }
  }

  /** Ends the connections to addresses that are refused now (bans, another filter), also those being made. */
  closeRefused(reason: string): void {
    const nowMs = this.#core.now()
    const refused = (link: PeerLink): boolean => this.#core.engine.connections.refuses(link.remote.ip, nowMs)
    this.connector.closeRefused(reason)
    for (const peer of this.#core.peers.values()) if (refused(peer.link)) peer.close(reason)
  }

  /** A connected peer is gone. */
  gone(peer: PeerSession, offence: boolean, reason: string): void {
    if (this.#core.peers.get(peer.key) !== peer) return
    const { engine, known } = this.#core
    const nowMs = this.#core.now()
    const seed = this.#core.isSeed(peer)
    this.#core.peers.delete(peer.key)
    if (this.#ids.get(idKey(peer)) === peer) this.#ids.delete(idKey(peer))
    engine.connections.connected -= 1
    engine.connections.places.remove(peer)
    this.#places.remove(peer.link.remote.ip)
    engine.log.debug('peer gone', { infoHash: this.#core.infoHash, peer: peer.key, reason, offence })
    if (offence) engine.connections.bans.strike(peer.link.remote.ip, reason, nowMs)
    // First: it counts what came with the last read.
    this.#traffic.left(peer)
    const address = known.get(addressKey(peer.address))
    if (address !== undefined) {
      known.setSeed(address, seed || peer.uploadOnly)
      if (reason === BOTH_COMPLETE) known.released(address)
      else known.left(address, peer.down.total + peer.up.total > 0, nowMs)
    }
    if (!peer.amChoking) this.#choking.soon()
  }

  /** Whether there is a place for a newcomer, be it that somebody goes: who is of no use first, then by BEP 40. */
  #placeFor(newcomer: PeerAddress): boolean {
    const { engine, peers } = this.#core
    const nowMs = this.#core.now()
    if (peers.size < this.#places.limit)
      return engine.connections.hasRoom || engine.connections.places.make(newcomer.ip, nowMs)
    return engine.connections.places.make(newcomer.ip, nowMs, peers.values()) || this.#makePlace(newcomer)
  }

  /**
   * BEP 40: at the limit a newcomer takes the place of the peer with the lowest priority, if its own is higher. Answers
   * whether there is a place.
   */
  #makePlace(newcomer: PeerAddress): boolean {
    const nowMs = this.#core.now()
    let lowest: PeerSession | null = null
    let lowestPriority = this.#priorityOf(newcomer)
    for (const peer of this.#core.peers.values()) {
      if (!peer.link.alive || nowMs - peer.connectedAtMs < MIN_STAY_MS) continue
      const priority = this.#priorityOf(peer.address)
      if (priority >= lowestPriority) continue
      lowest = peer
      lowestPriority = priority
    }
    if (lowest === null || !this.#replaced.take(nowMs)) return false
    lowest.close('another peer has a better claim to its place')
    return true
  }

  /** What others say of our address decides which peers have priority. */
  #followOwnAddress(): void {
    const { deps, listenPort } = this.#core.engine
    const external = deps.swarm?.external
    const own = `${external?.get(4) ?? ''} ${external?.get(6) ?? ''} ${listenPort}`
    if (external === undefined || own === this.#own) return
    this.#own = own
    this.#priorityOf = priorityFrom(family => {
      const ip = external.get(family)
      return ip === null ? null : { ip, port: listenPort }
    })
    this.#core.known.setPriorities(this.#priorityOf)
  }

  /** Makes a peer of a link whose handshakes agreed on `infoHash`; null when we do not want it. */
  join(link: PeerLink, handshake: Handshake, known: KnownPeer | null, infoHash: InfoHash): LinkReceiver | null {
    const { engine, peers } = this.#core
    const peer = new PeerSession(link, handshake, this.#traffic, this, this.#core.now())
    peer.infoHash = infoHash
    if (Buffer.compare(handshake.peerId, engine.peerId) === 0) {
      // The answer must get out: the other end, also ours, learns from it whom it called.
      link.run()
      if (known !== null) this.#core.known.banish(known)
      return null
    }
    const other = this.#ids.get(idKey(peer))
    if (other !== undefined && !this.#replaces(peer, other)) {
      if (known !== null) this.#core.known.left(known, false, this.#core.now())
      return null
    }
    other?.close('a second connection to the same peer')
    // By uTP many connections may come from one port: the newest stands for whoever is there now, none is left
    // uncounted.
    const before = peers.get(peer.key)
    before?.close(ANOTHER_ID)
    if (before !== undefined) this.gone(before, false, ANOTHER_ID)
    if (known !== null) this.#core.known.shookHands(known)
    peers.set(peer.key, peer)
    this.#ids.set(idKey(peer), peer)
    engine.connections.connected += 1
    engine.connections.places.add(peer)
    this.#places.add(link.remote.ip)
    this.#traffic.joined(peer)
    return peer
  }

  /** Two connections that crossed: both sides keep the one that the greater peer id began. */
  #replaces(peer: PeerSession, other: PeerSession): boolean {
    if (peer.link.incoming === other.link.incoming || this.#core.now() - other.connectedAtMs > CROSSED_MS) return false
    const oursIsGreater = Buffer.from(this.#core.engine.peerId).toString('hex') > peer.peerId
    return peer.link.incoming !== oursIsGreater
  }

  #tend(peer: PeerSession, nowMs: number): void {
    if (nowMs - peer.link.lastInMs > IDLE_MS) return peer.close('silent for four minutes')
    if (peer.uploads.stalledMs(nowMs) > STALL_MS || peer.link.bufferedBytes > MAX_BUFFERED_BYTES) {
      return peer.close('does not read')
    }
    if (nowMs - peer.link.lastOutMs > KEEP_ALIVE_MS) peer.keepAlive()
    if (!this.#core.working) return
    const seed = this.#core.isSeed(peer)
    if (this.#core.satisfied && (seed || peer.uploadOnly) && nowMs - peer.connectedAtMs > 1000) {
      return peer.close(BOTH_COMPLETE)
    }
    const useless = !peer.amInterested && !peer.peerInterested && nowMs - peer.connectedAtMs > USELESS_MS
    if (useless && nowMs - peer.lastBlockMs > USELESS_MS && this.#core.peers.size >= this.#places.limit) {
      peer.close('nobody is interested')
    }
  }
}

function idKey(peer: PeerSession): string {
  return `${peer.link.remote.ip} ${peer.peerId}`
}
