// Handles the engine's reports on torrents: rows, events, the end of a seed that was not wanted.

import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { FileChange } from '../../ports/piece-store.ts'
import type { TorrentEvents, TorrentStatus } from '../../torrent/types.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { fitSelection } from './add-checks.ts'
import type { DownloadDefaults } from './download-defaults.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import type { EventHub } from '../events/events.ts'
import type { FollowedUpdates } from '../updates/followed-updates.ts'
import type { MetadataPreviews } from './metadata-previews.ts'
import { layersOf } from './new-download.ts'
import type { SeedingGoals } from './seeding-goals.ts'
import type { SharedPlaces } from './places/shared-places.ts'

/** What it needs of the node. */
export interface EngineReportsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly previews: Pick<MetadataPreviews, 'owns' | 'found'>
  readonly updates?: () => Pick<FollowedUpdates, 'metadataKnown'>
  /** Lets a complete download seed over circuits only, in its turn; false = it cannot be. */
  hide(entry: DownloadEntry): Promise<boolean>
}

/** Listens to the engine for one service. */
export class EngineReports implements TorrentEvents {
  readonly #set: DownloadSet
  readonly #deps: EngineReportsDeps
  #metadataKept = 0
  readonly #goals: Pick<SeedingGoals, 'statusChanged'>
  readonly #defaults: Pick<DownloadDefaults, 'metadata' | 'finished'>
  readonly #shared: Pick<SharedPlaces, 'shares'>

  constructor(
    set: DownloadSet,
    parts: {
      readonly goals: Pick<SeedingGoals, 'statusChanged'>
      readonly defaults: Pick<DownloadDefaults, 'metadata' | 'finished'>
      readonly shared: Pick<SharedPlaces, 'shares'>
    },
    deps: EngineReportsDeps,
  ) {
    this.#set = set
    this.#goals = parts.goals
    this.#defaults = parts.defaults
    this.#shared = parts.shared
    this.#deps = deps
  }

  /** Downloads whose metadata came from peers. */
  get metadataKept(): number {
    return this.#metadataKept
  }

  metadata(infoHash: InfoHash, metainfo: Metainfo): Promise<void> {
    const { previews } = this.#deps
    return previews.owns(infoHash) ? previews.found(infoHash, metainfo) : this.#keepMetadata(infoHash, metainfo)
  }

  layersKnown(infoHash: InfoHash, metainfo: Metainfo): void {
    const entry = this.#set.entries.get(infoHash)
    const keep = async (known: DownloadEntry): Promise<void> =>
      this.#set.update(known, { pieceLayers: await layersOf(metainfo) })
    if (entry !== undefined) this.#inBackground(entry, () => keep(entry))
  }

  finished(infoHash: InfoHash, name: string): void {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined) return
    this.#deps.events.emit('torrent_finished', { infohash: infoHash, name })
    const finishedAtMs = this.#deps.clock.wallMs()
    this.#inBackground(entry, async () => {
      const first = entry.stored.finishedAtMs === null
      if (first) await this.#set.update(entry, { finishedAtMs })
      await this.#defaults.finished(entry, first)
    })
  }

  fileChanged(infoHash: InfoHash, file: string, change: FileChange): void {
    if (!this.#set.entries.has(infoHash)) return
    this.#deps.events.emit('torrent_file_changed', { infohash: infoHash, file, change })
  }

  fileChecked(infoHash: InfoHash, file: string, lostPieces: number): void {
    if (!this.#set.entries.has(infoHash)) return
    this.#deps.events.emit('torrent_file_checked', { infohash: infoHash, file, lost_pieces: lostPieces })
  }

  failed(infoHash: InfoHash, error: string): void {
    if (this.#set.entries.has(infoHash)) this.#deps.events.emit('torrent_error', { infohash: infoHash, error })
  }

  statusChanged(infoHash: InfoHash, status: TorrentStatus): void {
    this.#goals.statusChanged(infoHash, status)
    if (status === 'seeding') this.#leaveOpenSwarm(infoHash)
  }

  async #keepMetadata(infoHash: InfoHash, metainfo: Metainfo): Promise<void> {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined) return
    const infoHashV2 = metainfo.v2?.infoHash ?? null
    const twin = infoHashV2 === null ? null : this.#set.twinOf(entry, metainfo)
    // Two torrents must not write the same files.
    if (twin !== null) throw new AppError('StateConflict', `This is the torrent of another download: ${twin}.`)
    const ownFiles = (await this.#deps.updates?.().metadataKnown(infoHash, metainfo)) ?? []
    await this.#set.update(entry, {
      infoBytes: metainfo.infoBytes,
      pieceLayers: await layersOf(metainfo),
      infoHashV2,
      pieceCount: metainfo.pieceCount,
      name: metainfo.name,
      selectedFiles: fitSelection(entry.stored.selectedFiles, metainfo.files.length),
      ...(ownFiles.length > 0 ? { ownFiles } : {}),
    })
    this.#set.named(entry, metainfo)
    this.#metadataKept++
    this.#inBackground(entry, () => this.#defaults.metadata(entry, metainfo))
  }

  sharesFiles(infoHash: InfoHash): boolean {
    return this.#shared.shares(infoHash)
  }

  fileSetAside(infoHash: InfoHash, path: string, kept: string): void {
    this.#deps.log.warn('a file that is not of the download was set aside', { infoHash, path, kept })
    this.#deps.events.emit('file_set_aside', { infohash: infoHash, path, kept_as: kept })
  }

  /** safe_seeding without hops: complete data is not offered to plain peers (decisions part 2). */
  #leaveOpenSwarm(infoHash: InfoHash): void {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined || !entry.stored.safeSeeding || entry.stored.hops > 0) return
    this.#inBackground(entry, async () => {
      if (entry.stored.hops > 0 || (await this.#deps.hide(entry))) return
      await this.#set.update(entry, { userStopped: true })
      await (await entry.torrent.wake()).stop()
    })
  }

  #inBackground(entry: DownloadEntry, task: () => Promise<void>): void {
    const { infoHash } = entry.stored
    this.#set.queue
      .run(infoHash, async () => {
        if (this.#set.entries.get(infoHash) === entry) await task()
      })
      .catch((error: unknown) => this.#deps.log.error('a download could not be updated', { infoHash, error }))
  }
}
