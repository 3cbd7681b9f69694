// Metadata of magnets that are not downloads: each is a torrent in the engine for as long as a request waits, held in
// the state before its files exist and then removed. Invariant: a preview never touches the disk outside the metadata
// store, and gives way to a download of the same info hash.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DiscoveredMetadata } from '../../ports/discovered-metadata.ts'
import type { Log } from '../../ports/log.ts'
import { decodeKeptInfo } from '../../wire/metainfo/kept-info.ts'
import type { Magnet } from '../../wire/metainfo/magnet.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { type Deferred, makeDeferred } from '../../base/deferred.ts'
import type { AnonymousEngines, TorrentEngine } from './torrent-engine.ts'
import type { WorkCounts } from '../diagnostics/work-counts.ts'

/** Previews at a time: each asks trackers and peers. */
const MAX_PREVIEWS = 8

/** How long fetched metadata is remembered (the real system's time; a client shows it, then adds it). */
const CACHE_MS = 5 * 60_000

/** Remembered metadata: few, and together no more than one torrent of the largest size. */
const CACHE_ENTRIES = 16
const CACHE_BYTES = 16 * 1024 * 1024

interface Preview {
  readonly hops: number
  readonly result: Deferred<Metainfo>
  /** Rejected once the torrent is on its way out: the engine's wait in found() ends so. */
  readonly held: Deferred<never>
  /** Settles when the torrent is out of the engine. */
  gone: Promise<void>
  waiters: number
}

/** How a preview looks for metadata. */
export interface PreviewWay {
  /** 0 = plainly. */
  readonly hops: number
  readonly engine: TorrentEngine
}

/** What previews need of the node. */
export interface MetadataPreviewsDeps {
  readonly clock: Clock
  readonly log: Log
  /** A folder name the torrent carries; nothing is ever written there. */
  destination(): string
}

/** Fetches metadata without a download. */
export class MetadataPreviews {
  readonly #deps: MetadataPreviewsDeps
  readonly #previews = new Map<InfoHash, Preview>()
  readonly #cache = new Map<InfoHash, { readonly metainfo: Metainfo; readonly untilMs: number }>()
  #engine: TorrentEngine | null = null
  #anonymous: AnonymousEngines | null = null
  #stored: DiscoveredMetadata | null = null
  #fetched = 0
  #failed = 0

  constructor(deps: MetadataPreviewsDeps) {
    this.#deps = deps
  }

