// The open readers of a torrent: which pieces they wait for, and what they hear of the torrent. A file that is complete
// is never in a window.

import type { PieceRun } from '../../base/piece-run.ts'
import { ReadOrder } from './read-order.ts'
import type { StreamWindows } from './stream-window.ts'

/** One open reader, as what happens to the torrent concerns it; see StreamReader. */
export interface OpenReader {
  readonly fileIndex: number
  /** What it reads now, and soon. */
  readonly place: PieceRun | null
  pieceDone(piece: number): void
  waitsFor(piece: number): boolean
  takeJump(): boolean
  cut(error: unknown): void
  fail(error: unknown): void
  wake(): void
  tick(nowMs: number): void
  close(): void
}

/** The readers of one torrent. */
export class OpenReaders {
  readonly #readers = new Set<OpenReader>()
  /** Their windows; null before the first reader. */
  windows: StreamWindows | null = null
  /** In which order pieces were read: noted of torrents that forget. */
  readonly recent = new ReadOrder()
  #leftMs: number

  /** `nowMs`, clock: from here on one may come. */
  constructor(nowMs: number) {
    this.#leftMs = nowMs
  }

  /** Readers of any kind. */
  get open(): number {
    return this.#readers.size
  }

  /** Readers whose windows are in the picker. */
  get hungry(): number {
    return this.windows?.size ?? 0
  }

  add(reader: OpenReader): void {
    this.#readers.add(reader)
  }

  /** It is closed; clock ms. */
  delete(reader: OpenReader, nowMs: number): void {
    if (this.#readers.delete(reader)) this.#leftMs = nowMs
  }

  /** When one was closed last, or could have come first; clock ms. */
  get leftMs(): number {
    return this.#leftMs
  }

  /** What those read that are open, and will read soon. */
  places(): PieceRun[] {
    return [...this.#readers].flatMap(({ place }) => (place === null ? [] : [place]))
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

  /** Whether a reader began to wait at a new place since this was asked last. */
  takeJump(): boolean {
    return [...this.#readers].some(reader => reader.takeJump())
  }

  /** A file is not what it was: its readers get an error, also those that do not wait now. */
  cut(fileIndex: number, error: unknown): void {
    for (const reader of this.#readers) if (reader.fileIndex === fileIndex) reader.cut(error)
  }

  /** The torrent cannot go on: readers that wait get an error. */
  fail(error: unknown): void {
    for (const reader of this.#readers) reader.fail(error)
  }

  /** Pieces may have come without pieceDone (after a check): who can go on does. */
  wakeAll(): void {
    for (const reader of this.#readers) reader.wake()
  }

  /** The torrent is removed: all readers end. */
  closeAll(): void {
    for (const reader of this.#readers) reader.close()
  }

  /** Once a second. */
  tick(nowMs: number): void {
    for (const reader of this.#readers) reader.tick(nowMs)
  }
}
