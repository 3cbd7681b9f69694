// Doubles of what the services use: an engine whose torrents do what the test says, records and events in memory, a
// clock moved by hand. `log` arrays tell in which order things happened.

import { AppError } from '../../../src/base/errors.ts'
import type { FilmFacts } from '../../../src/torrent/streams/film-facts.ts'
import type { LoadingMarks } from '../../../src/ports/loading-marks.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import type { Clock, Timer } from '../../../src/ports/clock.ts'
import type {
  DownloadChange,
  DownloadRecords,
  ListedRows,
  LoadedDownload,
  NewDownload,
  StoredDownload,
  StoredMetainfo,
} from '../../../src/ports/records.ts'
import { ALL_FILES, type FileRun } from '../../../src/ports/progress-journal.ts'
import { Downloads } from '../../../src/services/downloads/downloads.ts'
import type { DownloadSettings, DownloadUpdates, HiddenOnes } from '../../../src/services/downloads/downloads-deps.ts'
import { MetadataPreviews } from '../../../src/services/downloads/metadata-previews.ts'
import type { SeedingMode } from '../../../src/services/downloads/seeding-goals.ts'
import type { AnonymousEngines, TorrentEngine } from '../../../src/services/downloads/torrent-engine.ts'
import type { StorageMove } from '../../../src/ports/piece-store.ts'
import type {
  DataChoice,
  FileReader,
  PeerSnapshot,
  TorrentControls,
  AwakeTorrent,
  TorrentHandle,
  TorrentObstacles,
  TorrentSpec,
  TorrentStatus,
  WebSeedRow,
} from '../../../src/torrent/types.ts'
import type { Metainfo } from '../../../src/wire/metainfo/torrent-types.ts'
import { NO_OBSTACLES } from '../../../src/torrent/session/suspended-torrent.ts'
import { idleWebSeed } from '../../../src/torrent/web-seeds/web-seed-row.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { folderDouble } from './folder-double.ts'
import { type MemoryRow, storedOf } from './downloads/memory-row.ts'
import { CalledDouble } from './peers/called-double.ts'

/** Time that moves only by advance(). */
export class HandClock implements Clock {
  #now = 1_000_000
  readonly #timers = new Set<{ at: number; run: () => void; every: number }>()

  now(): number {
    return this.#now
  }

  /** By how much the wall clock was set since the start. */
  setMs = 0
  wallMs(): number {
    return 1_700_000_000_000 + this.#now + this.setMs
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#add(delayMs, run, 0)
  }

  every(intervalMs: number, run: () => void): Timer {
    return this.#add(intervalMs, run, intervalMs)
  }

