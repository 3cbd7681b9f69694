// The face of the piece picker: what is known of a torrent's pieces, and which peer was asked for which block. The
// choice itself is made in block-chooser.ts. Order: pieces under a cursor, windows, index zones; begun pieces;
// suggested, random (the first four) or rarest ones, or those the ranks put first; at the end duplicates. Knows no
// sockets, no bytes, no clock. A piece goes missing -> open -> complete -> have (pieceDone), or back to missing
// (pieceFailed). Invariant: a needed piece is a candidate of the rarest order, or open, or only streamed.

import type { TorrentLengths } from '../../base/lengths.ts'
import type { Random } from '../../ports/random.ts'
import { BlockChooser } from './block-chooser.ts'
import { OpenPieces } from './open-pieces.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { PeerHas, PickOptions, Receipt } from './picker-types.ts'
import { PickerPeers } from './picker-peers.ts'
import { PieceNeeds } from './piece-needs.ts'
import { PieceRanks } from './piece-ranks.ts'
import { type PieceSet, samePieces } from '../../base/piece-set.ts'
import { RarestOrder } from './rarest-order.ts'
import type { StreamRange } from '../streams/stream-window.ts'

const NO_RECEIPT: Receipt = { accepted: false, complete: false, cancels: [] }

/** The piece picker of one torrent. Peers are named by keys that are unique among the connected ones. */
export class PiecePicker {
  readonly #order: RarestOrder
  readonly #peers: PickerPeers
  readonly #open: OpenPieces
  readonly #needs: PieceNeeds
  readonly #ranks = new PieceRanks()
  readonly #chooser: BlockChooser

