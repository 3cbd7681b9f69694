// Torrents in the engine that are no downloads: packs of channels (ports/pack-torrents.ts). Stands between the engine
// and those who listen to it: reports of a hidden torrent end here, and what a suspended one is woken from comes
// from here.

import { AppError } from '../../../base/errors.ts'
import { type Deferred, makeDeferred } from '../../../base/deferred.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { HiddenEngine, HiddenTorrentsOfNode } from '../../../node/engine/engine-additions.ts'
import { PackFolders } from '../io/pack-folders.ts'
import type { Log } from '../../../ports/log.ts'
import { KEEP_PACK, type PackTorrents, type PackWriter } from '../ports/pack-torrents.ts'
import type { TorrentContentsSource } from '../../../ports/torrent-contents.ts'
import type { TorrentControls, TorrentEvents } from '../../../torrent/index.ts'
import { decodeMetainfo, encodeMetainfo } from '../../../wire/metainfo/metainfo.ts'
import { PACK_PIECE_BYTES } from '../wire/pack-files.ts'
import type { Metainfo } from '../../../wire/metainfo/torrent-types.ts'

/** Runs of pieces in hashing at a time: packs have time. */
const HASH_DEPTH = 2

/** What lies in their folder is the node's own: it alone puts files there. */
const OWN_FOLDER: TorrentControls = {
  maxDownloadRate: 0,
  maxUploadRate: 0,
  sequential: false,
  filePriorities: new Map(),
  overwrite: true,
}

interface Hidden {
  metainfo: Metainfo | null
  /** Null: anything will do. */
  readonly objection: ((metainfo: Metainfo) => string | null) | null
  /** Settles when it is whole. */
  readonly whole: Deferred<Metainfo>
}

/**
 * Torrents in the engine that are no downloads: packs of channels (ports/pack-torrents.ts). attach() before anything is
 * asked of it.
 */
export class HiddenTorrents implements PackTorrents, HiddenTorrentsOfNode {
  readonly folder: string
  readonly #folders: PackFolders
  readonly #log: Log
  readonly #hidden = new Map<InfoHash, Hidden>()
  #engine: HiddenEngine | null = null

  constructor(folder: string, log: Log) {
    this.folder = folder
    this.#folders = new PackFolders(folder)
    this.#log = log
  }

  /** The engine is there. */
  attach(engine: HiddenEngine): void {
    this.#engine = engine
  }

  /** Whether this torrent is hidden. */
  owns(infoHash: InfoHash): boolean {
    return this.#hidden.has(infoHash)
  }