  advance(ms: number): void {
    this.#now += ms
    for (const timer of [...this.#timers].filter(entry => entry.at <= this.#now)) {
      if (timer.every > 0) timer.at = this.#now + timer.every
      else this.#timers.delete(timer)
      timer.run()
    }
  }

  get pending(): number {
    return this.#timers.size
  }

  #add(delayMs: number, run: () => void, every: number): Timer {
    const timer = { at: this.#now + delayMs, run, every }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }
}

export const noObstacles: TorrentObstacles = { ...NO_OBSTACLES, private: false }

/** One torrent of the fake engine. */
export class FakeTorrent extends CalledDouble implements TorrentHandle, AwakeTorrent {
  readonly infoHash: InfoHash
  readonly spec: TorrentSpec
  metainfo: Metainfo | null
  status: TorrentStatus
  selectedFiles: readonly number[] | null
  openReaders = 0
  /** What readers wait at has not come; else it is there. */
  readersWait = false
  readonly keepMade = async (): Promise<void> => void this.calls.push('keepMade')
  readonly films: FilmFacts[] = []
  tiers: string[][]
  webSeedRows: WebSeedRow[]
  have = new Uint8Array(0)
  totalUp: number
  totalDown: number
  readonly calls: string[] = []
  readonly #waiting: { resolve: (metainfo: Metainfo) => void; reject: (error: Error) => void }[] = []

  constructor(spec: TorrentSpec) {
    super()
    this.spec = spec
    this.infoHash = spec.infoHash
    this.metainfo = spec.metainfo
    this.selectedFiles = spec.selectedFiles
    this.tiers = spec.announceTiers.map(tier => [...tier])
    this.webSeedRows = (spec.webSeeds ?? []).map(idleWebSeed)
    this.totalUp = spec.totalUp
    this.totalDown = spec.totalDown
    this.controls = spec.controls ?? null
    this.destination = spec.destination
    if (!spec.running) this.status = 'stopped'
    else this.status = spec.metainfo === null ? 'metadata' : 'downloading'
  }

  suspended = false
  private = false
  progress = 0.25
  announced = false
  revision = 0
  controls: TorrentControls | null
  shownObstacles = noObstacles
  destination: string
  /** What a move waits for after its commit; rejects with what the test says. */
  moveEnd: Promise<void> = Promise.resolve()
  readonly moves: StorageMove[] = []
  downRate = 10.6
  peerList: PeerSnapshot[] = []

  get awake(): AwakeTorrent | null {
    return this.suspended ? null : this
  }

  async wake(): Promise<AwakeTorrent> {
    this.suspended = false
    return this
  }

  async loadMetainfo(): Promise<Metainfo | null> {
    return this.metainfo
  }

  async loadFiles() {
    return this.files()
  }

  snapshot() {
    return {
      infoHash: this.infoHash,
      name: this.metainfo?.name ?? this.spec.name,
      status: this.status,
      progress: this.progress,
      sizeBytes: this.metainfo?.totalLength ?? 0,
      pieceCount: this.metainfo?.pieceCount ?? 0,
      etaSec: 90,
      downRate: this.downRate,
      upRate: 0,
      totalDown: this.totalDown,
      totalUp: this.totalUp,
      peersKnown: 7,
      seedsKnown: 3,
      peersConnected: 2,
      seedsConnected: 1,
      availability: 1.5,
      error: '',
      destination: this.destination,
    }
  }

  peers() {
    return this.peerList
  }

  setControls(controls: TorrentControls): void {
    this.calls.push('controls')
    this.controls = controls
  }

  queueAhead = null
  obstacles = (): TorrentObstacles => this.shownObstacles

  removeTrackers(urls: readonly string[]): string[] {
    const gone = this.tiers.flat().filter(url => urls.includes(url))
    this.tiers = this.tiers.map(tier => tier.filter(url => !gone.includes(url))).filter(tier => tier.length > 0)
    return gone
  }

  setTrackers = (tiers: readonly (readonly string[])[]): void => void (this.tiers = tiers.map(tier => [...tier]))

  forceAnnounce(urls: readonly string[] | null): number {
    this.calls.push(`announce ${urls === null ? 'all' : urls.join(' ')}`)
    return this.tiers.flat().filter(url => urls === null || urls.includes(url)).length
  }

  async moveStorage(move: StorageMove): Promise<void> {
    this.moves.push(move)
    await new Promise<void>((resolve, reject) => {
      move.signal.addEventListener('abort', () => reject(new AppError('Aborted')))
      this.moveEnd.then(resolve, reject)
    })
    await move.commit()
    this.destination = move.destination
  }

  async leaveFolder(folder: string): Promise<void> {
    this.calls.push(`leave ${folder}`)
  }

  files() {
    const files = this.metainfo?.files ?? []
    return files.map(file => ({
      index: file.index,
      name: file.path.slice(this.metainfo?.multiFile ? 1 : 0).join('/'),
      sizeBytes: file.length,
      selected: this.selectedFiles?.includes(file.index) ?? true,
      progress: 0,
    }))
  }

  trackers() {
    return this.tiers.flat().map(url => ({ url, status: 'Working', peers: 4, seeders: null, leechers: null }))
  }

  webSeeds() {
    return this.webSeedRows
  }

  haveBits() {
    return this.have
  }

  /** Called when it was stopped. */
  stopped: () => void = () => undefined

  async stop(): Promise<void> {
    this.calls.push('stop')
    this.status = 'stopped'
    this.stopped()
  }

  resume(): void {
    this.calls.push('resume')
    this.status = 'downloading'
  }

  async recheck(begun?: () => void): Promise<void> {
    this.calls.push('recheck')
    begun?.()
  }

  async scrub(): Promise<boolean> {
    this.calls.push('scrub')
    return true
  }

  select(files: readonly number[] | null): void {
    this.calls.push(`select ${String(files)}`)
    this.selectedFiles = files
  }

  addTrackers(tiers: readonly (readonly string[])[]): string[] {
    const fresh = tiers.flat().filter(url => !this.tiers.flat().includes(url))
    for (const url of fresh) this.tiers.push([url])
    return fresh
  }

  announceTiers(): string[][] {
    return this.tiers
  }

  addPeers(): void {
    this.calls.push('peers')
  }

  whenMetadata(signal: AbortSignal): Promise<Metainfo> {
    if (this.metainfo !== null) return Promise.resolve(this.metainfo)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      signal.addEventListener('abort', () => reject(new AppError('Aborted')))
    })
  }

