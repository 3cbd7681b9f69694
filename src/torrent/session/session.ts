// All torrents of the node: one listening port, one set of limits, one tick. Routes incoming connections, starts and
// ends torrents. Keeps nothing on disk itself. Invariant: the tick runs only while some torrent or connection needs it.

import { AppError, errorText } from '../../base/errors.ts'
import type { InfoHash, InfoHashV2 } from '../../base/ids.ts'
import type { Timer } from '../../ports/clock.ts'
import type { TcpListener } from '../../ports/tcp.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { IdleTorrents } from './idle-torrents.ts'
import { Engine } from './engine.ts'
import type { EngineShare } from './engine-share.ts'
import type { IpFilter } from '../peers/ip-filter.ts'
import { OtherNames } from '../pieces/other-names.ts'
import { SessionAccept } from './session-accept.ts'
import type { SessionFigures } from '../../ports/engine-figures.ts'
import type { SessionDeps, SessionLimits, SessionOptions } from './session-types.ts'
import { type IdleWatch, SessionTorrent } from './session-torrent.ts'
import { MAY_SUSPEND } from './torrent.ts'
import type { DataChoice, TorrentEvents, TorrentHandle, TorrentLimits, TorrentSpec, TorrentStatus } from '../types.ts'

/** One tick for everything that waits for time: rate limits, time-outs, choking. */
const TICK_MS = 250
/** Torrents that look at their files at a time while many are added, and how long that is waited for. */
const MAX_BEGINNING = 16
const BEGIN_LIMIT_MS = 1000
/** How long trackers get to hear `stopped` when a torrent is removed. */
const REMOVE_FAREWELL_MS = 3000

/** The engine. `start()` first; torrents may be added before and after. */
export class Session implements IdleWatch {
  readonly #engine: Engine
  readonly #accept: SessionAccept
  readonly #torrents = new Map<InfoHash, SessionTorrent>()
  readonly #names = new OtherNames()
  readonly #idle: IdleTorrents<SessionTorrent>
  /** Torrents of which it is not known yet whether they may be suspended. */
  #beginning = 0
  #whenRoom: () => void = () => undefined
  #tooSlow = false
  #listener: TcpListener | null = null
  #timer: Timer | null = null

  constructor(options: SessionOptions, deps: SessionDeps) {
    const events = this.#watched(deps.events)
    this.#idle = new IdleTorrents(crowded => deps.crowdChanged?.(crowded))
    this.#engine = new Engine(options, { ...deps, events }, () => this.#startTick())
    const route = (name: InfoHash): SessionTorrent | undefined =>
      this.#torrents.get(name) ?? this.#torrents.get(this.#names.knownAs(name))
    this.#accept = new SessionAccept(this.#engine, route)
  }

  /** The port this node listens at; 0 before start(). */
  get listenPort(): number {
    return this.#listener?.address.port ?? 0
  }

  /** For sessions beside this one. */
  get share(): EngineShare {
    return this.#engine.shared
  }

