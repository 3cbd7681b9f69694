// Chooses which blocks to ask of which peer. Order: pieces under a cursor, windows, index zones (stream list); then pieces
// that are begun; then suggested, random (the first four) or rarest pieces; at the end duplicates (endgame, late blocks).
// Knows no sockets, no bytes, no clock. A piece goes missing -> open -> complete -> have (pieceDone) or missing (pieceFailed).
// Invariant: need = (wanted or streamed) and not have; a needed piece is either a candidate, open, or streamed only.

import { BLOCK_BYTES, blockBytes, blockCount, type TorrentLengths } from '../base/lengths.ts'
import type { Random } from '../ports/random.ts'
import { OpenPiece } from './open-piece.ts'
import type { BlockRequest, PeerHas, PickOptions, Receipt } from './picker-types.ts'
import { type PickerPeer, PickerPeers } from './picker-peers.ts'
import { countBits, emptyPieceSet, type PieceSet } from './piece-set.ts'
import { RarestOrder } from './rarest-order.ts'
import { emptyStreamOrder, makeStreamOrder, type StreamOrder } from './stream-order.ts'
import type { StreamRange } from './stream-window.ts'

/** The first pieces are drawn: rare ones come slowly, and a newcomer needs something to trade. */
const RANDOM_FIRST_PIECES = 4
/** A cursor piece's block unanswered for this long, or asked of a slow peer, is asked of a fast one too. */
const CURSOR_LATE_MS = 500
/** The same for any piece when a peer would be idle otherwise. */
const LATE_MS = 3000
/** Most peers asked for one block: before the end, and at the end. */
const MAX_DUPLICATE = 2
const MAX_ENDGAME = 3
/** A peer that worked within this time counts as a source of a cursor piece, so that slow peers keep off. */
const FAST_MEMORY_MS = 5000
/** After a search for duplicates in vain the next one waits: it walks over all open pieces. */
const DUPLICATE_PAUSE_MS = 50
const NO_RECEIPT: Receipt = { accepted: false, complete: false, cancels: [] }

/** The piece picker of one torrent. Peers are named by keys that are unique among the connected ones. */
export class PiecePicker {
  readonly #lengths: TorrentLengths
  readonly #order: RarestOrder
  readonly #peers: PickerPeers
  readonly #open = new Map<number, OpenPiece>()
  /** The open pieces with free blocks, oldest first. */
  readonly #begun = new Set<OpenPiece>()
  /** Blocks a piece can have at most: makes one number of (piece, block). */
  readonly #stride: number
  #have: PieceSet
  #haveCount = 0
  #wanted: PieceSet
  #need: PieceSet
  #needCount = 0
  #stream: StreamOrder
  #maxOpen: number

  /** Nothing had, nothing wanted. `maxOpen`: pieces in progress at once, as many as the arena can hold. */
  constructor(lengths: TorrentLengths, random: Random, maxOpen: number) {
    this.#lengths = lengths
    this.#order = new RarestOrder(lengths.pieceCount, random)
    this.#peers = new PickerPeers(lengths.pieceCount, this.#order)
    this.#stride = Math.ceil(lengths.pieceLength / BLOCK_BYTES)
    this.#have = emptyPieceSet(lengths.pieceCount)
    this.#wanted = emptyPieceSet(lengths.pieceCount)
    this.#need = emptyPieceSet(lengths.pieceCount)
    this.#stream = emptyStreamOrder(lengths.pieceCount)
    this.#maxOpen = Math.max(1, maxOpen)
  }

  /** Verified pieces. Read only: pieceDone and pieceLost change it. */
  get have(): PieceSet {
    return this.#have
  }

  get haveCount(): number {
    return this.#haveCount
  }

  /** Pieces that are wanted or streamed and not had; 0 = nothing to do. */
  get needCount(): number {
    return this.#needCount
  }

  /** Pieces in progress, also complete ones that are not verified yet. */
  get openCount(): number {
    return this.#open.size
  }

  /** Complete sources plus the fraction of pieces that have one more (ourselves not counted). */
  availability(): number {
    return this.#order.availability()
  }

  /** Connected peers that have `piece`. */
  availabilityOf(piece: number): number {
    return this.#order.countOf(piece)
  }

  /** Changes how many pieces may be in progress at once (at least 1). */
  setMaxOpen(pieces: number): void {
    this.#maxOpen = Math.max(1, pieces)
  }

