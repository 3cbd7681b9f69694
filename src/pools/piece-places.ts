// Where a piece lies in its torrent and what it must hash to. Pure.

import { pieceBytes } from '../base/lengths.ts'
import type { StoreLayout } from '../ports/piece-store.ts'
import { pieceTree } from '../wire/metainfo/piece-layers.ts'
import type { TreeCheck } from './contract/jobs.ts'

/** Bytes of the torrent that are `piece`. Throws RangeError when there is no such piece. */
export function rangeOf(layout: StoreLayout, piece: number): { offset: number; length: number } {
  if (!Number.isInteger(piece) || piece < 0 || piece >= layout.pieceCount)
    throw new RangeError(`there is no piece ${piece}`)
  return { offset: piece * layout.pieceLength, length: pieceBytes(layout, piece) }
}

/** The SHA-1 hashes of `count` pieces from `first` on, 20 bytes each; a view. */
export function hashesOf(layout: StoreLayout, first: number, count: number): Uint8Array {
  return layout.pieceHashes.subarray(first * 20, (first + count) * 20)
}

/** The tree that `piece` must have (BEP 52); null in a v1 torrent, and where its layer is not known. */
export function treeOf({ v2, pieceLength }: StoreLayout, piece: number): TreeCheck | null {
  return v2 === null ? null : pieceTree(v2, pieceLength, piece)
}
