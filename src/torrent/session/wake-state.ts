// Whether one torrent is awake (torrent.ts) or at rest (resting-torrent.ts), and the ways between: it is woken by
// whoever needs it or when it is its turn in the queue, and put to rest by the session's sweep when nobody used it for
// a while. Invariant: exactly one of #awake and #row is set, but for the time after the end.

import { AppError } from '../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { Announcer } from '../../ports/announcer.ts'
import type { Timer } from '../../ports/clock.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Engine } from './engine.ts'
import { filesUnchanged, queuedFrom, type RestingTorrent, restingFrom, seekingFrom } from './resting-torrent.ts'
import { layoutOf } from './torrent-core.ts'
import { OPEN_GATE, type QueueMember, type RunGate } from './torrent-queue.ts'
import { MAY_REST, type RestPlace, Torrent } from './torrent.ts'
import type { TorrentSpec } from '../types.ts'

/**
 * A torrent stays awake this long after its last use: who comes back soon finds it ready. One that misses data longer.
 */
const STAY_MS = 20_000
const SEEKING_STAY_MS = 60_000
/**
 * With a crowd of others that could rest as well, as when thousands are added: the memory of all of them is the price.
 */
const CROWDED_STAY_MS = 5000
/** One whose records could not be read when its turn came asks for another after this. */
const NEXT_TURN_MS = 60_000
/** How long trackers get to hear `stopped` when its turn is over. */
const FAREWELL_MS = 3000

/** What others do when a torrent wakes. */
export interface WakeHooks {
  /** Tells it what was asked of it. Called for each that is made, also by the constructor. */
  equip(torrent: Torrent): void
  /** It is awake: the sweep is to look at it again. */
  woken(): void
  /** It rests, with addresses that were not called. */
  restsWith(untried: readonly PeerAddress[]): void
}

/** One torrent, awake or at rest. */
export class WakeState implements QueueMember {
  /** Addresses of web seeds, as the spec or its metadata names them. */
  readonly webSeeds: readonly string[]
  readonly #engine: Engine
  readonly #infoHash: InfoHash
  readonly #announcer: Announcer
  readonly #hooks: WakeHooks
  readonly #gate: RunGate
  #destination: string
  #awake: Torrent | null = null
  #row: RestingTorrent | null = null
  #waking: Promise<Torrent> | null = null
  #usedMs = Number.NEGATIVE_INFINITY
  #ended = false
  #changes = 0
  /** Of a row that is `allocating`, or that has something no record holds. */
  #spec: TorrentSpec | null = null
  #nextTurn: Timer | null = null
  /** A magnet named the web seeds: a private torrent does without. */
  readonly #foreignSeeds: boolean

