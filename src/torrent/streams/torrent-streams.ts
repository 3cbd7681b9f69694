// The open readers of a torrent: waiting for bytes without polling, moving the windows of the picker.
// A reader touches the picker only from the first time it has to wait; a file that is complete is never in a window.
// Invariant: every promise of waitFor settles: by its piece, by close(), or by the torrent's error or end.

import { AppError } from '../../base/errors.ts'
import { piecesOfRange } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import type { StoreVolume } from '../../ports/volumes.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { firstHad, firstMissing } from '../pieces/piece-set.ts'
import { type StreamCursor, type StreamRange, StreamWindows } from './stream-window.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TurnJob } from '../session/turn-end.ts'
import type { FileReader } from '../types.ts'

/** How far ahead waitFor looks for bytes that are there: a caller reads less than this at a time. */
const LOOK_AHEAD_BYTES = 256 * 1024 * 1024
/** Who waits for a byte will want this much after it at once. */
const SOON_BYTES = 8 * 1024 * 1024
/** A reader that asks for nothing this long is paused: its client does not read. */
const PAUSE_MS = 5000

/** What this part tells others. */
export interface StreamHooks {
  /**
   * The windows have changed: `dropped` open pieces are not needed any more. `jumped` = the pieces under cursors when a
   * reader waits at a new place: requests for others should make way. Null when windows only moved on.
   */
  windowsMoved(dropped: readonly number[], jumped: ReadonlySet<number> | null): void
  /** A reader misses a piece: the torrent has to run. Throws its error when it cannot. */
  readerNeeds(): void
  /** The last reader that missed something is closed. */
  readersDone(): void
  /** Reading verified bytes failed. */
  readFailed(error: unknown): void
}

interface Waiter {
  readonly position: number
  readonly resolve: (count: number) => void
  readonly reject: (error: unknown) => void
}

/** The readers of one torrent. */
export class TorrentStreams {
  readonly #core: TorrentCore
  readonly #hooks: StreamHooks
  readonly #readers = new Set<Reader>()
  readonly #job: TurnJob = { queued: false, run: () => this.#moveWindows() }
  #windows: StreamWindows | null = null

  constructor(core: TorrentCore, hooks: StreamHooks) {
    this.#core = core
    this.#hooks = hooks
  }

  /** Readers of any kind. */
  get open(): number {
    return this.#readers.size
  }

  /** Readers whose windows are in the picker. */
  get hungry(): number {
    return this.#windows?.size ?? 0
  }

