// A node of the services and the engine together, over real files: what it has of downloads, with their records in
// memory, which outlive it as the files do. Its own time is moved by hand: hours pass at once; the engine's is real.

import { realpath } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../../src/base/ids.ts'
import { identifyFolder } from '../../src/io/files/identify-folder.ts'
import { punchHole } from '../../src/io/files/punch-hole.ts'
import type { LoadedDownload, NewDownload } from '../../src/ports/records.ts'
import { Downloads } from '../../src/services/downloads/downloads.ts'
import type { DownloadSettings } from '../../src/services/downloads/downloads-deps.ts'
import { MetadataPreviews } from '../../src/services/downloads/metadata-previews.ts'
import type { TorrentHandle } from '../../src/torrent/types.ts'
import { HandClock, MemoryRecords } from '../unit/services/service-doubles.ts'
import { MemoryJournal } from '../kit/doubles/memory-journal.ts'
import { silentLog } from '../kit/doubles/silent-log.ts'
import { waitFor } from '../kit/wait-for.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'

/** Rows and progress: all that a node of before left beside its files. */
export class KeptRecords extends MemoryRecords {
  readonly journal = new MemoryJournal()

  override async insert(download: NewDownload): Promise<boolean> {
    const isNew = await super.insert(download)
    if (isNew && download.ownFiles !== undefined && download.ownFiles.length > 0)
      await this.journal.noteOwnFiles(download.infoHash, download.ownFiles)
    return isNew
  }

  override async delete(infoHash: InfoHash): Promise<boolean> {
    this.journal.forget(infoHash)
    return super.delete(infoHash)
  }

  override async *loadAll(): AsyncGenerator<LoadedDownload[]> {
    for await (const page of super.loadAll())
      yield page.map(loaded => {
        const { infoHash, pieceCount } = loaded.download
        return { ...loaded, resume: this.journal.resume(infoHash, pieceCount) }
      })
  }
}

/** What a run of the node is made with. */
export interface ForgettingOptions {
  readonly records: KeptRecords
  /** Where downloads go that name no folder. */
  readonly folder: string
  readonly cacheBytes: number
  /** Holes that were made are counted. */
  readonly count: { holes: number }
}

const SETTINGS: DownloadSettings = {
  anonymityEnabled: false,
  numberHops: 1,
  safeSeedingEnabled: false,
  saveAs: '',
  maxDownloadRate: 0,
  maxUploadRate: 0,
  seedingMode: 'forever',
  seedingRatio: 2,
  seedingMinutes: 60,
  completedDir: '',
  torrentFolder: '',
  trackersFile: '',
  foreignFiles: 'stop',
  checkAfterComplete: false,
  scrubDays: 0,
  watchCacheHours: 24,
}

/** One run. */
export class ForgettingNode {
  readonly clock = new HandClock()
  readonly engine: LoopbackNode
  readonly downloads: Downloads
  readonly #records: KeptRecords
  readonly #previews: MetadataPreviews

  constructor({ records, folder, cacheBytes, count }: ForgettingOptions) {
    const { clock } = this
    this.#records = records
    this.#previews = new MetadataPreviews({ clock, log: silentLog, destination: () => folder })
    this.downloads = new Downloads({
      clock,
      log: silentLog,
      events: { emit: () => undefined },
      sources: {
        http: { fetch: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() },
        readFile: () => Promise.reject(new Error('no files')),
      },
      previews: this.#previews,
      settings: () => ({ ...SETTINGS, saveAs: folder }),
      files: { write: () => Promise.resolve() },
      prepareFolder: path => realpath(path),
      lookAtFolder: path => ({ prepare: () => realpath(path) }),
      identifyFolder,
      freeBytes: () => Promise.resolve(1e9),
    })
    const { engineEvents } = this.downloads
    this.engine = new LoopbackNode({
      folder,
      journal: records.journal,
      session: { readCacheBytes: cacheBytes },
      punch: async (fd, position, length) => {
        const made = await punchHole(fd, position, length)
        if (made) count.holes += 1
        return made
      },
      events: {
        metadata: (infoHash, metainfo) => engineEvents.metadata(infoHash, metainfo),
        finished: (infoHash, name) => engineEvents.finished(infoHash, name),
        statusChanged: (infoHash, status) => engineEvents.statusChanged(infoHash, status),
        sharesFiles: infoHash => engineEvents.sharesFiles?.(infoHash) ?? true,
      },
    })
  }

  async start(): Promise<this> {
    await this.engine.start()
    await this.downloads.openStore(this.#records)
    this.#previews.start(this.engine.session, null, null)
    await this.downloads.load(this.engine.session, null)
    return this
  }

  /** The torrents of its downloads. */
  get handles(): Map<InfoHash, TorrentHandle> {
    return new Map([...this.engine.session.list()].map(handle => [handle.infoHash, handle]))
  }

  /** Hours pass, a minute at a time, as its timers see it. */
  async pass(hours: number): Promise<void> {
    for (let minute = 0; minute < hours * 60; minute += 1) {
      this.clock.advance(60_000)
      if (minute % 60 === 0) await nextTurn()
    }
    await this.settled()
  }

  /** Waits until no check is under way: what the present state leads to has been begun. */
  async settled(): Promise<void> {
    const busy = new Set(['waiting-check', 'allocating', 'checking'])
    await waitFor(
      'checks are over',
      () => [...this.handles.values()].every(handle => !busy.has(handle.snapshot().status)),
      20_000,
      () => [...this.handles.values()].map(handle => handle.snapshot()),
    )
  }

  async close(): Promise<void> {
    await this.downloads.stop()
    await this.engine.close(true)
  }
}
