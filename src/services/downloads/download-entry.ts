// One download: its durable row, its torrent in the engine (null until loaded) and its open readers. It makes records;
// it decides nothing.

import { AppError } from '../../base/errors.ts'
import type { TorrentLengths } from '../../base/lengths.ts'
import type { CircuitFacts } from '../../ports/overlay-network.ts'
import type { StoredDownload } from '../../ports/records.ts'
import type { TrackerRow } from '../../ports/announcer.ts'
import type {
  FileSnapshot,
  PeerSnapshot,
  TorrentHandle,
  TorrentObstacles,
  TorrentSnapshot,
  WebSeedRow,
} from '../../torrent/types.ts'
import type { DownloadDetails } from './details-api.ts'
import { conditionOf, isSameCondition } from './reasons/condition.ts'
import type { ExplainFacts } from './reasons/reasons.ts'
import type { DownloadCondition, DownloadRecord, FileRecord, ListedDownload } from './download-records-api.ts'
import type { ListOptions } from './downloads-api.ts'
import type { StreamableFile } from './streams-api.ts'
import { ofOneShape } from './row-shape.ts'
import { rootName } from './names/root-names.ts'
import { type BufferProgress, bufferProgress } from './buffer-progress.ts'
import { controlsOf } from './download-controls.ts'
import {
  downloadRecord,
  fileRecord,
  peerRecord,
  piecesField,
  type RateLimits,
  trackerRecords,
} from './download-record.ts'
import type { Lineage } from '../updates/update-versions.ts'

/** Where an open stream reads. */
export interface OpenReader {
  readonly fileIndex: number
  /** Byte of the file it wants next. */
  position: number
}

/** What the newest record that was sent was made of. */
interface Told {
  readonly stored: StoredDownload
  readonly loadError: string
  readonly lineage: Lineage | null
  readonly circuits: CircuitFacts | null
  readonly stalledVolume: string | null
  /** Of a suspended torrent; null of others. */
  readonly revision: number | null
  /** Of one that is awake. */
  readonly parts: readonly object[]
  readonly condition: DownloadCondition | null
  readonly moving: boolean
  readonly queueAhead: number | null
  /** It had a reader. */
  readonly read: boolean
}

const NO_LIMITS: RateLimits = { maxDownloadRate: 0, maxUploadRate: 0 }
/** Revisions of a torrent that fit into a mark. */
const REVISIONS = 2 ** 32

/** One download: its durable row, its torrent in the engine (null until loaded) and its open readers. */
export class DownloadEntry {
  #stored: StoredDownload
  /** The how-manieth it was that came into the set: the order of the list. */
  number = 0
  #loadError = ''
  /** Grows with every change of what is kept here. */
  #edition = 0
  /** What it is a version of; null = nothing. */
  lineage: Lineage | null = null
  #torrent: TorrentHandle | null = null
  #circuits: (() => CircuitFacts) | null = null
  // Made at the first use: most of thousands of downloads have none.
  #readers: Set<OpenReader> | null = null
  #read = false
  #streamed: Map<string, StreamableFile> | null = null
  #told: Told | null = null
  #stalledVolume: string | null = null
  #moving = false

  constructor(stored: StoredDownload) {
    this.#stored = ofOneShape(stored)
  }

  /** Its durable row. */
  get stored(): StoredDownload {
    return this.#stored
  }

  set stored(stored: StoredDownload) {
    const before = this.#stored
    this.#stored = ofOneShape(stored)
    this.#edition += 1
    if (!isSamePlace(before, stored)) this.placed?.(this)
  }

  /** Told when its row names other places of files. */
  placed: ((entry: DownloadEntry) => void) | null = null

  /** Why the torrent could not be handed to the engine; '' = it could, or was not tried yet. */
  get loadError(): string {
    return this.#loadError
  }

  set loadError(loadError: string) {
    this.#loadError = loadError
    this.#edition += 1
  }

  /** Where the volume of its files is mounted when that does not answer. */
  get stalledVolume(): string | null {
    return this.#stalledVolume
  }

