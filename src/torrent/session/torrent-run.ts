// Starting, stopping, rechecking and failing of one torrent: the arrows between the states of types.ts. One thing after
// the other: each transition waits in #chain until what the one before it began has settled. Invariant: #abort is set
// exactly while the torrent runs (or prepares to); who finds its own signal aborted does nothing.

import { AppError, errorText } from '../../base/errors.ts'
import type { Announcer } from '../../ports/announcer.ts'
import { type FailedRun, FullDisk } from '../pieces/full-disk.ts'
import { emptyPieceSet } from '../../base/piece-set.ts'
import type { CheckedRun } from '../pieces/torrent-check.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'
import type { QueueKind } from './run-queue.ts'
import type { RunGate } from './torrent-queue.ts'
import type { RunForReaders } from '../streams/stream-reader.ts'
import type { TorrentWork } from './torrent-work.ts'
import type { TorrentStatus } from '../types.ts'

/** How long trackers get to hear `stopped`. */
const FAREWELL_MS = 3000

/** Parts that a run looks after. */
export interface RunParts extends Pick<RoomParts, 'check' | 'checkpoints' | 'pieces' | 'newMetadata'> {
  readonly work: TorrentWork
}

/** The life of one torrent. */
export class TorrentRun implements RunForReaders, CheckedRun, FailedRun {
  readonly #core: TorrentCore
  readonly #parts: RunParts
  readonly #announcer: Announcer
  readonly #gate: RunGate
  readonly #checkpoints: RoomParts['checkpoints']
  readonly #disk: FullDisk
  #abort: AbortController | null = null
  /** The run that has found nothing of the data, while its folders are being made. */
  #empty: AbortController | null = null
  #chain: Promise<void> = Promise.resolve()
  /** Steps of the chain that have not settled. */
  #underWay = 0
  #farewell: Promise<void> = Promise.resolve()
  /** What the user wants: survives errors, recheck and readers. */
  #wanted = false
  #forReaders = false
  /** The run came as far as working on pieces: `have` is all that is there. */
  #worked = false
  #foreignFile = false
  #gone = false
  /** Trackers and the DHT were told that we are there. */
  #announced = false
  #looking: Promise<void> | null = null

  /** `gate`: its place in the queue. */
  constructor(core: TorrentCore, parts: RunParts, announcer: Announcer, gate: RunGate) {
    this.#core = core
    this.#parts = parts
    this.#announcer = announcer
    this.#gate = gate
    this.#checkpoints = parts.checkpoints
    this.#disk = new FullDisk(core, this)
  }

  /** True while the torrent runs, although it is stopped or queued, because readers miss pieces. */
  get forReaders(): boolean {
    return this.#forReaders
  }

  /** It failed on a full disk, and goes on by itself when there is space. */
  get waitsForSpace(): boolean {
    return this.#core.status === 'error' && this.#disk.full
  }

  /** It failed because of a file that is not its own. */
  get metForeignFile(): boolean {
    return this.#core.status === 'error' && this.#foreignFile
  }

  /** Nothing is under way, and the torrent does not run for readers only. */
  get settled(): boolean {
    return this.#underWay === 0 && this.#checkpoints.idle && !this.#forReaders
  }

  /** After a suspension, until it is known what is there: settles then. Null at other times. */
  get looking(): Promise<void> | null {
    return this.#looking
  }

  /** Goes on seeding after a suspension: the data is checked and trackers know us. */
  carryOn(content: TorrentContent): void {
    this.#wanted = true
    this.#worked = true
    this.#abort = new AbortController()
    this.chooseWanted(content)
    this.#core.status = 'seeding'
    this.#core.working = true
    this.#core.online = true
    this.#announced = true
  }

