// Turns the readers of a torrent's files into an ordered list of piece ranges for the picker: cursors, then windows
// ahead, then the container index zones of the files read. Knows no clock, no timer and not which pieces are there.
// Invariant: ranges() depends only on the open readers; a closed reader leaves nothing behind.

import { piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'

/** What a range is for; ranges come in this order of kinds. */
export type StreamRangeKind = 'cursor' | 'window' | 'index'

/** Pieces from `first` to `last`, both included. */
export interface StreamRange {
  readonly kind: StreamRangeKind
  readonly first: number
  readonly last: number
}

/** One reader's place. Times in ms of a clock that does not go back. */
export interface StreamCursor {
  /** The reader now wants the byte at `position` of its file. Moving on is consumption, anything else a seek. */
  moveTo(position: number, nowMs: number): void
  /** Its client does not read: its window waits behind those of readers that go on. moveTo() ends the pause. */
  pause(): void
  /** Takes its ranges away. Idempotent. */
  close(): void
}

/** Bytes from the cursor on that must come before anything else: what a player needs to show the next picture. */
const CURSOR_BYTES = 512 * 1024
/** The window ahead: 10 s of what the reader was seen to consume, within these bounds (bytes). */
const MIN_WINDOW_BYTES = 8 * 1024 * 1024
const MAX_WINDOW_BYTES = 64 * 1024 * 1024
const WINDOW_SEC = 10
/** Where containers keep their index: MP4 `moov` at either end, Matroska cues at the end. */
const HEAD_BYTES = 5 * 1024 * 1024
const TAIL_BYTES = 1024 * 1024
/** Windows of several readers take turns in portions of this size. */
const PORTION_BYTES = 2 * 1024 * 1024
/** Consumption is averaged over about this time. */
const AVERAGE_MS = 5000

class Reader implements StreamCursor {
  readonly offset: number
  readonly length: number
  position = 0
  paused = false
  readonly #owner: StreamWindows
  #rate = 0
  #seenMs: number

  constructor(owner: StreamWindows, offset: number, length: number, nowMs: number) {
    this.#owner = owner
    this.offset = offset
    this.length = length
    this.#seenMs = nowMs
  }

  get windowBytes(): number {
    return Math.min(MAX_WINDOW_BYTES, Math.max(MIN_WINDOW_BYTES, this.#rate * WINDOW_SEC))
  }

  moveTo(position: number, nowMs: number): void {
    const to = Math.max(0, Math.min(position, this.length))
    const step = to - this.position
    const elapsedMs = nowMs - this.#seenMs
    if (step > 0 && step <= this.windowBytes) {
      if (elapsedMs > 0) this.#consumed(step, elapsedMs, nowMs)
    } else if (step !== 0) {
      this.#seenMs = nowMs
    }
    if (step === 0 && !this.paused) return
    this.position = to
    this.paused = false
    this.#owner.touched()
  }

  pause(): void {
    if (this.paused) return
    this.paused = true
    this.#owner.touched()
  }

  close(): void {
    this.#owner.closed(this)
  }

  #consumed(bytes: number, elapsedMs: number, nowMs: number): void {
    const share = Math.min(1, elapsedMs / AVERAGE_MS)
    this.#rate += ((bytes * 1000) / elapsedMs - this.#rate) * share
    this.#seenMs = nowMs
  }
}

/** All readers of one torrent. */
export class StreamWindows {
  readonly #lengths: TorrentLengths
  readonly #onChange: () => void
  readonly #readers = new Set<Reader>()
  #ranges: StreamRange[] | null = []

  /** `onChange` runs at every change, many times a turn: it should only note that ranges() must be read again. */
  constructor(lengths: TorrentLengths, onChange: () => void) {
    this.#lengths = lengths
    this.#onChange = onChange
  }

  /** Number of open readers. */
  get size(): number {
    return this.#readers.size
  }

  /**
   * Opens a reader on the file that begins at byte `offset` of the torrent and has `length` bytes (above 0), at its
   * start.
   */
  open(offset: number, length: number, nowMs: number): StreamCursor {
    const reader = new Reader(this, offset, length, nowMs)
    this.#readers.add(reader)
    this.touched()
    return reader
  }

  /** The pieces that come first, best first; computed again only after a change. Ranges may overlap. */
  ranges(): readonly StreamRange[] {
    this.#ranges ??= this.#compute()
    return this.#ranges
  }

  /** For readers only: a place has changed. */
  touched(): void {
    this.#ranges = null
    this.#onChange()
  }

  /** For readers only: takes `reader` away. */
  closed(reader: Reader): void {
    if (this.#readers.delete(reader)) this.touched()
  }

  #compute(): StreamRange[] {
    const out = new RangeList(this.#lengths)
    const active: Reader[] = []
    const paused: Reader[] = []
    for (const reader of this.#readers) (reader.paused ? paused : active).push(reader)
    for (const reader of active) out.add('cursor', reader, reader.position, CURSOR_BYTES)
    addWindows(out, active)
    addWindows(out, paused)
    const files = new Map<number, Reader>()
    for (const reader of this.#readers) files.set(reader.offset, reader)
    for (const reader of files.values()) {
      out.add('index', reader, 0, HEAD_BYTES)
      out.add('index', reader, Math.max(0, reader.length - TAIL_BYTES), TAIL_BYTES)
    }
    return out.list
  }
}

/** Windows in portions, the nearest portion of every reader first. */
function addWindows(out: RangeList, readers: readonly Reader[]): void {
  for (let ahead = 0; ahead < MAX_WINDOW_BYTES; ahead += PORTION_BYTES) {
    for (const reader of readers) {
      const rest = reader.windowBytes - ahead
      if (rest > 0) out.add('window', reader, reader.position + ahead, Math.min(PORTION_BYTES, rest))
    }
  }
}

/** Collects ranges, leaving out those that the same kind has listed already: readers often share a place. */
class RangeList {
  readonly list: StreamRange[] = []
  readonly #lengths: TorrentLengths
  readonly #seen = new Set<number>()

  constructor(lengths: TorrentLengths) {
    this.#lengths = lengths
  }

  /** Adds `bytes` from `position` of the reader's file, cut at the end of the file. */
  add(kind: StreamRangeKind, reader: Reader, position: number, bytes: number): void {
    const end = Math.min(reader.length, position + bytes)
    if (end <= position) return
    const [first, last] = piecesOfRange(this.#lengths, reader.offset + position, end - position)
    const id = (first * this.#lengths.pieceCount + last) * 3 + (kind === 'cursor' ? 0 : kind === 'window' ? 1 : 2)
    if (this.#seen.has(id)) return
    this.#seen.add(id)
    this.list.push({ kind, first, last })
  }
}
