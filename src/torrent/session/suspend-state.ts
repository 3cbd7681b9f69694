// Whether one torrent is awake (torrent.ts) or suspended (suspended-torrent.ts), and the ways between: it is woken by
// whoever needs it or when it is its turn in the queue, and suspended by the session's sweep when nobody used it for
// a while. Both states are one value of two types: who has a Torrent in hand has one that is awake.

import { AppError } from '../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { Announcer } from '../../ports/announcer.ts'
import type { Timer } from '../../ports/clock.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Engine } from './engine.ts'
import { filesUnchanged, queuedFrom, type SuspendedTorrent, suspendedFrom, seekingFrom } from './suspended-torrent.ts'
import { layoutOf } from './torrent-core.ts'
import { OPEN_GATE, type QueueMember, type RunGate } from './torrent-queue.ts'
import { MAY_SUSPEND, type SuspendPlace, Torrent } from './torrent.ts'
import type { TorrentControls, TorrentLimits, TorrentSpec } from '../types.ts'

/**
 * A torrent stays awake this long after its last use: who comes back soon finds it ready. One that misses data longer.
 */
const STAY_MS = 20_000
const SEEKING_STAY_MS = 60_000
/**
 * With a crowd of others that could be suspended as well, as when thousands are added: the memory of all of them is the
 * price.
 */
const CROWDED_STAY_MS = 5000
/** One whose records could not be read when its turn came asks for another after this. */
const NEXT_TURN_MS = 60_000
/** How long trackers get to hear `stopped` when its turn is over. */
const FAREWELL_MS = 3000

/** Who has a torrent that wakes; see SessionTorrent. */
export interface WakeOwner {
  /** It is awake: the sweep is to look at it again. */
  woken(): void
}

/** What came of a look whether a torrent is idle. */
export interface IdleLook {
  /** It is to be looked at again: false when it is suspended, or in a state that only an event of the engine ends. */
  readonly again: boolean
  /** Addresses that were not called before it was suspended. */
  readonly untried: readonly PeerAddress[]
}

const LOOK_AGAIN: IdleLook = { again: true, untried: [] }
const LOOK_NO_MORE: IdleLook = { again: false, untried: [] }

/** One torrent, awake or suspended. */
export class SuspendState implements QueueMember {
  /** Addresses of web seeds, as the spec or its metadata names them. */
  readonly webSeeds: readonly string[]
  readonly #engine: Engine
  readonly #infoHash: InfoHash
  readonly #announcer: Announcer
  readonly #owner: WakeOwner
  readonly #gate: RunGate
  #destination: string
  #held: Torrent | SuspendedTorrent
  #waking: Promise<Torrent> | null = null
  #limits: TorrentLimits | null
  #controls: TorrentControls | null
  #ended = false
  #changes = 0
  /** Of a row that is `allocating`, or that has something no record holds. */
  #spec: TorrentSpec | null = null
  #nextTurn: Timer | null = null
  /** A magnet named the web seeds: a private torrent does without. */
  readonly #foreignSeeds: boolean

