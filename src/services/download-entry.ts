// One download: its durable row, its torrent in the engine (null until loaded) and its open readers. It makes records;
// it decides nothing.

import { AppError } from '../base/errors.ts'
import type { TorrentLengths } from '../base/lengths.ts'
import type { StoredDownload } from '../ports/records.ts'
import type { FileSnapshot, TorrentHandle } from '../torrent/types.ts'
import type { DownloadRecord, FileRecord, ListedDownload, ListOptions, StreamableFile } from './api.ts'
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

/** What the record was made of when it was told last. */
interface Told {
  readonly stored: StoredDownload
  readonly loadError: string
  /** Of a torrent at rest; null of others. */
  readonly revision: number | null
  /** Of one that is awake. */
  readonly parts: readonly object[]
}

/** See the top of the file. */
export class DownloadEntry {
  stored: StoredDownload
  /** Why the torrent could not be handed to the engine; '' = it could, or was not tried yet. */
  loadError = ''
  #torrent: TorrentHandle | null = null
  // Made at the first use: most of thousands of downloads have none.
  #readers: Set<OpenReader> | null = null
  #streamed: Map<number, StreamableFile> | null = null
  #told: Told | null = null

  constructor(stored: StoredDownload) {
    this.stored = stored
  }

  /** The torrent. AppError NotReady while the download is being loaded, StateConflict when it could not be. */
  get torrent(): TorrentHandle {
    if (this.#torrent !== null) return this.#torrent
    if (this.loadError !== '') throw new AppError('StateConflict', `The download cannot be used: ${this.loadError}`)
    throw new AppError('NotReady', 'The download is still being loaded.')
  }

  /** Files that were streamed lately, by index; see stream-files.ts. */
  get streamed(): Map<number, StreamableFile> {
    this.#streamed ??= new Map()
    return this.#streamed
  }

  get loaded(): boolean {
    return this.#torrent !== null
  }

  attach(torrent: TorrentHandle): void {
    this.#torrent = torrent
    this.#streamed = null
  }

  addReader(reader: OpenReader): void {
    this.#readers ??= new Set()
    this.#readers.add(reader)
  }

  removeReader(reader: OpenReader): void {
    this.#readers?.delete(reader)
    if (this.#readers?.size === 0) this.#readers = null
  }

  /** The record of the interface, with the parts asked for. */
  async record(options: ListOptions, limits: RateLimits): Promise<ListedDownload> {
    const torrent = this.#torrent
    const files = options.files ? { files: await this.files() } : {}
    if (torrent === null) {
      const none = { ...(options.peers ? { peers: [] } : {}), ...(options.pieces ? { pieces: '' } : {}) }
      return { ...this.#plainRecord(limits), ...files, ...none }
    }
    return {
      ...this.#plainRecord(limits),
      ...files,
      ...(options.peers ? { peers: torrent.peers().map(peerRecord) } : {}),
      ...(options.pieces ? { pieces: piecesField(torrent.haveBits()) } : {}),
    }
  }

  #plainRecord(limits: RateLimits): DownloadRecord {
    const torrent = this.#torrent
    if (torrent === null) return this.#waitingRecord(limits)
    const traits = { hops: this.stored.hops, safeSeeding: this.stored.safeSeeding, addedMs: this.stored.addedAtMs }
    const trackers = trackerRecords(torrent.trackers())
    return downloadRecord(torrent.snapshot(), traits, limits, this.#buffer(torrent), trackers)
  }

  /** Whether recordJson() would say something else than when it was asked last, under the same limits. */
  changed(): boolean {
    const told = this.#told
    const torrent = this.#torrent
    // Where a reader is moves all the time.
    if (told === null || told.stored !== this.stored || this.#readers !== null) return true
    if (torrent === null) return told.loadError !== this.loadError
    return torrent.resting ? told.revision !== torrent.revision : !sameParts(told.parts, partsOf(torrent))
  }

  /** The record without further parts as JSON. */
  recordJson(limits: RateLimits): string {
    const { stored, loadError } = this
    const torrent = this.#torrent
    const awake = torrent !== null && !torrent.resting
    const revision = torrent === null || awake ? null : torrent.revision
    this.#told = { stored, loadError, revision, parts: awake ? partsOf(torrent) : [] }
    return JSON.stringify(this.#plainRecord(limits))
  }

  /** Files with their progress; [] before metadata. */
  async files(): Promise<Iterable<FileRecord>> {
    return recordsOf((await this.#torrent?.loadFiles()) ?? [])
  }

  /** Buffer of the newest reader, null when none is open. */
  #buffer(torrent: TorrentHandle): BufferProgress | null {
    const reader = [...(this.#readers ?? [])].at(-1)
    // A torrent with a reader is awake.
    if (reader === undefined) return null
    const metainfo = torrent.metainfo
    const file = metainfo?.files[reader.fileIndex]
    if (metainfo === null || file === undefined) return null
    const lengths: TorrentLengths = metainfo
    return bufferProgress(lengths, torrent.haveBits(), file.offset, file.length, reader.position)
  }

  /** A download of the store that the engine does not have yet (decisions part 1, start-up) or cannot have. */
  #waitingRecord(limits: RateLimits): DownloadRecord {
    const { stored, loadError } = this
    const urls = stored.announceTiers.flat()
    const rows = urls.map(url => ({ url, status: 'Not contacted yet', peers: 0, seeders: null, leechers: null }))
    const traits = { hops: stored.hops, safeSeeding: stored.safeSeeding, addedMs: stored.addedAtMs }
    return downloadRecord(
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
  }
}

function* recordsOf(files: Iterable<FileSnapshot>): Generator<FileRecord, void> {
  for (const file of files) yield fileRecord(file)
}

function partsOf(torrent: TorrentHandle): readonly object[] {
  return [torrent.snapshot(), ...torrent.trackers()]
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
