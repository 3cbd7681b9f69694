// Downloads: the one place where the durable rows and the engine's torrents are kept in step. What is answered is in the
// store first. Requests for one info hash run one after the other; the list never waits.
// Life of the service: made -> openStore (listed, waiting) -> load (handed to the engine) -> stop.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, errorText } from '../base/errors.ts'
import { type InfoHash, type InfoHashV2, truncatedInfoHash } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { NewFiles } from '../ports/new-files.ts'
import type { DownloadRecords, LoadedDownload, StoredDownload } from '../ports/records.ts'
import type { TorrentEvents } from '../torrent/types.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import { type Anonymity, type AnonymityDefaults, checkPatch } from './add-checks.ts'
import { addMadeTorrent, type SeedableTorrent } from './add-made.ts'
import type {
  AddDownload,
  Asker,
  DownloadsService,
  EventSubscription,
  Explanation,
  FileRecord,
  ListedDownload,
  ListOptions,
  PatchDownload,
  StreamableFile,
  TorrentDescription,
} from './api.ts'
import { changeDownload, mergeTrackers } from './download-changes.ts'
import { DownloadAnonymity } from './download-anonymity.ts'
import { DownloadDefaults, type DefaultsSettings } from './download-defaults.ts'
import { DownloadDeltas } from './download-deltas.ts'
import { DownloadList } from './download-list.ts'
import { DownloadEntry } from './download-entry.ts'
import { descriptionOf, magnetOf, torrentFileOf } from './download-exports.ts'
import { DownloadSet } from './download-set.ts'
import { EngineReports } from './engine-reports.ts'
import type { RateLimits } from './download-record.ts'
import type { EventHub } from './events.ts'
import type { FollowedUpdates } from './followed-updates.ts'
import { explanationOf } from './explanation.ts'
import {
  askedOf,
  decodeStored,
  infoHashV2Of,
  metainfoOf,
  newRow,
  selectionOf,
  specOf,
  storedMetainfo,
} from './new-download.ts'
import { SeedingGoals, type SeedingSettings } from './seeding-goals.ts'
import { StorageMoves } from './storage-moves.ts'
import { makeDeferred } from '../base/deferred.ts'
import type { MetadataPreviews } from './metadata-previews.ts'
import { streamableFile } from './stream-files.ts'
import type { AnonymousEngines, TorrentEngine } from './torrent-engine.ts'
import { readSource, sentSource, type SourceReaders, type TorrentSource, updateLinkOf } from './torrent-source.ts'
import { addTracker, checkTrackerUrl, removeTracker } from './tracker-changes.ts'
import type { Lineage } from './update-versions.ts'
import type { WorkCounts } from './work-counts.ts'

/** All-time counters go to the store this often; it writes them when it writes anyway. */
const TOTALS_EVERY_MS = 5000

/** Settings the service follows; read anew at each use. */
export interface DownloadSettings extends AnonymityDefaults, RateLimits, SeedingSettings, DefaultsSettings {
  /** Absolute folder of downloads that name none. */
  readonly saveAs: string
}

/** Records made in one turn of the event loop, ms. */
const LIST_TURN_MS = 4

/** What the service tells of its downloads to what follows updates. */
export type DownloadUpdates = Pick<FollowedUpdates, 'follow' | 'metadataKnown' | 'removing'>

/** What the service needs of the node. */
export interface DownloadsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly sources: SourceReaders
  readonly previews: Pick<MetadataPreviews, 'owns' | 'giveWay' | 'cached' | 'recall' | 'found'>
  settings(): DownloadSettings
  /** Follows links to torrents that are updated; absent = such links are refused. */
  readonly updates?: () => DownloadUpdates
  /** Where torrent files are kept. */
  readonly files: Pick<NewFiles, 'write'>
  /** Makes the folder ready; its real path. AppErrors InvalidParameter, DiskFull. */
  prepareFolder(folder: string): Promise<string>
  /** Bytes free on the disk of a folder; rejects with what the system says. */
  freeBytes(folder: string): Promise<number>
}

/** See the top of the file. */
export class Downloads implements DownloadsService {
  readonly #deps: DownloadsDeps
  readonly #set = new DownloadSet()
  readonly #list: DownloadList
  readonly #deltas: DownloadDeltas
  readonly #opened = makeDeferred<void>()
  readonly #goals: SeedingGoals
  readonly #moves: StorageMoves
  readonly #defaults: DownloadDefaults
  readonly #anonymity: DownloadAnonymity
  /** What the engine is given to report to. */
  readonly engineEvents: TorrentEvents
  readonly #reports: EngineReports
  #totalsTimer: Timer | null = null

