// Asking peers for blocks: how many each may have outstanding, credits and rate for them, taking requests back when a
// peer chokes, leaves, refuses or falls silent. What to ask for is the picker's choice. Invariant: every entry of a
// peer's `outstanding` holds one credit, and is noted in the picker as requested.

import { BLOCK_BYTES } from '../../base/lengths.ts'
import type { BudgetWaiter } from '../pieces/block-budget.ts'
import type { PeerSession } from './peer-session.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TurnJob } from '../../base/turn-end.ts'

/** A request of which nothing came for this long, while others of the same peer were answered, is lost. */
const LOST_MS = 30_000
/** A peer with less than this part of the fastest peer's rate counts as slow. */
const SLOW_PART = 10
/** Free credits, as part of all, below which no new pieces are begun. */
const SHORT_PART = 16
/** Free credits, as part of all, that a peer nobody knows yet must find to be asked for a whole piece. */
const WHOLE_PART = 2

/** The request side of one torrent. */
export class TorrentRequests implements BudgetWaiter {
  readonly #core: TorrentCore
  readonly #allJob: TurnJob = { queued: false, run: () => this.refillAll() }
  #first = 0
  #fastest = 0
  /** The rate limit kept requests back since the last tick. */
  #throttled = false
  /** A peer was asked for a whole piece before it had given anything. */
  #askedWhole = false

  constructor(core: TorrentCore) {
    this.#core = core
  }

  // --- BudgetWaiter

  /** Readers wait: their torrent is served first when credits are free. */
  get urgent(): boolean {
    return this.#core.readers.hungry > 0
  }

  creditsFree(): void {
    this.refillAll()
  }

  /** Refills every peer at the end of this turn: what is wanted has changed. */
  refillSoon(): void {
    this.#core.engine.turnEnd.later(this.#allJob)
  }

