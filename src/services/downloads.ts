// Downloads: the one place where the durable rows and the engine's torrents are kept in step. What is answered is in the
// store first. Requests for one info hash run one after the other; the list never waits.
// Life of the service: made -> openStore (listed, waiting) -> load (handed to the engine) -> stop.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, errorText } from '../base/errors.ts'
import type { InfoHash } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { DownloadRecords, LoadedDownload } from '../ports/records.ts'
import type { TorrentEvents } from '../torrent/types.ts'
import { encodeMetainfo } from '../wire/metainfo.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import { type Anonymity, type AnonymityDefaults, anonymityOf, checkPatch } from './add-checks.ts'
import type {
  AddDownload,
  Asker,
  DownloadsService,
  FileRecord,
  ListedDownload,
  ListOptions,
  PatchDownload,
  StreamableFile,
} from './api.ts'
import { changeDownload, mergeTrackers } from './download-changes.ts'
import { DownloadList } from './download-list.ts'
import { DownloadEntry } from './download-entry.ts'
import { DownloadSet } from './download-set.ts'
import { EngineReports } from './engine-reports.ts'
import type { RateLimits } from './download-record.ts'
import type { EventHub } from './events.ts'
import { decodeStored, metainfoOf, newRow, notesOf, selectionOf, specOf } from './new-download.ts'
import { makeDeferred } from '../base/deferred.ts'
import type { MetadataPreviews } from './metadata-previews.ts'
import { streamableFile } from './stream-files.ts'
import type { TorrentEngine } from './torrent-engine.ts'
import { readSource, type SourceReaders, type TorrentSource } from './torrent-source.ts'

/** All-time counters go to the store this often; it writes them when it writes anyway. */
const TOTALS_EVERY_MS = 5000

/** Settings the service follows; read anew at each use. */
export interface DownloadSettings extends AnonymityDefaults, RateLimits {
  /** Absolute folder of downloads that name none. */
  readonly saveAs: string
}

/** Records made in one turn of the event loop, ms. */
const LIST_TURN_MS = 4

/** What the service needs of the node. */
export interface DownloadsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly sources: SourceReaders
  readonly previews: Pick<MetadataPreviews, 'owns' | 'giveWay' | 'cached' | 'found'>
  settings(): DownloadSettings
  /** Makes the folder ready; its real path. AppErrors InvalidParameter, DiskFull. */
  prepareFolder(folder: string): Promise<string>
}

/** See the top of the file. */
export class Downloads implements DownloadsService {
  readonly #deps: DownloadsDeps
  readonly #set = new DownloadSet()
  readonly #list: DownloadList
  readonly #opened = makeDeferred<void>()
  /** What the engine is given to report to. */
  readonly engineEvents: TorrentEvents
  #totalsTimer: Timer | null = null

  constructor(deps: DownloadsDeps) {
    this.#deps = deps
    this.engineEvents = new EngineReports(this.#set, deps)
    this.#list = new DownloadList(
      deps.clock,
      () => this.#set.entries.values(),
      () => deps.settings(),
    )
  }

  /** Connects the store and lists every download in it as waiting. */
  async openStore(records: DownloadRecords): Promise<void> {
    this.#set.records = records
    for (const stored of await records.list()) this.#set.entries.set(stored.infoHash, new DownloadEntry(stored))
    this.#set.listed = true
    this.#list.changed()
    this.#opened.resolve()
  }

  /** Hands every download to the engine, a turn of the event loop for each, no faster than it takes them; then every method works. */
  async load(engine: TorrentEngine): Promise<void> {
    this.#set.engine = engine
    for await (const page of this.#set.store.loadAll()) {
      for (const loaded of page) {
        await this.#loadOne(engine, loaded)
        await Promise.all([nextTurn(), engine.room()])
      }
    }
    this.#set.ready = true
    this.#list.changed()
    this.#totalsTimer = this.#deps.clock.every(TOTALS_EVERY_MS, () => this.#noteTotals())
  }

  /** Takes no more requests, waits for those under way, hands the counters to the store. The engine stops after this. */
  async stop(): Promise<void> {
    this.#set.ready = false
    this.#totalsTimer?.cancel()
    await this.#set.queue.drained()
    this.#noteTotals()
  }

  /** AppError NotReady while the store is being opened: until then nothing is known to be absent. */
  has(infoHash: InfoHash): boolean {
    this.#set.checkListed()
    return this.#set.entries.has(infoHash)
  }

  /** The metainfo of a download, waiting for it. AppErrors DownloadNotFound, NotReady, Aborted. */
  async whenMetadata(infoHash: InfoHash, signal: AbortSignal): Promise<Metainfo> {
    return this.#set.find(infoHash).torrent.whenMetadata(signal)
  }

  whenListed(): Promise<void> {
    return this.#opened.promise
  }

