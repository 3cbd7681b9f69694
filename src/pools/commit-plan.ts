// What a commit of a piece does: which files it writes, and what the worker is asked. Pure.

import type { ReceivedBlock, StoreLayout } from '../ports/piece-store.ts'
import type { ArenaNumber, CommitRequest } from './contract/jobs.ts'
import { hashesOf, rangeOf, treeOf } from './piece-places.ts'
import { runsOf, wholePiece } from './segments.ts'
import { type FileSpan, filesOf, type SpanMap } from './spans.ts'

/** A piece that is to be hashed and written. */
export interface CommitPlan {
  /** Those of the piece, in order. */
  readonly spans: readonly FileSpan[]
  /** The files of the spans. */
  readonly files: readonly number[]
  /** Bytes of the piece. */
  readonly length: number
  /** All but the descriptors. */
  readonly request: CommitRequest
}

/** Plans it; `arenas`: of which one has its blocks. Throws RangeError for blocks that do not make up the piece. */
export function commitPlan(
  layout: StoreLayout,
  map: SpanMap,
  arenas: readonly SharedArrayBuffer[],
  piece: number,
  blocks: readonly ReceivedBlock[],
): CommitPlan {
  const { offset, length } = rangeOf(layout, piece)
  const spans = map.spans(offset, length)
  const segments = wholePiece(runsOf(blocks), spans, length)
  const arena = arenaOf(arenas, blocks)
  const [hash, tree] = [hashesOf(layout, piece, 1), treeOf(layout, piece)]
  return { spans, files: filesOf(spans), length, request: { arena, segments, hash, tree, spans: [] } }
}

/** In which of the arenas all of the blocks lie. Throws RangeError when it is none. */
export function arenaOf(arenas: readonly SharedArrayBuffer[], blocks: readonly ReceivedBlock[]): ArenaNumber {
  const arena = arenas.findIndex(buffer => blocks.every(block => block.slot.bytes.buffer === buffer))
  if (arena < 0) throw new RangeError('blocks lie in no arena of this store')
  return arena as ArenaNumber
}
