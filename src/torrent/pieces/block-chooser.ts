// Chooses which blocks one peer is asked for, in the order of piece-picker.ts, and notes them as requested.
// Works on the picker's parts and has no state of its own.

import { BLOCK_BYTES, blockBytes, type TorrentLengths } from '../../base/lengths.ts'
import type { OpenPiece } from './open-piece.ts'
import type { OpenPieces } from './open-pieces.ts'
import type { PickerPeer, PickerPeers } from './picker-peers.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { PickOptions } from './picker-types.ts'
import type { PieceNeeds } from './piece-needs.ts'
import type { PieceRanks } from './piece-ranks.ts'
import type { RarestOrder } from './rarest-order.ts'

/** The first pieces are drawn: rare ones come slowly, and a newcomer needs something to trade. */
const RANDOM_FIRST_PIECES = 4
/**
 * A cursor piece's block unanswered for this long, or asked of a slow peer, is asked of a fast one too; but not before
 * twice the time that this one would take itself: of slow peers that are alike each block would come twice.
 */
const CURSOR_LATE_MS = 500
const LATE_TIMES = 2
/** The same for any piece when a peer would be idle otherwise. */
const LATE_MS = 3000
/** Most peers asked for one block: before the end, and at the end. */
const MAX_DUPLICATE = 2
const MAX_ENDGAME = 3
/** A peer that worked within this time counts as a source of a cursor piece, so that slow peers keep off. */
const FAST_MEMORY_MS = 5000
/** After a search for duplicates in vain the next one waits: it walks over all open pieces. */
const DUPLICATE_PAUSE_MS = 50

/** What the chooser works on. */
export interface ChooserParts {
  readonly lengths: TorrentLengths
  readonly order: RarestOrder
  readonly peers: PickerPeers
  readonly open: OpenPieces
  readonly needs: PieceNeeds
  readonly ranks: PieceRanks
}

/** The choice of blocks for one peer. */
export class BlockChooser {
  readonly #lengths: TorrentLengths
  readonly #order: RarestOrder
  readonly #peers: PickerPeers
  readonly #open: OpenPieces
  readonly #needs: PieceNeeds
  readonly #ranks: PieceRanks

  constructor(parts: ChooserParts) {
    this.#lengths = parts.lengths
    this.#order = parts.order
    this.#peers = parts.peers
    this.#open = parts.open
    this.#needs = parts.needs
    this.#ranks = parts.ranks
  }