  /** The metadata arrived. */
  learn(metainfo: Metainfo): void {
    this.metainfo = metainfo
    for (const waiter of this.#waiting.splice(0)) waiter.resolve(metainfo)
  }

  openReader(fileIndex: number): FileReader {
    this.openReaders++
    return {
      sizeBytes: this.metainfo?.files[fileIndex]?.length ?? 0,
      waitFor: () => (this.readersWait ? new Promise(() => undefined) : 1),
      gaps: () => [],
      setFilm: film => void this.films.push(film),
      read: () => Promise.resolve(0),
      close: () => void this.openReaders--,
    }
  }
}

/** An engine that only remembers. */
export class FakeEngine implements TorrentEngine {
  readonly torrents = new Map<InfoHash, FakeTorrent>()
  readonly log: string[] = []
  /** Thrown by remove(). */
  removeError: Error | null = null

  add(spec: TorrentSpec): FakeTorrent {
    if (this.torrents.has(spec.infoHash)) throw new Error('added twice')
    this.log.push(`add ${spec.infoHash.slice(0, 4)}`)
    const torrent = new FakeTorrent(spec)
    this.torrents.set(spec.infoHash, torrent)
    return torrent
  }

  async room(): Promise<void> {
    // There is always room.
  }

  async remove(infoHash: InfoHash, options: { deleteData: DataChoice }): Promise<void> {
    this.log.push(`remove ${infoHash.slice(0, 4)} ${options.deleteData}`)
    this.torrents.delete(infoHash)
    if (this.removeError !== null) throw this.removeError
  }
}

/** Records in memory: what is here survives the service. */
export class MemoryRecords implements DownloadRecords {
  readonly rows = new Map<InfoHash, MemoryRow>()
  /** Thrown by the next write. */
  failWith: Error | null = null

  async insert(download: NewDownload): Promise<boolean> {
    this.#check()
    if (this.rows.has(download.infoHash)) return false
    const position = this.rows.size
    const fresh = { totalUp: 0, totalDown: 0, finishedAtMs: null, error: '' }
    const counted = { seededSec: 0, goalReached: false, movingTo: null, movedFrom: null }
    const controls = download.controls ?? null
    this.rows.set(download.infoHash, { ...download, position, ...fresh, ...counted, controls })
    return true
  }

  async update(infoHash: InfoHash, change: DownloadChange): Promise<boolean> {
    this.#check()
    const row = this.rows.get(infoHash)
    if (row === undefined) return false
    this.rows.set(infoHash, { ...row, ...change })
    return true
  }

  async delete(infoHash: InfoHash): Promise<boolean> {
    this.#check()
    return this.rows.delete(infoHash)
  }

  async *list(): AsyncGenerator<ListedRows> {
    yield { rows: [...this.rows.values()], total: this.rows.size }
  }

  async *loadAll(): AsyncGenerator<LoadedDownload[]> {
    for (const row of this.rows.values()) yield [{ download: row, stored: storedOf(row), resume: null }]
  }

  async metainfo(infoHash: InfoHash): Promise<StoredMetainfo | null> {
    return storedOf(this.rows.get(infoHash))
  }

  /** What the engine would have noted; unless a test says otherwise everything. */
  readonly own = new Map<InfoHash, readonly FileRun[]>()