  set stalledVolume(mount: string | null) {
    if (this.#stalledVolume !== mount) this.#edition += 1
    this.#stalledVolume = mount
  }

  /** Its files are being moved now, or deleted where they were. */
  get moving(): boolean {
    return this.#moving
  }

  set moving(moving: boolean) {
    this.#moving = moving
    this.#edition += 1
  }

  /** The torrent. AppError NotReady while the download is being loaded, StateConflict when it could not be. */
  get torrent(): TorrentHandle {
    if (this.#torrent !== null) return this.#torrent
    if (this.loadError !== '') throw new AppError('StateConflict', `The download cannot be used: ${this.loadError}`)
    throw new AppError('NotReady', 'The download is still being loaded.')
  }

  /** Files that were streamed lately, by their index as requests write it; see stream-files.ts. */
  get streamed(): Map<string, StreamableFile> {
    this.#streamed ??= new Map()
    return this.#streamed
  }

  get loaded(): boolean {
    return this.#torrent !== null
  }

  /** `circuits`: tells of those it goes through; null = it goes through none. */
  attach(torrent: TorrentHandle, circuits: (() => CircuitFacts) | null = null): void {
    this.#torrent = torrent
    this.#circuits = circuits
    this.#streamed = null
    this.#edition += 1
    // It may have been moved while the torrent was being made.
    torrent.setQueueOrder(queueOrderOf(this.#stored))
  }

  /** It is on its way to another engine: until then it counts as being loaded. */
  detach(): void {
    this.#torrent = null
    this.#circuits = null
    this.#streamed = null
    this.#edition += 1
  }

  /** Its place in the queue, as the store has it now. */
  setQueueOrder(queueOrder: number): void {
    this.stored = { ...this.#stored, queueOrder }
    this.#torrent?.setQueueOrder(queueOrder)
  }

  /** What is known of the circuits it goes through; null: it goes through none. */
  get circuits(): CircuitFacts | null {
    return this.#circuits?.() ?? null
  }

  /** It was read since this was asked last, or is being read. */
  takeRead(): boolean {
    const read = this.#read || this.beingRead
    this.#read = false
    return read
  }

  /** As takeRead(), which is to say the same afterwards. */
  get wasRead(): boolean {
    return this.#read || this.beingRead
  }

  /** A reader is open. */
  get beingRead(): boolean {
    return this.#readers !== null
  }

  /** Some of it was read without a reader. */
  noteRead(): void {
    this.#read = true
  }

  addReader(reader: OpenReader): void {
    this.#read = true
    this.#readers ??= new Set()
    this.#readers.add(reader)
  }

  removeReader(reader: OpenReader): void {
    // Until now, whenever that is asked for next.
    this.#read = true
    this.#readers?.delete(reader)
    if (this.#readers?.size === 0) this.#readers = null
  }

  /** What is known of why it does not move. */
  facts(): ExplainFacts {
    const torrent = this.#torrent
    const seen =
      torrent === null ? null : new SeenTorrent(torrent, torrent.snapshot(), torrent.trackers(), this.#moving)
    return this.#factsOf(seen)
  }

  #factsOf(torrent: ExplainFacts['torrent']): ExplainFacts {
    const { stored, loadError, circuits, stalledVolume, beingRead } = this
    return { stored, loadError, torrent, circuits, stalledVolume, beingRead }
  }

  /** What there is to say of it beside its status; null = nothing. */
  condition(): DownloadCondition | null {
    return conditionOf(this.facts())
  }

  /** The record of the interface, with the parts asked for. */
  async record(options: ListOptions, limits: RateLimits): Promise<ListedDownload> {
    const torrent = this.#torrent
    const files = options.files ? { files: await this.files() } : {}
    if (torrent === null) {
      const none = { ...(options.peers ? { peers: [] } : {}), ...(options.pieces ? { pieces: '' } : {}) }
      return { ...this.plainRecord(limits), ...files, ...none }
    }
    return {
      ...this.plainRecord(limits),
      ...files,
      ...(options.peers ? { peers: torrent.peers().map(peerRecord) } : {}),
      ...(options.pieces ? { pieces: piecesField(torrent.haveBits()) } : {}),
    }
  }

  /** A number that stays as long as summary() does; null: that may change at any time. */
  get mark(): number | null {
    const torrent = this.#torrent
    if (torrent === null) return this.#edition * REVISIONS
    if (!torrent.suspended || this.#circuits !== null) return null
    return this.#edition * REVISIONS + (torrent.revision % REVISIONS)
  }

  /** Its record for those who look through many: without trackers, readers and the limits in force. */
  summary(): DownloadRecord {
    const snapshot = this.#torrent?.snapshot() ?? this.#waitingSnapshot()
    const { stalledVolume } = this
    const record = downloadRecord(snapshot, this.#stored, NO_LIMITS, {
      buffer: null,
      trackers: [],
      circuits: this.circuits,
    })
    return stalledVolume === null ? record : { ...record, stalled_volume: stalledVolume }
  }

  /** The record of the interface without further parts. */
  plainRecord(limits: RateLimits): DownloadRecord {
    const torrent = this.#torrent
    const { lineage, stalledVolume } = this
    const extras = {
      ...(lineage === null ? {} : { update_of: lineage.updateOf, updated_by: lineage.updatedBy ?? '' }),
      ...(stalledVolume === null ? {} : { stalled_volume: stalledVolume }),
    }
    if (torrent === null) return { ...this.#waitingRecord(limits), ...extras, ...said(this.condition()) }
    const [snapshot, rows] = [torrent.snapshot(), torrent.trackers()]
    const condition = conditionOf(this.#factsOf(new SeenTorrent(torrent, snapshot, rows, this.#moving)))
    const shown = { buffer: this.#buffer(torrent), trackers: trackerRecords(rows), circuits: this.circuits }
    return { ...downloadRecord(snapshot, this.stored, limits, shown), ...extras, ...said(condition) }
  }

  /** Whether recordJson() would say something else than when it was asked last, under the same limits. */
  changed(): boolean {
    const told = this.#told
    const torrent = this.#torrent
    if (told === null || told.stored !== this.stored || told.lineage !== this.lineage) return true
    if (told.moving !== this.#moving) return true
    if (told.circuits !== this.circuits || told.stalledVolume !== this.stalledVolume) return true
    // The place of a reader moves all the time; when the last one has gone that must be sent once.
    if (this.#readers !== null || told.read) return true
    if (torrent === null) return told.loadError !== this.loadError
    if (told.queueAhead !== torrent.queueAhead) return true
    if (torrent.suspended) return told.revision !== torrent.revision
    return !sameParts(told.parts, partsOf(torrent)) || !isSameCondition(told.condition, this.condition())
  }

  /** The record without further parts as JSON. */
  recordJson(limits: RateLimits): string {
    const { stored, loadError, lineage } = this
    const torrent = this.#torrent
    const awake = torrent !== null && !torrent.suspended
    const revision = torrent === null || awake ? null : torrent.revision
    const record = this.plainRecord(limits)
    this.#told = {
      stored,
      loadError,
      lineage,
      circuits: this.circuits,
      stalledVolume: this.stalledVolume,
      revision,
      parts: awake ? partsOf(torrent) : [],
      condition: record.condition ?? null,
      queueAhead: torrent?.queueAhead ?? null,
      moving: this.#moving,
      read: this.#readers !== null,
    }
    return JSON.stringify(record)
  }

  /** What it is beyond its record; how long it has seeded is the caller's to say. */
  async details(seededSec: number): Promise<DownloadDetails> {
    const { stored } = this
    const torrent = this.#torrent
    const { maxDownloadRate, maxUploadRate } = controlsOf(stored)
    const tiers = torrent === null ? stored.announceTiers : torrent.announceTiers()
    return {
      size_selected: await this.#selectedBytes(),
      time_finished: Math.floor((stored.finishedAtMs ?? 0) / 1000),
      time_seeded: seededSec,
      goal_reached: stored.goalReached,
      own_max_download_speed: maxDownloadRate,
      own_max_upload_speed: maxUploadRate,
      announce_tiers: tiers.map(tier => [...tier]),
      web_seeds: [...stored.webSeeds],
      private: torrent?.private === true,
      // As it lies on the disk: of a torrent that is awake the files say it.
      root_name: torrent?.awake?.metainfo?.files[0]?.path[0] ?? rootName(stored) ?? stored.infoHash,
    }
  }

  // Only those that leave files out have to be looked at file by file.
  async #selectedBytes(): Promise<number> {
    const torrent = this.#torrent
    if (torrent === null) return 0
    if (this.stored.selectedFiles === null) return torrent.snapshot().sizeBytes
    let bytes = 0
    for (const file of await torrent.loadFiles()) if (file.selected) bytes += file.sizeBytes
    return bytes
  }

  /** Files with their progress; [] before metadata. */
  async files(): Promise<Iterable<FileRecord>> {
    const files = (await this.#torrent?.loadFiles()) ?? []
    return recordsOf(files, new Map(controlsOf(this.stored).filePriorities))
  }

  /** Buffer of the newest reader, null when none is open. */
  #buffer(torrent: TorrentHandle): BufferProgress | null {
    const reader = [...(this.#readers ?? [])].at(-1)
    // A torrent with a reader is awake.
    if (reader === undefined) return null
    const metainfo = torrent.awake?.metainfo ?? null
    const file = metainfo?.files[reader.fileIndex]
    if (metainfo === null || file === undefined) return null
    const lengths: TorrentLengths = metainfo
    return bufferProgress(lengths, torrent.haveBits(), file.offset, file.length, reader.position)
  }

  /** A download of the store that the engine does not have yet (decisions part 1, start-up) or cannot have. */
  #waitingRecord(limits: RateLimits): DownloadRecord {
    const { stored } = this
    const rows = stored.announceTiers.flatMap((urls, tier) =>
      urls.map(url => ({ url, status: 'Not contacted yet', peers: 0, seeders: null, leechers: null, tier })),
    )
    const shown = { buffer: null, trackers: trackerRecords(rows), circuits: null }
    return downloadRecord(this.#waitingSnapshot(), stored, limits, shown)
  }

  #waitingSnapshot(): TorrentSnapshot {
    const { stored, loadError } = this
    return {
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
    }
  }
}

function queueOrderOf({ queueOrder, position }: StoredDownload): number {
  return queueOrder ?? position
}

/** Its files lie, or are to lie, where they did. */
function isSamePlace(a: StoredDownload, b: StoredDownload): boolean {
  return (
    a.destination === b.destination &&
    a.movingTo === b.movingTo &&
    a.movedFrom === b.movedFrom &&
    a.renames === b.renames &&
    a.name === b.name &&
    a.pieceCount === b.pieceCount
  )
}

function* recordsOf(
  files: Iterable<FileSnapshot>,
  priorities: ReadonlyMap<number, number>,
): Generator<FileRecord, void> {
  for (const file of files) yield fileRecord(file, priorities)
}

function said(condition: DownloadCondition | null): { condition?: DownloadCondition } {
  return condition === null ? {} : { condition }
}

/** What is seen of a torrent: what costs something is found when it is read, and most downloads need none of it. */
class SeenTorrent {
  readonly #torrent: TorrentHandle
  readonly snapshot: TorrentSnapshot
  readonly trackers: readonly TrackerRow[]
  readonly moving: boolean
  #obstacles: TorrentObstacles | null = null
  #peers: readonly PeerSnapshot[] | null = null

  constructor(torrent: TorrentHandle, snapshot: TorrentSnapshot, trackers: readonly TrackerRow[], moving: boolean) {
    this.#torrent = torrent
    this.snapshot = snapshot
    this.trackers = trackers
    this.moving = moving
  }

  get queueAhead(): number | null {
    return this.#torrent.queueAhead
  }

  get obstacles(): TorrentObstacles {
    return (this.#obstacles ??= this.#torrent.obstacles())
  }

  get peers(): readonly PeerSnapshot[] {
    return (this.#peers ??= this.#torrent.peers())
  }

  get webSeeds(): readonly WebSeedRow[] {
    return this.#torrent.webSeeds()
  }
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