  constructor(deps: DownloadsDeps) {
    this.#deps = deps
    this.#goals = new SeedingGoals(this.#set, deps)
    this.#anonymity = new DownloadAnonymity(this.#set, deps)
    this.#moves = new StorageMoves(this.#set, deps, () => this.#list.changed())
    this.#defaults = new DownloadDefaults(this.#set, this.#moves, deps)
    this.#reports = new EngineReports(
      this.#set,
      { goals: this.#goals, defaults: this.#defaults },
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
    this.#deltas = new DownloadDeltas(this.#list, deps)
  }

  /** Connects the store and lists every download in it as waiting. */
  async openStore(records: DownloadRecords): Promise<void> {
    this.#set.records = records
    for (const stored of await records.list()) this.#set.enter(new DownloadEntry(stored))
    this.#set.listed = true
    this.#list.changed()
    this.#opened.resolve()
  }

  /** Hands every download to the engine, a turn of the event loop for each, no faster than it takes them; then every method works. */
  async load(engine: TorrentEngine, anonymous: AnonymousEngines | null = null): Promise<void> {
    this.#set.engine = engine
    this.#set.anonymous = anonymous
    for await (const page of this.#set.store.loadAll()) {
      for (const loaded of page) {
        await this.#loadOne(loaded)
        await Promise.all([nextTurn(), engine.room()])
      }
    }
    this.#set.ready = true
    this.#list.changed()
    this.#totalsTimer = this.#deps.clock.every(TOTALS_EVERY_MS, () => this.#noteTotals())
    this.#goals.start()
    for (const entry of this.#set.entries.values()) if (entry.loaded) this.#moves.resume(entry)
  }

  /** Takes no more requests, waits for those under way, hands the counters to the store. The engine stops after this. */
  async stop(): Promise<void> {
    this.#set.ready = false
    this.#totalsTimer?.cancel()
    await this.#moves.stop()
    await this.#set.queue.drained()
    await this.#goals.stop()
    this.#noteTotals()
  }

  /** AppError NotReady while the store is being opened: until then nothing is known to be absent. */
  has(infoHash: InfoHash): boolean {
    this.#set.checkListed()
    return this.#set.entries.has(this.#set.knownAs(infoHash, null))
  }

  /** The metainfo of a download, waiting for it. AppErrors DownloadNotFound, NotReady, Aborted. */
  async whenMetadata(infoHash: InfoHash, signal: AbortSignal): Promise<Metainfo> {
    return this.#set.find(infoHash).torrent.whenMetadata(signal)
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

  /** As metainfo(), of a download. AppErrors DownloadNotFound, NotReady, StateConflict. */
  async knownMetainfo(infoHash: InfoHash): Promise<Metainfo | null> {
    return this.#set.find(infoHash).torrent.loadMetainfo()
  }

  /** What its record shows of the updates it is part of. */
  setLineage(infoHash: InfoHash, lineage: Lineage | null): void {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined) return
    entry.lineage = lineage
    this.#list.changed()
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

  async *list(options: ListOptions): AsyncGenerator<ListedDownload, void> {
    const limits = this.#deps.settings()
    let turnMs = this.#deps.clock.now()
    for (const entry of options.only === undefined ? [...this.#set.entries.values()] : this.#named(options.only)) {
      const record = await entry.record(options, limits)
      yield options.details === true
        ? { ...record, details: await entry.details(this.#goals.seededSec(entry)) }
        : record
      if (this.#deps.clock.now() - turnMs < LIST_TURN_MS) continue
      await nextTurn()
      turnMs = this.#deps.clock.now()
    }
  }

  /** Each once, in the order of the names. */
  #named(names: readonly string[]): Set<DownloadEntry> {
    const known = names.map(name => this.#set.lookUp(name)).filter(entry => entry !== null)
    return new Set(known)
  }

  listJson(): Promise<readonly Uint8Array[]> {
    return this.#list.json()
  }

  async record(infohash: string, options: ListOptions): Promise<ListedDownload> {
    return this.#set.find(infohash).record(options, this.#deps.settings())
  }

  followList(deliver: (line: Uint8Array) => boolean, room: () => undefined | Promise<void>): EventSubscription {
    return this.#deltas.follow(this.#opened.promise, deliver, room)
  }

  async add(request: AddDownload): Promise<{ started: boolean; infohash: string }> {
    this.#set.checkReady()
    const traits = this.#anonymity.traitsOf(request)
    const link = updateLinkOf(request.uri)
    const { updates } = this.#deps
    if (link !== null && traits.hops > 0)
      throw new AppError(
        'InvalidParameter',
        'A torrent that is updated is followed by the plain DHT: not with anon_hops.',
      )
    if (link !== null && updates !== undefined) return updates().follow(request, link)
    return this.#addSource(request, await readSource(request.uri, this.readers(traits.hops)), traits)
  }

  async addFile(bytes: Uint8Array, request: Omit<AddDownload, 'uri'>): Promise<{ started: boolean; infohash: string }> {
    this.#set.checkReady()
    const traits = this.#anonymity.traitsOf(request)
    return this.#addSource({ ...request, uri: '' }, await sentSource(bytes), traits)
  }

  #addSource(
    request: AddDownload,
    source: TorrentSource,
    traits: Anonymity,
  ): Promise<{ started: boolean; infohash: string }> {
    return this.#asKnown(source.infoHash, infoHashV2Of(source), async infoHash => {
      const known = this.#set.entries.get(infoHash)
      if (known === undefined) await this.#addNew(request, source, traits)
      else await mergeTrackers(this.#set, known, source)
      this.#list.changed()
      return { started: true, infohash: infoHash }
    })
  }

  /**
   * Runs `task` in the turn of a torrent, with what it is known as: a hybrid has two names, and those who add it by one wait
   * for those who add it by the other.
   */
  #asKnown<T>(infoHash: InfoHash, v2: InfoHashV2 | null, task: (infoHash: InfoHash) => Promise<T>): Promise<T> {
    const { queue } = this.#set
    if (v2 === null) {
      const known = this.#set.knownAs(infoHash, v2)
      return queue.run(known, () => task(known))
    }
    const first = truncatedInfoHash(v2)
    return queue.run(first, () => {
      const known = this.#set.knownAs(infoHash, v2)
      return known === first ? task(known) : queue.run(known, () => task(known))
    })
  }

  /** AppErrors that adding a torrent with the default hops would end in. */
  checkAdding(): void {
    this.#set.checkReady()
    this.#anonymity.traitsOf({})
  }

  hopsOf(wanted: number | undefined): number {
    return this.#anonymity.hopsOf(wanted)
  }

  readers(hops: number): SourceReaders {
    return this.#anonymity.readers(hops)
  }

  async #hide(entry: DownloadEntry): Promise<boolean> {
    const hidden = await this.#anonymity.hide(entry)
    this.#goals.changed(entry.stored.infoHash)
    this.#list.changed()
    return hidden
  }

  /** Adds a torrent that was made of files as they lie there: it seeds without a check. False when it is known already. */
  async addMade(made: SeedableTorrent): Promise<boolean> {
    this.#set.checkReady()
    const traits = this.#anonymity.traitsOf({})
    const { metainfo } = made
    return this.#asKnown(metainfo.infoHash, metainfo.v2?.infoHash ?? null, async infoHash => {
      if (this.#set.entries.has(infoHash)) return false
      const { previews } = this.#deps
      while (previews.owns(infoHash)) await previews.giveWay(infoHash)
      const entry = await addMadeTorrent(this.#set, made, traits, this.#deps.clock.wallMs())
      await this.#defaults.keepFile(entry, metainfo)
      this.#list.changed()
      return true
    })
  }

  async remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }> {
    this.#set.checkReady()
    const { infoHash } = this.#set.find(infohash).stored
    await this.#deps.updates?.().removing(infoHash)
    return this.#set.queue.run(infoHash, async () => {
      await this.#moves.cancel(this.#set.find(infoHash), false)
      const failure = await this.#removeTorrent(infoHash, removeData)
      await this.#set.store.delete(infoHash)
      this.#set.forget(infoHash)
      this.#goals.forget(infoHash)
      this.#list.changed()
      if (failure !== null) throw failure
      return { infohash: infoHash, removed: true }
    })
  }