  /** Opens a reader. Throws AppError MetadataNotFound, FileNotFound. */
  openReader(fileIndex: number): FileReader {
    const content = this.#core.content
    if (content === null) throw new AppError('MetadataNotFound')
    const file = content.metainfo.files[fileIndex]
    if (file === undefined || file.padding) throw new AppError('FileNotFound')
    this.#windows ??= new StreamWindows(content.lengths, () => this.#core.engine.turnEnd.later(this.#job))
    const reader = new Reader(this.#core, content, file, this.#windows, this.#hooks, () => this.#closed(reader))
    this.#readers.add(reader)
    return reader
  }

  /** See TorrentHandle.readNow. */
  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number {
    const content = this.#core.content
    const file = content?.metainfo.files[fileIndex]
    if (content === null || file === undefined) return 0
    const count = availableAt(content, file, position, Math.min(length, into.length))
    return count <= 0 ? 0 : (content.store.readNow?.(file.offset + position, count, into) ?? 0)
  }

  /** A piece is there: wakes who waits for it. */
  pieceDone(piece: number): void {
    for (const reader of this.#readers) reader.pieceDone(piece)
  }

  /** A reader waits for this piece, or will as soon as it has what it waits for. */
  waitsFor(piece: number): boolean {
    for (const reader of this.#readers) if (reader.waitsFor(piece)) return true
    return false
  }

  /** A file is not what it was: who reads it is told, also who does not wait now. */
  cut(fileIndex: number, error: unknown): void {
    for (const reader of this.#readers) if (reader.fileIndex === fileIndex) reader.cut(error)
  }

  /** The torrent cannot go on: who waits is told. */
  fail(error: unknown): void {
    for (const reader of this.#readers) reader.fail(error)
  }

  /** The windows once more, after the picker forgot them (start, recheck). */
  renew(): void {
    if (this.hungry > 0) this.#core.engine.turnEnd.later(this.#job)
  }

  /** Pieces may have come without pieceDone (after a check): who can go on does. */
  wakeAll(): void {
    for (const reader of this.#readers) reader.wake()
  }

  /** The torrent is removed: all readers end. */
  closeAll(): void {
    for (const reader of this.#readers) reader.close()
  }

  tick(nowMs: number): void {
    for (const reader of this.#readers) reader.tick(nowMs)
  }

  #closed(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.hungry === 0) this.#hooks.readersDone()
  }

  #moveWindows(): void {
    const content = this.#core.content
    if (content === null || this.#windows === null) return
    const streaming = this.#windows.size > 0
    for (const peer of this.#core.peers.values()) peer.pipeline.setStreaming(streaming)
    const ranges = this.#windows.ranges()
    const jumped = [...this.#readers].some(reader => reader.takeJump()) ? cursorPieces(ranges) : null
    this.#hooks.windowsMoved(content.picker.setStream(ranges), jumped)
  }
}

function cursorPieces(ranges: readonly StreamRange[]): Set<number> {
  const pieces = new Set<number>()
  for (const { kind, first, last } of ranges) {
    for (let piece = first; kind === 'cursor' && piece <= last; piece += 1) pieces.add(piece)
  }
  return pieces
}

class Reader implements FileReader {
  readonly #core: TorrentCore
  readonly #content: TorrentContent
  readonly #file: TorrentFile
  readonly #windows: StreamWindows
  readonly #hooks: StreamHooks
  readonly #onClose: () => void
  #cursor: StreamCursor | null = null
  #waiters: Waiter[] = []
  #seenMs = 0
  #closed = false
  #jumped = false
  /** Why nothing more is read for it. */
  #cutBy: { readonly error: unknown } | null = null

  constructor(
    core: TorrentCore,
    content: TorrentContent,
    file: TorrentFile,
    windows: StreamWindows,
    hooks: StreamHooks,
    onClose: () => void,
  ) {
    this.#core = core
    this.#content = content
    this.#file = file
    this.#windows = windows
    this.#hooks = hooks
    this.#onClose = onClose
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

  waitFor(position: number): number | Promise<number> {
    if (this.#closed) return Promise.reject(new AppError('Aborted'))
    if (this.#cutBy !== null) return Promise.reject(this.#cutBy.error)
    if (position >= this.#file.length) return 0
    const there = this.#available(position)
    this.#seenMs = this.#core.now()
    // The window moves on with what is read, so that it stays ahead.
    this.#cursor?.moveTo(position, this.#seenMs)
    if (there > 0) return there
    if (this.#cursor === null || !this.#content.picker.isOpen(this.#pieceAt(position))) this.#jumped = true
    if (this.#cursor === null) {
      this.#cursor = this.#windows.open(this.#file.offset, this.#file.length, this.#seenMs)
      this.#cursor.moveTo(position, this.#seenMs)
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ position, resolve, reject })
      try {
        this.#hooks.readerNeeds()
      } catch (error) {
        this.fail(error)
      }
    })
  }

  async read(position: number, length: number, slot: Slot): Promise<number> {
    if (this.#closed) throw new AppError('Aborted')
    if (this.#cutBy !== null) throw this.#cutBy.error
    const count = Math.min(length, slot.bytes.length, this.#available(position))
    if (count <= 0) return 0
    const { engine } = this.#core
    try {
      return await this.#content.store.read(this.#file.offset + position, count, engine.uploadSlots.arena, slot)
    } catch (error) {
      this.#hooks.readFailed(error)
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
    this.#onClose()
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

  #pieceAt(position: number): number {
    return Math.floor((this.#file.offset + position) / this.#content.lengths.pieceLength)
  }

  #available(position: number): number {
    return availableAt(this.#content, this.#file, position, LOOK_AHEAD_BYTES)
  }
}

// Verified bytes of the file from `position` on without a gap, at most `most`.
function availableAt(
  { lengths, picker, doubted }: TorrentContent,
  file: TorrentFile,
  position: number,
  most: number,
): number {
  const rest = Math.min(file.length - position, most)
  if (position < 0 || rest <= 0) return 0
  const [first, last] = piecesOfRange(lengths, file.offset + position, rest)
  const lacking = firstMissing(picker.have, first, last)
  const missing = doubted === null ? lacking : Math.min(lacking, firstHad(doubted, first, last))
  if (missing > last) return rest
  return Math.max(0, missing * lengths.pieceLength - file.offset - position)
}