  constructor(engine: Engine, spec: TorrentSpec, announcer: Announcer, hooks: WakeHooks) {
    this.#engine = engine
    this.#infoHash = spec.infoHash
    this.#announcer = announcer
    this.#hooks = hooks
    this.#destination = spec.destination
    this.webSeeds = spec.webSeeds ?? spec.metainfo?.webSeeds ?? []
    this.#foreignSeeds = spec.metainfo === null
    this.#gate = spec.unqueued === true ? OPEN_GATE : engine.queue.gate(this)
    if (engine.deps.contents !== undefined) this.#row = this.#firstRow(spec)
    if (this.#row !== null && !this.#isRecorded(this.#row, spec)) this.#spec = spec
    if (this.#row === null) {
      this.#awake = new Torrent(engine, spec, announcer, this.#gate, null)
      hooks.equip(this.#awake)
    }
  }

  /** Null at rest. */
  get awake(): Torrent | null {
    return this.#awake
  }

  /** Null while awake. */
  get row(): RestingTorrent | null {
    return this.#row
  }

  get resting(): boolean {
    return this.#row !== null
  }

  get ended(): boolean {
    return this.#ended
  }

  get destination(): string {
    return this.#destination
  }

  /** Grows with each change that no part of an awake torrent counts. */
  get changes(): number {
    return this.#changes
  }

  /** Its metadata is not known: only asked for at rest. */
  get isMagnet(): boolean {
    return this.#spec !== null && this.#spec.metainfo === null
  }

  /** Begins, as its spec asks for. Settles when it is known whether it may go on resting. */
  async begin(running: boolean): Promise<void> {
    if (this.#row === null) return running ? this.torrent().resume() : undefined
    const spec = this.#spec
    if (this.#row.status === 'queued') return
    const unchanged = spec === null || (await this.#unchanged(spec))
    // Removed meanwhile: it may be a download over circuits by now, and nothing would end what began here.
    if (this.#ended) return
    if (!unchanged) return void this.wakened().catch(() => undefined)
    // Woken meanwhile: the torrent looks for itself.
    if (this.#row?.status !== 'allocating') return
    this.#spec = null
    const status = this.#row.piecesLeft === 0 ? 'seeding' : 'downloading'
    this.#row = { ...this.#row, status }
    this.#changes += 1
    this.#announcer.start()
    this.#engine.deps.events.statusChanged(this.#infoHash, status)
  }

  /** Its files lie there now. */
  movedTo(destination: string): void {
    this.#destination = destination
    this.#changes += 1
  }

  /** Throws at rest: whoever needs what a rest does not keep wakes the torrent first. */
  torrent(): Torrent {
    if (this.#awake === null) throw new Error('the torrent is at rest')
    return this.#awake
  }

  /** For who uses it: it stays awake for a while. Throws at rest. */
  inUse(): Torrent {
    this.#usedMs = this.#engine.clock.now()
    return this.torrent()
  }

  /** Wakes it, for who uses it. Rejects with AppError Aborted when it is gone. */
  wakened(): Promise<Torrent> {
    this.#usedMs = this.#engine.clock.now()
    if (this.#awake !== null) return Promise.resolve(this.#awake)
    if (this.#ended) return Promise.reject(new AppError('Aborted', 'The download is gone.'))
    this.#waking ??= this.#wake().finally(() => {
      this.#waking = null
    })
    return this.#waking
  }

  /** What the records know of one at rest that has its metadata. */
  async contents(): Promise<{ metainfo: Metainfo; resume: TorrentSpec['resume'] }> {
    const spec = this.#spec
    if (spec !== null && spec.metainfo !== null) return { metainfo: spec.metainfo, resume: spec.resume }
    const found = await this.#engine.deps.contents?.load(this.#infoHash)
    // Removed meanwhile: every row that is at rest has its metadata in the records.
    if (found === undefined || found === null) throw new AppError('Aborted', 'The download is gone.')
    return found
  }

  /**
   * Puts the torrent to rest if it was not used for a while, which is short in a crowd and after waking for named
   * addresses; `busy`: it is used. Answers whether to ask it again: false when it rests, or is in a state that only an
   * event of the engine ends.
   */
  restIfIdle(nowMs: number, place: RestPlace, busy: boolean): boolean {
    const torrent = this.#awake
    if (torrent === null) return false
    const seeks = torrent.status === 'downloading'
    if (busy || torrent.inUse || (seeks && this.#usedMs === Number.NEGATIVE_INFINITY)) this.#usedMs = nowMs
    if (nowMs - this.#usedMs < (place !== 'alone' ? CROWDED_STAY_MS : seeks ? SEEKING_STAY_MS : STAY_MS)) return true
    const row = torrent.rest(place)
    if (row === null) return torrent.metainfo !== null && MAY_REST.has(torrent.status)
    this.#awake = null
    this.#row = row
    const untried = row.status === 'downloading' ? torrent.untried : []
    if (untried.length > 0) this.#hooks.restsWith(untried)
    return false
  }

  /** It leaves the queue, and does not wake any more. */
  end(): void {
    this.#ended = true
    this.#nextTurn?.cancel()
    this.#gate.leave()
  }

  // --- QueueMember

  start(): void {
    if (this.#awake !== null) return this.#awake.resume()
    this.wakened().then(
      torrent => torrent.resume(),
      (error: unknown) => {
        if (this.#ended) return
        this.#engine.log.warn('a torrent could not begin its turn', { infoHash: this.#infoHash, error: String(error) })
        this.#gate.leave()
        this.#nextTurn = this.#engine.clock.after(NEXT_TURN_MS, () => this.#askAgain())
      },
    )
  }

  hold(): void {
    if (this.#awake !== null) return this.#awake.hold()
    const row = this.#row
    if (row === null || row.status === 'stopped' || row.status === 'queued') return
    this.#row = { ...row, status: 'queued' }
    this.#changes += 1
    if (row.status === 'seeding' || row.status === 'downloading') void this.#announcer.stop(FAREWELL_MS)
    this.#engine.deps.events.statusChanged(this.#infoHash, 'queued')
  }

  rates(): { readonly down: number; readonly up: number } | null {
    if (this.#awake !== null) return this.#awake.rates()
    const status = this.#row?.status
    return status === 'seeding' || status === 'downloading' ? { down: 0, up: 0 } : null
  }

  /** Another one has had its turn meanwhile. */
  #askAgain(): void {
    const row = this.#row
    if (row?.status === 'queued' && this.#gate.enter(row.left === 0 ? 'seed' : 'download')) this.start()
  }

  /**
   * What wakes it is in the records. What is being looked at is at hand all the same, and peers of a magnet are not.
   */
  #isRecorded({ status }: RestingTorrent, { metainfo, peers }: TorrentSpec): boolean {
    return status === 'stopped' || (status === 'queued' && metainfo !== null && peers.length === 0)
  }

  /** Null when it must be awake. */
  #firstRow(spec: TorrentSpec): RestingTorrent | null {
    const complete = restingFrom(spec)
    if (!spec.running) return complete
    const row = queuedFrom(spec)
    const kind = spec.metainfo !== null && row.left === 0 ? 'seed' : 'download'
    return this.#gate.enter(kind) ? (complete ?? seekingFrom(spec)) : row
  }

  async #unchanged({ metainfo, resume }: TorrentSpec): Promise<boolean> {
    if (metainfo === null || resume === null) return false
    const store = this.#engine.deps.stores.open(layoutOf(this.#destination, metainfo))
    const facts = await store.facts().catch(() => null)
    return facts !== null && filesUnchanged(metainfo, resume, facts)
  }

  async #wake(): Promise<Torrent> {
    const spec = this.#spec
    if (spec !== null) {
      this.#spec = null
      const torrent = this.#isAwake(new Torrent(this.#engine, spec, this.#announcer, this.#gate, null))
      torrent.resume()
      return torrent
    }
    const { metainfo, resume } = await this.contents()
    const row = this.#row
    if (row === null || this.#ended) throw new AppError('Aborted')
    return this.#isAwake(this.#torrentOf(row, metainfo, resume))
  }

  #torrentOf(row: RestingTorrent, metainfo: Metainfo, resume: TorrentSpec['resume']): Torrent {
    const { name, selected: selectedFiles, totalUp, totalDown } = row
    const destination = this.#destination
    const webSeeds = this.#foreignSeeds && metainfo.private ? [] : this.webSeeds
    const known = {
      infoHash: this.#infoHash,
      name,
      metainfo,
      destination,
      announceTiers: [],
      webSeeds,
      peers: [],
      resume,
    }
    const counters = { selectedFiles, running: row.status !== 'stopped', totalUp, totalDown }
    return new Torrent(this.#engine, { ...known, ...counters }, this.#announcer, this.#gate, row)
  }

  #isAwake(torrent: Torrent): Torrent {
    this.#awake = torrent
    this.#hooks.equip(torrent)
    this.#row = null
    this.#changes += 1
    this.#usedMs = this.#engine.clock.now()
    this.#hooks.woken()
    this.#gate.woke()
    return torrent
  }
}
