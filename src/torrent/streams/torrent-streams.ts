// Opens the readers of a torrent and moves the windows of the picker with them: when windows have changed, requests
// and web seeds make way for what readers wait for.

import { AppError } from '../../base/errors.ts'
import { availableAt, noteRead, type RunForReaders, StreamReader } from './stream-reader.ts'
import { type StreamRange, StreamWindows, type WindowOptions } from './stream-window.ts'
import { judgeAll } from '../peers/interest.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'
import type { TorrentPieces } from '../pieces/torrent-pieces.ts'
import type { PartReports } from '../part-reports.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TurnJob } from '../../base/turn-end.ts'
import type { FileReader } from '../types.ts'
import type { TorrentWebSeeds } from '../web-seeds/torrent-web-seeds.ts'

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
  readonly #job: TurnJob = { queued: false, run: () => this.#moveWindows() }

  constructor(core: TorrentCore, parts: StreamParts, reports: Pick<PartReports, 'storeFailed'>) {
    this.#core = core
    this.#parts = parts
    this.#reports = reports
  }

  /** Opens a reader, for which the torrent runs by `run`. Throws AppError MetadataNotFound, FileNotFound. */
  open(fileIndex: number, run: RunForReaders, options?: WindowOptions): FileReader {
    const core = this.#core
    const { content } = core
    if (content === null) throw new AppError('MetadataNotFound')
    const file = content.metainfo.files[fileIndex]
    if (file === undefined || file.padding) throw new AppError('FileNotFound')
    const { readers } = core
    const { engine } = core
    const windows = (readers.windows ??= new StreamWindows(
      content.lengths,
      () => engine.turnEnd.later(this.#job),
      engine,
    ))
    return new StreamReader({ core, content, file, windows, run, reports: this.#reports, options })
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
