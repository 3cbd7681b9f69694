// One open reader of one file: waits for bytes without polling, moves the windows of the picker. It touches the picker
// only from the first time it has to wait. Invariant: every promise of waitFor settles: by its piece, by close(), or by
// the torrent's error or end.

import { AppError } from '../../base/errors.ts'
import { piecesOfRange } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import type { StoreVolume } from '../../ports/volumes.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { PieceRun } from '../../base/piece-run.ts'
import { firstHad, firstMissing } from '../../base/piece-set.ts'
import type { OpenReader } from './open-readers.ts'
import type { FilmFacts } from './film-facts.ts'
import type { StreamCursor, StreamWindows, WindowOptions } from './stream-window.ts'
import type { PartReports } from '../part-reports.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { FileReader, FileSpan } from '../types.ts'

/** How far ahead waitFor looks for bytes that are there: a caller reads less than this at a time. */
const LOOK_AHEAD_BYTES = 256 * 1024 * 1024
/** Who waits for a byte will want this much after it at once. */
const SOON_BYTES = 8 * 1024 * 1024
/** Gaps in an answer, at most; what lies behind the last of them counts as one. */
const MAX_GAPS = 64
/** A reader that asks for nothing this long is paused: its client does not read. */
const PAUSE_MS = 5000

/** The run of a torrent, as who misses something of it needs it; see TorrentRun. */
export interface RunForReaders {
  /** True while the torrent runs, although it is stopped or queued, because readers miss pieces. */
  readonly forReaders: boolean
  /** A piece is missed: the torrent has to run. Throws its error when it cannot. */
  runForReaders(): void
  /** The last that missed something is gone. */
  readersDone(): void
}

/** What a reader reads, and what of its torrent it needs. */
export interface ReadFile {
  readonly core: TorrentCore
  readonly content: TorrentContent
  readonly file: TorrentFile
  readonly windows: StreamWindows
  readonly run: RunForReaders
  readonly reports: Pick<PartReports, 'storeFailed'>
  readonly options?: WindowOptions | undefined
}

interface Waiter {
  readonly position: number
  readonly resolve: (count: number) => void
  readonly reject: (error: unknown) => void
}

/** One open reader. */
export class StreamReader implements FileReader, OpenReader {
  readonly #reads: ReadFile
  readonly #content: TorrentContent
  readonly #file: TorrentFile
  #cursor: StreamCursor | null = null
  #film: FilmFacts | null = null
  #waiters: Waiter[] = []
  #seenMs = 0
  #closed = false
  #jumped = false
  #position = 0
  /** Why nothing more is read for it. */
  #cutBy: { readonly error: unknown } | null = null

  /** It is one of the torrent's readers until it is closed. */
  constructor(reads: ReadFile) {
    this.#reads = reads
    this.#content = reads.content
    this.#file = reads.file
    reads.core.readers.add(this)
  }

  get sizeBytes(): number {
    return this.#file.length
  }

  get fileIndex(): number {
    return this.#file.index
  }

  get volume(): StoreVolume | undefined {
    return this.#content.store.volume
  }

  setFilm(film: FilmFacts): void {
    this.#film = film
    this.#cursor?.setFilm(film)
  }

