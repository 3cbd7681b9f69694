// Downloads: the one place where the durable rows and the engine's torrents are kept in step. What is answered is in the
// store first. Requests for one info hash run one after the other; the list never waits.
// Life of the service: made -> openStore (listed, waiting) -> load (handed to the engine) -> stop.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, errorText } from '../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { DownloadRecords, LoadedDownload } from '../ports/records.ts'
import type { TorrentEvents } from '../torrent/types.ts'
import { encodeMetainfo } from '../wire/metainfo.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import {
  type Anonymity,
  type AnonymityDefaults,
  anonymityOf,
  checkPatch,
  checkSelection,
  fitSelection,
} from './add-checks.ts'
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
import { DownloadList } from './download-list.ts'
import { DownloadEntry } from './download-entry.ts'
import type { RateLimits } from './download-record.ts'
import type { EventHub } from './events.ts'
import { announceTiersOf, decodeStored, metainfoOf, newRow, notesOf, selectionOf, specOf } from './new-download.ts'
import { makeDeferred } from '../base/deferred.ts'
import { KeyedQueue } from './keyed-queue.ts'
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
  readonly #entries = new Map<InfoHash, DownloadEntry>()
  readonly #queue = new KeyedQueue<InfoHash>()
  readonly #list: DownloadList
  #records: DownloadRecords | null = null
  #engine: TorrentEngine | null = null
  readonly #opened = makeDeferred<void>()
  #listed = false
  #ready = false
  #totalsTimer: Timer | null = null

  constructor(deps: DownloadsDeps) {
    this.#deps = deps
    this.#list = new DownloadList(
      deps.clock,
      () => this.#entries.values(),
      () => deps.settings(),
    )
  }

  /** What the engine is given to report to. */
  readonly engineEvents: TorrentEvents = {
    metadata: (infoHash, metainfo) =>
      this.#deps.previews.owns(infoHash)
        ? this.#deps.previews.found(infoHash, metainfo)
        : this.#keepMetadata(infoHash, metainfo),
    finished: (infoHash, name) => this.#finished(infoHash, name),
    failed: (infoHash, error) => {
      if (this.#entries.has(infoHash)) this.#deps.events.emit('torrent_error', { infohash: infoHash, error })
    },
    statusChanged: (infoHash, status) => {
      if (status === 'seeding') this.#leaveOpenSwarm(infoHash)
    },
  }

  /** Connects the store and lists every download in it as waiting. */
  async openStore(records: DownloadRecords): Promise<void> {
    this.#records = records
    for (const stored of await records.list()) this.#entries.set(stored.infoHash, new DownloadEntry(stored))
    this.#listed = true
    this.#list.changed()
    this.#opened.resolve()
  }

  /** Hands every download to the engine, a turn of the event loop for each, no faster than it takes them; then every method works. */
  async load(engine: TorrentEngine): Promise<void> {
    this.#engine = engine
    for await (const page of this.#store().loadAll()) {
      for (const loaded of page) {
        await this.#loadOne(engine, loaded)
        await Promise.all([nextTurn(), engine.room()])
      }
    }
    this.#ready = true
    this.#list.changed()
    this.#totalsTimer = this.#deps.clock.every(TOTALS_EVERY_MS, () => this.#noteTotals())
  }

  /** Takes no more requests, waits for those under way, hands the counters to the store. The engine stops after this. */
  async stop(): Promise<void> {
    this.#ready = false
    this.#totalsTimer?.cancel()
    await this.#queue.drained()
    this.#noteTotals()
  }

  /** AppError NotReady while the store is being opened: until then nothing is known to be absent. */
  has(infoHash: InfoHash): boolean {
    this.#checkListed()
    return this.#entries.has(infoHash)
  }

  /** The metainfo of a download, waiting for it. AppErrors DownloadNotFound, NotReady, Aborted. */
  async whenMetadata(infoHash: InfoHash, signal: AbortSignal): Promise<Metainfo> {
    return this.#find(infoHash).torrent.whenMetadata(signal)
  }

  whenListed(): Promise<void> {
    return this.#opened.promise
  }

  async *list(options: ListOptions): AsyncGenerator<ListedDownload, void> {
    const limits = this.#deps.settings()
    let turnMs = this.#deps.clock.now()
    for (const entry of [...this.#entries.values()]) {
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
    this.#checkReady()
    const traits = anonymityOf(request, this.#deps.settings())
    const source = await readSource(request.uri, this.#deps.sources)
    return this.#queue.run(source.infoHash, async () => {
      const known = this.#entries.get(source.infoHash)
      if (known === undefined) await this.#addNew(request, source, traits)
      else await this.#mergeTrackers(known, source)
      this.#list.changed()
      return { started: true, infohash: source.infoHash }
    })
  }

  async remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }> {
    this.#checkReady()
    const { infoHash } = this.#find(infohash).stored
    return this.#queue.run(infoHash, async () => {
      this.#find(infoHash)
      const failure = await this.#removeTorrent(infoHash, removeData)
      await this.#store().delete(infoHash)
      this.#entries.delete(infoHash)
      this.#list.changed()
      if (failure !== null) throw failure
      return { infohash: infoHash, removed: true }
    })
  }

  async patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }> {
    this.#checkReady()
    const { infoHash } = this.#find(infohash).stored
    checkPatch(change)
    return this.#queue.run(infoHash, async () => {
      const entry = this.#find(infoHash)
      await entry.torrent.wake()
      if (change.selected_files !== undefined) await this.#select(entry, change.selected_files)
      if (change.state !== undefined) await this.#changeState(entry, change.state)
      this.#list.changed()
      return { infohash: infoHash, modified: Object.values(change).some(value => value !== undefined) }
    })
  }

  async files(infohash: string): Promise<Iterable<FileRecord>> {
    const entry = this.#find(infohash)
    // [] would say that its metadata is unknown.
    if (!entry.loaded && entry.loadError === '') throw new AppError('NotReady', 'The download is still being loaded.')
    return entry.files()
  }

  async torrentFile(infohash: string): Promise<Uint8Array> {
    const { torrent } = this.#find(infohash)
    const metainfo = await torrent.loadMetainfo()
    if (metainfo === null) throw new AppError('MetadataNotFound')
    const { infoBytes } = metainfo
    return encodeMetainfo({ infoBytes, announceTiers: torrent.announceTiers(), ...notesOf(metainfo) })
  }

  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile> {
    return streamableFile(this.#find(infohash), fileIndex, this.#deps.clock, asker)
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
    await this.#store().insert({
      ...row,
      infoBytes: metainfo?.infoBytes ?? null,
      ...(metainfo !== null && { notes: notesOf(metainfo) }),
    })
    while (previews.owns(source.infoHash)) await previews.giveWay(source.infoHash)
    const entry = new DownloadEntry({ ...row, position: this.#entries.size })
    this.#entries.set(source.infoHash, entry)
    entry.attach(this.#running().add(specOf(row, metainfo, null)))
  }

  /** A second PUT brings its trackers (never to a private torrent) and peers, nothing else (decisions part 2). */
  async #mergeTrackers(entry: DownloadEntry, source: TorrentSource): Promise<void> {
    const { torrent } = entry
    await torrent.wake()
    if (torrent.metainfo?.private === true) return
    if (source.kind === 'magnet') torrent.addPeers(source.magnet.peers)
    if (torrent.addTrackers(announceTiersOf(source)).length === 0) return
    await this.#update(entry, { announceTiers: torrent.announceTiers() })
  }

  /** The error that kept data from being deleted, or null. The torrent is out of the engine either way. */
  async #removeTorrent(infoHash: InfoHash, deleteData: boolean): Promise<AppError | null> {
    if (this.#entries.get(infoHash)?.loaded !== true) return null
    try {
      await this.#running().remove(infoHash, { deleteData })
      return null
    } catch (error) {
      this.#deps.log.error('the data of a removed download is still there', { infoHash, error })
      const text = `The download was removed, but its data could not be: ${errorText(error)}`
      return new AppError(error instanceof AppError ? error.code : 'DiskError', text, { cause: error })
    }
  }

  async #select(entry: DownloadEntry, files: readonly number[]): Promise<void> {
    const { torrent } = entry
    const selectedFiles = checkSelection(files, torrent.metainfo?.files.length ?? null)
    await this.#update(entry, { selectedFiles })
    await torrent.wake()
    torrent.select(selectedFiles)
  }

  async #changeState(entry: DownloadEntry, state: 'resume' | 'stop' | 'recheck'): Promise<void> {
    const { torrent } = entry
    if (state === 'recheck') {
      if (torrent.metainfo === null)
        throw new AppError('StateConflict', 'A download without metadata has nothing to check.')
      // Answered when a kill cannot lose it any more; what it finds is seen in the status.
      return new Promise((resolve, reject) => {
        torrent.recheck(resolve).then(resolve, (error: unknown) => {
          this.#deps.log.warn('a recheck ended early', { infoHash: entry.stored.infoHash, error })
          // Heard only when it did not even begin.
          reject(error)
        })
      })
    }
    const userStopped = state === 'stop'
    if (entry.stored.userStopped !== userStopped) await this.#update(entry, { userStopped })
    // The disk may have taken its time.
    await torrent.wake()
    if (userStopped) await torrent.stop()
    else torrent.resume()
  }

  async #keepMetadata(infoHash: InfoHash, metainfo: Metainfo): Promise<void> {
    const entry = this.#entries.get(infoHash)
    if (entry === undefined) return
    await this.#update(entry, {
      infoBytes: metainfo.infoBytes,
      pieceCount: metainfo.pieceCount,
      name: metainfo.name,
      selectedFiles: fitSelection(entry.stored.selectedFiles, metainfo.files.length),
    })
  }

  #finished(infoHash: InfoHash, name: string): void {
    const entry = this.#entries.get(infoHash)
    if (entry === undefined) return
    this.#deps.events.emit('torrent_finished', { infohash: infoHash, name })
    if (entry.stored.finishedAtMs !== null) return
    this.#inBackground(entry, () => this.#update(entry, { finishedAtMs: this.#deps.clock.wallMs() }))
  }

  /** safe_seeding without hops: complete data is not offered to plain peers (decisions part 2). */
  #leaveOpenSwarm(infoHash: InfoHash): void {
    const entry = this.#entries.get(infoHash)
    if (entry === undefined || !entry.stored.safeSeeding) return
    this.#inBackground(entry, async () => {
      await this.#update(entry, { userStopped: true })
      await entry.torrent.wake()
      await entry.torrent.stop()
    })
  }

  #inBackground(entry: DownloadEntry, task: () => Promise<void>): void {
    const { infoHash } = entry.stored
    this.#queue
      .run(infoHash, async () => {
        if (this.#entries.get(infoHash) === entry) await task()
      })
      .catch((error: unknown) => this.#deps.log.error('a download could not be updated', { infoHash, error }))
  }

  async #update(entry: DownloadEntry, change: Parameters<DownloadRecords['update']>[1]): Promise<void> {
    await this.#store().update(entry.stored.infoHash, change)
    const { infoBytes: _, ...columns } = change
    entry.stored = { ...entry.stored, ...columns }
  }

  async #loadOne(engine: TorrentEngine, loaded: LoadedDownload): Promise<void> {
    const { download, stored, resume } = loaded
    const entry = this.#entries.get(download.infoHash) ?? new DownloadEntry(download)
    this.#entries.set(download.infoHash, entry)
    try {
      const metainfo = stored === null ? null : await decodeStored(stored, download.announceTiers)
      entry.attach(engine.add(specOf(download, metainfo, resume)))
    } catch (error) {
      entry.loadError = errorText(error)
      this.#deps.log.error('a download could not be loaded', { infoHash: download.infoHash, error })
    }
  }

  #noteTotals(): void {
    for (const entry of this.#entries.values()) {
      // A torrent rests long after it last moved: its counters have been noted since.
      if (!entry.loaded || entry.torrent.resting) continue
      const { totalUp, totalDown } = entry.torrent.snapshot()
      if (totalUp === entry.stored.totalUp && totalDown === entry.stored.totalDown) continue
      entry.stored = { ...entry.stored, totalUp, totalDown }
      this.#store().noteTotals(entry.stored.infoHash, totalUp, totalDown)
    }
  }

  #find(infohash: string): DownloadEntry {
    this.#checkListed()
    const infoHash = parseInfoHash(infohash)
    const entry = infoHash === null ? undefined : this.#entries.get(infoHash)
    if (entry === undefined) throw new AppError('DownloadNotFound')
    return entry
  }

  #checkListed(): void {
    if (!this.#listed) throw new AppError('NotReady')
  }

  #checkReady(): void {
    if (!this.#ready) throw new AppError('NotReady')
  }

  #store(): DownloadRecords {
    if (this.#records === null) throw new AppError('NotReady')
    return this.#records
  }

  #running(): TorrentEngine {
    if (this.#engine === null) throw new AppError('NotReady')
    return this.#engine
  }
}