  async patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }> {
    this.#set.checkReady()
    const { infoHash } = this.#set.find(infohash).stored
    checkPatch(change, this.#set.anonymous)
    return this.#set.queue.run(infoHash, async () => {
      const entry = this.#set.find(infoHash)
      if (change.anon_hops !== undefined) await this.#anonymity.change(entry, change.anon_hops)
      else await changeDownload(this.#set, entry, change, { log: this.#deps.log, moves: this.#moves })
      this.#goals.changed(infoHash)
      this.#list.changed()
      return { infohash: infoHash, modified: Object.values(change).some(value => value !== undefined) }
    })
  }

  addTracker(infohash: string, url: string): Promise<boolean> {
    return this.#inTurn(infohash, entry => addTracker(this.#set, entry, url))
  }

  removeTracker(infohash: string, url: string): Promise<boolean> {
    return this.#inTurn(infohash, entry => removeTracker(this.#set, entry, url))
  }

  forceAnnounce(infohash: string, url?: string): Promise<boolean> {
    if (url !== undefined) checkTrackerUrl(url)
    return this.#inTurn(infohash, async ({ torrent }) => torrent.forceAnnounce(url === undefined ? null : [url]) > 0)
  }

  async explain(infohash: string): Promise<Explanation> {
    const entry = this.#set.find(infohash)
    return explanationOf(entry, this.#moves.isMoving(entry.stored.infoHash), this.#goals.seededSec(entry))
  }

  /** Changes one download in its turn. */
  async #inTurn<T>(infohash: string, change: (entry: DownloadEntry) => Promise<T>): Promise<T> {
    this.#set.checkReady()
    const { infoHash } = this.#set.find(infohash).stored
    return this.#set.queue.run(infoHash, async () => {
      const result = await change(this.#set.find(infoHash))
      this.#list.changed()
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
    return streamableFile(this.#set.find(infohash), fileIndex, this.#deps.clock, asker)
  }

  async #addNew(request: AddDownload, source: TorrentSource, traits: Anonymity): Promise<void> {
    const { clock, previews, prepareFolder, settings } = this.#deps
    if (source.kind === 'magnet') await previews.recall(source.infoHash)
    const metainfo = metainfoOf(source, previews.cached(source.infoHash))
    const asked = askedOf(request, selectionOf(request, source, metainfo), metainfo)
    const destination = await prepareFolder(request.destination ?? settings().saveAs)
    if (metainfo !== null) await this.#deps.updates?.().metadataKnown(source.infoHash, metainfo)
    const announceTiers = await this.#defaults.tiersOf(source, metainfo)
    const row = newRow({
      announceTiers,
      uri: request.uri,
      source,
      metainfo,
      ...asked,
      destination,
      traits,
      paused: request.paused === true,
      nowMs: clock.wallMs(),
    })
    const engine = await this.#set.engineOf(traits.hops)
    await this.#set.store.insert({ ...row, ...(metainfo === null ? { infoBytes: null } : storedMetainfo(metainfo)) })
    while (previews.owns(source.infoHash)) await previews.giveWay(source.infoHash)
    const entry = new DownloadEntry({ ...row, position: this.#set.entries.size })
    this.#set.enter(entry)
    entry.attach(engine.add(specOf(row, metainfo, null)), this.#set.factsOf(traits.hops))
    if (metainfo !== null) await this.#defaults.keepFile(entry, metainfo)
  }

  /** The error that kept data from being deleted, or null. The torrent is out of the engine either way. */
  async #removeTorrent(infoHash: InfoHash, deleteData: boolean): Promise<AppError | null> {
    const entry = this.#set.entries.get(infoHash)
    if (entry?.loaded !== true) return null
    try {
      await (await this.#set.engineOf(entry.stored.hops)).remove(infoHash, { deleteData })
      return null
    } catch (error) {
      this.#deps.log.error('the data of a removed download is still there', { infoHash, error })
      const text = `The download was removed, but its data could not be: ${errorText(error)}`
      return new AppError(error instanceof AppError ? error.code : 'DiskError', text, { cause: error })
    }
  }

  async #loadOne(loaded: LoadedDownload): Promise<void> {
    const { download, stored, resume } = loaded
    const entry = this.#set.entries.get(download.infoHash) ?? new DownloadEntry(download)
    this.#set.enter(entry)
    try {
      const { infoHash, announceTiers } = download
      const metainfo = stored === null ? null : await decodeStored(stored, infoHash, announceTiers)
      // Rows of older versions do not say it.
      if (metainfo !== null) this.#set.named(entry, metainfo)
      const engine = await this.#set.engineOf(download.hops)
      entry.attach(engine.add(specOf(download, metainfo, resume)), this.#set.factsOf(download.hops))
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