  /** Previews so far; equal magnets at a time are one. */
  get counts(): WorkCounts {
    return { pending: this.#previews.size, success: this.#fetched, failed: this.#failed }
  }

  /** Until this, fetch() answers NotReady. */
  start(
    engine: TorrentEngine,
    stored: DiscoveredMetadata | null = null,
    anonymous: AnonymousEngines | null = null,
  ): void {
    this.#stored = stored
    this.#anonymous = anonymous
    this.#engine = engine
  }

  /** True while a preview of this info hash is in the engine. */
  owns(infoHash: InfoHash): boolean {
    return this.#previews.has(infoHash)
  }

  /** Metadata fetched in the last five minutes, or null. */
  cached(infoHash: InfoHash): Metainfo | null {
    const entry = this.#cache.get(infoHash)
    if (entry === undefined) return null
    if (entry.untilMs > this.#deps.clock.now()) return entry.metainfo
    this.#cache.delete(infoHash)
    return null
  }

  /**
   * Makes cached() know what an earlier preview has found, also in an earlier run. Never rejects: what cannot be read
   * is fetched again. The bytes prove themselves by their hash.
   */
  async recall(infoHash: InfoHash): Promise<void> {
    if (this.#stored === null || this.cached(infoHash) !== null) return
    try {
      const infoBytes = await this.#stored.get(infoHash)
      if (infoBytes === null) return
      const metainfo = await decodeKeptInfo({ infoBytes, pieceLayers: null, infoHash }, [], nextTurn)
      if (metainfo.infoHash === infoHash) this.#remember(metainfo)
    } catch (error) {
      this.#deps.log.warn('stored metadata could not be read', { infoHash, error })
    }
  }

  /**
   * How to look for a torrent over circuits of so many hops (0: plainly). Waits until no other request looks for it in
   * another way: a request over circuits must not be shown what plain peers gave. AppErrors NotReady,
   * CircuitsUnavailable.
   */
  async wayFor(infoHash: InfoHash, hops: number, signal: AbortSignal): Promise<PreviewWay> {
    const engine = await this.#engineOf(hops)
    await this.#othersGone(infoHash, hops, signal)
    return { hops, engine }
  }

  /**
   * The metadata of a magnet; equal magnets share one preview. Begins within the call. AppErrors Aborted (the signal,
   * or a download took over), TooManyRequests, NotReady.
   */
  async fetch(magnet: Magnet, signal: AbortSignal, way: PreviewWay): Promise<Metainfo> {
    const known = this.cached(magnet.infoHash)
    if (known !== null) return known
    if (signal.aborted) throw new AppError('Aborted')
    const preview = this.#previews.get(magnet.infoHash) ?? this.#begin(magnet, way)
    if (preview.hops !== way.hops) throw new AppError('Aborted', 'It is looked for in another way.')
    preview.waiters++
    const aborted = makeDeferred<never>()
    const abort = () => aborted.reject(new AppError('Aborted'))
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([preview.result.promise, aborted.promise])
    } finally {
      signal.removeEventListener('abort', abort)
      if (--preview.waiters === 0) preview.result.reject(new AppError('Aborted'))
      // The last to leave sees the torrent out; one that only went away itself does not wait for the others.
      if (preview.waiters === 0 || !signal.aborted) await preview.gone
    }
  }

  /** Ends a preview so that a download can take its place. */
  async giveWay(infoHash: InfoHash): Promise<void> {
    const preview = this.#previews.get(infoHash)
    preview?.result.reject(new AppError('Aborted', 'A download took over.'))
    await preview?.gone
  }

  /**
   * The engine has the metadata of a torrent that owns() says is a preview. Settles only when the preview is over:
   * until then the engine makes no files.
   */
  async found(infoHash: InfoHash, metainfo: Metainfo): Promise<void> {
    const preview = this.#previews.get(infoHash)
    preview?.result.resolve(metainfo)
    await preview?.held.promise
  }

  /** Ends all previews; fetch() answers NotReady from now on. */
  async stop(): Promise<void> {
    this.#engine = null
    await Promise.all([...this.#previews.keys()].map(infoHash => this.giveWay(infoHash)))
  }

  async #store({ infoHash, infoBytes }: Metainfo): Promise<void> {
    try {
      await this.#stored?.keep(infoHash, infoBytes)
    } catch (error) {
      this.#deps.log.warn('metadata could not be kept', { infoHash, error })
    }
  }

  async #engineOf(hops: number): Promise<TorrentEngine> {
    if (this.#engine === null) throw new AppError('NotReady')
    if (hops === 0) return this.#engine
    if (this.#anonymous === null) throw new AppError('CircuitsUnavailable')
    return this.#anonymous.engine(hops)
  }

  /** Settles when no request looks for it in another way, or the signal fired. */
  async #othersGone(infoHash: InfoHash, hops: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const other = this.#previews.get(infoHash)
      if (other === undefined || other.hops === hops || signal.aborted) return
      const aborted = makeDeferred<void>()
      const abort = () => aborted.resolve()
      signal.addEventListener('abort', abort, { once: true })
      await Promise.race([other.gone, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
    }
  }

  #begin(magnet: Magnet, { engine, hops }: PreviewWay): Preview {
    if (this.#engine === null) throw new AppError('NotReady')
    if (this.#previews.size >= MAX_PREVIEWS) throw new AppError('TooManyRequests')
    engine.add({
      infoHash: magnet.infoHash,
      infoHashV2: magnet.infoHashV2,
      name: magnet.name ?? magnet.infoHash,
      metainfo: null,
      destination: this.#deps.destination(),
      announceTiers: magnet.trackers.map(url => [url]),
      peers: magnet.peers,
      selectedFiles: null,
      running: true,
      unqueued: true,
      resume: null,
      totalUp: 0,
      totalDown: 0,
    })
    const result = makeDeferred<Metainfo>()
    const preview: Preview = { hops, result, held: makeDeferred(), gone: Promise.resolve(), waiters: 0 }
    preview.gone = result.promise.then(
      metainfo => this.#end(engine, preview, magnet.infoHash, metainfo),
      () => this.#end(engine, preview, magnet.infoHash, null),
    )
    this.#previews.set(magnet.infoHash, preview)
    return preview
  }

  async #end(engine: TorrentEngine, preview: Preview, infoHash: InfoHash, metainfo: Metainfo | null): Promise<void> {
    if (metainfo === null) this.#failed++
    else {
      this.#fetched++
      this.#remember(metainfo)
      void this.#store(metainfo)
    }
    try {
      const removed = engine.remove(infoHash, { deleteData: false })
      preview.held.reject(new AppError('Aborted'))
      await removed
    } catch (error) {
      this.#deps.log.warn('a metadata preview did not end cleanly', { infoHash, error })
    } finally {
      this.#previews.delete(infoHash)
    }
  }

  #remember(metainfo: Metainfo): void {
    if (metainfo.infoBytes.length > CACHE_BYTES) return
    this.#cache.delete(metainfo.infoHash)
    this.#cache.set(metainfo.infoHash, { metainfo, untilMs: this.#deps.clock.now() + CACHE_MS })
    let bytes = 0
    for (const entry of this.#cache.values()) bytes += entry.metainfo.infoBytes.length
    for (const [infoHash, entry] of this.#cache) {
      if (bytes <= CACHE_BYTES && this.#cache.size <= CACHE_ENTRIES) break
      bytes -= entry.metainfo.infoBytes.length
      this.#cache.delete(infoHash)
    }
  }
}
