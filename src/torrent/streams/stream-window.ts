// Turns the readers of a torrent's files into an ordered list of piece ranges for the picker: cursors, then windows
// ahead, then what the node reads for itself, and the container index zones of the files read. Knows no clock, no timer
// and not which pieces are there.
// Invariant: ranges() depends only on the open readers; a closed reader leaves nothing behind.

import { piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import { type ByteRange, type FilmFacts, soundIndex, soundRate } from './film-facts.ts'
import type { ReaderDemand } from './stream-level.ts'

/** What a range is for; they come in this order of kinds, but for windows of paused readers and what the node reads. */
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
  /** What is known of the film from now on: its window is counted in seconds, its index zones are the film's own. */
  setFilm(film: FilmFacts): void
  /** Its client does not read: its window waits behind those of readers that go on. moveTo() ends the pause. */
  pause(): void
  /** Takes its ranges away. Idempotent. */
  close(): void
}

/** Bytes from the cursor on that must come before anything else: what a player needs to show the next picture. */
const CURSOR_BYTES = 512 * 1024
/**
 * The window ahead: 10 s of what the reader was seen to consume, within these bounds (bytes). Facts of a film never
 * make it smaller: pieces that have begun would be given up just when playing begins.
 */
const MIN_WINDOW_BYTES = 8 * 1024 * 1024
const MAX_WINDOW_BYTES = 64 * 1024 * 1024
const WINDOW_SEC = 10
/** The window of a film whose rate is known, in seconds of playing, unless the settings say another. */
const STREAM_AHEAD_SEC = 30
/** And at most so many bytes: 25 s of the 80 Mbit/s that discs end at. */
const MAX_FILM_WINDOW_BYTES = 256 * 1024 * 1024
/** Where an index may be when that is not known: MP4 `moov` at either end, Matroska cues at the end. */
const HEAD_BYTES = 5 * 1024 * 1024
const TAIL_BYTES = 1024 * 1024
/** Windows of several readers take turns in portions of this size at least, and so many at most. */
const PORTION_BYTES = 2 * 1024 * 1024
const MAX_PORTIONS = 32
/** Consumption is averaged over about this time. */
const AVERAGE_MS = 5000
/** Who reads on takes less than this at a time. */
const MOST_STEP_BYTES = 2 * 1024 * 1024
/** Places of readers that were closed last: who goes on near one of them is the same program, by another request. */
const MAX_LEFT = 8

/** Whose limits windows follow, as they are now. */
export interface LimitsOfWindows {
  /** Seconds of playing that windows reach ahead in films whose rate is known; absent: 30. */
  readonly limits: { readonly streamAheadSec?: number }
}

/** How StreamWindows.open() may be asked. */
export interface WindowOptions {
  /** It reads for the node itself: what it waits for comes as index zones do, behind what players need. */
  readonly background?: boolean
}

class Reader implements StreamCursor, ReaderDemand {
  readonly offset: number
  readonly length: number
  position = 0
  paused = false
  readonly background: boolean
  readonly #owner: StreamWindows
  #rate = 0
  filmRate = 0
  from: ReaderDemand['from']
  /** It was at a place already. */
  #placed = false
  /** When it came to its place. */
  movedMs: number
  /** Null: not known. */
  #index: readonly ByteRange[] | null = null
  #seenMs: number

  constructor(owner: StreamWindows, offset: number, length: number, nowMs: number, background: boolean) {
    this.#owner = owner
    this.offset = offset
    this.length = length
    this.#seenMs = nowMs
    this.from = { position: 0, atMs: nowMs }
    this.movedMs = nowMs
    this.background = background
  }