  /** Refills every peer; each time another one begins. */
  refillAll(): void {
    if (!this.#core.needsPieces) return
    const peers = [...this.#core.peers.values()]
    this.#first = peers.length === 0 ? 0 : (this.#first + 1) % peers.length
    for (let i = 0; i < peers.length; i += 1) this.refill(peers[(this.#first + i) % peers.length] as PeerSession)
  }

  /** Asks `peer` for as many blocks as its pipeline, the credits and the rate allow. */
  refill(peer: PeerSession): void {
    const content = this.#core.content
    if (content === null || !this.#core.needsPieces || !this.#mayAsk(peer)) return
    if (this.#mayAskWhole(peer)) peer.pipeline.takeWhole(this.#core.now())
    const room = peer.pipeline.room(peer.outstanding.size)
    if (room === 0) return
    const credits = this.#credits(Math.min(room, this.#core.blockRoom))
    const count = this.#rateRoom(credits)
    if (count > 0) this.#ask(content, peer, count)
  }

  /** The block with number `id` is coming in: its request is over. When it was sent, clock ms; -1 = not asked for. */
  answered(peer: PeerSession, id: number): number {
    return peer.outstanding.take(id)
  }

  /** The peer will not answer (reject, lost, duplicate cancelled by us): credit and rate come back. */
  withdraw(peer: PeerSession, id: number, content: TorrentContent): void {
    if (peer.outstanding.take(id) < 0) return
    this.#core.engine.shared.budget.giveBack()
    this.#core.downLimiter.giveBack(BLOCK_BYTES)
    content.picker.release(peer.key, Math.floor(id / content.stride), id % content.stride)
  }

  /**
   * The peer will answer nothing any more: choked us, left or fell silent. `mayCome`: blocks may still be on the way.
   */
  withdrawAll(peer: PeerSession, mayCome: boolean): void {
    const count = peer.outstanding.size
    peer.outstanding.clear()
    peer.pipeline.cleared()
    if (mayCome) peer.forgiven += count
    if (count > 0) this.#core.engine.shared.budget.giveBack(count)
    if (count > 0) this.#core.downLimiter.giveBack(count * BLOCK_BYTES)
    this.#core.content?.picker.releaseAll(peer.key)
  }

  /** Pieces were given up: requests for their blocks are cancelled. */
  withdrawPieces(pieces: readonly number[], content: TorrentContent): void {
    if (pieces.length === 0) return
    const gone = new Set(pieces)
    for (const peer of this.#core.peers.values()) {
      for (const id of peer.outstanding.ids()) {
        if (gone.has(Math.floor(id / content.stride))) this.cancel(peer, id, content)
      }
    }
  }

  /** A reader waits for `pieces`: peers that have some of them drop what else they were asked for. */
  makeWay(pieces: ReadonlySet<number>, content: TorrentContent): void {
    for (const peer of this.#core.peers.values()) {
      // Without the fast extension a cancelled block may come or not: nothing would be won.
      if (!peer.fast || peer.peerChoking || !this.#mayGive(peer, pieces, content)) continue
      for (const id of peer.outstanding.ids()) {
        if (!pieces.has(Math.floor(id / content.stride))) this.cancel(peer, id, content)
      }
    }
  }

  #mayGive(peer: PeerSession, pieces: ReadonlySet<number>, content: TorrentContent): boolean {
    for (const piece of pieces) {
      if (!content.picker.have.get(piece) && content.picker.peerHas(peer.key, piece)) return true
    }
    return false
  }

  /** Takes one request back and tells the peer. */
  cancel(peer: PeerSession, id: number, content: TorrentContent): void {
    if (!peer.outstanding.has(id)) return
    const piece = Math.floor(id / content.stride)
    const begin = (id % content.stride) * BLOCK_BYTES
    const length = Math.min(BLOCK_BYTES, content.lengths.totalLength - piece * content.lengths.pieceLength - begin)
    peer.cancel(piece, begin, Math.min(length, content.lengths.pieceLength - begin))
    peer.forgiven += 1
    this.withdraw(peer, id, content)
  }

  /** Goes on where the rate limit stopped requests; a tick later there is rate again. */
  refillThrottled(): void {
    if (!this.#throttled) return
    this.#throttled = false
    this.refillAll()
  }

  /** Once a second: finds silent peers and lost requests, refills everybody. */
  tick(nowMs: number): void {
    const content = this.#core.content
    if (content === null || !this.#core.working) return
    this.#fastest = 0
    for (const peer of this.#core.peers.values()) {
      this.#fastest = Math.max(this.#fastest, peer.down.rate(nowMs))
      if (peer.outstanding.size > 0) this.#checkPeer(peer, content, nowMs)
    }
    this.refillAll()
  }

  /** The torrent is suspended: nobody is to be woken for it. */
  stop(): void {
    this.#core.engine.shared.budget.forget(this)
  }

  /**
   * One peer a torrent, and once: addresses of the local network are no measure of how many peers there are, and who
   * gives nothing would hold a piece's credits each time it comes (decision 0535).
   */
  #mayAskWhole(peer: PeerSession): boolean {
    const { budget } = this.#core.engine.shared
    if (this.#askedWhole || peer.peerChoking || !peer.pipeline.mayTakeWhole) return false
    // It makes way for a film, or its folders are not there yet: nothing goes out, and there is one such time only.
    if (budget.free * WHOLE_PART < budget.limit || this.#core.blockRoom === 0) return false
    this.#askedWhole = true
    return true
  }

  #mayAsk(peer: PeerSession): boolean {
    return peer.link.alive && peer.amInterested && (!peer.peerChoking || peer.allowedIn.size > 0)
  }

  /** Credits that may be taken now, up to `room`; waits in line when there are none. */
  #credits(room: number): number {
    const { budget, holders } = this.#core.engine.shared
    // What cannot be written would take the slots of all others.
    if (this.#core.content?.store.volume?.takesMore === false) {
      budget.wait(this)
      return 0
    }
    if (budget.free === 0) holders.relieve()
    const free = Math.min(room, budget.free)
    if (free < room) budget.wait(this)
    return free
  }

  /** Blocks that the download rate allows now. Those it does not allow are asked for at the next tick. */
  #rateRoom(count: number): number {
    const { downLimiter } = this.#core
    if (downLimiter.unlimited) return count
    const blocks = Math.floor(downLimiter.available(this.#core.now()) / BLOCK_BYTES)
    if (blocks < count) this.#throttled = true
    return Math.min(blocks, count)
  }

  #ask(content: TorrentContent, peer: PeerSession, count: number): void {
    const nowMs = this.#core.now()
    const { budget } = this.#core.engine.shared
    const blocks = content.picker.pick(peer.key, count, {
      nowMs,
      slow: this.#isSlow(peer),
      takesMs: peer.pipeline.takesMs(peer.outstanding.size),
      allowedFast: peer.peerChoking ? peer.allowedIn : null,
      onlyStarted: budget.free * SHORT_PART < budget.limit,
      suggested: peer.suggested,
    })
    if (blocks.length === 0) return
    budget.take(blocks.length)
    this.#core.downLimiter.take(nowMs, blocks.length * BLOCK_BYTES)
    peer.request(blocks, content.stride, nowMs)
    peer.pipeline.requested(nowMs, peer.outstanding.size)
  }

  #isSlow(peer: PeerSession): boolean {
    return peer.pipeline.snubbed || (peer.pipeline.measured && peer.pipeline.rate * SLOW_PART < this.#fastest)
  }

  /** The newest requests beyond the target of the peer's pipeline go to others. */
  #takeBack(peer: PeerSession, content: TorrentContent): void {
    const ids = [...peer.outstanding.ids()]
    for (const id of ids.slice(peer.pipeline.target)) this.cancel(peer, id, content)
  }

  #checkPeer(peer: PeerSession, content: TorrentContent, nowMs: number): void {
    if (peer.pipeline.tick(nowMs)) return this.withdrawAll(peer, true)
    if (peer.pipeline.wholeIsOver(nowMs)) this.#takeBack(peer, content)
    const limitMs = Math.max(LOST_MS, peer.pipeline.timeoutMs)
    for (const id of peer.outstanding.ids()) {
      const { askedMs } = peer.outstanding.oldest()
      if (nowMs - askedMs < limitMs || peer.lastBlockMs < askedMs) return
      peer.forgiven += 1
      this.withdraw(peer, id, content)
    }
  }
}