  /** `events` without those of hidden torrents. */
  events(events: TorrentEvents): TorrentEvents {
    return {
      metadata: (infoHash, metainfo) => this.#found(infoHash, metainfo) ?? events.metadata(infoHash, metainfo),
      layersKnown: (infoHash, metainfo) => events.layersKnown?.(infoHash, metainfo),
      finished: (infoHash, name) => {
        if (!this.#isWhole(infoHash)) events.finished(infoHash, name)
      },
      fileChanged: (infoHash, file, change) => events.fileChanged?.(infoHash, file, change),
      fileChecked: (infoHash, file, lost) => events.fileChecked?.(infoHash, file, lost),
      failed: (infoHash, error) => {
        const hidden = this.#hidden.get(infoHash)
        if (hidden === undefined) events.failed(infoHash, error)
        else hidden.whole.reject(new AppError('DiskError', error))
      },
      statusChanged: (infoHash, status) => {
        if (status === 'seeding' && this.#isWhole(infoHash)) return
        if (!this.#hidden.has(infoHash)) events.statusChanged(infoHash, status)
      },
      fileSetAside: (infoHash, path, kept) => events.fileSetAside?.(infoHash, path, kept),
      sharesFiles: infoHash => events.sharesFiles?.(infoHash) ?? true,
    }
  }

  /** `contents` with those of hidden torrents. */
  contents(contents: TorrentContentsSource): TorrentContentsSource {
    return {
      load: infoHash => {
        const hidden = this.#hidden.get(infoHash)
        if (hidden === undefined) return contents.load(infoHash)
        return Promise.resolve(hidden.metainfo === null ? null : { metainfo: hidden.metainfo, resume: null })
      },
    }
  }

  async write(pack: string): Promise<PackWriter> {
    await this.#folders.begin(pack)
    return {
      append: (file, bytes) => this.#folders.append(pack, file, bytes),
      finish: () => this.#make(pack),
      abandon: () => this.discard(pack),
    }
  }

  async stored(pack: string): Promise<Metainfo | null> {
    const bytes = await this.#folders.torrent(pack)
    if (bytes === null) return null
    try {
      return decodeMetainfo(bytes)
    } catch (error) {
      this.#log.warn('the torrent of a pack could not be read', { pack, error })
      return null
    }
  }

  seed(metainfo: Metainfo): boolean {
    if (this.#running().session.called(metainfo.infoHash) !== undefined) return false
    this.#add(metainfo.infoHash, metainfo, null)
    return true
  }

  async fetch(
    infoHash: InfoHash,
    objection: (metainfo: Metainfo) => string | null,
    signal: AbortSignal,
  ): Promise<Metainfo> {
    if (this.#running().session.called(infoHash) !== undefined)
      throw new AppError('StateConflict', 'This torrent is there already.')
    if (signal.aborted) throw new AppError('Aborted')
    const hidden = this.#add(infoHash, null, objection)
    const abort = (): void => hidden.whole.reject(new AppError('Aborted'))
    signal.addEventListener('abort', abort, { once: true })
    try {
      const metainfo = await hidden.whole.promise
      await this.#folders.keepTorrent(metainfo.name, torrentFile(metainfo))
      return metainfo
    } catch (error) {
      if (signal.reason !== KEEP_PACK) await this.drop(infoHash)
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  lookForPeers(infoHash: InfoHash): void {
    if (this.#hidden.has(infoHash)) this.#running().session.called(infoHash)?.forceAnnounce(null)
  }

  read(pack: string, file: string): AsyncIterable<Uint8Array> {
    return this.#folders.read(pack, file)
  }

  async drop(infoHash: InfoHash): Promise<void> {
    const hidden = this.#hidden.get(infoHash)
    if (hidden === undefined) return
    hidden.whole.reject(new AppError('Aborted'))
    try {
      await this.#running().session.remove(infoHash, { deleteData: false })
    } catch (error) {
      this.#log.warn('a pack did not end cleanly', { infoHash, error })
    } finally {
      this.#hidden.delete(infoHash)
    }
    if (hidden.metainfo !== null) await this.discard(hidden.metainfo.name)
  }

  list(): Promise<string[]> {
    return this.#folders.list()
  }

  async discard(pack: string): Promise<void> {
    await this.#folders.discard(pack).catch((error: unknown) => {
      this.#log.warn('a pack could not be thrown away', { pack, error })
    })
  }

  #running(): HiddenEngine {
    if (this.#engine === null) throw new AppError('NotReady')
    return this.#engine
  }

  #add(infoHash: InfoHash, metainfo: Metainfo | null, objection: Hidden['objection']): Hidden {
    const hidden: Hidden = { metainfo, objection, whole: makeDeferred() }
    // It may have no waiters.
    hidden.whole.promise.catch(() => undefined)
    this.#hidden.set(infoHash, hidden)
    const name = metainfo?.name ?? infoHash
    this.#running().session.add({
      infoHash,
      name,
      metainfo,
      destination: this.#folders.folder,
      announceTiers: [],
      peers: [],
      selectedFiles: null,
      resume: null,
      totalUp: 0,
      totalDown: 0,
      running: true,
      unqueued: true,
      controls: OWN_FOLDER,
    })
    return hidden
  }

  /** Null: it is not hidden. Rejects when it is not to be downloaded. */
  #found(infoHash: InfoHash, metainfo: Metainfo): Promise<void> | null {
    const hidden = this.#hidden.get(infoHash)
    if (hidden === undefined) return null
    const objection = hidden.objection?.(metainfo) ?? null
    if (objection === null) {
      hidden.metainfo = metainfo
      return Promise.resolve()
    }
    const error = new AppError('InvalidParameter', `This is no pack of the channel: ${objection}.`)
    hidden.whole.reject(error)
    return Promise.reject(error)
  }

  /** False: it is not hidden. */
  #isWhole(infoHash: InfoHash): boolean {
    const hidden = this.#hidden.get(infoHash)
    if (hidden === undefined) return false
    if (hidden.metainfo !== null) hidden.whole.resolve(hidden.metainfo)
    return true
  }

  async #make(pack: string): Promise<Metainfo> {
    const { contents } = this.#running()
    // Loaded when the first one is made.
    const { makeTorrent } = await import('../../../services/making/new-torrent.ts')
    const { signal } = new AbortController()
    const content = await contents.list(`${this.#folders.folder}/${pack}`, signal)
    const plain = { announceTiers: [], webSeeds: [], private: false, source: null, comment: null }
    const made = await makeTorrent(
      content,
      { ...plain, format: 'v1', pieceLength: PACK_PIECE_BYTES, createdBy: null, creationDateSec: null },
      { signal, depth: HASH_DEPTH, toSeed: true, progress: () => undefined },
    )
    await this.#folders.keepTorrent(pack, made.bytes)
    return made.metainfo
  }
}

function torrentFile({ infoBytes }: Metainfo): Uint8Array {
  return encodeMetainfo({
    infoBytes,
    announceTiers: [],
    comment: null,
    createdBy: null,
    creationDateSec: null,
    v2: null,
  })
}