  async ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]> {
    return this.own.get(infoHash) ?? [ALL_FILES]
  }

  noteTotals(infoHash: InfoHash, totalUp: number, totalDown: number): void {
    this.#change(infoHash, { totalUp, totalDown })
  }

  async setSeeded(seeded: readonly (readonly [infoHash: InfoHash, seconds: number])[]): Promise<void> {
    for (const [infoHash, seededSec] of seeded) this.#change(infoHash, { seededSec })
  }

  async setQueueOrders(orders: readonly (readonly [infoHash: InfoHash, order: number])[]): Promise<void> {
    this.#check()
    for (const [infoHash, queueOrder] of orders) this.#change(infoHash, { queueOrder })
  }

  #change(infoHash: InfoHash, change: Partial<StoredDownload>): void {
    const row = this.rows.get(infoHash)
    if (row !== undefined) this.rows.set(infoHash, { ...row, ...change })
  }

  #check(): void {
    const error = this.failWith
    this.failWith = null
    if (error !== null) throw error
  }
}

/** Everything a test of the downloads works with. */
export interface DownloadsBench {
  readonly downloads: Downloads
  readonly engine: FakeEngine
  readonly records: MemoryRecords
  readonly clock: HandClock
  readonly previews: MetadataPreviews
  readonly emitted: unknown[][]
  /** What http sources answer, by url; files by path. */
  readonly sources: Map<string, Uint8Array>
  readonly settings: { -readonly [K in keyof DownloadSettings]: DownloadSettings[K] }
  /** Files that the service wrote. */
  readonly written: Map<string, Uint8Array>
  /** Folders that prepareFolder refuses. */
  readonly badFolders: Set<string>
  /** Sources read, destinations looked at and made, in this order. */
  readonly steps: string[]
}

/** A started service over doubles. */
export async function startDownloads(
  records = new MemoryRecords(),
  load = true,
  updates?: () => DownloadUpdates,
  anonymous: AnonymousEngines | null = null,
  hidden: HiddenOnes | null = null,
  loadingMarks?: LoadingMarks,
): Promise<DownloadsBench> {
  const engine = new FakeEngine()
  const clock = new HandClock()
  const emitted: unknown[][] = []
  const sources = new Map<string, Uint8Array>()
  const badFolders = new Set<string>()
  const written = new Map<string, Uint8Array>()
  const settings = {
    anonymityEnabled: false,
    numberHops: 1,
    safeSeedingEnabled: true,
    saveAs: '/data/default',
    maxDownloadRate: 1000,
    maxUploadRate: 0,
    seedingMode: 'forever' as SeedingMode,
    seedingRatio: 2,
    seedingMinutes: 60,
    completedDir: '',
    torrentFolder: '',
    trackersFile: '',
    foreignFiles: 'stop' as const,
    checkAfterComplete: false,
    scrubDays: 0,
    watchCacheHours: 24,
  }
  const steps: string[] = []
  const read = (name: string): Uint8Array => {
    steps.push('read')
    const bytes = sources.get(name)
    if (bytes === undefined) throw new AppError('SourceFailed')
    return bytes
  }
  const previews = new MetadataPreviews({ clock, log: silentLog, destination: () => '/nowhere' })
  const downloads = new Downloads({
    clock,
    log: silentLog,
    events: { emit: (...event) => void emitted.push(event) },
    sources: {
      http: { fetch: async uri => ({ kind: 'bytes', bytes: read(uri) }), close: () => Promise.resolve() },
      readFile: async path => read(path),
    },
    previews,
    hidden: () => hidden,
    settings: () => settings,
    ...folderDouble(badFolders, steps),
    files: {
      write: async (path, bytes) => {
        if (written.has(path)) throw new AppError('StateConflict')
        written.set(path, bytes)
      },
    },
    ...(updates === undefined ? {} : { updates }),
    ...(loadingMarks === undefined ? {} : { loadingMarks }),
  })
  await downloads.openStore(records)
  if (load) {
    previews.start(engine, null, anonymous)
    await downloads.load(engine, anonymous)
  }
  return { downloads, engine, records, clock, previews, emitted, sources, settings, badFolders, written, steps }
}
