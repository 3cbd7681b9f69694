// Where films were left: one answer for every player that asks, whichever device it runs on. The last word counts.

import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { MAX_WATCHED_NAME, type WatchedFile, type WatchingRecords } from '../../ports/viewing/watching-records.ts'
import type { DownloadsService } from '../downloads/downloads-api.ts'
import { continueAtMs, isNearEnd } from './continue-at.ts'
import type { WatchingChange, WatchingEntry, WatchingRecord, WatchingService } from './watching-api.ts'

/** What it works with. */
export interface WatchingDeps {
  readonly clock: Clock
  readonly downloads: Pick<DownloadsService, 'record'> & {
    knownMetainfo(infoHash: InfoHash): Promise<Pick<Metainfo, 'files' | 'multiFile'> | null>
  }
}

/** Rows looked at for those that can be gone on with. */
const MAX_LOOKED = 1000
const FIELDS = { peers: false, pieces: false, files: false, fields: ['infohash'] } as const

/** See WatchingService. */
export class Watching implements WatchingService {
  readonly #deps: WatchingDeps
  #records: WatchingRecords | null = null

  constructor(deps: WatchingDeps) {
    this.#deps = deps
  }

  /** The store is there. */
  open(records: WatchingRecords): void {
    this.#records = records
  }

  async of(infohash: string): Promise<WatchingRecord[]> {
    return (await this.#store.of(await this.#known(infohash))).map(recordOf)
  }

  async one(infohash: string, fileIndex: string): Promise<WatchingRecord> {
    const file = indexOf(fileIndex)
    const rows = await this.#store.of(await this.#known(infohash))
    const found = rows.find(row => row.file === file)
    return found === undefined ? neverBegun(file) : recordOf(found)
  }

  async note(
    infohash: string,
    fileIndex: string,
    { position, duration, watched }: WatchingChange,
  ): Promise<WatchingRecord> {
    if (position === undefined && watched === undefined)
      throw new AppError('MissingParameter', 'position or watched must be given.')
    const store = this.#store
    const infoHash = await this.#known(infohash)
    const file = indexOf(fileIndex)
    const name = await this.#nameOf(infoHash, file)
    const positionMs = position === undefined ? null : Math.round(position * 1000)
    const durationMs = duration === undefined ? null : Math.round(duration * 1000)
    const ends = async (placeMs: number): Promise<boolean> =>
      isNearEnd(placeMs, durationMs ?? (await this.#durationMs(infoHash, file)))
    const noted = await store.note({
      infoHash,
      file,
      name: cut(name),
      positionMs,
      durationMs,
      watched: watched ?? (positionMs !== null && (await ends(positionMs)) ? true : null),
      atMs: Math.round(this.#deps.clock.wallMs()),
    })
    if (noted === null) throw new AppError('DownloadNotFound')
    return recordOf(noted)
  }

  async forget(
    infohash: string,
    fileIndex: string,
  ): Promise<{ infohash: string; fileindex: number; removed: boolean }> {
    const file = indexOf(fileIndex)
    const infoHash = await this.#known(infohash)
    return { infohash: infoHash, fileindex: file, removed: await this.#store.forget(infoHash, file) }
  }

  async recent(limit: number, all: boolean): Promise<WatchingEntry[]> {
    const rows = await this.#store.recent(all ? limit : MAX_LOOKED)
    const wanted = all ? rows : rows.filter(row => continueAtMs(row.positionMs, row.durationMs) > 0)
    return wanted.slice(0, limit).map(row => ({ infohash: row.infoHash, download: row.download, ...recordOf(row) }))
  }

  get #store(): WatchingRecords {
    if (this.#records === null) throw new AppError('NotReady')
    return this.#records
  }

  /** The length that was told before: players that know it say it once. */
  async #durationMs(infoHash: InfoHash, file: number): Promise<number | null> {
    return (await this.#store.of(infoHash)).find(row => row.file === file)?.durationMs ?? null
  }

  async #nameOf(infoHash: InfoHash, index: number): Promise<string> {
    const metainfo = await this.#deps.downloads.knownMetainfo(infoHash)
    if (metainfo === null) throw new AppError('MetadataNotFound')
    const file = metainfo.files[index]
    if (file === undefined || file.padding) throw new AppError('FileNotFound')
    return (metainfo.multiFile ? file.path.slice(1) : file.path).join('/')
  }

  /** The info hash that a download of any of its names has here. */
  async #known(infohash: string): Promise<InfoHash> {
    const { infohash: known } = await this.#deps.downloads.record(infohash, FIELDS)
    return known as InfoHash
  }
}

function indexOf(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new AppError('FileNotFound')
  return Number(text)
}

/** Whole characters of the start of a name, which may be as long as its author liked. */
function cut(name: string): string {
  return name.length <= MAX_WATCHED_NAME ? name : `${[...name.slice(0, MAX_WATCHED_NAME)].slice(0, -1).join('')}…`
}

function neverBegun(fileindex: number): WatchingRecord {
  return { fileindex, name: '', position: 0, duration: null, watched: false, continue_at: 0, time: 0 }
}

function recordOf({ file, name, positionMs, durationMs, watched, atMs }: WatchedFile): WatchingRecord {
  return {
    fileindex: file,
    name,
    position: positionMs / 1000,
    duration: durationMs === null ? null : durationMs / 1000,
    watched,
    continue_at: continueAtMs(positionMs, durationMs) / 1000,
    time: Math.floor(atMs / 1000),
  }
}
