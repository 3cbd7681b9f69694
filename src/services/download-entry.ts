// One download: its durable row, its torrent in the engine (null until loaded) and its open readers. It makes records;
// it decides nothing.

import { AppError } from '../base/errors.ts'
import type { TorrentLengths } from '../base/lengths.ts'
import type { StoredDownload } from '../ports/records.ts'
import type { TorrentHandle } from '../torrent/types.ts'
import type { DownloadRecord, FileRecord, ListOptions, StreamableFile } from './api.ts'
import { type BufferProgress, bufferProgress } from './buffer-progress.ts'
import {
  downloadRecord,
  fileRecord,
  peerRecord,
  piecesField,
  type RateLimits,
  trackerRecords,
} from './download-record.ts'

/** Where an open stream reads. */
export interface OpenReader {
  readonly fileIndex: number
  /** Byte of the file it wants next. */
  position: number
}

const PLAIN: ListOptions = { peers: false, pieces: false, files: false }

/** See the top of the file. */
export class DownloadEntry {
  stored: StoredDownload
  /** Why the torrent could not be handed to the engine; '' = it could, or was not tried yet. */
  loadError = ''
  /** Files that were streamed lately, by index; see stream-files.ts. */
  readonly streamed = new Map<number, StreamableFile>()
  #torrent: TorrentHandle | null = null
  readonly #readers = new Set<OpenReader>()
  #told: { readonly stored: StoredDownload; readonly parts: readonly object[]; readonly json: string } | null = null

  constructor(stored: StoredDownload) {
    this.stored = stored
  }

  /** The torrent. AppError NotReady while the download is being loaded, StateConflict when it could not be. */
  get torrent(): TorrentHandle {
    if (this.#torrent !== null) return this.#torrent
    if (this.loadError !== '') throw new AppError('StateConflict', `The download cannot be used: ${this.loadError}`)
    throw new AppError('NotReady', 'The download is still being loaded.')
  }

  get loaded(): boolean {
    return this.#torrent !== null
  }

  attach(torrent: TorrentHandle): void {
    this.#torrent = torrent
    this.streamed.clear()
  }

  addReader(reader: OpenReader): void {
    this.#readers.add(reader)
  }

  removeReader(reader: OpenReader): void {
    this.#readers.delete(reader)
  }

  /** The record of the interface, with the parts asked for. */
  record(options: ListOptions, limits: RateLimits): DownloadRecord {
    const torrent = this.#torrent
    if (torrent === null) return this.#waitingRecord(options, limits)
    const traits = { hops: this.stored.hops, safeSeeding: this.stored.safeSeeding, addedMs: this.stored.addedAtMs }
    const trackers = trackerRecords(torrent.trackers())
    return {
      ...downloadRecord(torrent.snapshot(), traits, limits, this.#buffer(torrent), trackers),
      ...(options.files ? { files: this.files() } : {}),
      ...(options.peers ? { peers: torrent.peers().map(peerRecord) } : {}),
      ...(options.pieces ? { pieces: piecesField(torrent.haveBits()) } : {}),
    }
  }

  /** The record without further parts as JSON; the same text again while nothing it is made of changed. */
  recordJson(limits: RateLimits): string {
    const torrent = this.#torrent
    // Where a reader is moves all the time.
    if (torrent === null || this.#readers.size > 0) return JSON.stringify(this.record(PLAIN, limits))
    const { maxDownloadRate, maxUploadRate } = limits
    const parts: readonly object[] = [torrent.snapshot(), { maxDownloadRate, maxUploadRate }, ...torrent.trackers()]
    const told = this.#told
    if (told !== null && told.stored === this.stored && sameParts(told.parts, parts)) return told.json
    const json = JSON.stringify(this.record(PLAIN, limits))
    this.#told = { stored: this.stored, parts, json }
    return json
  }

  /** Files with their progress; [] before metadata. */
  files(): FileRecord[] {
    return this.#torrent?.files().map(fileRecord) ?? []
  }

  /** Buffer of the newest reader, null when none is open. */
  #buffer(torrent: TorrentHandle): BufferProgress | null {
    const reader = [...this.#readers].at(-1)
    const metainfo = torrent.metainfo
    const file = metainfo?.files[reader?.fileIndex ?? -1]
    if (reader === undefined || metainfo === null || file === undefined) return null
    const lengths: TorrentLengths = metainfo
    return bufferProgress(lengths, torrent.haveBits(), file.offset, file.length, reader.position)
  }

  /** A download of the store that the engine does not have yet (decisions part 1, start-up) or cannot have. */
  #waitingRecord(options: ListOptions, limits: RateLimits): DownloadRecord {
    const { stored, loadError } = this
    const urls = stored.announceTiers.flat()
    const rows = urls.map(url => ({ url, status: 'Not contacted yet', peers: 0, seeders: null, leechers: null }))
    const traits = { hops: stored.hops, safeSeeding: stored.safeSeeding, addedMs: stored.addedAtMs }
    const record = downloadRecord(
      {
        infoHash: stored.infoHash,
        name: stored.name,
        status: loadError === '' ? 'waiting-check' : 'error',
        progress: 0,
        sizeBytes: 0,
        pieceCount: stored.pieceCount,
        etaSec: 8_640_000,
        downRate: 0,
        upRate: 0,
        totalDown: stored.totalDown,
        totalUp: stored.totalUp,
        peersKnown: 0,
        seedsKnown: 0,
        peersConnected: 0,
        seedsConnected: 0,
        availability: 0,
        error: loadError,
        destination: stored.destination,
      },
      traits,
      limits,
      null,
      trackerRecords(rows),
    )
    return {
      ...record,
      ...(options.files ? { files: [] } : {}),
      ...(options.peers ? { peers: [] } : {}),
      ...(options.pieces ? { pieces: '' } : {}),
    }
  }
}

function sameParts(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((part, i) => sameFields(part, b[i] ?? {}))
}

// Both are made by the same code, so they have the same fields, all of them plain values.
function sameFields(a: object, b: object): boolean {
  for (const name in a) {
    if ((a as Record<string, unknown>)[name] !== (b as Record<string, unknown>)[name]) return false
  }
  return true
}