  constructor(engine: Engine, spec: TorrentSpec, announcer: Announcer, owner: WakeOwner) {
    this.#engine = engine
    this.#infoHash = spec.infoHash
    this.#announcer = announcer
    this.#owner = owner
    this.#controls = spec.controls ?? null
    this.#limits = this.#controls
    this.#destination = spec.destination
    this.webSeeds = spec.webSeeds ?? spec.metainfo?.webSeeds ?? []
    this.#foreignSeeds = spec.metainfo === null
    this.#gate = spec.unqueued === true ? OPEN_GATE : engine.shared.queue.gate(this, spec.queueOrder)
    const row = engine.deps.contents === undefined ? null : this.#firstRow(spec)
    if (row !== null && !this.#isRecorded(row, spec)) this.#spec = spec
    this.#held = row ?? new Torrent(engine, spec, announcer, this.#gate, null)
    if (this.#held instanceof Torrent) this.#equip(this.#held)
  }

  /** The torrent, or what is kept of it. */
  get held(): Torrent | SuspendedTorrent {
    return this.#held
  }

  /** Null while suspended. */
  get awake(): Torrent | null {
    return this.#held instanceof Torrent ? this.#held : null
  }

  /** What is kept while it is suspended; null while awake. */
  get row(): SuspendedTorrent | null {
    return this.#held instanceof Torrent ? null : this.#held
  }

  /** What the user asks of it from now on, also after a suspension. */
  setControls(controls: TorrentControls): void {
    this.#controls = controls
    this.#limits = controls
    if (this.#held instanceof Torrent) this.#equip(this.#held)
  }

  /** Limits of this torrent alone, bytes/s, 0 = none. */
  setRateLimits(limits: TorrentLimits): void {
    this.#limits = limits
    this.awake?.options.setRateLimits(limits)
  }

  get suspended(): boolean {
    return !(this.#held instanceof Torrent)
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

  /** See TorrentHandle.queueAhead. */
  get queueAhead(): number | null {
    return this.#gate.ahead
  }

  /** See TorrentHandle.setQueueOrder. */
  setQueueOrder(order: number): void {
    this.#gate.rank(order)
  }

  /** Its metadata is not known: only asked for while suspended. */
  get isMagnet(): boolean {
    return this.#spec !== null && this.#spec.metainfo === null
  }

  /** Begins, as its spec asks for. Settles when it is known whether it may stay suspended. */
  async begin(running: boolean): Promise<void> {
    if (this.#held instanceof Torrent) return running ? this.#held.begin() : undefined
    const spec = this.#spec
    if (this.#held.status === 'queued') return
    const unchanged = spec === null || (await this.#unchanged(spec))
    // Removed meanwhile: it may be a download over circuits by now, and nothing would end what began here.
    if (this.#ended) return
    if (!unchanged) return void this.wakened().catch(() => undefined)
    // Woken meanwhile: the torrent looks for itself.
    const row = this.#held
    if (row instanceof Torrent || row.status !== 'allocating') return
    this.#spec = null
    const status = row.piecesLeft === 0 ? 'seeding' : 'downloading'
    this.#held = { ...row, status }
    this.#changes += 1
    this.#announcer.start()
    this.#engine.deps.events.statusChanged(this.#infoHash, status)
  }

  /** Its files lie there now. */
  movedTo(destination: string): void {
    this.#destination = destination
    this.#changes += 1
  }

  /** Wakes it, for who uses it. Rejects with AppError Aborted when it is gone. */
  wakened(): Promise<Torrent> {
    if (this.#held instanceof Torrent) {
      this.#held.use()
      return Promise.resolve(this.#held)
    }
    if (this.#ended) return Promise.reject(new AppError('Aborted', 'The download is gone.'))
    this.#waking ??= this.#wake().finally(() => {
      this.#waking = null
    })
    return this.#waking
  }

  /** What is to be known of a suspended one whose metadata is known. */
  async contents(): Promise<{ metainfo: Metainfo; resume: TorrentSpec['resume'] }> {
    const spec = this.#spec
    if (spec !== null && spec.metainfo !== null) return { metainfo: spec.metainfo, resume: spec.resume }
    const found = await this.#engine.deps.contents?.load(this.#infoHash)
    // Removed meanwhile: every row that is suspended has its metadata in the records.
    if (found === undefined || found === null) throw new AppError('Aborted', 'The download is gone.')
    return found
  }

  /**
   * Suspends the torrent if nobody has used it for a while, which is short in a crowd and for who was woken by names;
   * `busy`: somebody does. Answers whether it is to be asked again: false when it is suspended, or is in a state that
   * only an event of the engine ends.
   */
  suspendIfIdle(nowMs: number, place: SuspendPlace, busy: boolean): IdleLook {
    const torrent = this.#held
    if (!(torrent instanceof Torrent)) return LOOK_NO_MORE
    const seeks = torrent.status === 'downloading'
    if (busy || torrent.busy || (seeks && torrent.usedMs === Number.NEGATIVE_INFINITY)) torrent.use()
    if (nowMs - torrent.usedMs < (place !== 'alone' ? CROWDED_STAY_MS : seeks ? SEEKING_STAY_MS : STAY_MS))
      return LOOK_AGAIN
    const row = torrent.suspend(place)
    if (row === null) return torrent.metainfo !== null && MAY_SUSPEND.has(torrent.status) ? LOOK_AGAIN : LOOK_NO_MORE
    this.#held = row
    return row.status === 'downloading' ? { again: false, untried: torrent.untried } : LOOK_NO_MORE
  }

  /** It leaves the queue, and does not wake any more. */
  end(): void {
    this.#ended = true
    this.#nextTurn?.cancel()
    this.#gate.leave()
  }

  // --- QueueMember

  start(): void {
    if (this.#held instanceof Torrent) return this.#held.begin()
    this.wakened().then(
      torrent => torrent.begin(),
      (error: unknown) => {
        if (this.#ended) return
        this.#engine.log.warn('a torrent could not begin its turn', { infoHash: this.#infoHash, error: String(error) })
        this.#gate.leave()
        this.#nextTurn = this.#engine.clock.after(NEXT_TURN_MS, () => this.#askAgain())
      },
    )
  }

  hold(): void {
    const row = this.#held
    if (row instanceof Torrent) return row.hold()
    if (row.status === 'stopped' || row.status === 'queued') return
    this.#held = { ...row, status: 'queued' }
    this.#changes += 1
    if (row.status === 'seeding' || row.status === 'downloading') void this.#announcer.stop(FAREWELL_MS)
    this.#engine.deps.events.statusChanged(this.#infoHash, 'queued')
  }

  get heldBack(): boolean {
    return this.#held instanceof Torrent && this.#held.heldBack
  }

  rates(): { readonly down: number; readonly up: number } | null {
    if (this.#held instanceof Torrent) return this.#held.rates()
    const { status } = this.#held
    return status === 'seeding' || status === 'downloading' ? { down: 0, up: 0 } : null
  }

  /** Another one has had its turn meanwhile. */
  #askAgain(): void {
    const row = this.#held
    if (!(row instanceof Torrent) && row.status === 'queued' && this.#gate.enter(row.left === 0 ? 'seed' : 'download'))
      this.start()
  }

  /**
   * What wakes it is in the records. What is being looked at is at hand all the same, and peers of a magnet are not.
   */
  #isRecorded({ status }: SuspendedTorrent, { metainfo, peers }: TorrentSpec): boolean {
    return status === 'stopped' || (status === 'queued' && metainfo !== null && peers.length === 0)
  }

  /** Null when it is to be awake. */
  #firstRow(spec: TorrentSpec): SuspendedTorrent | null {
    // Who forgets is never complete, whatever is there.
    const forgets = spec.controls?.forgets === true
    const complete = forgets ? null : suspendedFrom(spec)
    if (!spec.running) return complete
    const row = queuedFrom(spec)
    const kind = spec.metainfo !== null && row.left === 0 && !forgets ? 'seed' : 'download'
    return this.#gate.enter(kind) ? (complete ?? seekingFrom(spec)) : row
  }

  async #unchanged({ metainfo, resume }: TorrentSpec): Promise<boolean> {
    if (metainfo === null || resume === null) return false
    const facts = await this.#engine.deps.stores.look(layoutOf(this.#destination, metainfo)).catch(() => null)
    return facts !== null && filesUnchanged(metainfo, resume, facts)
  }

  async #wake(): Promise<Torrent> {
    const spec = this.#spec
    if (spec !== null) {
      this.#spec = null
      const torrent = this.#isAwake(new Torrent(this.#engine, spec, this.#announcer, this.#gate, null))
      torrent.begin()
      return torrent
    }
    const { metainfo, resume } = await this.contents()
    const row = this.#held
    if (row instanceof Torrent || this.#ended) throw new AppError('Aborted')
    return this.#isAwake(this.#torrentOf(row, metainfo, resume))
  }

  #torrentOf(row: SuspendedTorrent, metainfo: Metainfo, resume: TorrentSpec['resume']): Torrent {
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

  /** Tells it what was asked of it. */
  #equip(torrent: Torrent): void {
    const { options } = torrent
    if (this.#limits !== null) options.setRateLimits(this.#limits)
    if (this.#controls === null) return
    options.setOrder(this.#controls)
    options.setSuperSeeding(this.#controls.superSeeding === true)
    options.setOverwrite(this.#controls.overwrite === true)
    torrent.setForgets(this.#controls.forgets === true)
  }

  #isAwake(torrent: Torrent): Torrent {
    this.#held = torrent
    this.#equip(torrent)
    this.#changes += 1
    torrent.use()
    this.#owner.woken()
    this.#gate.woke()
    return torrent
  }
}