  /**
   * There are new ways into the network: addresses that are known may be tried at once, all or those that were
   * connected before.
   */
  reachAgain(all: boolean): void {
    this.#engine.waking.dead.forget()
    for (const torrent of this.#torrents.values()) torrent.current?.reachAgain(all)
  }

  /**
   * The port announced to trackers and peers; null = the one this node listens at. A router may have given another one.
   */
  setOutsidePort(port: number | null): void {
    const told = port ?? this.listenPort
    if (told === this.#engine.listenPort) return
    this.#engine.listenPort = told
    this.#engine.deps.announcers.setListenPort(told)
  }

  /** Counters since the start, and what there is now. Goes through all torrents once. */
  figures(): SessionFigures {
    const { totals, payload, connections } = this.#engine
    const { connected, halfOpen } = connections
    const torrents = new Map<TorrentStatus, number>()
    for (const { status } of this.#torrents.values()) torrents.set(status, (torrents.get(status) ?? 0) + 1)
    const { down: downBytes, up: upBytes } = payload
    return { ...totals, downBytes, upBytes, torrents, peersConnected: connected, peersHalfOpen: halfOpen }
  }

  /** Connected peers of all torrents. */
  get connections(): number {
    return this.#engine.connections.connected
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
   * Ends all torrents at the same time and makes their progress durable. Settles after `deadlineMs` at the latest; what
   * was not done by then is what a kill would have left.
   */
  async stop(deadlineMs: number): Promise<void> {
    const engine = this.#engine
    engine.stopping = true
    if (!engine.borrows) engine.shared.queue.close()
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
    const torrent = new SessionTorrent(this.#engine, spec, this)
    this.#torrents.set(spec.infoHash, torrent)
    this.#engine.connections.encryption.torrents.add(spec.infoHash)
    this.#noteNames(torrent, spec.metainfo, spec.infoHashV2 ?? null)
    this.#beginning += 1
    void torrent
      .begin(spec.running)
      .catch((error: unknown) => this.#engine.defect(error))
      .finally(() => this.#begun())
    if (!spec.running) this.mayBeIdle(torrent)
    return torrent
  }

  /**
   * Settles when another torrent may be added without piling up those whose files are still to be looked at; a disk
   * that does not answer is not waited for.
   */
  async room(): Promise<void> {
    if (this.#beginning < MAX_BEGINNING || this.#tooSlow) return
    await new Promise<void>(resolve => {
      const late = this.#engine.clock.after(BEGIN_LIMIT_MS, () => {
        this.#tooSlow = true
        resolve()
      })
      this.#whenRoom = () => {
        late.cancel()
        resolve()
      }
    })
  }

  #begun(): void {
    this.#beginning -= 1
    if (this.#beginning >= MAX_BEGINNING) return
    this.#tooSlow = false
    this.#whenRoom()
  }

  get(infoHash: InfoHash): TorrentHandle | undefined {
    return this.#torrents.get(infoHash)
  }

  /** The torrent that is called so: a hybrid has two info hashes (BEP 52). */
  called(name: InfoHash): TorrentHandle | undefined {
    return this.#torrents.get(name) ?? this.#torrents.get(this.#names.knownAs(name))
  }

  /** All info hashes of a torrent of 20 bytes, as far as they are known, what it is known as first. */
  namesOf(infoHash: InfoHash): InfoHash[] {
    const other = this.#names.otherOf(infoHash)
    return other === null ? [infoHash] : [infoHash, other]
  }

  list(): Iterable<TorrentHandle> {
    return this.#torrents.values()
  }

  /**
   * Ends a torrent and forgets it; with `deleteData` its files go too. Settles when files are closed (and deleted).
   * Nothing happens when it is not there. Rejects with what deleting said; the torrent is gone all the same.
   */
  async remove(infoHash: InfoHash, options: { readonly deleteData: DataChoice }): Promise<void> {
    const torrent = this.#torrents.get(infoHash)
    if (torrent === undefined) return
    const removed = torrent.remove(options.deleteData, REMOVE_FAREWELL_MS)
    this.#disown(infoHash)
    try {
      await removed
    } catch (error) {
      this.#engine.log.warn('torrent was not removed cleanly', { infoHash, error: errorText(error) })
      throw error
    } finally {
      this.#torrents.delete(infoHash)
      this.#names.forget(infoHash)
      this.#idle.delete(torrent)
    }
  }

  /**
   * From now on who names it, also within an encrypted handshake, sees what who names an unknown one sees (decision
   * 0390).
   */
  #disown(infoHash: InfoHash): void {
    const names = this.namesOf(infoHash)
    for (const name of names) this.#engine.connections.encryption.torrents.delete(name)
    this.#accept.closeNamed(names)
  }

  /** Limits of one torrent, bytes/s, 0 = none; the session's limits count too. */
  setTorrentLimits(infoHash: InfoHash, limits: TorrentLimits): void {
    this.#torrents.get(infoHash)?.setRateLimits(limits)
  }

  /** What SwarmParts answers has changed: records of suspended torrents are made again. */
  swarmChanged(): void {
    this.#engine.swarmChanged()
  }

  /** Another IP filter from now on: connections that it refuses end. */
  setIpFilter(filter: IpFilter): void {
    this.#engine.connections.ipFilter = filter
    this.#accept.closeRefused()
    for (const torrent of this.#torrents.values()) torrent.current?.closeRefused()
  }

  /** Changes limits from now on; those not given stay. */
  setLimits(limits: Partial<SessionLimits>): void {
    const engine = this.#engine
    engine.limits = { ...engine.limits, ...limits }
    if (limits.encryption !== undefined) engine.connections.encryption.settings = limits.encryption
    if (engine.borrows) return
    engine.shared.downLimiter.setRate(engine.limits.maxDownloadRate)
    engine.shared.upLimiter.setRate(engine.limits.maxUploadRate)
    if (limits.queue === undefined) return
    engine.shared.checks.setCount(limits.queue.checks)
    engine.shared.queue.setLimits(limits.queue)
  }

  /** The events, seen on their way: a torrent that seeds or is stopped may be suspended. */
  #watched(events: TorrentEvents): TorrentEvents {
    return {
      metadata: (infoHash, metainfo) => {
        const torrent = this.#torrents.get(infoHash)
        if (torrent?.leaving === false) this.#noteNames(torrent, metainfo, null)
        return events.metadata(infoHash, metainfo)
      },
      layersKnown: (infoHash, metainfo) => events.layersKnown?.(infoHash, metainfo),
      finished: (infoHash, name) => events.finished(infoHash, name),
      fileChanged: (infoHash, file, change) => events.fileChanged?.(infoHash, file, change),
      fileChecked: (infoHash, file, lost) => events.fileChecked?.(infoHash, file, lost),
      failed: (infoHash, error) => events.failed(infoHash, error),
      statusChanged: (infoHash, status) => {
        const torrent = this.#torrents.get(infoHash)
        if (torrent?.suspended === false && MAY_SUSPEND.has(status)) this.mayBeIdle(torrent)
        events.statusChanged(infoHash, status)
      },
      fileSetAside: (infoHash, path, kept) => events.fileSetAside?.(infoHash, path, kept),
      sharesFiles: infoHash => events.sharesFiles?.(infoHash) ?? true,
    }
  }

  /** Where connections, trackers and the DHT may call the torrent by another info hash, hands that to them. */
  #noteNames(torrent: SessionTorrent, metainfo: Metainfo | null, named: InfoHashV2 | null): void {
    this.#names.note(torrent.infoHash, metainfo, named)
    const other = this.#names.otherOf(torrent.infoHash)
    if (other === null) return
    this.#engine.connections.encryption.torrents.add(other)
    torrent.alsoAs(other)
  }

  // --- IdleWatch

  mayBeIdle(torrent: SessionTorrent): void {
    if (this.#engine.deps.contents === undefined) return
    this.#idle.add(torrent)
    this.#startTick()
  }

  #startTick(): void {
    if (this.#timer !== null || this.#engine.stopping) return
    this.#timer = this.#engine.clock.every(TICK_MS, () => {
      const nowMs = this.#engine.clock.now()
      const active = this.#engine.tick(nowMs)
      if (this.#idle.sweep(nowMs, this.#engine.waking.line.crowded) || active) return
      this.#timer?.cancel()
      this.#timer = null
    })
  }
}
