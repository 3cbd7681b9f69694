// The cache of a torrent that forgets (watch and forget): of the pieces that came for readers, those that lie outside
// of the readers' windows and were not read for the longest time go when there are more than the bound (decision 0546).
// Files that are not the torrent's own, or have other names too, keep their bytes. Invariants: the records have
// forgotten a piece before its bytes go, whenever the process ends; from then on until they are gone nobody reads it
// and nobody fetches it; no peer was told of it.

import { pieceBytes } from '../../base/lengths.ts'
import type { PieceRun } from '../../base/piece-run.ts'
import { emptyPieceSet, type PieceSet, setRange } from '../../base/piece-set.ts'
import type { PartReports } from '../part-reports.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'

/** What one torrent keeps where nothing else is said: an hour of a good film. */
const DEFAULT_BYTES = 2 * 1024 * 1024 * 1024
/** So much under the bound when something goes, as a part of it: each time costs a flush of the records. */
const SLACK_PART = 16
/** After a look that found nothing to drop the next one waits: it goes through everything that is had. */
const PAUSE_MS = 1000

/** Parts that the cache works with. */
export type CacheParts = Pick<RoomParts, 'pieces' | 'streams' | 'checkpoints'>

type CacheReports = Pick<PartReports, 'storeFailed' | 'piecesLost'>

/** The cache of one torrent. */
export class ReadCache {
  readonly #core: TorrentCore
  readonly #parts: CacheParts
  readonly #reports: CacheReports
  /** Files whose bytes are not given back in this run. */
  readonly #kept = new Set<number>()
  #atWork = false
  /** The disk takes nothing back. */
  #unable = false
  #quietUntilMs = Number.NEGATIVE_INFINITY

  constructor(core: TorrentCore, parts: CacheParts, reports: CacheReports) {
    this.#core = core
    this.#parts = parts
    this.#reports = reports
  }

  /**
   * A run begins with its data checked, or the torrent forgets from now on: what lies on the disk of pieces that are
   * not had is given back, for an earlier run may have ended between the records and the disk.
   */
  begin(): void {
    const { content, forgets, working } = this.#core
    this.#unable = false
    this.#kept.clear()
    this.#quietUntilMs = Number.NEGATIVE_INFINITY
    if (content !== null && forgets && working && !this.#atWork) this.#work(() => this.#sweep(content))
  }

  /** A piece came in. */
  pieceDone(piece: number): void {
    if (!this.#core.forgets) return
    this.#core.readers.recent.used(piece)
    this.look()
  }

  /** Drops what is too much: also called once a second, for readers move on and bounds change. */
  look(): void {
    const { content, forgets, working, engine } = this.#core
    if (content === null || !forgets || !working || this.#atWork || this.#unable) return
    const bound = engine.limits.readCacheBytes ?? DEFAULT_BYTES
    const held = bytesHad(content)
    const nowMs = this.#core.now()
    if (held <= bound || nowMs < this.#quietUntilMs) return
    this.#quietUntilMs = nowMs + PAUSE_MS
    const pieces = this.#oldest(content, held - bound + Math.floor(bound / SLACK_PART))
    if (pieces.length > 0) this.#work(() => this.#evict(content, pieces))
  }

  #work(work: () => Promise<void>): void {
    this.#atWork = true
    // Until it is done the torrent is not suspended, and a checkpoint follows: times of files change.
    this.#parts.pieces.dirty = true
    const done = work()
      .catch((error: unknown) => this.#reports.storeFailed(error))
      .finally(() => {
        this.#atWork = false
        this.#parts.pieces.dirty = true
      })
    this.#parts.pieces.watch(done)
  }

  /** Pieces that may go, the least recently used first, until they are `bytes`. */
  #oldest(content: TorrentContent, bytes: number): number[] {
    const near = this.#near(content)
    const pieces: number[] = []
    let left = bytes
    for (const piece of this.#core.readers.recent.oldest(content.picker.have)) {
      if (left <= 0) break
      if (!mayGo(content, near, piece) || this.#isKept(content, piece)) continue
      pieces.push(piece)
      left -= pieceBytes(content.lengths, piece)
    }
    return pieces
  }

  /** What readers read, will read soon, or need to find their way: their windows and zones of the index. */
  #near({ lengths }: TorrentContent): PieceSet {
    const near = emptyPieceSet(lengths.pieceCount)
    const { windows } = this.#core.readers
    const most = lengths.pieceCount - 1
    for (const { first, last } of windows?.ranges() ?? []) setRange(near, first, Math.min(most, last), true)
    for (const { first, count } of this.#core.readers.places()) setRange(near, first, first + count - 1, true)
    return near
  }

  async #evict(content: TorrentContent, pieces: readonly number[]): Promise<void> {
    for (const index of await keptFiles(content, pieces)) this.#kept.add(index)
    await this.#parts.checkpoints.between(async () => {
      // Readers have moved meanwhile.
      const near = this.#near(content)
      const going = pieces.filter(piece => mayGo(content, near, piece) && !this.#isKept(content, piece))
      if (going.length > 0 && this.#core.forgets && this.#core.working) await this.#drop(content, going)
    })
  }

  async #drop(content: TorrentContent, going: readonly number[]): Promise<void> {
    const { engine, infoHash, readers } = this.#core
    const leaving = emptyPieceSet(content.lengths.pieceCount)
    for (const piece of going) leaving.set(piece, true)
    content.leaving = leaving
    let forgotten = false
    let gone = true
    try {
      await engine.deps.journal.piecesDropped(infoHash, going)
      forgotten = true
      gone = (await content.store.punch?.(runsOf(going))) ?? false
    } finally {
      // What failed half way may have taken the bytes of some.
      if (forgotten && gone) this.#gone(content, going)
      content.leaving = null
      if (!forgotten) readers.wakeAll()
    }
    if (!gone) await this.#keepAll(content, going)
  }

  #gone(content: TorrentContent, going: readonly number[]): void {
    for (const piece of going) {
      this.#core.readers.recent.gone(piece)
      content.picker.pieceLost(piece)
    }
    this.#parts.streams.renew()
    // It was told of the moment it stopped forgetting.
    if (!this.#core.forgets) this.#reports.piecesLost(going)
  }

  /** Nothing was given back, so everything is there still: the records hear so again. */
  async #keepAll(content: TorrentContent, pieces: readonly number[]): Promise<void> {
    const { engine, infoHash, readers } = this.#core
    this.#unable = true
    readers.wakeAll()
    engine.log.warn('parts of files cannot be given back to this disk: the bound of the cache is not kept', {
      infoHash,
    })
    const had = pieces.filter(piece => content.picker.have.get(piece))
    await Promise.all(had.map(piece => engine.deps.journal.pieceVerified(infoHash, piece, false)))
  }

  async #sweep(content: TorrentContent): Promise<void> {
    const every = Array.from({ length: content.lengths.pieceCount }, (_, piece) => piece)
    const kept = await keptFiles(content, every)
    await this.#parts.checkpoints.between(async () => {
      const { picker, store } = content
      const isEmpty = (piece: number): boolean => !picker.have.get(piece) && !picker.isOpen(piece)
      const empty = every.filter(piece => isEmpty(piece) && !touches(content, piece, kept))
      if (empty.length > 0 && this.#core.forgets && this.#core.working) await store.punch?.(runsOf(empty))
    })
  }

  #isKept(content: TorrentContent, piece: number): boolean {
    return touches(content, piece, this.#kept)
  }
}