  /** Up to `count` blocks; they are noted as requested of `peer`. */
  choose(peer: PickerPeer, count: number, options: PickOptions): BlockRequest[] {
    const out: BlockRequest[] = []
    if (peer.needed === 0 || count <= 0) return out
    if (!options.slow) peer.fastAtMs = options.nowMs
    if (this.#needs.stream.list.length > 0) this.#pickStream(peer, count, options, out)
    if (out.length < count) this.#pickBegun(peer, count, options, out)
    if (out.length < count && !options.onlyStarted) this.#pickNew(peer, count, options, out)
    if (out.length < count) this.#pickDuplicates(peer, count, options, out)
    return out
  }

  #pickStream(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    for (const { piece, kind } of this.#needs.stream.list) {
      if (out.length >= count) return
      if (!this.#needs.need.get(piece) || !mayGive(peer, piece, options)) continue
      const cursor = kind === 'cursor'
      if (this.#keptForFast(piece, options)) continue
      if (options.onlyStarted && !cursor && !this.#open.byPiece.has(piece)) continue
      const open = this.#openFor(piece, cursor, peer)
      if (open === null) continue
      this.#takeFree(open, peer, count, options, out)
      if (cursor && !options.slow) this.#takeLate(open, peer, count, options, out, MAX_DUPLICATE, cursorLateMs(options))
    }
  }

  #pickBegun(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    for (const open of this.#open.begun) {
      if (out.length >= count) return
      if (!mayGive(peer, open.piece, options) || this.#keptForFast(open.piece, options)) continue
      this.#takeFree(open, peer, count, options, out)
    }
  }

  /** A piece under a cursor that a fast peer can give is not for slow ones, also not as a begun piece. */
  #keptForFast(piece: number, options: PickOptions): boolean {
    if (!options.slow || !this.#needs.stream.cursors.has(piece)) return false
    return this.#peers.fastPeerHas(piece, options.nowMs - FAST_MEMORY_MS)
  }

  #pickNew(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    // What others suggest counts only where the user wants nothing first.
    for (const piece of (this.#ranks.plain && options.suggested) || []) {
      if (out.length >= count) return
      if (this.#open.byPiece.has(piece) || !this.#needs.need.get(piece) || !mayGive(peer, piece, options)) continue
      const open = this.#openFor(piece, false, peer)
      if (open !== null) this.#takeFree(open, peer, count, options, out)
    }
    const accept = (piece: number): boolean =>
      (options.allowedFast === null || options.allowedFast.has(piece)) && !this.#keptForFast(piece, options)
    while (out.length < count && this.#open.mayOpen(false)) {
      const piece = this.#nextPiece(peer, accept)
      const open = piece < 0 ? null : this.#openFor(piece, false, peer)
      if (open === null) return
      this.#takeFree(open, peer, count, options, out)
    }
  }

  #nextPiece(peer: PickerPeer, accept: (piece: number) => boolean): number {
    if (!this.#ranks.plain) return this.#ranks.next(this.#order, peer.has, accept)
    const first = this.#needs.haveCount < RANDOM_FIRST_PIECES
    return first ? this.#order.random(peer.has, accept) : this.#order.rarest(peer.has, accept)
  }

  #pickDuplicates(peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    if (options.nowMs < peer.noDuplicatesUntilMs || this.#open.byPiece.size === 0) return
    const endgame = !options.slow && options.dueMs === undefined && this.#isEndgame()
    const most = endgame ? MAX_ENDGAME : MAX_DUPLICATE
    const before = out.length
    // Two rounds at the end: blocks asked of one peer first, then those asked of two.
    for (let round = endgame ? 2 : most; round <= most; round++) {
      for (const open of this.#open.byPiece.values()) {
        if (out.length >= count) return
        if (open.requested === 0 || !mayGive(peer, open.piece, options)) continue
        this.#takeLate(open, peer, count, options, out, round, endgame ? 0 : LATE_MS)
      }
    }
    if (out.length === before) peer.noDuplicatesUntilMs = options.nowMs + DUPLICATE_PAUSE_MS
  }

  /**
   * Endgame: every block that some connected peer could give is asked for. Where only readers want anything there is
   * none: their windows move on, and each block would come several times.
   */
  #isEndgame(): boolean {
    if (this.#needs.wantedCount === 0) return false
    if (this.#order.reachable > 0) return false
    for (const open of this.#open.begun) if (this.#order.countOf(open.piece) > 0) return false
    return true
  }

  #takeFree(open: OpenPiece, peer: PickerPeer, count: number, options: PickOptions, out: BlockRequest[]): void {
    if (open.isClosedTo(peer.key, options.nowMs)) return
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
    if (open.isClosedTo(peer.key, options.nowMs)) return
    for (let block = 0; block < open.blockCount && out.length < count; block++) {
      if (open.mayDuplicate(block, peer.key, most, options.nowMs, lateMs, !options.slow)) {
        this.#ask(open, block, peer, options, out)
      }
    }
  }

  #ask(open: OpenPiece, block: number, peer: PickerPeer, options: PickOptions, out: BlockRequest[]): void {
    open.request(block, peer.key, options.dueMs ?? options.nowMs, options.slow)
    if (open.free === 0) this.#open.begun.delete(open)
    peer.asked++
    const length = blockBytes(this.#lengths, open.piece, block)
    out.push({ piece: open.piece, block, begin: block * BLOCK_BYTES, length })
  }

  #openFor(piece: number, urgent: boolean, peer: PickerPeer): OpenPiece | null {
    const known = this.#open.byPiece.get(piece)
    if (known !== undefined) return known
    if (!this.#open.mayOpen(urgent)) return null
    this.#order.remove(piece)
    return this.#open.add(piece, peer.key)
  }
}

function cursorLateMs({ takesMs = 0 }: PickOptions): number {
  return Math.min(LATE_MS, Math.max(CURSOR_LATE_MS, LATE_TIMES * takesMs))
}

function mayGive(peer: PickerPeer, piece: number, options: PickOptions): boolean {
  return peer.has.get(piece) && (options.allowedFast === null || options.allowedFast.has(piece))
}
