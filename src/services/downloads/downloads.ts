// Downloads: the one place where the durable rows and the engine's torrents are kept in step. What is answered is in
// the store first. Requests for one info hash run one after the other; the list never waits. Life of the service: made
// -> openStore (listed, waiting) -> load (handed to the engine) -> stop.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeDeferred } from '../../base/deferred.ts'
import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { FileRun } from '../../ports/progress-journal.ts'
import type { DownloadRecords, LoadedDownload, StoredDownload } from '../../ports/records.ts'
import type { FilmFacts } from '../../torrent/streams/film-facts.ts'
import type { Forecast } from '../../torrent/streams/forecast.ts'
import type { PlayFrom, TorrentEvents } from '../../torrent/types.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { checkPatch } from './add-checks.ts'
import type { SeedableTorrent } from './add-made.ts'
import { LabelledSet } from './bound/labelled-set.ts'
import type { DownloadsService, ListOptions, PatchDownload } from './downloads-api.ts'
import type { Asker, StreamableFile } from './streams-api.ts'
import type { EventSubscription } from '../events/events-api.ts'
import type { Explanation, FileRecord, ListedDownload } from './download-records-api.ts'
import type { TorrentDescription } from './details-api.ts'
import { DownloadAdding } from './download-adding.ts'
import { DownloadAnonymity } from './download-anonymity.ts'
import { changeDownload } from './download-changes.ts'
import { DownloadDefaults } from './download-defaults.ts'
import { DownloadDeltas } from './download-deltas.ts'
import { DownloadEntry } from './download-entry.ts'
import { descriptionOf, magnetOf, torrentFileOf } from './download-exports.ts'
import { DownloadNews } from './list/download-news.ts'
import { DownloadList } from './download-list.ts'
import { pageJson, placeOf, recordsOf } from './download-listing.ts'
import { FileRenamer } from './names/file-renames.ts'
import { KnownFilms } from './known-films.ts'
import { loadDownload } from './download-loading.ts'
import { DownloadRemoval } from './download-removal.ts'
import { DownloadSet } from './download-set.ts'
import { EarlyPage } from './list/early-page.ts'
import { DownloadTotals } from './download-totals.ts'
import { FileForecasts } from './file-forecasts.ts'
import type { DownloadsDeps } from './downloads-deps.ts'
import { EngineReports } from './engine-reports.ts'
import { explanationOf } from './reasons/explanation.ts'
import { Scrubs } from './scrubs.ts'
import { HELD_BACK, HeavyLoads } from './heavy-loads.ts'
import { ListPages } from './list/list-pages.ts'
import type { QueueMove, QueueMoved } from './queue/queue-api.ts'
import { QueueMoves } from './queue/queue-moves.ts'
import type { ListPage, ListQuery } from './list/list-query-api.ts'
import { SeedingGoals } from './seeding-goals.ts'
import { SharedPlaces } from './places/shared-places.ts'
import { StorageMoves } from './storage-moves.ts'
import { StalledDownloads } from './stalled-downloads.ts'
import { streamableFile } from './stream-files.ts'
import type { AnonymousEngines, TorrentEngine } from './torrent-engine.ts'
import type { SourceReaders } from './torrent-source.ts'
import { addTracker, changeTracker, forceAnnounce, removeTracker, setTrackers } from './tracker-changes.ts'
import type { Lineage } from '../updates/update-versions.ts'
import { WatchAndForget } from './watch-and-forget.ts'
import type { WorkCounts } from '../diagnostics/work-counts.ts'