  async *list(options: ListOptions): AsyncGenerator<ListedDownload, void> {
    const limits = this.#deps.settings()
    let turnMs = this.#deps.clock.now()
    for (const entry of [...this.#set.entries.values()]) {
      yield await entry.record(options, limits)
      if (this.#deps.clock.now() - turnMs < LIST_TURN_MS) continue
      await nextTurn()
      turnMs = this.#deps.clock.now()
    }
  }

  listJson(): Promise<readonly Uint8Array[]> {
    return this.#list.json()
  }

  async add(request: AddDownload): Promise<{ started: boolean; infohash: string }> {
    this.#set.checkReady()
    const traits = anonymityOf(request, this.#deps.settings())
    const source = await readSource(request.uri, this.#deps.sources)
    return this.#set.queue.run(source.infoHash, async () => {
      const known = this.#set.entries.get(source.infoHash)
      if (known === undefined) await this.#addNew(request, source, traits)
      else await mergeTrackers(this.#set, known, source)
      this.#list.changed()
      return { started: true, infohash: source.infoHash }
    })
  }

  async remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }> {
    this.#set.checkReady()
    const { infoHash } = this.#set.find(infohash).stored
    return this.#set.queue.run(infoHash, async () => {
      this.#set.find(infoHash)
      const failure = await this.#removeTorrent(infoHash, removeData)
      await this.#set.store.delete(infoHash)
      this.#set.entries.delete(infoHash)
      this.#list.changed()
      if (failure !== null) throw failure
      return { infohash: infoHash, removed: true }
    })
  }

  async patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }> {
    this.#set.checkReady()
    const { infoHash } = this.#set.find(infohash).stored
    checkPatch(change)
    return this.#set.queue.run(infoHash, async () => {
      const entry = this.#set.find(infoHash)
      await changeDownload(this.#set, entry, change, this.#deps.log)
      this.#list.changed()
      return { infohash: infoHash, modified: Object.values(change).some(value => value !== undefined) }
    })
  }

  async files(infohash: string): Promise<Iterable<FileRecord>> {
    const entry = this.#set.find(infohash)
    // [] would say that its metadata is unknown.
    if (!entry.loaded && entry.loadError === '') throw new AppError('NotReady', 'The download is still being loaded.')
    return entry.files()
  }

  async torrentFile(infohash: string): Promise<Uint8Array> {
    const { torrent } = this.#set.find(infohash)
    const metainfo = await torrent.loadMetainfo()
    if (metainfo === null) throw new AppError('MetadataNotFound')
    const { infoBytes } = metainfo
    return encodeMetainfo({ infoBytes, announceTiers: torrent.announceTiers(), ...notesOf(metainfo) })
  }

  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile> {
    return streamableFile(this.#set.find(infohash), fileIndex, this.#deps.clock, asker)
  }

  async #addNew(request: AddDownload, source: TorrentSource, traits: Anonymity): Promise<void> {
    const { clock, previews, prepareFolder, settings } = this.#deps
    const metainfo = metainfoOf(source, previews.cached(source.infoHash))
    const selectedFiles = selectionOf(request, source, metainfo)
    const destination = await prepareFolder(request.destination ?? settings().saveAs)
    const row = newRow({
      uri: request.uri,
      source,
      metainfo,
      selectedFiles,
      destination,
      traits,
      nowMs: clock.wallMs(),
    })
    await this.#set.store.insert({
      ...row,
      infoBytes: metainfo?.infoBytes ?? null,
      ...(metainfo !== null && { notes: notesOf(metainfo) }),
    })
    while (previews.owns(source.infoHash)) await previews.giveWay(source.infoHash)
    const entry = new DownloadEntry({ ...row, position: this.#set.entries.size })
    this.#set.entries.set(source.infoHash, entry)
    entry.attach(this.#set.running.add(specOf(row, metainfo, null)))
  }

  /** The error that kept data from being deleted, or null. The torrent is out of the engine either way. */
  async #removeTorrent(infoHash: InfoHash, deleteData: boolean): Promise<AppError | null> {
    if (this.#set.entries.get(infoHash)?.loaded !== true) return null
    try {
      await this.#set.running.remove(infoHash, { deleteData })
      return null
    } catch (error) {
      this.#deps.log.error('the data of a removed download is still there', { infoHash, error })
      const text = `The download was removed, but its data could not be: ${errorText(error)}`
      return new AppError(error instanceof AppError ? error.code : 'DiskError', text, { cause: error })
    }
  }

  async #loadOne(engine: TorrentEngine, loaded: LoadedDownload): Promise<void> {
    const { download, stored, resume } = loaded
    const entry = this.#set.entries.get(download.infoHash) ?? new DownloadEntry(download)
    this.#set.entries.set(download.infoHash, entry)
    try {
      const metainfo = stored === null ? null : await decodeStored(stored, download.announceTiers)
      entry.attach(engine.add(specOf(download, metainfo, resume)))
    } catch (error) {
      entry.loadError = errorText(error)
      this.#deps.log.error('a download could not be loaded', { infoHash: download.infoHash, error })
    }
  }

  #noteTotals(): void {
    for (const entry of this.#set.entries.values()) {
      // A torrent rests long after it last moved: its counters have been noted since.
      if (!entry.loaded || entry.torrent.resting) continue
      const { totalUp, totalDown } = entry.torrent.snapshot()
      if (totalUp === entry.stored.totalUp && totalDown === entry.stored.totalDown) continue
      entry.stored = { ...entry.stored, totalUp, totalDown }
      this.#set.store.noteTotals(entry.stored.infoHash, totalUp, totalDown)
    }
  }
}
