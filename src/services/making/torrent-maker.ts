// Making torrents for clients: few at a time, with events on the way, and the result handed back, written to a file and
// added to the downloads as asked for. How a torrent is made is in new-torrent.ts, which is loaded when the first one
// is made.

import { basename, dirname, join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Content, ContentSources } from '../../ports/content-source.ts'
import type { Log } from '../../ports/log.ts'
import type { ClientPaths, NewFiles } from '../../ports/new-files.ts'
import type { ProgressJournal } from '../../ports/progress-journal.ts'
import type { SeedableTorrent } from '../downloads/add-made.ts'
import type { Caller } from '../callers-api.ts'
import type { CreatedTorrent, CreateTorrent, TorrentMakerService } from '../downloads/torrents-api.ts'
import type { EventHub } from '../events/events.ts'
import type { MadeTorrent } from './new-torrent.ts'
import { type NewTorrentOptions, newTorrentOptions } from './new-torrent-options.ts'

/** Torrents made at a time: one alone keeps the disk busy. Further requests are refused, not kept. */
const MAX_CREATIONS = 2

/** Events of one creation come no more often. */
const PROGRESS_EVERY_MS = 500

/** Runs of pieces of one creation in hashing at a time: some at work, some at hand. */
const HASH_DEPTH = 8

/** What adds made torrents to the downloads. */
export interface MadeTorrents {
  /** AppErrors that adding would end in whatever the torrent: asked before hours of hashing. */
  checkAdding(): void
  /** False when it is known already. */
  addMade(made: SeedableTorrent): Promise<boolean>
}

/** What the service needs of the node. */
export interface TorrentMakerDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly paths: ClientPaths
  readonly files: NewFiles
  readonly downloads: MadeTorrents
  /** `Name/version` of this program. */
  readonly createdBy: string
}

/** What comes with the engine. */
export interface TorrentMakerParts {
  readonly contents: ContentSources
  readonly journal: Pick<ProgressJournal, 'checkpoint'>
}

interface Creation {
  readonly id: number
  /** As the client named it. */
  readonly path: string
  readonly abort: AbortController
  toldMs: number
}

/**
 * Making torrents for clients: few at a time, with events on the way, and the result handed back, written to a file and
 * added to the downloads as asked for. create() works from start() to stop().
 */
export class TorrentMaker implements TorrentMakerService {
  readonly #deps: TorrentMakerDeps
  readonly #running = new Map<Creation, Promise<unknown>>()
  #parts: TorrentMakerParts | null = null
  #lastId = 0

  constructor(deps: TorrentMakerDeps) {
    this.#deps = deps
  }

  /** From now on torrents can be made. */
  start(parts: TorrentMakerParts): void {
    this.#parts = parts
  }

  /** Gives up what is being made; settles when nothing is. */
  async stop(): Promise<void> {
    this.#parts = null
    for (const { abort } of this.#running.keys()) abort.abort()
    await Promise.allSettled(this.#running.values())
  }

  async create(request: CreateTorrent, signal: AbortSignal, caller: Caller): Promise<CreatedTorrent> {
    const parts = this.#parts
    if (parts === null) throw new AppError('NotReady')
    const nowSec = Math.floor(this.#deps.clock.wallMs() / 1000)
    const options = newTorrentOptions(request, { createdBy: this.#deps.createdBy, nowSec })
    if (request.add === true) this.#deps.downloads.checkAdding()
    if (this.#running.size >= MAX_CREATIONS)
      throw new AppError('TooManyRequests', `${MAX_CREATIONS} torrents are being made already; try again.`)
    const creation: Creation = {
      id: ++this.#lastId,
      path: request.path,
      abort: new AbortController(),
      toldMs: -Infinity,
    }
    const give = (): void => creation.abort.abort()
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    const work = this.#told(creation, () => this.#create(creation, { request, caller }, options, parts))
    this.#running.set(creation, work)
    try {
      return await work
    } finally {
      signal.removeEventListener('abort', give)
      // What still waits for a disk that does not answer is not gone on with.
      give()
      this.#running.delete(creation)
    }
  }

  /** Runs the work and tells by an event how it ended. */
  async #told(creation: Creation, work: () => Promise<CreatedTorrent>): Promise<CreatedTorrent> {
    const { events, log } = this.#deps
    const { id, path } = creation
    try {
      const created = await work()
      const { infohash, infohash_v2, name } = created
      events.emit('torrent_created', { id, path, infohash, infohash_v2, name })
      return created
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'Error'
      events.emit('torrent_creation_failed', { id, path, code, error: errorText(error) })
      log.warn('a torrent was not made', { path, error: errorText(error) })
      throw error
    }
  }

  async #create(
    creation: Creation,
    { request, caller }: { readonly request: CreateTorrent; readonly caller: Caller },
    options: NewTorrentOptions,
    { contents, journal }: TorrentMakerParts,
  ): Promise<CreatedTorrent> {
    const { signal } = creation.abort
    const { downloads, files, paths } = this.#deps
    const content = await contents.list(await paths.resolve(request.path, caller), signal)
    const target = await this.#target(request, content, caller)
    if (target !== null) await files.check(target)
    const { makeTorrent } = await import('./new-torrent.ts')
    const progress = (done: number, total: number): void => this.#progress(creation, done, total)
    const toSeed = request.add === true
    const made = await makeTorrent(content, options, { signal, depth: HASH_DEPTH, toSeed, progress })
    // Nothing is left behind for a client that has gone.
    if (signal.aborted) throw new AppError('Aborted')
    if (target !== null) {
      // Hours may have passed since: the folder must not lead elsewhere by now.
      if ((await paths.resolve(dirname(target), caller)) !== dirname(target)) throw new AppError('PathNotAllowed')
      await files.write(target, made.bytes)
    }
    const added = toSeed && (await downloads.addMade({ ...made, journal }))
    return createdTorrent(creation.id, content, made, { torrent_path: target, added })
  }

  /** Where the torrent file goes; null = nowhere. */
  async #target(request: CreateTorrent, content: Content, caller: Caller): Promise<string | null> {
    const { paths } = this.#deps
    const ownName = `${content.name}.torrent`
    const named = request.export_path
    if (named === undefined || named === '')
      return request.export === true ? join(await paths.resolve(content.parent, caller), ownName) : null
    if (!named.endsWith('.torrent')) return join(await paths.resolve(named, caller), ownName)
    return join(await paths.resolve(dirname(named), caller), basename(named))
  }

  #progress(creation: Creation, done: number, total: number): void {
    const nowMs = this.#deps.clock.now()
    if (nowMs - creation.toldMs < PROGRESS_EVERY_MS && done < total) return
    creation.toldMs = nowMs
    const { id, path } = creation
    const progress = total === 0 ? 1 : done / total
    this.#deps.events.emit('torrent_creation_progress', { id, path, progress, bytes_done: done, bytes_total: total })
  }
}

function createdTorrent(
  id: number,
  content: Content,
  { bytes, metainfo }: MadeTorrent,
  rest: Pick<CreatedTorrent, 'torrent_path' | 'added'>,
): CreatedTorrent {
  const { infoHash, name, pieceCount, pieceLength, v2 } = metainfo
  return {
    id,
    infohash: infoHash,
    infohash_v2: v2?.infoHash ?? null,
    name,
    size: content.totalLength,
    files: content.files.length,
    piece_length: pieceLength,
    total_pieces: pieceCount,
    skipped: content.skipped,
    ...rest,
    torrent: bytes,
  }
}
