// Chooses the next run of blocks of a web seed: the longest gap of missing pieces, so that one request goes on for
// long; what the picker would ask for first when readers wait or memory is short. Works on the picker and the budget,
// has no state.

import { BLOCK_BYTES } from '../../base/lengths.ts'
import type { PieceRun } from '../../base/piece-run.ts'
import { longestGap } from '../pieces/longest-gap.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { PickOptions } from '../pieces/picker-types.ts'
import type { WebSeedContent, WebSeedHost } from './web-seed-host.ts'

/** A run holds what comes in this time at the present rate, within these bounds (blocks), and a part of all credits. */
const RUN_SEC = 5
const MIN_RUN_BLOCKS = 64
const MAX_RUN_BLOCKS = 1024
const RUN_PART = 8
/**
 * The end of a run is expected within these bounds; twice what it would take alone, as another one may be under way.
 */
const MIN_DUE_MS = 2000
const MAX_DUE_MS = 60_000
/** Free credits, as part of all, below which no new pieces are begun (as for peers). */
const SHORT_PART = 16

/**
 * The blocks of the next run in torrent order, each noted as requested of `key` and paid with a credit; [] when there
 * is nothing now. `rate`: of this seed, bytes/s.
 */
export function chooseRun(host: WebSeedHost, content: WebSeedContent, key: string, rate: number): BlockRequest[] {
  const { budget } = host
  const most = mostBlocks(host, rate)
  if (most < 1) return []
  const onlyStarted = budget.free * SHORT_PART < budget.limit
  const nowMs = host.clock.now()
  const options: PickOptions = {
    nowMs,
    slow: false,
    allowedFast: null,
    onlyStarted,
    dueMs: nowMs + dueMs(host, most, rate),
  }
  // Not for parts of pieces: many begun ones would hold all memory.
  const long = most * BLOCK_BYTES >= content.lengths.pieceLength
  const gap = long && !onlyStarted && !host.readersWait() ? gapFor(content, key, most) : null
  let blocks = gap === null ? [] : pickIn(content, key, piecesOf(gap), most, options)
  if (blocks.length === 0) blocks = pickAsPeers(content, key, most, options)
  blocks.sort((a, b) => a.piece - b.piece || a.block - b.block)
  return blocks.filter(request => pays(host, content, key, request))
}

/** How long the run takes, at most; no time at all where readers wait: then any peer may fetch the blocks too. */
function dueMs(host: WebSeedHost, blocks: number, rate: number): number {
  if (host.readersWait()) return 0
  const expected = rate > 0 ? (2 * blocks * BLOCK_BYTES * 1000) / rate : 2 * RUN_SEC * 1000
  return Math.max(MIN_DUE_MS, Math.min(MAX_DUE_MS, expected))
}

/** Blocks of the next run; 0 when there are no credits. */
function mostBlocks({ budget, blockRoom }: WebSeedHost, rate: number): number {
  const byRate = Math.ceil((rate * RUN_SEC) / BLOCK_BYTES)
  const wanted = Math.max(MIN_RUN_BLOCKS, Math.min(MAX_RUN_BLOCKS, byRate))
  return Math.min(wanted, Math.ceil(budget.limit / RUN_PART), Math.ceil(budget.free / 2), blockRoom)
}

/** A credit for the block, or the picker has it back. */
function pays(host: WebSeedHost, { picker }: WebSeedContent, key: string, { piece, block }: BlockRequest): boolean {
  const paid = host.budget.take()
  if (!paid) picker.release(key, piece, block)
  return paid
}

function gapFor({ picker, wanted, lengths }: WebSeedContent, key: string, most: number): PieceRun | null {
  const taken = (piece: number): boolean => picker.isOpen(piece) || !picker.peerHas(key, piece)
  return longestGap(wanted, picker.have, lengths.pieceCount, taken, wholePieces(lengths.pieceLength, most))
}

/** The picker knows what comes first: one block of it tells where, then it goes on as far as pieces are missing. */
function pickAsPeers(content: WebSeedContent, key: string, most: number, options: PickOptions): BlockRequest[] {
  const { picker, lengths } = content
  const probe = picker.pick(key, 1, options)
  const first = probe[0]?.piece
  if (first === undefined) return []
  const end = Math.min(lengths.pieceCount, first + wholePieces(lengths.pieceLength, most)) - 1
  let last = first
  while (last < end && !picker.have.get(last + 1)) last += 1
  return [...probe, ...pickIn(content, key, piecesOf({ first, count: last - first + 1 }), most - 1, options)]
}

/** Up to `count` blocks of `pieces`, those first in the set first. */
function pickIn(
  { picker }: WebSeedContent,
  key: string,
  pieces: ReadonlySet<number>,
  count: number,
  options: PickOptions,
): BlockRequest[] {
  // What a choking peer allows and suggests is what the picker keeps to, in this order.
  return picker.pick(key, count, { ...options, allowedFast: pieces, suggested: pieces })
}

/** Whole pieces that so many blocks make, at least one. */
function wholePieces(pieceLength: number, blocks: number): number {
  return Math.max(1, Math.floor((blocks * BLOCK_BYTES) / pieceLength))
}

function piecesOf({ first, count }: PieceRun): Set<number> {
  return new Set(Array.from({ length: count }, (_, index) => first + index))
}