  /** Also of one that has missed nothing, and so has no window. */
  get place(): PieceRun | null {
    const end = Math.min(this.#file.length, this.#position + SOON_BYTES)
    if (end <= this.#position) return null
    const first = this.#pieceAt(this.#position)
    return { first, count: this.#pieceAt(end - 1) - first + 1 }
  }

  waitFor(position: number): number | Promise<number> {
    if (this.#closed) return Promise.reject(new AppError('Aborted'))
    if (this.#cutBy !== null) return Promise.reject(this.#cutBy.error)
    if (position >= this.#file.length) return 0
    this.#position = position
    const there = this.#available(position)
    this.#seenMs = this.#reads.core.now()
    // The window moves on with what is read, so that it stays ahead.
    this.#cursor?.moveTo(position, this.#seenMs)
    if (there > 0) return there
    // What the node reads for itself drives nobody's requests away.
    const isNew = this.#cursor === null || !this.#content.picker.isOpen(this.#pieceAt(position))
    if (isNew && this.#reads.options?.background !== true) this.#jumped = true
    this.#cursor ??= this.#openCursor(position)
    return new Promise((resolve, reject) => {
      this.#waiters.push({ position, resolve, reject })
      try {
        this.#reads.run.runForReaders()
      } catch (error) {
        this.fail(error)
      }
    })
  }

  gaps(start: number, end: number): readonly FileSpan[] {
    return gapsIn(this.#content, this.#file, start, end)
  }

  async read(position: number, length: number, slot: Slot): Promise<number> {
    if (this.#closed) throw new AppError('Aborted')
    if (this.#cutBy !== null) throw this.#cutBy.error
    const count = Math.min(length, slot.bytes.length, this.#available(position))
    if (count <= 0) return 0
    this.#position = position
    noteRead(this.#reads.core, this.#content, this.#file.offset + position, count)
    const { engine } = this.#reads.core
    try {
      return await this.#content.store.read(this.#file.offset + position, count, engine.shared.uploadSlots.arena, slot)
    } catch (error) {
      this.#reads.reports.storeFailed(error)
      throw error
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    // An error with its stack costs more than a short answer: only made when somebody waits.
    if (this.#waiters.length > 0) this.fail(new AppError('Aborted'))
    this.#cursor?.close()
    this.#cursor = null
    this.#reads.core.readers.delete(this, this.#reads.core.now())
    if (this.#reads.windows.size === 0) this.#reads.run.readersDone()
  }

  /** True once after the reader began to wait for the first time, or for a piece that nobody was asked for. */
  takeJump(): boolean {
    const jumped = this.#jumped
    this.#jumped = false
    return jumped
  }

  pieceDone(piece: number): void {
    if (this.#waiters.some(waiter => this.#pieceAt(waiter.position) === piece)) this.wake()
  }

  waitsFor(piece: number): boolean {
    return this.#waiters.some(
      ({ position }) => piece >= this.#pieceAt(position) && piece <= this.#pieceAt(position + SOON_BYTES),
    )
  }

  /** Settles the waiters whose bytes are there. */
  wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) {
      const there = this.#available(waiter.position)
      if (there > 0) waiter.resolve(there)
      else this.#waiters.push(waiter)
    }
  }

  /** As fail(), for all time. */
  cut(error: unknown): void {
    this.#cutBy = { error }
    this.fail(error)
  }

  fail(error: unknown): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.reject(error)
  }

  tick(nowMs: number): void {
    if (this.#cursor !== null && this.#waiters.length === 0 && nowMs - this.#seenMs > PAUSE_MS) this.#cursor.pause()
  }

  #openCursor(position: number): StreamCursor {
    const { windows, options } = this.#reads
    const cursor = windows.open(this.#file.offset, this.#file.length, this.#seenMs, options)
    if (this.#film !== null) cursor.setFilm(this.#film)
    cursor.moveTo(position, this.#seenMs)
    return cursor
  }

  #pieceAt(position: number): number {
    return Math.floor((this.#file.offset + position) / this.#content.lengths.pieceLength)
  }

  #available(position: number): number {
    return availableAt(this.#content, this.#file, position, LOOK_AHEAD_BYTES)
  }
}

/** A torrent that forgets notes which pieces were read last; `offset`, of the torrent. */
export function noteRead(core: TorrentCore, { lengths }: TorrentContent, offset: number, length: number): void {
  if (!core.forgets) return
  const [first, last] = piecesOfRange(lengths, offset, length)
  for (let piece = first; piece <= last; piece += 1) core.readers.recent.used(piece)
}

/** Verified bytes of the file from `position` on without a gap, at most `most`. */
export function availableAt(
  { lengths, picker, doubted, leaving }: TorrentContent,
  file: Pick<TorrentFile, 'offset' | 'length'>,
  position: number,
  most: number,
): number {
  const rest = Math.min(file.length - position, most)
  if (position < 0 || rest <= 0) return 0
  const [first, last] = piecesOfRange(lengths, file.offset + position, rest)
  let missing = firstMissing(picker.have, first, last)
  if (doubted !== null) missing = Math.min(missing, firstHad(doubted, first, last))
  if (leaving !== null) missing = Math.min(missing, firstHad(leaving, first, last))
  if (missing > last) return rest
  return Math.max(0, missing * lengths.pieceLength - file.offset - position)
}

/** The parts of the file from `start` up to `end` that are not verified, by rising place. */
function gapsIn(content: TorrentContent, file: TorrentFile, start: number, end: number): FileSpan[] {
  const gaps: FileSpan[] = []
  const limit = Math.min(end, file.length)
  for (let at = Math.max(0, start); at < limit; ) {
    const from = at + availableAt(content, file, at, limit - at)
    if (from >= limit) break
    at = gaps.length === MAX_GAPS - 1 ? limit : nextThere(content, file, from, limit)
    gaps.push({ start: from, end: at })
  }
  return gaps
}

/** The first byte behind `from` that is verified; `limit` when there is none before it. */
function nextThere(
  { lengths, picker, doubted, leaving }: TorrentContent,
  file: TorrentFile,
  from: number,
  limit: number,
): number {
  const [first, last] = piecesOfRange(lengths, file.offset + from, limit - from)
  let piece = firstHad(picker.have, first, last)
  const barred = (): boolean => doubted?.get(piece) === true || leaving?.get(piece) === true
  while (piece <= last && barred()) piece = firstHad(picker.have, piece + 1, last)
  return piece > last ? limit : Math.max(from + 1, piece * lengths.pieceLength - file.offset)
}
