// The extensions of one torrent that are neither blocks nor metadata: peer exchange (BEP 11), holepunching (BEP 55),
// donthave (BEP 54), upload_only (BEP 21), the DHT port (BEP 5), super-seeding (BEP 16). Hands each message to its part
// and lets those that wait for time look at every peer once a second. What the messages mean otherwise is
// torrent-messages.ts.

import { DecodeError } from '../../base/errors.ts'
import { formatIp } from '../../wire/net/compact-address.ts'
import { EXTENDED_HANDSHAKE_ID, type ExtendedHandshake } from '../../wire/peer/extension.ts'
import { decodeDontHave, encodeDontHave, LT_DONTHAVE } from '../../wire/peer/lt-donthave.ts'
import { encodeHave, encodePort } from '../../wire/peer/messages.ts'
import { decodeUploadOnly, encodeUploadOnly, UPLOAD_ONLY } from '../../wire/peer/upload-only.ts'
import { UT_HOLEPUNCH } from '../../wire/peer/ut-holepunch.ts'
import { UT_PEX } from '../../wire/peer/ut-pex.ts'
import type { Ticker } from '../session/tickers.ts'
import { judge } from './interest.ts'
import { handleHolepunch, punchesHoles } from './holepunch.ts'
import { OUR_IDS, ownHandshake } from './own-handshake.ts'
import { listensToPeers, takePeers, tellPeers } from './peer-exchange.ts'
import type { PeerSession } from './peer-session.ts'
import { emptyPieceSet, forEachPiece } from '../../base/piece-set.ts'
import { type Revelation, SuperSeeding } from './super-seeding.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentRequests } from './torrent-requests.ts'
import type { TurnJob } from '../../base/turn-end.ts'

const SECOND_MS = 1000
/** Messages about its DHT node that are heard of a peer: its port may change, not for ever. */
const MAX_PORTS = 5
/**
 * How often the pieces of a peer are put together once more because it lost some; each costs a walk over all pieces.
 */
const MAX_REBUILDS = 100
/** A peer that has told nothing of its pieces for this long has none (without BEP 6 it need not say so). */
const NO_PIECES_MS = 2000
/** At the end of super-seeding peers hear of so many pieces one by one; of more by a new connection's bitfield. */
const MAX_HAVES_TOLD = 10_000

/** The extensions of one torrent. */
export class TorrentExtensions implements Ticker {
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  /** Peers that said they lost pieces, in this turn. */
  readonly #losers = new Set<PeerSession>()
  readonly #lostJob: TurnJob = { queued: false, run: () => this.#applyLosses() }
  #superSeeding: SuperSeeding | null = null
  #secondMs = Number.NEGATIVE_INFINITY

  constructor(core: TorrentCore, requests: TorrentRequests) {
    this.#core = core
    this.#requests = requests
  }

  /** We look as if we had nothing (BEP 16): only a whole torrent does. */
  get superSeeds(): boolean {
    const { content, working, superSeeding, forgets } = this.#core
    return (
      superSeeding && !forgets && working && content !== null && content.picker.haveCount === content.lengths.pieceCount
    )
  }