/**
 * Files of the pieces that keep their bytes: they are not the torrent's own, have other names too, or are not there.
 * Rejects with what the disk said.
 */
async function keptFiles(content: TorrentContent, pieces: readonly number[]): Promise<Set<number>> {
  const { own, store } = content
  const kept = new Set<number>()
  for (const piece of pieces) for (const index of filesOf(content, piece)) kept.add(index)
  const mine = [...kept].filter(index => own.isOwn(index))
  const given = mine.length === 0 || store.unshared === undefined ? mine : await store.unshared(mine)
  for (const index of given) kept.delete(index)
  return kept
}

/** Whether the piece has bytes of one of the files. */
function touches(content: TorrentContent, piece: number, files: ReadonlySet<number>): boolean {
  if (files.size === 0) return false
  for (const index of filesOf(content, piece)) if (files.has(index)) return true
  return false
}

/** The files, padding left out, that have bytes in the piece. */
function* filesOf({ metainfo: { files }, lengths }: TorrentContent, piece: number): Generator<number, void> {
  const begin = piece * lengths.pieceLength
  const end = begin + lengths.pieceLength
  let low = 0
  let high = files.length
  while (low < high) {
    const middle = (low + high) >> 1
    const { offset = 0, length = 0 } = files[middle] ?? {}
    if (offset + length <= begin) low = middle + 1
    else high = middle
  }
  for (let file = files[low]; file !== undefined && file.offset < end; file = files[++low]) {
    if (!file.padding && file.length > 0) yield file.index
  }
}

/** It is there, nobody reads it, and nothing else is being found out about it. */
function mayGo({ picker, doubted }: TorrentContent, near: PieceSet, piece: number): boolean {
  return picker.have.get(piece) && !near.get(piece) && doubted?.get(piece) !== true
}

/** Bytes of all pieces that are had. */
function bytesHad({ lengths, picker }: TorrentContent): number {
  const last = lengths.pieceCount - 1
  const short = picker.have.get(last) ? lengths.pieceLength - pieceBytes(lengths, last) : 0
  return picker.haveCount * lengths.pieceLength - short
}

/** Neighbours of `pieces` together. */
function runsOf(pieces: readonly number[]): PieceRun[] {
  const runs: { first: number; count: number }[] = []
  for (const piece of pieces.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last !== undefined && piece === last.first + last.count) last.count += 1
    else runs.push({ first: piece, count: 1 })
  }
  return runs
}
