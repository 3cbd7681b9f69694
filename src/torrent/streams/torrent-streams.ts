// Opens the readers of a torrent and moves the windows of the picker with them: when windows have changed, requests
// and web seeds make way for what readers wait for.

import { AppError } from '../../base/errors.ts'
import { BLOCK_BYTES } from '../../base/lengths.ts'
import { copyPieceSet, firstMissing, type PieceSet, takeOut } from '../../base/piece-set.ts'
import type { FilmFacts } from './film-facts.ts'
import { type Forecast, forecastOf } from './forecast.ts'
import { PlayTimes } from './play-times.ts'
import { RateHistory } from './rate-history.ts'
import { availableAt, noteRead, type RunForReaders, StreamReader } from './stream-reader.ts'
import { levelOf } from './stream-level.ts'
import { type StreamRange, StreamWindows, type WindowOptions } from './stream-window.ts'
import { judgeAll } from '../peers/interest.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'
import type { TorrentPieces } from '../pieces/torrent-pieces.ts'
import type { PartReports } from '../part-reports.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TurnJob } from '../../base/turn-end.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { FileReader, PlayFrom } from '../types.ts'
import type { TorrentWebSeeds } from '../web-seeds/torrent-web-seeds.ts'
import type { ForecastSource } from './uneven-sources.ts'

/** What comes in is watched for so long after the last one who asked, or read. */
const WATCHED_MS = 60_000

/** Who asks for pieces, and gives up what was asked for. */
export interface StreamParts {
  readonly requests: TorrentRequests
  readonly pieces: TorrentPieces
  readonly webSeeds: TorrentWebSeeds
}

/** The streams of one torrent. */
export class TorrentStreams {
  readonly #core: TorrentCore
  readonly #parts: StreamParts
  readonly #reports: Pick<PartReports, 'storeFailed'>
  #rates: RateHistory | null = null
  /** When somebody asked for them last, or opened a reader. */
  #askedMs = 0
  readonly #job: TurnJob = { queued: false, run: () => this.#moveWindows() }

  constructor(core: TorrentCore, parts: StreamParts, reports: Pick<PartReports, 'storeFailed'>) {
    this.#core = core
    this.#parts = parts
    this.#reports = reports
  }