  /**
   * Goes on downloading after a suspension: trackers know us. What lies on the disk is looked at as at every start
   * before anybody connects and before anything is written: meanwhile a file may have gone.
   */
  lookOn(content: TorrentContent): void {
    this.#wanted = true
    this.#announced = true
    const { signal } = (this.#abort = new AbortController())
    this.#core.status = 'downloading'
    const look = this.#next(() => this.#guard(signal, () => this.#work(content, signal)))
    this.#looking = look.finally(() => {
      this.#looking = null
    })
  }

  /** Waits on after a suspension. */
  waitOn(): void {
    this.#wanted = true
    this.#core.status = 'queued'
  }

  /** The torrent stands in its error and is to go on. */
  get waits(): boolean {
    return this.#core.status === 'error' && this.#wanted && !this.#gone
  }

  /** There is space on the disk again. */
  goOn(): void {
    this.#go()
  }

  /** Starts, also after an error, when it is its turn. Nothing happens when it runs. */
  resume(): void {
    this.#wanted = true
    this.#disk.forget()
    this.#go()
  }

  /**
   * Its turn is over. Answers whether it goes on all the same, for readers only. A check is brought to its end first:
   * #enter asks again.
   */
  hold(): boolean {
    if (!this.#wanted || this.#gone) return false
    if (this.#abort === null) {
      this.setStatus('queued')
    } else if (this.#core.content === null || this.#core.working) {
      if (this.#neededNow) return this.#onlyReaders()
      void this.#end('queued', 'queued')
    }
    return false
  }

  /** What is selected has changed while it waits: it may have turned. */
  regard(): void {
    if (this.#core.status === 'queued') this.#gate.turned(this.#kind())
  }

  /** Stops; settles when progress is durable and files are closed. */
  stop(): Promise<void> {
    this.#wanted = false
    return this.#end('stopped', 'stopped')
  }

  /** The session ends: like stop(), but the state that is shown stays. `cut`: peers are sent nothing more. */
  shutdown(deadlineMs: number, cut: boolean): Promise<void> {
    this.#gone = true
    this.#core.readers.fail(new AppError('Aborted', 'The node is stopping.'))
    void this.#end(null, 'shutting down', deadlineMs, cut)
    return Promise.all([this.#chain, this.#farewell]).then(() => undefined)
  }

  /**
   * A reader misses a piece of a stopped or queued torrent. Throws the torrent's error, or AppError Aborted at the end
   * of all.
   */
  runForReaders(): void {
    if (this.#core.status === 'error') throw new AppError('DiskError', this.#core.errorText)
    if (this.#gone) throw new AppError('Aborted')
    const runs = this.#wanted && this.#abort !== null
    if (runs || this.#forReaders) return this.#enterForReaders()
    this.#forReaders = true
    this.#begin()
  }

  /** The last reader that missed something is closed. */
  readersDone(): void {
    if (!this.#forReaders || this.#gone) return
    const status = this.#wanted ? 'queued' : 'stopped'
    void this.#end(status, status)
  }

  /**
   * Hashes everything, then goes back to the state before. `begun` is called when that would go on after a kill.
   * Rejects with AppError MetadataNotFound, Aborted or the disk's.
   */
  recheck(begun: () => void): Promise<void> {
    const content = this.#core.content
    if (content === null) return Promise.reject(new AppError('MetadataNotFound'))
    void this.#end(null, 'rechecking')
    this.setStatus('waiting-check')
    const abort = new AbortController()
    this.#abort = abort
    return this.#next(() => this.#recheck(content, abort.signal, begun))
  }

  /** The metadata of a magnet is known: goes on with the data as soon as it is durable. */
  haveContent(content: TorrentContent): void {
    const signal = this.#abort?.signal
    if (signal === undefined) return
    void this.#next(() => this.#guard(signal, () => this.#work(content, signal)))
  }

  /** The torrent cannot go on. */
  fail(error: unknown): void {
    if (this.#gone || this.#core.status === 'error' || this.#abort === null) return
    this.#core.errorText = errorText(error)
    this.#foreignFile = error instanceof AppError && error.code === 'ForeignFile'
    this.#forReaders = false
    this.#core.readers.fail(error)
    void this.#end('error', 'the torrent failed')
    this.#warn('torrent failed', error)
    if (this.#disk.failed(error)) {
      this.#core.engine.deps.events.failed(this.#core.infoHash, this.#core.errorText)
    }
    this.#disk.watch()
  }

  /** A piece reached the disk: it is not full any more. One that was on its way when it became full says nothing. */
  pieceWritten(): void {
    if (this.#core.working) this.#disk.forget()
  }

  /** A checkpoint is due: asked once a second. */
  checkpointDue(nowMs: number): boolean {
    return this.#checkpoints.isDue(nowMs)
  }

  /** Makes all progress durable; checkpoints follow each other. Rejects with what the store or the journal said. */
  checkpoint(): Promise<void> {
    return this.#checkpoints.save()
  }

  /** Tells the picker what is wanted now: the selection, or nothing when only readers are served. */
  chooseWanted(content: TorrentContent): number[] {
    const onlyReaders = this.#forReaders || this.#core.aheadOfFolders || this.#core.forgets
    return content.picker.setWanted(onlyReaders ? emptyPieceSet(content.lengths.pieceCount) : content.wanted)
  }

  setStatus(status: TorrentStatus): void {
    if (this.#core.status === status) return
    this.#core.status = status
    this.#core.sinceMs = this.#core.now()
    this.#tellQueue(status)
    this.#core.engine.deps.events.statusChanged(this.#core.infoHash, status)
  }

  #tellQueue(status: TorrentStatus): void {
    const gate = this.#gate
    if (status === 'stopped' || status === 'error') gate.leave()
    else if (status === 'seeding' && !this.#forReaders) gate.turned('seed')
    else if (status === 'downloading' && !this.#forReaders) gate.turned('download')
    else if (status === 'queued') gate.turned(this.#kind())
  }

  /** Readers, or those who wait for metadata, need it to run now. */
  get #neededNow(): boolean {
    return this.#core.readers.hungry > 0 || this.#parts.newMetadata.waiters > 0
  }

  #kind(): QueueKind {
    return this.#core.complete ? 'seed' : 'download'
  }

  /** Runs if it may, else waits: its turn is another resume(). What runs for readers goes on meanwhile. */
  #go(): void {
    if (this.#gone) return
    if (this.#gate.enter(this.#kind())) {
      if (this.#forReaders) this.#endForReaders()
      this.#begin()
    } else if (this.#abort === null) {
      this.setStatus('queued')
    }
  }

  #onlyReaders(): true {
    this.#forReaders = true
    if (this.#core.content !== null) this.setStatus('downloading')
    return true
  }

  /** It runs for no reader any more: those that wait get an error. */
  #leaveReaders(status: 'stopped' | 'queued'): void {
    this.#forReaders = false
    this.#core.readers.fail(new AppError('Aborted', `The download was ${status}.`))
  }

  /** Runs `step` after those before it; the chain goes on whatever it says. */
  #next(step: () => Promise<void>): Promise<void> {
    const done = this.#counted(this.#chain.then(step))
    this.#chain = done.catch(() => undefined)
    return done
  }

  #counted(work: Promise<void>): Promise<void> {
    this.#underWay += 1
    return work.finally(() => {
      this.#underWay -= 1
    })
  }

  // --- CheckedRun

  nothingThere(): void {
    this.#goOnline()
    this.#empty = this.#abort
    this.#enterForReaders()
  }

  /** There is nothing to find out: who reads does not wait for folders, whoever else downloads does. */
  #enterForReaders(): void {
    const { content, readers } = this.#core
    if (this.#empty === null || this.#empty !== this.#abort || content === null || readers.hungry === 0) return
    this.#core.aheadOfFolders = true
    this.#enter(content, this.#empty.signal)
  }

  /** What began for readers goes on for all that is wanted. */
  #foldersMade(content: TorrentContent): void {
    if (!this.#core.aheadOfFolders) return
    this.#core.aheadOfFolders = false
    this.chooseWanted(content)
    if (this.#core.working) this.#parts.work.begin(false)
  }

  /** Trackers and peers: as soon as it is known what they are to be told. Nothing happens unless the torrent runs. */
  #goOnline(): void {
    if (this.#core.online || this.#abort === null) return
    this.#core.online = true
    if (!this.#announced) this.#announcer.start()
    this.#announced = true
    this.#parts.work.goOnline()
  }

  #begin(): void {
    if (this.#abort !== null || this.#gone) return
    const abort = new AbortController()
    this.#abort = abort
    this.#core.errorText = ''
    this.#core.content?.retries.begin()
    this.setStatus(this.#core.content === null ? 'metadata' : 'allocating')
    void this.#next(() => this.#guard(abort.signal, () => this.#start(abort.signal)))
  }

  async #start(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    if (this.#core.content === null) this.#goOnline()
    else await this.#work(this.#core.content, signal)
  }

  /** Prepares the data and begins the work on it. */
  async #work(content: TorrentContent, signal: AbortSignal): Promise<void> {
    // The metadata may have come while a second start was on its way.
    if (signal.aborted || this.#core.working) return
    // Before any file is made: what is journalled for metadata that is lost would be lost with it.
    await this.#parts.newMetadata.keep()
    const news = await this.#parts.check.prepare(content, signal, this)
    this.#foldersMade(content)
    if (news) await this.#checkpoints.save(signal)
    if (!this.#core.working) this.#enter(content, signal)
  }

  async #recheck(content: TorrentContent, signal: AbortSignal, begun: () => void): Promise<void> {
    try {
      if (signal.aborted) throw new AppError('Aborted')
      content.retries.begin()
      await this.#parts.newMetadata.keep()
      await this.#core.engine.deps.journal.reset(this.#core.infoHash)
      begun()
      this.#core.smartBan.clear()
      await content.store.prepare(signal)
      await this.#parts.check.recheck(content, signal, this)
      await this.checkpoint()
      if (this.#wanted || this.#forReaders) return this.#enter(content, signal)
      await content.store.close()
      if (signal.aborted) return
      this.#abort = null
      this.#core.readers.fail(new AppError('Aborted', 'The download is stopped.'))
      this.setStatus('stopped')
    } catch (error) {
      if (!signal.aborted) this.fail(error)
      throw error
    }
  }

  #enter(content: TorrentContent, signal: AbortSignal): void {
    if (signal.aborted) return
    // Its turn may have ended during a check, or it turned out to be complete.
    if (!this.#forReaders && !this.#gate.enter(this.#kind())) {
      if (!this.#neededNow) return void this.#end('queued', 'queued')
      this.#forReaders = true
    }
    this.#empty = null
    this.chooseWanted(content)
    this.#worked = true
    this.#core.working = true
    this.setStatus(this.#core.complete && !this.#forReaders ? 'seeding' : 'downloading')
    this.#checkpoints.begin(this.#core.now())
    this.#goOnline()
    this.#parts.work.begin(true)
  }

  /**
   * Ends the run: network at once, the rest in its turn; who stops or queues it ends its readers too. `status` null
   * keeps what is shown. Settles when progress is durable and files are closed.
   */
  #end(
    status: 'stopped' | 'queued' | 'error' | null,
    reason: string,
    deadlineMs = FAREWELL_MS,
    cut = false,
  ): Promise<void> {
    if (status === 'stopped' || status === 'queued') this.#leaveReaders(status)
    const wasRunning = this.#abort !== null
    const worked = this.#worked
    this.#worked = false
    this.#abort?.abort()
    this.#abort = null
    this.#core.content?.retries.giveUp()
    if (status !== null) this.setStatus(status)
    if (this.#announced) this.#farewell = this.#announcer.stop(deadlineMs)
    this.#announced = false
    this.#core.online = false
    this.#core.working = false
    this.#core.aheadOfFolders = false
    this.#parts.work.stop(reason, cut)
    this.#parts.pieces.dropAll()
    if (wasRunning) void this.#next(() => this.#settle(worked))
    return this.#chain
  }

  /** Waits for posted writes, makes progress durable, closes the files. Failures go to the log only. */
  async #settle(worked: boolean): Promise<void> {
    const content = this.#core.content
    await this.#parts.pieces.settled()
    await this.#checkpoints.settled()
    if (content === null) return
    try {
      if (worked && this.#parts.pieces.dirty) await this.checkpoint()
    } catch (error) {
      this.#parts.check.rememberHave(content)
      this.#warn('progress could not be made durable', error)
    }
    await content.store.close().catch((error: unknown) => this.#warn('files could not be closed', error))
  }

  #warn(message: string, error: unknown): void {
    this.#core.engine.log.warn(message, { infoHash: this.#core.infoHash, error: errorText(error) })
  }

  /** Runs a step of the run; its failure is the torrent's, unless the run is over. */
  async #guard(signal: AbortSignal, step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      if (!signal.aborted) this.fail(error)
    }
  }

  /** The user resumed what ran for readers: the selection counts again. */
  #endForReaders(): void {
    this.#forReaders = false
    const content = this.#core.content
    if (content === null) return
    this.chooseWanted(content)
    if (!this.#core.working) return
    this.setStatus(this.#core.complete ? 'seeding' : 'downloading')
    this.#parts.work.begin(false)
  }
}