/** Downloads: the one place where the durable rows and the engine's torrents are kept in step. */
export class Downloads implements DownloadsService {
  readonly #deps: DownloadsDeps
  readonly #set = new DownloadSet()
  readonly #list: DownloadList
  readonly #news: DownloadNews
  readonly #pages: ListPages
  readonly #deltas: DownloadDeltas
  readonly #opened = makeDeferred<void>()
  readonly #early = new EarlyPage(this.#set)
  readonly #goals: SeedingGoals
  readonly #scrubs: Scrubs
  readonly #watched: WatchAndForget
  readonly #moves: StorageMoves
  readonly #renamer: FileRenamer
  readonly #removal: DownloadRemoval
  readonly #stalled: StalledDownloads
  readonly #defaults: DownloadDefaults
  readonly #anonymity: DownloadAnonymity
  readonly #heavy: HeavyLoads
  readonly #adding: DownloadAdding
  /** Who knows films, for readers of them. */
  readonly films = new KnownFilms()
  /** Downloads by their labels, for views of bound keys. */
  readonly byLabel = new LabelledSet(this.#set, infoHash => this.#shared.find(infoHash))
  readonly #forecasts = new FileForecasts()
  /** What the engine is given to report to. */
  readonly engineEvents: TorrentEvents
  readonly #reports: EngineReports
  readonly #totals: DownloadTotals
  readonly #shared: SharedPlaces
  readonly #queue: QueueMoves

  constructor(deps: DownloadsDeps) {
    this.#deps = deps
    this.#news = new DownloadNews(deps)
    this.#heavy = new HeavyLoads(deps)
    this.#totals = new DownloadTotals(this.#set, deps)
    this.#goals = new SeedingGoals(this.#set, deps)
    this.#scrubs = new Scrubs(this.#set, deps)
    this.#shared = new SharedPlaces(this.#set, deps)
    this.#set.placed = entry => this.#shared.changed(entry)
    this.#watched = new WatchAndForget(this.#set, {
      ...deps,
      sharesFiles: infoHash => this.#shared.find(infoHash),
      remove: (infoHash, withFiles, still) => this.#removal.remove(infoHash, withFiles && 'made', still),
    })
    this.#anonymity = new DownloadAnonymity(this.#set, deps)
    this.#stalled = new StalledDownloads(deps.volumes)
    this.#moves = new StorageMoves(
      this.#set,
      { stalled: this.#stalled, shared: this.#shared, changed: () => this.#changed(null) },
      deps,
    )
    this.#renamer = new FileRenamer(this.#set, this.#shared, deps)
    this.#removal = new DownloadRemoval(
      this.#set,
      {
        goals: this.#goals,
        heavy: this.#heavy,
        moves: this.#moves,
        renamer: this.#renamer,
        news: this.#news,
        stalled: this.#stalled,
        changed: infoHash => this.#changed(infoHash),
      },
      deps,
    )
    this.#defaults = new DownloadDefaults(this.#set, this.#moves, deps)
    this.#adding = new DownloadAdding(
      this.#set,
      {
        anonymity: this.#anonymity,
        news: this.#news,
        defaults: this.#defaults,
        stalled: this.#stalled,
        changed: infoHash => this.#changed(infoHash),
      },
      deps,
    )
    this.#reports = new EngineReports(
      this.#set,
      { goals: this.#goals, defaults: this.#defaults, shared: this.#shared },
      {
        ...deps,
        hide: entry => this.#hide(entry),
      },
    )
    this.engineEvents = this.#reports
    this.#list = new DownloadList(
      deps.clock,
      () => this.#set.entries.values(),
      () => deps.settings(),
    )
    this.#queue = new QueueMoves(this.#set, infoHash => this.#changed(infoHash))
    this.#deltas = new DownloadDeltas(this.#list, deps)
    this.#pages = new ListPages(this.#set, deps.clock)
    deps.volumes?.onChange(() => this.#lookAtVolumes())
  }

  /** A request changed this download; null: one or more that it cannot name. */
  #changed(infoHash: InfoHash | null): void {
    this.#list.changed()
    this.#pages.changed(infoHash)
  }

  /** A volume has stopped to answer, or answers again. */
  #lookAtVolumes(): void {
    for (const entry of this.#set.entries.values())
      entry.stalledVolume = this.#deps.volumes?.stalledAt(entry.stored.destination) ?? null
    this.#changed(null)
  }

  /** Connects the store and lists every download in it as waiting. */
  async openStore(records: DownloadRecords): Promise<void> {
    this.#set.records = records
    for await (const { rows, total } of records.list()) {
      for (const stored of rows) this.#set.enter(new DownloadEntry(stored))
      this.#early.came(total)
      await nextTurn()
    }
    this.#early.end()
    this.#set.listed = true
    this.#changed(null)
    this.#opened.resolve()
  }

  /**
   * Hands every download to the engine, a turn of the event loop for each, no faster than it takes them; then every
   * method works.
   */
  async load(engine: TorrentEngine, anonymous: AnonymousEngines | null = null): Promise<void> {
    this.#set.engine = engine
    this.#set.anonymous = anonymous
    await this.#heavy.open()
    const suspects: InfoHash[] = []
    for await (const page of this.#set.store.loadAll()) {
      for (const loaded of page) {
        if (this.#heavy.isSuspect(loaded.download.infoHash)) suspects.push(loaded.download.infoHash)
        else void this.#heavy.loaded(await this.#load(loaded))
        await Promise.all([nextTurn(), engine.room()])
      }
    }
    for (const infoHash of suspects) await this.#loadSuspect(infoHash)
    this.#set.ready = true
    this.#changed(null)
    this.#totals.start()
    this.#goals.start()
    this.#scrubs.start()
    this.#watched.start()
    for (const entry of this.#set.entries.values())
      if (entry.loaded) for (const work of [this.#moves, this.#renamer]) work.resume(entry)
  }

  async #load(loaded: LoadedDownload): Promise<DownloadEntry> {
    await this.#heavy.begin(loaded)
    return loadDownload(this.#set, loaded, this.#deps.log)
  }

  /** One that was being loaded when the process ended: the last, alone, and not a third time. */
  async #loadSuspect(infoHash: InfoHash): Promise<void> {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined) return this.#heavy.forget(infoHash)
    if (!this.#heavy.isHeldBack(infoHash)) return this.#loadAlone(entry)
    entry.loadError = HELD_BACK
    this.#deps.log.error('a download is held back: the process ended twice while it was being loaded', { infoHash })
  }

  async #loadAlone(entry: DownloadEntry): Promise<void> {
    entry.loadError = ''
    const { infoHash } = entry.stored
    for await (const page of this.#set.store.loadAll(entry.stored.position - 1)) {
      const loaded = page.find(({ download }) => download.infoHash === infoHash)
      if (loaded === undefined) return
      return this.#heavy.loaded(await this.#load({ ...loaded, download: entry.stored }))
    }
  }

  /** Scrubs what is due by the new days now: a user who sets them looks whether it works. */
  scrubDaysChanged(): void {
    void this.#scrubs.look()
  }

  /**
   * Takes no more requests, waits for those under way, hands the counters to the store. The engine stops after this.
   */
  async stop(): Promise<void> {
    this.#set.ready = false
    this.#pages.stop()
    this.#totals.stop()
    await this.#watched.stop()
    this.#renamer.stop()
    await this.#moves.stop()
    await this.#scrubs.stop()
    await this.#set.queue.drained()
    await this.#queue.drained()
    this.#news.tell()
    await this.#goals.stop()
    this.#totals.note()
    await this.#heavy.close()
  }

  /** AppError NotReady while the store is being opened: until then nothing is known to be absent. */
  has(infoHash: InfoHash): boolean {
    this.#set.checkListed()
    return this.#set.entries.has(this.#set.knownAs(infoHash, null))
  }

  /** The metainfo of a download, waiting for it. AppErrors DownloadNotFound, NotReady, Aborted. */
  async whenMetadata(infoHash: InfoHash, signal: AbortSignal): Promise<Metainfo> {
    return (await this.#set.find(infoHash).torrent.wake()).whenMetadata(signal)
  }

  /** The row of a download; null when there is none. AppError NotReady. */
  row(infoHash: InfoHash): StoredDownload | null {
    this.#set.checkListed()
    return this.#set.entries.get(infoHash)?.stored ?? null
  }

  /** Its metainfo; null when it is not known, or it is no download. AppErrors NotReady, StateConflict. */
  async metainfo(infoHash: InfoHash): Promise<Metainfo | null> {
    this.#set.checkListed()
    const entry = this.#set.entries.get(infoHash)
    return entry === undefined ? null : entry.torrent.loadMetainfo()
  }

  /** Files that are noted as its own. AppError NotReady. */
  ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]> {
    return this.#set.store.ownFiles(infoHash)
  }

  /** As metainfo(), of a download. AppErrors DownloadNotFound, NotReady, StateConflict. */
  async knownMetainfo(infoHash: InfoHash): Promise<Metainfo | null> {
    return this.#set.find(infoHash).torrent.loadMetainfo()
  }

  /** What its record shows of the updates it is part of. */
  setLineage(infoHash: InfoHash, lineage: Lineage | null): void {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined) return
    entry.lineage = lineage
    this.#changed(infoHash)
  }

  /** Metadata of magnets: what is looked for now, and what came since the start. */
  get metadataCounts(): WorkCounts {
    let pending = 0
    for (const { stored } of this.#set.entries.values()) if (stored.pieceCount === 0 && !stored.userStopped) pending++
    return { pending, success: this.#reports.metadataKept, failed: 0 }
  }

  whenListed(): Promise<void> {
    return this.#opened.promise
  }

  list(options: ListOptions): AsyncGenerator<ListedDownload, void> {
    return recordsOf(this.#set, options, { ...this.#deps, goals: this.#goals })
  }

  listJson(): Promise<readonly Uint8Array[]> {
    return this.#list.json()
  }

  async earlyPage(query: ListQuery): Promise<ListPage | null> {
    const page = this.#set.listed ? null : await this.#early.find(query)
    // The next one goes on there although just that download is removed meanwhile.
    if (page !== null && page.next !== '') this.#pages.endedEarly(query, page.next)
    return page
  }

  findPage(query: ListQuery): Promise<ListPage> {
    return this.#pages.find(query)
  }

  pageJson(page: ListPage, fields: readonly string[] | null): Promise<readonly Uint8Array[]> {
    return pageJson(this.#set, page, fields, this.#deps)
  }

  async record(infohash: string, options: ListOptions): Promise<ListedDownload> {
    const entry = this.#set.find(infohash)
    return { ...(await entry.record(options, this.#deps.settings())), ...placeOf(this.#set, entry) }
  }

  async moveInQueue(infohashes: readonly string[], to: QueueMove): Promise<QueueMoved> {
    return this.#queue.move(infohashes, to)
  }

  followList(deliver: (line: Uint8Array) => boolean, room: () => undefined | Promise<void>): EventSubscription {
    return this.#deltas.follow(this.#opened.promise, deliver, room)
  }

  /** AppErrors that adding a torrent with the default hops would end in. */
  checkAdding(): void {
    this.#set.checkReady()
    this.#anonymity.traitsOf({})
  }

  hopsOf(wanted: number | undefined): number {
    return this.#anonymity.hopsOf(wanted)
  }

  /** A download of any of its names goes over circuits: what is done for it in the open would tell of it. */
  isAnonymous(infohash: string): boolean {
    return (this.#set.lookUp(infohash)?.stored.hops ?? 0) > 0
  }

  readers(hops: number): SourceReaders {
    return this.#anonymity.readers(hops)
  }

  async #hide(entry: DownloadEntry): Promise<boolean> {
    const hidden = await this.#anonymity.hide(entry)
    this.#goals.changed(entry.stored.infoHash)
    this.#changed(entry.stored.infoHash)
    return hidden
  }

  add: DownloadsService['add'] = request => this.#adding.add(request)

  addFile: DownloadsService['addFile'] = (bytes, request) => this.#adding.addFile(bytes, request)

  /**
   * Adds a torrent that was made of files as they lie there: it seeds without a check. False when it is known already.
   */
  addMade(made: SeedableTorrent): Promise<boolean> {
    return this.#adding.addMade(made)
  }

  async remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }> {
    this.#set.checkReady()
    if (!removeData)
      for (const other of await this.#shared.forgettingBeside(this.#set.find(infohash)))
        await this.#inTurn(other, async ({ torrent }) => (await torrent.wake()).keepMade())
    return this.#removal.remove(infohash, removeData)
  }

  #turnOf(infoHash: InfoHash): <T>(task: () => Promise<T>) => Promise<T> {
    return task => this.#set.queue.run(infoHash, task)
  }

  async patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }> {
    this.#set.checkReady()
    const { stored } = this.#set.find(infohash)
    const { infoHash } = stored
    checkPatch(change, this.#set.anonymous)
    const { log, clock } = this.#deps
    const parts = { log, clock, moves: this.#moves, stalled: this.#stalled }
    const patch = async (): Promise<{ infohash: string; modified: boolean }> => {
      const entry = this.#set.find(infoHash)
      if (!entry.loaded && change.state === 'resume' && this.#heavy.isHeldBack(infoHash)) await this.#loadAlone(entry)
      if (change.anon_hops !== undefined) await this.#anonymity.change(entry, change.anon_hops)
      else await changeDownload(this.#set, entry, change, parts)
      this.#goals.changed(infoHash)
      this.#changed(infoHash)
      return { infohash: infoHash, modified: Object.values(change).some(value => value !== undefined) }
    }
    return this.#stalled.inTurn(stored, this.#turnOf(infoHash), patch, change.anon_hops !== undefined)
  }

  renameFile: DownloadsService['renameFile'] = (infohash, request) =>
    this.#inTurn(infohash, entry => this.#renamer.rename(entry, request))

  addPeer: DownloadsService['addPeer'] = (infohash, address) =>
    this.#inTurn(infohash, async entry => (await import('./peers/peer-by-hand.ts')).addPeer(entry, address))

  addTracker: DownloadsService['addTracker'] = (infohash, url) =>
    this.#inTurn(infohash, entry => addTracker(this.#set, entry, url))

  removeTracker: DownloadsService['removeTracker'] = (infohash, url) =>
    this.#inTurn(infohash, entry => removeTracker(this.#set, entry, url))

  changeTracker: DownloadsService['changeTracker'] = (infohash, url, change) =>
    this.#inTurn(infohash, entry => changeTracker(this.#set, entry, url, change))

  setTrackers: DownloadsService['setTrackers'] = (infohash, tiers) =>
    this.#inTurn(infohash, entry => setTrackers(this.#set, entry, tiers))

  forceAnnounce: DownloadsService['forceAnnounce'] = (infohash, url) =>
    this.#inTurn(infohash, entry => forceAnnounce(entry, url))

  async explain(infohash: string): Promise<Explanation> {
    const entry = this.#set.find(infohash)
    return explanationOf(entry, this.#goals.seededSec(entry))
  }

  /** Changes one download in its turn. */
  async #inTurn<T>(infohash: string, change: (entry: DownloadEntry) => Promise<T>): Promise<T> {
    this.#set.checkReady()
    const { stored } = this.#set.find(infohash)
    const { infoHash } = stored
    return this.#stalled.inTurn(stored, this.#turnOf(infoHash), async () => {
      const result = await change(this.#set.find(infoHash))
      this.#changed(infoHash)
      return result
    })
  }

  async files(infohash: string): Promise<Iterable<FileRecord>> {
    const entry = this.#set.find(infohash)
    // [] would say that its metadata is unknown.
    if (!entry.loaded && entry.loadError === '') throw new AppError('NotReady', 'The download is still being loaded.')
    return entry.files()
  }

  async describe(infohash: string): Promise<TorrentDescription | null> {
    return descriptionOf(this.#set.find(infohash))
  }

  async freeSpace(folder: string): Promise<number> {
    try {
      return await this.#deps.freeBytes(folder)
    } catch (error) {
      throw new AppError('DiskError', `How much room ${folder} has cannot be told.`, { cause: error })
    }
  }

  async torrentFile(infohash: string): Promise<Uint8Array> {
    return torrentFileOf(this.#set.find(infohash))
  }

  async magnet(infohash: string): Promise<{ magnet: string }> {
    return { magnet: magnetOf(this.#set, this.#set.find(infohash)) }
  }

  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile> {
    const deps = { clock: this.#deps.clock, films: this.films }
    return streamableFile(this.#set.find(infohash), fileIndex, deps, asker)
  }

  /**
   * From when on a file of a download plays from a place to its end without a stall, by what is known of the film. Null
   * where `film` has no rate. AppErrors DownloadNotFound, FileNotFound, MetadataNotFound, NotReady.
   */
  async forecast(infohash: string, fileIndex: number, from: PlayFrom, film: FilmFacts): Promise<Forecast | null> {
    const entry = this.#set.find(infohash)
    return this.#forecasts.of(entry, fileIndex, from, film, this.#set.entries.values(), this.#deps.clock.now())
  }
}
