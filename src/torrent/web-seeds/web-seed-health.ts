// How a web seed is doing: which files it lacks, how often it failed, when it may be asked again. Knows no clock, asks
// nothing. Invariant: the set of missing files is bounded; once off, always off.

import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { wantedPieces } from '../pieces/file-pieces.ts'
import { forEachPiece, fullPieceSet, type PieceSet } from '../../base/piece-set.ts'
import type { WebSeedContent } from './web-seed-host.ts'

/** First wait after a failure, doubled with each further one (libtorrent: 30 s), and the longest. */
const RETRY_MS = 10_000
const MAX_RETRY_MS = 30 * 60 * 1000
/** A server that asks for less than this is asked no sooner. */
const MIN_RETRY_AFTER_MS = 1000
/** Files missing one after the other, and in all, until the seed counts as gone; it is tried again after GONE_MS. */
const MAX_MISSING_IN_ROW = 8
const MAX_MISSING = 1000
const GONE_MS = 60 * 60 * 1000

/** The health of one web seed. */
export class WebSeedHealth {
  /** The last failure, '' when the last run went well. */
  error = ''
  readonly #content: WebSeedContent
  /** Missing files that make it gone. */
  readonly #most: number
  readonly #missing = new Set<number>()
  #missingInRow = 0
  #failures = 0
  #retryMs = Number.NEGATIVE_INFINITY

  constructor(content: WebSeedContent) {
    const files = content.metainfo.files.filter(file => !file.padding && file.length > 0).length
    this.#content = content
    this.#most = Math.max(1, Math.min(MAX_MISSING, files))
  }

  /** It will not be asked any more. */
  get isOff(): boolean {
    return this.#retryMs === Number.POSITIVE_INFINITY
  }

  /** Too much is missing to go on asking. */
  get isGone(): boolean {
    return this.#missingInRow >= MAX_MISSING_IN_ROW || this.#missing.size >= this.#most
  }

  /** It may not be asked now. */
  waits(nowMs: number): boolean {
    return nowMs < this.#retryMs
  }

  /** Until it may be asked again; null when it may be now, or never. */
  retryInMs(nowMs: number): number | null {
    return this.waits(nowMs) && !this.isOff ? this.#retryMs - nowMs : null
  }

  wentWell(): void {
    // What ends after that says nothing any more.
    if (this.isOff) return
    this.#failures = 0
    this.#missingInRow = 0
    this.error = ''
  }

  /** It failed: the wait grows, unless the server says how long (`askedMs`). */
  failed(reason: string, nowMs: number, askedMs: number | null): void {
    const ownMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(this.#failures, 10))
    const waitMs = askedMs === null ? ownMs : Math.max(MIN_RETRY_AFTER_MS, askedMs)
    this.error = reason
    this.#failures += 1
    this.#retryMs = Math.max(this.#retryMs, nowMs + waitMs)
  }

  /** The server does not have this file as it should be. */
  lacks(file: TorrentFile, reason: string, nowMs: number): void {
    this.error = reason
    this.#missing.add(file.index)
    this.#missingInRow += 1
    if (this.isGone) this.#retryMs = Math.max(this.#retryMs, nowMs + GONE_MS)
  }

  turnOff(reason: string): void {
    this.error = reason
    this.#retryMs = Number.POSITIVE_INFINITY
  }

  /** It was gone, and its time is over: it has everything until it shows otherwise. */
  tryAnew(): void {
    this.#missing.clear()
    this.#missingInRow = 0
  }

  /** The pieces it has, for the picker. */
  has(): PieceSet | 'all' {
    const { lengths, metainfo } = this.#content
    if (this.#missing.size === 0) return 'all'
    const has = fullPieceSet(lengths.pieceCount)
    forEachPiece(wantedPieces(lengths, metainfo.files, [...this.#missing]), piece => has.set(piece, false))
    return has
  }
}
