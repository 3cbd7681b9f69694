// What the picker knows of each peer: its pieces, how many of them are needed, what it was asked for.
// Invariant: `needed` = pieces of the peer in the need set, at all times; counters in RarestOrder match the peers here.

import {
  copyPieceSet,
  countBits,
  emptyPieceSet,
  forEachPiece,
  fullPieceSet,
  type PieceSet,
} from '../../base/piece-set.ts'
import type { PeerHas } from './picker-types.ts'
import type { RarestOrder } from './rarest-order.ts'

/** One peer of the picker. */
export interface PickerPeer {
  readonly key: string
  readonly has: PieceSet
  count: number
  /** Counted in RarestOrder as one that has everything. */
  readonly countedAsSeed: boolean
  /** Pieces we need that the peer has. */
  needed: number
  /** Blocks it is asked for now. */
  asked: number
  /** When it last asked for work and was not slow. */
  fastAtMs: number
  /** No search for duplicates before this: the last one found none. */
  noDuplicatesUntilMs: number
}

/** The peers of one torrent. */
export class PickerPeers {
  readonly #byKey = new Map<string, PickerPeer>()
  readonly #pieceCount: number
  readonly #order: RarestOrder

  constructor(pieceCount: number, order: RarestOrder) {
    this.#pieceCount = pieceCount
    this.#order = order
  }

  get(key: string): PickerPeer | undefined {
    return this.#byKey.get(key)
  }

  all(): IterableIterator<PickerPeer> {
    return this.#byKey.values()
  }

  /** Adds a peer with its pieces; `need` are the pieces we need. Replaces one of the same key. */
  add(key: string, pieces: PeerHas, need: PieceSet): void {
    this.remove(key)
    const has =
      pieces === 'all'
        ? fullPieceSet(this.#pieceCount)
        : pieces === 'none'
          ? emptyPieceSet(this.#pieceCount)
          : copyPieceSet(pieces)
    const count = countBits(has.buffer)
    const countedAsSeed = count === this.#pieceCount
    if (countedAsSeed) this.#order.countSeed(1)
    else this.#order.countSet(has, count, 1)
    this.#byKey.set(key, {
      key,
      has,
      count,
      countedAsSeed,
      needed: countNeeded(has, need),
      asked: 0,
      fastAtMs: Number.NEGATIVE_INFINITY,
      noDuplicatesUntilMs: Number.NEGATIVE_INFINITY,
    })
  }

  /** The peer got `piece`; `needed`: we need it. */
  have(peer: PickerPeer, piece: number, needed: boolean): void {
    if (piece < 0 || piece >= this.#pieceCount || peer.has.get(piece)) return
    peer.has.set(piece, true)
    peer.count++
    if (needed) peer.needed++
    this.#order.countPiece(piece, 1)
  }

  remove(key: string): void {
    const peer = this.#byKey.get(key)
    if (peer === undefined) return
    this.#byKey.delete(key)
    if (peer.countedAsSeed) this.#order.countSeed(-1)
    else this.#order.countSet(peer.has, peer.count, -1)
  }

  /** Whether we need `piece` has changed. */
  needChanged(piece: number, needed: boolean): void {
    for (const peer of this.#byKey.values()) if (peer.has.get(piece)) peer.needed += needed ? 1 : -1
  }

  /** Counts again after a big change of what we need. */
  recount(need: PieceSet): void {
    for (const peer of this.#byKey.values()) peer.needed = countNeeded(peer.has, need)
  }

  /** True when a peer that lately worked and was not slow has `piece`. */
  fastPeerHas(piece: number, sinceMs: number): boolean {
    for (const peer of this.#byKey.values()) if (peer.fastAtMs >= sinceMs && peer.has.get(piece)) return true
    return false
  }
}

function countNeeded(has: PieceSet, need: PieceSet): number {
  let count = 0
  forEachPiece(has, piece => {
    if (need.get(piece)) count++
  })
  return count
}
