// The cache of a torrent that forgets (watch and forget): of the pieces that came for readers, those that lie outside
// of the readers' windows and were not read for the longest time go when there are more than the bound (decision 0546).
// What goes lies in files that the torrent made itself, that have no other names, and in whose places no other download
// is: where any of that is in doubt the bytes stay. Invariants: the records have forgotten a piece before its bytes go,
// whenever the process ends; from then on until they are gone nobody reads it and nobody fetches it; no peer was told
// of it, and it goes on forgetting until that is over, whatever is asked of it meanwhile.

import { emptyPieceSet, firstHad, type PieceSet, piecesOf as listOf } from '../../base/piece-set.ts'
import type { Punched } from '../../ports/piece-store.ts'
import type { PartReports } from '../part-reports.ts'
import {
  addFile,
  bytesHad,
  bytesOf,
  emptyFrom,
  filesOf,
  firstOf,
  isEmpty,
  mayGo,
  piecesOf,
  runsOf,
} from './drop-choice.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'

/** What one torrent keeps where nothing else is said: an hour of a good film. */
const DEFAULT_BYTES = 2 * 1024 * 1024 * 1024
/** So much under the bound when something goes, as a part of it: each time costs a flush of the records. */
const SLACK_PART = 16
/** After a look that found nothing to drop the next one waits. */
const PAUSE_MS = 1000
/** The same after the disk had no room for the notes of a hole. */
const LONG_PAUSE_MS = 60_000

/** Parts that the cache works with. */
export type CacheParts = Pick<RoomParts, 'pieces' | 'streams' | 'checkpoints'>

/** The cache of one torrent. */
export class ReadCache {
  readonly #core: TorrentCore
  readonly #parts: CacheParts
  readonly #reports: Pick<PartReports, 'storeFailed'>
  /** Pieces of files whose bytes are not given back in this run; made for the content. */
  #kept: PieceSet = emptyPieceSet(0)
  /** The piece at which a sweep goes on; null: there is none. */
  #sweepAt: number | null = null
  #atWork = false
  #dropping = false
  /** The disk takes nothing back. */
  #unable = false
  #quietUntilMs = Number.NEGATIVE_INFINITY
  /** Called when a drop is over: what was told meanwhile counts from now on. */
  settled: () => void = () => undefined

  constructor(core: TorrentCore, parts: CacheParts, reports: Pick<PartReports, 'storeFailed'>) {
    this.#core = core
    this.#parts = parts
    this.#reports = reports
  }

  /** Something is being given back: it must not be suspended, for another torrent would write where holes are made. */
  get atWork(): boolean {
    return this.#atWork
  }

  /** Pieces are on their way out. */
  get dropping(): boolean {
    return this.#dropping
  }

  /**
   * A run begins with its data checked, or the torrent forgets from now on: what lies on the disk of pieces that are
   * not had is given back, for an earlier run may have ended between the records and the disk.
   */
  begin(): void {
    const { content, forgets } = this.#core
    this.#unable = false
    this.#quietUntilMs = Number.NEGATIVE_INFINITY
    this.#kept = emptyPieceSet(content?.lengths.pieceCount ?? 0)
    this.#sweepAt = forgets ? 0 : null
    this.look()
  }