  /** Nothing had, nothing wanted. `maxOpen`: pieces in progress at once, as many as the arena can hold. */
  constructor(lengths: TorrentLengths, random: Random, maxOpen: number) {
    this.#order = new RarestOrder(lengths.pieceCount, random)
    this.#peers = new PickerPeers(lengths.pieceCount, this.#order)
    this.#open = new OpenPieces(lengths, maxOpen)
    this.#needs = new PieceNeeds(lengths.pieceCount)
    this.#chooser = new BlockChooser({
      lengths,
      order: this.#order,
      peers: this.#peers,
      open: this.#open,
      needs: this.#needs,
      ranks: this.#ranks,
    })
  }

  /** Verified pieces. Read only: pieceDone and pieceLost change it. */
  get have(): PieceSet {
    return this.#needs.have
  }

  get haveCount(): number {
    return this.#needs.haveCount
  }

  /** Pieces that are wanted or streamed and not had; 0 = nothing to do. */
  get needCount(): number {
    return this.#needs.needCount
  }

  /** Pieces in progress, also complete ones that are not verified yet. */
  get openCount(): number {
    return this.#open.byPiece.size
  }

  /** Blocks of them that are asked for or here. */
  get openBlocks(): number {
    let blocks = 0
    for (const open of this.#open.byPiece.values()) blocks += open.requested + open.received
    return blocks
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
    this.#open.setMost(pieces)
  }

  /** Replaces what is had (start, recheck) and forgets all progress: outstanding requests are void. Copies `have`. */
  setHave(have: PieceSet): void {
    for (const peer of this.#peers.all()) peer.asked = 0
    this.#open.clear()
    this.#needs.setHave(have)
    this.#ranks.recount(have)
    this.#needsRenewed()
  }

  /**
   * Replaces what is wanted (file selection). Copies `wanted`. Answers the open pieces that were given up because they
   * are no longer needed: their received blocks and outstanding requests are void.
   */
  setWanted(wanted: PieceSet): number[] {
    // Every start says it again, and renewing the order of 800,000 pieces takes a part of a turn that counts.
    if (samePieces(this.#needs.wanted, wanted)) return []
    this.#needs.setWanted(wanted)
    this.#needsRenewed()
    return this.#dropUnneeded()
  }

  /**
   * Which pieces are begun first: bands of pieces without doubles, the first first ([] = all are equal), and whether
   * the place in the torrent decides within them. Streams come before all; what is begun goes on.
   */
  setRanks(bands: readonly PieceSet[], sequential: boolean): void {
    this.#ranks.set(bands, sequential, this.#needs.have)
  }

  /** Replaces the ranges that come first (StreamWindows.ranges()). Answers given-up pieces like setWanted. */
  setStream(ranges: readonly StreamRange[]): number[] {
    this.#needs.setStream(ranges, this.#needChanged)
    return this.#dropUnneeded()
  }

  /** A peer joins. A bitfield is copied. */
  addPeer(peer: string, has: PeerHas): void {
    this.releaseAll(peer)
    this.#peers.add(peer, has, this.#needs.need)
  }

  /** A peer told `have`. Indexes outside the torrent and repeats are ignored. */
  peerHave(peer: string, piece: number): void {
    const known = this.#peers.get(peer)
    if (known !== undefined) this.#peers.have(known, piece, this.#needs.need.get(piece))
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
    const known = this.#peers.get(peer)
    return known === undefined ? [] : this.#chooser.choose(known, count, options)
  }

  /** A request will not be answered (rejected, timed out, cancelled). Unknown requests are ignored. */
  release(peer: string, piece: number, block: number): void {
    const open = this.#open.byPiece.get(piece)
    if (open === undefined || !open.isAsked(block, peer)) return
    this.#unask(peer)
    if (open.release(block, peer)) this.#open.begun.add(open)
    if (open.received > 0 || open.requested > 0) return
    this.#open.delete(open)
    this.#candidate(piece)
  }

  /** No request of this peer will be answered (choked without fast extension, gone, snubbed). */
  releaseAll(peer: string): void {
    const known = this.#peers.get(peer)
    if (known === undefined) return
    for (const open of [...this.#open.byPiece.values()]) {
      if (known.asked === 0) return
      if (open.requested === 0) continue
      for (let block = 0; block < open.blockCount; block++) {
        if (open.isAsked(block, peer)) this.release(peer, open.piece, block)
      }
    }
  }

  /**
   * A block came in whole. Also blocks that were not asked for count when they are missing; the caller decides to feed
   * them.
   */
  received(peer: string, piece: number, block: number): Receipt {
    const open = this.#open.byPiece.get(piece)
    if (open === undefined || block < 0 || block >= open.blockCount || open.isReceived(block)) return NO_RECEIPT
    if (open.isAsked(block, peer)) this.#unask(peer)
    const cancels = open.receive(block, peer)
    for (const other of cancels) this.#unask(other)
    if (open.free === 0) this.#open.begun.delete(open)
    return { accepted: true, complete: open.complete, cancels }
  }

  /** Who sent each block of an open piece (null: not received); [] for pieces that are not open. */
  senders(piece: number): (string | null)[] {
    return this.#open.byPiece.get(piece)?.senders() ?? []
  }

  /** Blocks of a piece in progress that are here; 0 of others. */
  receivedBlocks(piece: number): number {
    return this.#open.byPiece.get(piece)?.received ?? 0
  }

  /** Blocks of all pieces in progress that are here. */
  get receivedOpen(): number {
    let blocks = 0
    for (const open of this.#open.byPiece.values()) blocks += open.received
    return blocks
  }

  /** True while the piece is in progress: blocks of it are worth receiving. */
  isOpen(piece: number): boolean {
    return this.#open.byPiece.has(piece)
  }

  /** True when `block` is here or its piece is had: a duplicate of it needs no memory. */
  hasBlock(piece: number, block: number): boolean {
    return this.#needs.have.get(piece) || (this.#open.byPiece.get(piece)?.isReceived(block) ?? false)
  }

  /** The received blocks of the piece left the arena for the disk: it no longer counts against maxOpen. */
  setSpilled(piece: number): void {
    const open = this.#open.byPiece.get(piece)
    if (open !== undefined) open.spilled = true
  }

  /** Open pieces with received blocks, no outstanding request and free blocks: candidates for spilling or giving up. */
  stuckPieces(): number[] {
    return this.#open.stuck()
  }

  /** The piece is verified and written. */
  pieceDone(piece: number): void {
    this.#forget(piece)
    this.#open.suspect.delete(piece)
    if (this.#needs.have.get(piece)) return
    this.#order.remove(piece)
    this.#ranks.had(piece, true)
    this.#needs.setPiece(piece, true, this.#needChanged)
  }

  /** The piece failed its hash, could not be written or was given up: all its blocks are missing again. */
  pieceFailed(piece: number): void {
    this.#forget(piece)
    this.#candidate(piece)
  }

  /** The piece failed with blocks of several peers: the next attempt comes from one of them alone. */
  fetchAlone(piece: number): void {
    this.#open.suspect.add(piece)
  }

  /** A piece that was had is not there any more. */
  pieceLost(piece: number): void {
    if (!this.#needs.have.get(piece)) return
    this.#ranks.had(piece, false)
    this.#needs.setPiece(piece, false, this.#needChanged)
    this.#candidate(piece)
  }

  /** A wanted piece that is neither had nor open can be begun. */
  #candidate(piece: number): void {
    if (this.#needs.need.get(piece) && this.#needs.wanted.get(piece)) this.#order.insert(piece)
  }

  /** Takes an open piece away with all its requests. */
  #forget(piece: number): void {
    const open = this.#open.byPiece.get(piece)
    if (open === undefined) return
    this.#open.delete(open)
    if (open.requested === 0) return
    for (let block = 0; block < open.blockCount; block++) {
      for (const peer of open.requesters(block)) this.#unask(peer)
    }
  }

  /** A request of `peer` is over. */
  #unask(peer: string): void {
    const known = this.#peers.get(peer)
    if (known !== undefined) known.asked--
  }

  #dropUnneeded(): number[] {
    const dropped: number[] = []
    for (const open of this.#open.byPiece.values()) {
      if (open.complete || this.#needs.need.get(open.piece)) continue
      this.#forget(open.piece)
      dropped.push(open.piece)
    }
    return dropped
  }

  readonly #needChanged = (piece: number, needed: boolean): void => this.#peers.needChanged(piece, needed)

  /** After a big change of what is needed. */
  #needsRenewed(): void {
    const candidates = this.#needs.missing()
    for (const piece of this.#open.byPiece.keys()) candidates.set(piece, false)
    this.#order.reset(candidates)
    this.#peers.recount(this.#needs.need)
  }
}