  /** Opens a reader, for which the torrent runs by `run`. Throws AppError MetadataNotFound, FileNotFound. */
  open(fileIndex: number, run: RunForReaders, options?: WindowOptions): FileReader {
    const core = this.#core
    const { content, file } = this.#fileOf(fileIndex)
    // Watched from now on: who plays will want to know from when on.
    this.#watchRates()
    const { readers } = core
    const { engine } = core
    const windows = (readers.windows ??= new StreamWindows(
      content.lengths,
      () => engine.turnEnd.later(this.#job),
      engine,
    ))
    return new StreamReader({ core, content, file, windows, run, reports: this.#reports, options })
  }

  /** See AwakeTorrent.forecast. */
  forecast(fileIndex: number, from: PlayFrom, film: FilmFacts, othersRate: number): Forecast | null {
    const core = this.#core
    const { content, file } = this.#fileOf(fileIndex)
    const times = PlayTimes.of(film, file.length)
    if (times === null) return null
    const { lengths, picker } = content
    const nowMs = core.now()
    const there = thereOf(content)
    return forecastOf({
      lengths,
      file,
      times,
      from: 'byte' in from ? Math.max(0, from.byte) : times.byteAt(from.second),
      there,
      receivedOf: piece => picker.receivedBlocks(piece) * BLOCK_BYTES,
      firstOfNobody: (first, last) => firstOfNobody(content, there, first, last),
      rate: this.#watchRates().estimate(nowMs, core.down.rate(nowMs)),
      sources: this.#sources(nowMs),
      othersRate,
    })
  }

  /** Once a second, while there is something to watch. */
  tick(nowMs: number): void {
    const { content, down, readers } = this.#core
    if (this.#rates === null || content === null) return
    if (readers.open === 0 && nowMs - this.#askedMs > WATCHED_MS) {
      this.#rates = null
      return
    }
    const { lengths, picker } = content
    const had = lengths.totalLength - this.#core.bytesMissing()
    // What was dropped was of use when it came.
    const useful = had + this.#core.forgottenBytes + picker.receivedOpen * BLOCK_BYTES
    this.#rates.note(nowMs, { all: down.total, useful })
  }

  /** Every quarter of a second, and when windows have moved: how far readers are from standing still. */
  tell(nowMs: number): void {
    const { content, readers, engine, down, working, aheadOfFolders } = this.#core
    const { windows } = readers
    const { turns } = engine.shared
    // What waits for its folders gains nothing from others.
    if (!working || aheadOfFolders || content === null || windows === null || windows.size === 0)
      return turns.tell(this.#core.infoHash, null, nowMs)
    const { lengths, picker } = content
    const level = levelOf(
      windows.demands(),
      nowMs,
      demand => availableAt(content, demand, demand.position, demand.windowBytes),
      place => picker.availabilityOf(Math.floor(place / lengths.pieceLength)) > 0,
    )
    turns.tell(this.#core.infoHash, { ...level, rate: down.rate(nowMs) }, nowMs)
  }

  /** What comes in second by second, from the first time on that somebody wants to know, and a while after the last. */
  #watchRates(): RateHistory {
    this.#askedMs = this.#core.now()
    if (this.#rates === null) {
      this.#rates = new RateHistory()
      this.tick(this.#core.now())
    }
    return this.#rates
  }

  #sources(nowMs: number): ForecastSource[] {
    const peers = [...this.#core.peers.values()].map(peer => {
      return { rate: peer.down.rate(nowMs), asked: peer.outstanding.size * BLOCK_BYTES }
    })
    // Web seeds send long runs: what was asked of them says nothing of when a piece ends.
    return [...peers, ...this.#parts.webSeeds.peers().map(({ downRate }) => ({ rate: downRate, asked: 0 }))]
  }

  #fileOf(fileIndex: number): { readonly content: TorrentContent; readonly file: TorrentFile } {
    const { content } = this.#core
    if (content === null) throw new AppError('MetadataNotFound')
    const file = content.metainfo.files[fileIndex]
    if (file === undefined || file.padding) throw new AppError('FileNotFound')
    return { content, file }
  }

  /** See AwakeTorrent.readNow. */
  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number {
    const content = this.#core.content
    const file = content?.metainfo.files[fileIndex]
    if (content === null || file === undefined) return 0
    const count = availableAt(content, file, position, Math.min(length, into.length))
    if (count <= 0) return 0
    noteRead(this.#core, content, file.offset + position, count)
    return content.store.readNow?.(file.offset + position, count, into) ?? 0
  }

  /** The windows once more, after the picker forgot them (start, recheck). */
  renew(): void {
    if (this.#core.readers.hungry > 0) this.#core.engine.turnEnd.later(this.#job)
  }

  #moveWindows(): void {
    const { content, peers, readers } = this.#core
    if (content === null || readers.windows === null) return
    this.tell(this.#core.now())
    const streaming = readers.hungry > 0
    for (const peer of peers.values()) peer.pipeline.setStreaming(streaming)
    const ranges = readers.windows.ranges()
    if (this.#core.working && streaming) makeReady(content, cursorPieces(ranges))
    const jumped = readers.takeJump() ? cursorPieces(ranges) : null
    this.#follow(content.picker.setStream(ranges), jumped, content)
  }

  /**
   * The windows have changed: `dropped` open pieces are not needed any more. `jumped` = the pieces under cursors when a
   * reader waits at a new place: requests for others make way. Null when windows only moved on.
   */
  #follow(dropped: readonly number[], jumped: ReadonlySet<number> | null, content: TorrentContent): void {
    const { requests, pieces, webSeeds } = this.#parts
    requests.withdrawPieces(dropped, content)
    pieces.drop(dropped)
    if (jumped !== null) {
      requests.makeWay(jumped, content)
      webSeeds.makeWay(jumped)
    }
    judgeAll(this.#core)
    requests.refillAll()
    webSeeds.fill()
  }
}

/** Pieces that are there and stay, and of which nobody doubts it. */
function thereOf({ picker, doubted, leaving }: TorrentContent): PieceSet {
  if (doubted === null && leaving === null) return picker.have
  const there = copyPieceSet(picker.have)
  for (const gone of [doubted, leaving]) if (gone !== null) takeOut(there, gone)
  return there
}

/** See ForecastInput. Where somebody has everything, or each piece somebody, there is nothing to look through. */
function firstOfNobody({ picker }: TorrentContent, there: PieceSet, first: number, last: number): number {
  if (picker.availability() >= 1) return last + 1
  let piece = firstMissing(there, first, last)
  while (piece <= last && picker.availabilityOf(piece) > 0) piece = firstMissing(there, piece + 1, last)
  return piece
}

// What readers wait for finds its files made and open: that takes a dozen turns of the loop, which is idle while peers
// are called and busy while the piece comes in. What fails here fails again with the write, which reports it.
function makeReady({ picker, store }: TorrentContent, pieces: ReadonlySet<number>): void {
  for (const piece of pieces) if (!picker.have.get(piece)) store.makeReady?.(piece)?.catch(() => undefined)
}

function cursorPieces(ranges: readonly StreamRange[]): Set<number> {
  const pieces = new Set<number>()
  for (const { kind, first, last } of ranges) {
    for (let piece = first; kind === 'cursor' && piece <= last; piece += 1) pieces.add(piece)
  }
  return pieces
}