  /** Replaces what is had (start, recheck) and forgets all progress: outstanding requests are void. Copies `have`. */
  setHave(have: PieceSet): void {
    this.#have.buffer.set(have.buffer)
    this.#haveCount = countBits(have.buffer)
    for (const peer of this.#peers.all()) peer.asked.clear()
    this.#open.clear()
    this.#begun.clear()
    this.#stream = emptyStreamOrder(this.#lengths.pieceCount)
    this.#renewNeed()
  }

  /**
   * Replaces what is wanted (file selection). Copies `wanted`. Answers the open pieces that were given up because nobody
   * needs them any more: their received blocks and outstanding requests are void.
   */
  setWanted(wanted: PieceSet): number[] {
    this.#wanted.buffer.set(wanted.buffer)
    this.#renewNeed()
    return this.#dropUnneeded()
  }

  /** Replaces the ranges that come first (StreamWindows.ranges()). Answers given-up pieces like setWanted. */
  setStream(ranges: readonly StreamRange[]): number[] {
    const before = this.#stream
    this.#stream = makeStreamOrder(ranges, this.#have, this.#lengths.pieceCount)
    for (const { piece } of before.list) this.#renewNeedOf(piece)
    for (const { piece } of this.#stream.list) this.#renewNeedOf(piece)
    return before.list.length > 0 ? this.#dropUnneeded() : []
  }

  /** A peer joins. A bitfield is copied. */
  addPeer(peer: string, has: PeerHas): void {
    this.releaseAll(peer)
    this.#peers.add(peer, has, this.#need)
  }

  /** A peer told `have`. Indexes outside the torrent and repeats are ignored. */
  peerHave(peer: string, piece: number): void {
    const known = this.#peers.get(peer)
    if (known !== undefined) this.#peers.have(known, piece, this.#need.get(piece))
  }

  /** A peer leaves: its requests are free again. */
  removePeer(peer: string): void {
    this.releaseAll(peer)
    this.#peers.remove(peer)
  }

  /** Number of pieces the peer has; 0 for an unknown peer. */
  peerCount(peer: string): number {
    return this.#peers.get(peer)?.count ?? 0
  }

  peerHas(peer: string, piece: number): boolean {
    return this.#peers.get(peer)?.has.get(piece) ?? false
  }

  /** True when the peer has a piece that we need. */
  isInteresting(peer: string): boolean {
    return (this.#peers.get(peer)?.needed ?? 0) > 0
  }

  /**
   * Chooses up to `count` blocks to ask of `peer` and notes them as requested. An empty answer means: nothing for this
   * peer now; ask again when something changed (a piece done, a request released, a tick of a second).
   */
  pick(peer: string, count: number, options: PickOptions): BlockRequest[] {
    const out: BlockRequest[] = []
    const known = this.#peers.get(peer)
    if (known === undefined || known.needed === 0 || count <= 0) return out
    if (!options.slow) known.fastAtMs = options.nowMs
    if (this.#stream.list.length > 0) this.#pickStream(known, count, options, out)
    if (out.length < count) this.#pickBegun(known, count, options, out)
    if (out.length < count && !options.onlyStarted) this.#pickNew(known, count, options, out)
    if (out.length < count) this.#pickDuplicates(known, count, options, out)
    return out
  }

  /** A request will not be answered (rejected, timed out, cancelled). Unknown requests are ignored. */
  release(peer: string, piece: number, block: number): void {
    this.#peers.get(peer)?.asked.delete(piece * this.#stride + block)
    const open = this.#open.get(piece)
    if (open === undefined || !open.requesters(block).includes(peer)) return
    if (open.release(block, peer)) this.#begun.add(open)
    if (open.received === 0 && open.requested === 0) this.#close(open)
  }

  /** No request of this peer will be answered (choked without fast extension, gone, snubbed). */
  releaseAll(peer: string): void {
    const known = this.#peers.get(peer)
    if (known === undefined) return
    for (const id of [...known.asked]) this.release(peer, Math.floor(id / this.#stride), id % this.#stride)
    known.asked.clear()
  }

  /** A block came in whole. Also blocks that were not asked for count when they are missing; the caller decides to feed them. */
  received(peer: string, piece: number, block: number): Receipt {
    const id = piece * this.#stride + block
    this.#peers.get(peer)?.asked.delete(id)
    const open = this.#open.get(piece)
    if (open === undefined || block < 0 || block >= open.blockCount || open.isReceived(block)) return NO_RECEIPT
    const cancels = open.receive(block, peer)
    for (const other of cancels) this.#peers.get(other)?.asked.delete(id)
    if (open.free === 0) this.#begun.delete(open)
    return { accepted: true, complete: open.complete, cancels }
  }

  /** Who sent each block of an open piece (null: not received); [] for pieces that are not open. */
  senders(piece: number): (string | null)[] {
    return this.#open.get(piece)?.senders() ?? []
  }

  /** True while the piece is in progress: blocks of it are worth receiving. */
  isOpen(piece: number): boolean {
    return this.#open.has(piece)
  }

  /** True when `block` is here or its piece is had: a duplicate of it needs no memory. */
  hasBlock(piece: number, block: number): boolean {
    return this.#have.get(piece) || (this.#open.get(piece)?.isReceived(block) ?? false)
  }

  /** The received blocks of the piece left the arena for the disk: it no longer counts against maxOpen. */
  setSpilled(piece: number): void {
    const open = this.#open.get(piece)
    if (open !== undefined) open.spilled = true
  }

  /** Open pieces with received blocks, no outstanding request and free blocks: candidates for spilling or giving up. */
  stuckPieces(): number[] {
    const stuck: number[] = []
    for (const open of this.#begun)
      if (open.received > 0 && open.requested === 0 && !open.spilled) stuck.push(open.piece)
    return stuck
  }

  /** The piece is verified and written. */
  pieceDone(piece: number): void {
    this.#forget(piece)
    if (this.#have.get(piece)) return
    this.#have.set(piece, true)
    this.#haveCount++
    this.#order.remove(piece)
    this.#renewNeedOf(piece)
  }

  /** The piece failed its hash, could not be written or was given up: all its blocks are missing again. */
  pieceFailed(piece: number): void {
    this.#forget(piece)
    if (this.#need.get(piece) && this.#wanted.get(piece)) this.#order.insert(piece)
  }

  /** A piece that was had is not there any more. */
  pieceLost(piece: number): void {
    if (!this.#have.get(piece)) return
    this.#have.set(piece, false)
    this.#haveCount--
    this.#renewNeedOf(piece)
    if (this.#wanted.get(piece)) this.#order.insert(piece)
  }

  #pickStream(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    for (const { piece, kind } of this.#stream.list) {
      if (out.length >= count) return
      if (!this.#need.get(piece) || !mayGive(peer, piece, options)) continue
      const cursor = kind === 'cursor'
      if (this.#keptForFast(piece, options)) continue
      if (options.onlyStarted && !cursor && !this.#open.has(piece)) continue
      const open = this.#openFor(piece, cursor)
      if (open === null) continue
      this.#takeFree(open, peer, count, options, out)
      if (cursor && !options.slow) this.#takeLate(open, peer, count, options, out, MAX_DUPLICATE, CURSOR_LATE_MS)
    }
  }

  #pickBegun(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    for (const open of this.#begun) {
      if (out.length >= count) return
      if (!mayGive(peer, open.piece, options) || this.#keptForFast(open.piece, options)) continue
      this.#takeFree(open, peer, count, options, out)
    }
  }

  /** A piece under a cursor that a fast peer can give is not for slow ones, also not as a begun piece. */
  #keptForFast(piece: number, options: PickOptions): boolean {
    if (!options.slow || !this.#stream.cursors.has(piece)) return false
    return this.#peers.fastPeerHas(piece, options.nowMs - FAST_MEMORY_MS)
  }

  #pickNew(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    for (const piece of options.suggested ?? []) {
      if (out.length >= count) return
      if (this.#open.has(piece) || !this.#need.get(piece) || !mayGive(peer, piece, options)) continue
      const open = this.#openFor(piece, false)
      if (open !== null) this.#takeFree(open, peer, count, options, out)
    }
    const accept = (piece: number): boolean =>
      (options.allowedFast === null || options.allowedFast.has(piece)) && !this.#keptForFast(piece, options)
    while (out.length < count && this.#mayOpen(false)) {
      const first = this.#haveCount < RANDOM_FIRST_PIECES
      const piece = first ? this.#order.random(peer.has, accept) : this.#order.rarest(peer.has, accept)
      const open = piece < 0 ? null : this.#openFor(piece, false)
      if (open === null) return
      this.#takeFree(open, peer, count, options, out)
    }
  }

  #pickDuplicates(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    if (options.nowMs < peer.noDuplicatesUntilMs || this.#open.size === 0) return
    const endgame = !options.slow && this.#isEndgame()
    const most = endgame ? MAX_ENDGAME : MAX_DUPLICATE
    const before = out.length
    // Two rounds at the end: blocks asked of one peer first, then those asked of two.
    for (let round = endgame ? 2 : most; round <= most; round++) {
      for (const open of this.#open.values()) {
        if (out.length >= count) return
        if (open.requested === 0 || !mayGive(peer, open.piece, options)) continue
        this.#takeLate(open, peer, count, options, out, round, endgame ? 0 : LATE_MS)
      }
    }
    if (out.length === before) peer.noDuplicatesUntilMs = options.nowMs + DUPLICATE_PAUSE_MS
  }

  /** Endgame: every block that some connected peer could give is asked for. */
  #isEndgame(): boolean {
    if (this.#order.reachable > 0) return false
    for (const open of this.#begun) if (this.#order.countOf(open.piece) > 0) return false
    return true
  }

  #takeFree(open: OpenPiece, peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    while (out.length < count) {
      const block = open.nextFree()
      if (block < 0) return
      this.#ask(open, block, peer, options, out)
    }
  }

  #takeLate(
    open: OpenPiece,
    peer: PickerPeer,
    count: number,
    options: PickOptions,
    out: BlockRequest[],
    most: number,
    lateMs: number,
  ): void {
    for (let block = 0; block < open.blockCount && out.length < count; block++) {
      if (open.mayDuplicate(block, peer.key, most, options.nowMs, lateMs, !options.slow)) {
        this.#ask(open, block, peer, options, out)
      }
    }
  }

  #ask(open: OpenPiece, block: number, peer: PickerPeer, options: PickOptions, out: BlockRequest[]): void {
    open.request(block, peer.key, options.nowMs, options.slow)
    if (open.free === 0) this.#begun.delete(open)
    peer.asked.add(open.piece * this.#stride + block)
    const length = blockBytes(this.#lengths, open.piece, block)
    out.push({ piece: open.piece, block, begin: block * BLOCK_BYTES, length })
  }

  /** Spilled pieces cost no arena. Cursors may go a little over the bound: the reader must not wait for the rarest. */
  #mayOpen(urgent: boolean): boolean {
    const most = urgent ? this.#maxOpen + Math.max(2, this.#maxOpen >> 2) : this.#maxOpen
    if (this.#open.size < most) return true
    let held = 0
    for (const open of this.#open.values()) if (!open.spilled) held++
    return held < most
  }

  #openFor(piece: number, urgent: boolean): OpenPiece | null {
    const known = this.#open.get(piece)
    if (known !== undefined) return known
    if (!this.#mayOpen(urgent)) return null
    const open = new OpenPiece(piece, blockCount(this.#lengths, piece))
    this.#open.set(piece, open)
    this.#begun.add(open)
    this.#order.remove(piece)
    return open
  }

  #close(open: OpenPiece): void {
    this.#open.delete(open.piece)
    this.#begun.delete(open)
    if (this.#need.get(open.piece) && this.#wanted.get(open.piece)) this.#order.insert(open.piece)
  }

  /** Takes an open piece away with all its requests. */
  #forget(piece: number): void {
    const open = this.#open.get(piece)
    if (open === undefined) return
    this.#open.delete(piece)
    this.#begun.delete(open)
    for (let block = 0; block < open.blockCount; block++) {
      for (const peer of open.requesters(block)) this.#peers.get(peer)?.asked.delete(piece * this.#stride + block)
    }
  }

  #dropUnneeded(): number[] {
    const dropped: number[] = []
    for (const open of [...this.#open.values()]) {
      if (open.complete || this.#need.get(open.piece)) continue
      this.#forget(open.piece)
      dropped.push(open.piece)
    }
    return dropped
  }

  #renewNeedOf(piece: number): void {
    const needed = !this.#have.get(piece) && (this.#wanted.get(piece) || this.#stream.set.get(piece))
    if (needed === this.#need.get(piece)) return
    this.#need.set(piece, needed)
    this.#needCount += needed ? 1 : -1
    this.#peers.needChanged(piece, needed)
  }

  #renewNeed(): void {
    const bytes = this.#need.buffer
    const candidates = emptyPieceSet(this.#lengths.pieceCount)
    for (let i = 0; i < bytes.length; i++) {
      const wanted = this.#wanted.buffer[i] ?? 0
      const lacking = ~(this.#have.buffer[i] ?? 0)
      bytes[i] = (wanted | (this.#stream.set.buffer[i] ?? 0)) & lacking
      candidates.buffer[i] = wanted & lacking
    }
    this.#needCount = countBits(bytes)
    for (const piece of this.#open.keys()) candidates.set(piece, false)
    this.#order.reset(candidates)
    this.#peers.recount(this.#need)
  }
}

function mayGive(peer: PickerPeer, piece: number, options: PickOptions): boolean {
  return peer.has.get(piece) && (options.allowedFast === null || options.allowedFast.has(piece))
}