  /** A piece came in. */
  pieceDone(piece: number): void {
    if (!this.#core.forgets) return
    this.#core.readers.recent.used(piece)
    this.look()
  }

  /** Drops what is too much: also called once a second, for readers move on and bounds change. */
  look(): void {
    const { content, engine } = this.#core
    if (content === null || this.#atWork || this.#unable) return
    const nowMs = this.#core.now()
    if (nowMs < this.#quietUntilMs || !this.#core.forgets) return
    const bound = engine.limits.readCacheBytes ?? DEFAULT_BYTES
    const held = bytesHad(content)
    // Who shares what is asked about only where something would go.
    if ((held <= bound && this.#sweepAt === null) || !this.#mayDrop()) return
    const free = held > bound ? mayGo(content, this.#core.readers, this.#kept) : null
    const order = free === null ? [] : this.#core.readers.recent.oldest(free)
    const pieces = firstOf(content, order, held - bound + Math.floor(bound / SLACK_PART))
    const at = this.#sweepAt
    if (pieces.length === 0 && at !== null) return this.#work(() => this.#sweep(content, at))
    // Until something has gone: what fails is not tried again with every piece.
    if (free !== null) this.#quietUntilMs = nowMs + PAUSE_MS
    if (pieces.length > 0) this.#work(() => this.#evict(content, pieces))
  }

  /** Asked again before each hole: minds change, runs end, and other downloads come while the disk is waited for. */
  readonly #mayDrop = (): boolean => {
    const { forgets, toForget, working, infoHash, engine } = this.#core
    return forgets && toForget && working && engine.deps.events.sharesFiles?.(infoHash) === false
  }

  #work(work: () => Promise<void>): void {
    this.#atWork = true
    // Until it is done the torrent is not suspended, and a checkpoint follows: times of files change.
    this.#parts.pieces.dirty = true
    const done = work()
      .catch((error: unknown) => {
        this.#quietUntilMs = this.#core.now() + PAUSE_MS
        // Of what is not had any more some bytes may be there still.
        if (this.#core.forgets) this.#sweepAt ??= 0
        this.#reports.storeFailed(error)
      })
      .finally(() => {
        this.#atWork = false
        this.#parts.pieces.dirty = true
        // There may be more of it: steps are small.
        this.look()
      })
    this.#parts.pieces.watch(done)
  }

  async #evict(content: TorrentContent, pieces: readonly number[]): Promise<void> {
    await this.#parts.checkpoints.between(async () => {
      for (const index of await keptFiles(content, pieces)) addFile(this.#kept, content, index)
      // Readers have moved meanwhile.
      const free = mayGo(content, this.#core.readers, this.#kept)
      const going = pieces.filter(piece => free.get(piece))
      if (going.length === 0 || !this.#mayDrop()) return
      this.#dropping = true
      try {
        await this.#drop(content, going)
      } finally {
        this.#dropping = false
        this.settled()
      }
    })
  }

  async #drop(content: TorrentContent, going: readonly number[]): Promise<void> {
    const { engine, infoHash, readers } = this.#core
    const leaving = piecesOf(content, runsOf(going))
    content.leaving = leaving
    let gone = emptyPieceSet(content.lengths.pieceCount)
    try {
      await engine.deps.journal.piecesDropped(infoHash, going)
      // Whatever fails from here on may have taken the bytes of any.
      gone = leaving
      const punched = await this.#punch(content, going)
      gone = piecesOf(content, punched.gone)
      if (punched.ended === null && punched.gone.length > 0) this.#quietUntilMs = Number.NEGATIVE_INFINITY
      // Padding, and files that are not there: they would be the oldest again each time.
      if (punched.ended === null) for (const piece of going) if (!gone.get(piece)) this.#kept.set(piece, true)
    } finally {
      this.#gone(content, gone)
      content.leaving = null
      readers.wakeAll()
    }
    // What is there still is had still: the records hear so again.
    const there = going.filter(piece => !gone.get(piece) && content.picker.have.get(piece))
    await Promise.all(there.map(piece => engine.deps.journal.pieceVerified(infoHash, piece, false)))
  }

  /** Gives bytes of the pieces back, and notes what cannot be. */
  async #punch(content: TorrentContent, pieces: readonly number[]): Promise<Punched> {
    const { engine, infoHash } = this.#core
    const none: Punched = { gone: [], kept: [], ended: 'unable' }
    const punched = (await content.store.punch?.(runsOf(pieces), this.#mayDrop)) ?? none
    for (const index of punched.kept) addFile(this.#kept, content, index)
    if (punched.ended === 'later') this.#quietUntilMs = this.#core.now() + LONG_PAUSE_MS
    if (punched.ended === 'unable') {
      this.#unable = true
      engine.log.warn('parts of files cannot be given back to this disk: the bound of the cache is not kept', {
        infoHash,
      })
    }
    return punched
  }

  #gone(content: TorrentContent, gone: PieceSet): void {
    const core = this.#core
    core.forgottenBytes += bytesOf(content, gone)
    for (const piece of listOf(gone)) {
      core.readers.recent.gone(piece)
      content.picker.pieceLost(piece)
    }
    if (firstHad(gone, 0, content.lengths.pieceCount - 1) < content.lengths.pieceCount) this.#parts.streams.renew()
  }

  async #sweep(content: TorrentContent, from: number): Promise<void> {
    await this.#parts.checkpoints.between(async () => {
      const { pieces, next } = emptyFrom(content, from)
      const kept = emptyPieceSet(content.lengths.pieceCount)
      for (const index of await keptFiles(content, pieces)) addFile(kept, content, index)
      // Unless another run has begun meanwhile, which sweeps again.
      if (this.#sweepAt === from) this.#sweepAt = next
      const empty = pieces.filter(piece => isEmpty(content, piece) && !kept.get(piece))
      if (empty.length > 0 && this.#mayDrop()) await this.#punch(content, empty)
      if (this.#unable) this.#sweepAt = null
    })
  }
}

/**
 * Files of the pieces that keep their bytes: the torrent did not make them, they have other names too, or are not
 * there. Rejects with what the disk said.
 */
async function keptFiles(content: TorrentContent, pieces: readonly number[]): Promise<Set<number>> {
  const { own, store } = content
  await own.known()
  const kept = filesOf(content, pieces)
  const mine = [...kept].filter(index => own.madeMark(index) !== null)
  const given = mine.length === 0 || store.unshared === undefined ? mine : await store.unshared(mine)
  for (const index of given) kept.delete(index)
  return kept
}
