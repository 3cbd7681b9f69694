// What web seeds need of their torrent. Types only; torrent.ts gives them their meaning.

import type { TorrentLengths } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpRanges } from '../../ports/http-ranges.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { BlockBudget } from '../pieces/block-budget.ts'
import type { HostGate } from './host-gate.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { PiecePicker } from '../pieces/piece-picker.ts'
import type { PieceSet } from '../../base/piece-set.ts'
import type { RateLimiter } from '../../base/rate-limiter.ts'

/** What becomes known with the metadata. */
export interface WebSeedContent {
  readonly metainfo: Pick<Metainfo, 'infoBytes' | 'files' | 'multiFile'>
  readonly lengths: TorrentLengths
  readonly picker: PiecePicker
  /** Pieces that the selected files need. */
  readonly wanted: PieceSet
}

/** The torrent, as its web seeds see it. */
export interface WebSeedHost {
  readonly clock: Clock
  readonly http: HttpRanges
  readonly gate: HostGate
  readonly budget: BlockBudget
  readonly downLimiter: RateLimiter
  /** Null before the metadata is known. */
  readonly content: WebSeedContent | null
  /** Pieces may be asked for, and some are needed. */
  readonly needsPieces: boolean
  /** False while what came waits too long to be written: nothing more is asked for. */
  readonly diskTakesMore: boolean
  /** Blocks that may be asked for now, beside what credits allow. */
  readonly blockRoom: number
  /** Readers wait for pieces: these come before long runs. */
  readersWait(): boolean
  /**
   * The slot for a block for which a credit is held, as BlockBudget.lease; null (credit kept) when the arena is short.
   * `piece` is open.
   */
  lease(piece: number, block: number): Slot | null
  /** A block lies whole in its slot, which is the torrent's from now on; also blocks that are not needed any more. */
  received(key: string, request: BlockRequest, slot: Slot): void
  /** Bytes of payload came. */
  count(bytes: number, nowMs: number): void
  /** The arena is full: blocks of pieces in progress should go to disk. */
  shortage(): void
  /** Blocks came free again: others may be asked for them. */
  refillSoon(): void
  /** A defect of ours. */
  defect(error: unknown): void
}
