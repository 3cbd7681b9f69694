// All torrents of the node: one listening port, one set of limits, one tick. Routes incoming connections, starts and ends
// torrents. Keeps nothing on disk itself. Invariant: the tick runs only while some torrent or connection needs it.

import { AppError, errorText } from '../base/errors.ts'
import type { InfoHash } from '../base/ids.ts'
import type { Timer } from '../ports/clock.ts'
import type { TcpListener } from '../ports/tcp.ts'
import { Engine } from './engine.ts'
import { SessionAccept } from './session-accept.ts'
import type { SessionDeps, SessionLimits, SessionOptions } from './session-types.ts'
import { Torrent } from './torrent.ts'
import type { TorrentHandle, TorrentSpec } from './types.ts'

/** One tick for everything that waits for time: rate limits, time-outs, choking. */
const TICK_MS = 250
/** How long trackers get to hear `stopped` when a torrent is removed. */
const REMOVE_FAREWELL_MS = 3000

/** The engine. `start()` first; torrents may be added before and after. */
export class Session {
  readonly #engine: Engine
  readonly #accept: SessionAccept
  readonly #torrents = new Map<InfoHash, Torrent>()
  #listener: TcpListener | null = null
  #timer: Timer | null = null

  constructor(options: SessionOptions, deps: SessionDeps) {
    this.#engine = new Engine(options, deps, () => this.#startTick())
    this.#accept = new SessionAccept(this.#engine, infoHash => this.#torrents.get(infoHash))
  }

  /** The port peers can reach us at; 0 before start(). */
  get listenPort(): number {
    return this.#engine.listenPort
  }

  /** Connected peers of all torrents. */
  get connections(): number {
    return this.#engine.connected
  }

  /** Listens. Rejects with AppError PortTaken or BadConfiguration. */
  async start(): Promise<void> {
    const { listenIp, listenPort } = this.#engine.options
    const at = { ip: listenIp, port: listenPort }
    this.#listener = await this.#engine.deps.tcp.listen(at, stream => this.#accept.accept(stream))
    this.#engine.listenPort = this.#listener.address.port
    this.#engine.deps.announcers.setListenPort(this.#listener.address.port)
  }

  /**
   * Ends all torrents at the same time and makes their progress durable. Settles after `deadlineMs` at the latest; what was
   * not done by then is what a kill would have left.
   */
  async stop(deadlineMs: number): Promise<void> {
    const engine = this.#engine
    engine.stopping = true
    this.#timer?.cancel()
    this.#timer = null
    this.#accept.closeAll()
    const ends = [...this.#torrents.values()].map(torrent => torrent.shutdown(deadlineMs))
    let timer: Timer | null = null
    const late = new Promise<'late'>(resolve => {
      timer = engine.clock.after(deadlineMs, () => resolve('late'))
    })
    const all = Promise.allSettled([...ends, this.#listener?.close()]).finally(() => timer?.cancel())
    const result = await Promise.race([all, late])
    if (result === 'late') return engine.log.warn('not everything ended in time', { deadlineMs })
    for (const one of result) if (one.status === 'rejected') engine.defect(one.reason)
  }

  /** Adds a torrent. Throws AppError StateConflict when its info hash is there already. */
  add(spec: TorrentSpec): TorrentHandle {
    if (this.#torrents.has(spec.infoHash)) throw new AppError('StateConflict', 'This torrent is there already.')
    if (this.#engine.stopping) throw new AppError('Aborted', 'The node is stopping.')
    const torrent = new Torrent(this.#engine, spec)
    this.#torrents.set(spec.infoHash, torrent)
    if (spec.running) torrent.resume()
    return torrent
  }

  get(infoHash: InfoHash): TorrentHandle | undefined {
    return this.#torrents.get(infoHash)
  }

  list(): Iterable<TorrentHandle> {
    return this.#torrents.values()
  }

  /**
   * Ends a torrent and forgets it; with `deleteData` its files go too. Settles when files are closed (and deleted).
   * Nothing happens when it is not there. Rejects with what deleting said; the torrent is gone all the same.
   */
  async remove(infoHash: InfoHash, options: { readonly deleteData: boolean }): Promise<void> {
    const torrent = this.#torrents.get(infoHash)
    if (torrent === undefined) return
    try {
      await torrent.remove(options.deleteData, REMOVE_FAREWELL_MS)
    } catch (error) {
      this.#engine.log.warn('torrent was not removed cleanly', { infoHash, error: errorText(error) })
      throw error
    } finally {
      this.#torrents.delete(infoHash)
    }
  }

  /** Limits of one torrent, bytes/s, 0 = none; the session's limits count too. */
  setTorrentLimits(infoHash: InfoHash, limits: Pick<SessionLimits, 'maxDownloadRate' | 'maxUploadRate'>): void {
    this.#torrents.get(infoHash)?.setRateLimits(limits)
  }

  /** Changes limits from now on; those not given stay. */
  setLimits(limits: Partial<SessionLimits>): void {
    const engine = this.#engine
    engine.limits = { ...engine.limits, ...limits }
    engine.downLimiter.setRate(engine.limits.maxDownloadRate)
    engine.upLimiter.setRate(engine.limits.maxUploadRate)
  }

  #startTick(): void {
    if (this.#timer !== null || this.#engine.stopping) return
    this.#timer = this.#engine.clock.every(TICK_MS, () => {
      if (this.#engine.tick(this.#engine.clock.now())) return
      this.#timer?.cancel()
      this.#timer = null
    })
  }
}