  /** Sends our extended handshake: what we offer, and how we are now. */
  shakeHands(peer: PeerSession): void {
    peer.toldUploadOnly = this.#uploadOnly
    const exchange = listensToPeers(this.#core)
    const state = { exchange, holepunch: punchesHoles(this.#core), uploadOnly: peer.toldUploadOnly }
    peer.extend(EXTENDED_HANDSHAKE_ID, ownHandshake(this.#core, peer.link.remote, state))
  }

  /** A peer is connected, and was told what we have. */
  joined(peer: PeerSession): void {
    const port = this.#core.engine.deps.swarm?.dht?.port ?? 0
    if (peer.dht && port > 0 && !this.#isPrivate) peer.link.send(encodePort(port))
    this.#core.engine.tickers.activate(this)
  }

  /** What the peer says of itself. */
  shaken(peer: PeerSession, shake: ExtendedHandshake): void {
    peer.noteExtensions(shake.m)
    if (shake.yourIp === null) return
    this.#core.engine.deps.swarm?.external?.vote(formatIp(shake.yourIp), peer.link.remote.ip, 'peer')
  }

  /** A message under one of our ids; other ids are passed over. Throws DecodeError. */
  handle(peer: PeerSession, id: number, payload: Uint8Array): void {
    const nowMs = this.#core.now()
    if (id === OUR_IDS[UT_PEX]) takePeers(this.#core, peer, payload, nowMs)
    else if (id === OUR_IDS[UT_HOLEPUNCH]) handleHolepunch(this.#core, peer, payload, nowMs)
    else if (id === OUR_IDS[LT_DONTHAVE]) this.#dontHave(peer, decodeDontHave(payload))
    else if (id === OUR_IDS[UPLOAD_ONLY]) {
      peer.uploadOnly = decodeUploadOnly(payload)
      judge(this.#core, peer)
    }
  }

  /** The peer has a DHT node at this port (BEP 5). */
  port(peer: PeerSession, port: number): void {
    const dht = this.#core.engine.deps.swarm?.dht
    if (dht === undefined || port === 0 || this.#isPrivate || peer.dhtPorts >= MAX_PORTS) return
    peer.dhtPorts += 1
    dht.nodeAt({ ip: peer.link.remote.ip, port })
  }

  /** The peer has `piece` (the picker knows). */
  peerHas(peer: PeerSession, piece: number): void {
    peer.lost.delete(piece)
    if (this.#superSeeding !== null) this.#reveal(this.#superSeeding.peerHave(peer.key, piece, this.#core.now()))
  }

  /** The peer has told all its pieces (the picker knows). */
  toldPieces(peer: PeerSession): void {
    peer.lost.clear()
    if (peer.masked && this.#superSeeding !== null) {
      this.#reveal(this.#superSeeding.join(peer.key, this.#core.now()))
    }
  }

  /** The peer wants nothing of what it knows us to have. */
  contented(peer: PeerSession): void {
    if (peer.masked && this.#superSeeding !== null) {
      this.#reveal(this.#superSeeding.contented(peer.key, this.#core.now()))
    }
  }

  /** While we super-seed, a peer gets what it was told of. */
  mayFetch(peer: PeerSession, piece: number): boolean {
    return !peer.masked || this.#superSeeding === null || this.#superSeeding.isTold(peer.key, piece)
  }

  // --- Ticker

  /** Every quarter of a second while anybody is connected. */
  tick(nowMs: number): boolean {
    if (nowMs - this.#secondMs < SECOND_MS) return this.#core.peers.size > 0
    this.#secondMs = nowMs
    this.#tendSuperSeeding(nowMs)
    for (const peer of this.#core.peers.values()) {
      if (!peer.link.alive) continue
      tellPeers(this.#core, peer, nowMs)
      this.#tellUploadOnly(peer)
    }
    return this.#core.peers.size > 0
  }

  get #isPrivate(): boolean {
    return this.#core.content?.metainfo.private === true
  }

  /** BEP 21: we want nothing. One that looks empty does not say so: other seeds would leave it. */
  get #uploadOnly(): boolean {
    return this.#core.working && this.#core.complete && !this.superSeeds
  }

  /** When it is not as it was told: by the message to those that know it, else by another handshake. */
  #tellUploadOnly(peer: PeerSession): void {
    const uploadOnly = this.#uploadOnly
    if (!peer.extended || peer.toldUploadOnly === uploadOnly) return
    // Which of them it knows is not known before its own handshake.
    if (peer.extendedShakes === 0) return
    const id = peer.idOf(UPLOAD_ONLY)
    if (id === 0) return this.shakeHands(peer)
    peer.toldUploadOnly = uploadOnly
    peer.extend(id, encodeUploadOnly(uploadOnly))
  }

  // --- donthave

  /** We lost `piece`: the peer hears so, when it was told of it and knows the message. */
  tellLost(peer: PeerSession, piece: number): void {
    // First that we fetch again: one that wants nothing hangs up on whom it takes for a seed.
    this.#tellUploadOnly(peer)
    const id = peer.idOf(LT_DONTHAVE)
    if (id !== 0 && !this.#core.forgets && this.mayFetch(peer, piece)) peer.extend(id, encodeDontHave(piece))
  }

  #dontHave(peer: PeerSession, piece: number): void {
    const content = this.#core.content
    // Before the metadata is known nothing is asked for; what a peer gives away later, it refuses.
    if (content === null) return
    if (piece >= content.lengths.pieceCount) throw new DecodeError('donthave of a piece that does not exist')
    if (!content.picker.peerHas(peer.key, piece)) return
    peer.lost.add(piece)
    peer.allowedIn.delete(piece)
    peer.suggested.delete(piece)
    this.#losers.add(peer)
    this.#core.engine.turnEnd.later(this.#lostJob)
  }

  #applyLosses(): void {
    const content = this.#core.content
    for (const peer of this.#losers) {
      this.#losers.delete(peer)
      if (content === null || peer.lost.size === 0 || this.#core.peers.get(peer.key) !== peer) continue
      peer.rebuilds += 1
      if (peer.rebuilds > MAX_REBUILDS) peer.close('loses pieces without end', true)
      else this.#rebuild(peer, content)
    }
  }

  /** Tells the picker what the peer has left. Requests for other pieces are asked for again: losses are rare. */
  #rebuild(peer: PeerSession, content: TorrentContent): void {
    const { picker, lengths } = content
    const left = emptyPieceSet(lengths.pieceCount)
    for (let piece = 0; piece < lengths.pieceCount; piece += 1) {
      if (picker.peerHas(peer.key, piece) && !peer.lost.has(piece)) left.set(piece, true)
    }
    peer.lost.clear()
    this.#requests.withdrawAll(peer, true)
    picker.addPeer(peer.key, left)
    judge(this.#core, peer)
    this.#requests.refillSoon()
  }

  // --- super-seeding

  /**
   * Before we send the first peer what we have, and every second: begins and ends super-seeding, and goes on with it.
   */
  #tendSuperSeeding(nowMs: number): void {
    if (!this.superSeeds) return this.#endSuperSeeding()
    const superSeeding = this.#superSeeding
    if (superSeeding === null) return
    for (const key of superSeeding.keys()) if (!this.#core.peers.has(key)) superSeeding.leave(key)
    for (const peer of this.#core.peers.values()) {
      const silent = peer.bitfields === 0 && nowMs - peer.connectedAtMs > NO_PIECES_MS
      if (peer.masked && silent && !superSeeding.has(peer.key)) this.#reveal(superSeeding.join(peer.key, nowMs))
    }
    this.#reveal(superSeeding.tick(nowMs))
  }

  /**
   * The peer is to see a node that has nothing yet, if we super-seed. Answers whether. To be called once, at the start.
   */
  mask(peer: PeerSession): boolean {
    const { content } = this.#core
    if (!this.superSeeds || content === null) return false
    const view = {
      pieceCount: content.lengths.pieceCount,
      copies: (piece: number) => content.picker.availabilityOf(piece),
      peerHas: (key: string, piece: number) => content.picker.peerHas(key, piece),
    }
    this.#superSeeding ??= new SuperSeeding(view, this.#core.engine.random)
    // One of the same address may have been here a moment ago.
    this.#superSeeding.leave(peer.key)
    peer.masked = true
    return true
  }

  #endSuperSeeding(): void {
    const superSeeding = this.#superSeeding
    const content = this.#core.content
    this.#superSeeding = null
    if (superSeeding === null || content === null) return
    for (const peer of this.#core.peers.values()) {
      if (!peer.masked) continue
      peer.masked = false
      if (content.picker.haveCount > MAX_HAVES_TOLD) {
        peer.close('super-seeding is over')
        continue
      }
      const haves: Uint8Array[] = []
      forEachPiece(content.picker.have, piece => {
        if (!superSeeding.isTold(peer.key, piece)) haves.push(encodeHave(piece))
      })
      if (haves.length > 0) peer.link.send(Buffer.concat(haves))
    }
  }

  #reveal(revelations: readonly Revelation[]): void {
    for (const { key, piece } of revelations) this.#core.peers.get(key)?.link.send(encodeHave(piece))
  }
}