  get windowBytes(): number {
    // What it consumes counts for films too: whoever copies one is faster than it is played, and a rate may be a lie.
    const consumed = Math.min(MAX_WINDOW_BYTES, this.#rate * WINDOW_SEC)
    const played = Math.min(MAX_FILM_WINDOW_BYTES, this.filmRate * this.#owner.aheadSec)
    return Math.max(MIN_WINDOW_BYTES, consumed, played)
  }

  /** What a player may want beside the place it plays. */
  get indexZones(): readonly ByteRange[] {
    if (this.#index !== null) return this.#index
    const { length } = this
    return [
      { start: 0, end: HEAD_BYTES },
      { start: Math.max(0, length - TAIL_BYTES), end: length },
    ]
  }

  setFilm(film: FilmFacts): void {
    this.filmRate = soundRate(film.bytesPerSecond)
    this.#index = soundIndex(film.index, this.length)
    this.#owner.touched()
  }

  moveTo(position: number, nowMs: number): void {
    const to = Math.max(0, Math.min(position, this.length))
    const step = to - this.position
    const elapsedMs = nowMs - this.#seenMs
    if (!this.#placed || step < 0 || step > MOST_STEP_BYTES) {
      this.from = this.#owner.goesOn(this.offset, to) ?? { position: to, atMs: nowMs }
    }
    this.#placed = true
    if (step > 0 && step <= this.windowBytes) {
      if (elapsedMs > 0) this.#consumed(step, elapsedMs, nowMs)
    } else if (step !== 0) {
      this.#seenMs = nowMs
    }
    if (step === 0 && !this.paused) return
    if (step !== 0) this.movedMs = nowMs
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
  readonly #owner: LimitsOfWindows
  readonly #readers = new Set<Reader>()
  /** The newest last. */
  #left: readonly Pick<ReaderDemand, 'offset' | 'position' | 'from'>[] = []
  #ranges: StreamRange[] | null = []

  /**
   * `onChange` runs at every change, many times a turn: it should only note that ranges() must be read again.
   * The limits of `owner` are read whenever ranges are computed.
   */
  constructor(lengths: TorrentLengths, onChange: () => void, owner: LimitsOfWindows) {
    this.#lengths = lengths
    this.#onChange = onChange
    this.#owner = owner
  }

  /** See LimitsOfWindows. */
  get aheadSec(): number {
    return this.#owner.limits.streamAheadSec ?? STREAM_AHEAD_SEC
  }

  /** Number of open readers. */
  get size(): number {
    return this.#readers.size
  }

  /**
   * Opens a reader on the file that begins at byte `offset` of the torrent and has `length` bytes (above 0), at its
   * start.
   */
  open(offset: number, length: number, nowMs: number, { background = false }: WindowOptions = {}): StreamCursor {
    const reader = new Reader(this, offset, length, nowMs, background)
    this.#readers.add(reader)
    this.touched()
    return reader
  }

  /** The pieces that come first, best first; computed again only after a change. Ranges may overlap. */
  ranges(): readonly StreamRange[] {
    this.#ranges ??= this.#compute()
    return this.#ranges
  }

  /** Readers that play: not those that do not read now, nor what the node reads for itself. */
  demands(): ReaderDemand[] {
    return [...this.#readers].filter(({ paused, background }) => !paused && !background)
  }

  /** For readers only: a place has changed. */
  touched(): void {
    this.#ranges = null
    this.#onChange()
  }

  /** For readers only: takes `reader` away. */
  closed(reader: Reader): void {
    if (!this.#readers.delete(reader)) return
    const { offset, position, from } = reader
    if (!reader.background) this.#left = [...this.#left.slice(1 - MAX_LEFT), { offset, position, from }]
    this.touched()
  }

  /** For readers only: since where and when the one has read that was closed near this place; null: there was none. */
  goesOn(offset: number, position: number): ReaderDemand['from'] | null {
    const near = this.#left.findLast(
      left => left.offset === offset && Math.abs(left.position - position) <= MOST_STEP_BYTES,
    )
    this.#left = this.#left.filter(left => left !== near)
    return near?.from ?? null
  }

  #compute(): StreamRange[] {
    const out = new RangeList(this.#lengths)
    const active: Reader[] = []
    const paused: Reader[] = []
    const background: Reader[] = []
    for (const reader of this.#readers) {
      if (reader.background) background.push(reader)
      else (reader.paused ? paused : active).push(reader)
    }
    addWaitedFor(out, active)
    for (const reader of active) out.add('cursor', reader, reader.position, CURSOR_BYTES)
    addWindows(out, active)
    // Before those of paused readers: what is found out is for one that goes on.
    for (const reader of background) out.add('index', reader, reader.position, CURSOR_BYTES)
    addWindows(out, paused)
    const files = new Map<number, Reader>()
    for (const reader of this.#readers) if (!reader.background) files.set(reader.offset, reader)
    for (const reader of files.values()) {
      for (const { start, end } of reader.indexZones) out.add('index', reader, start, end - start)
    }
    return out.list
  }
}

/**
 * Of several readers the piece that each waits for, the one that has waited longest first: else one that goes on all
 * the time would keep the others waiting for ever.
 */
function addWaitedFor(out: RangeList, readers: readonly Reader[]): void {
  if (readers.length < 2) return
  for (const reader of readers.toSorted((a, b) => a.movedMs - b.movedMs)) out.add('cursor', reader, reader.position, 1)
}

/** Windows in portions, the nearest portion of every reader first. */
function addWindows(out: RangeList, readers: readonly Reader[]): void {
  const windows = readers.map(reader => {
    const bytes = reader.windowBytes
    return { reader, bytes, portion: Math.max(PORTION_BYTES, Math.ceil(bytes / MAX_PORTIONS)) }
  })
  let more = windows.length > 0
  for (let turn = 0; more; turn += 1) {
    more = false
    for (const { reader, bytes, portion } of windows) {
      const ahead = turn * portion
      if (bytes <= ahead) continue
      more = true
      out.add('window', reader, reader.position + ahead, Math.min(portion, bytes - ahead))
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
