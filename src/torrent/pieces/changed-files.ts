// Files that somebody else changed under a torrent: nothing of them is read for anybody until it is hashed again.
// Pieces that still fit are had as before, the others are lost and fetched again. A file that goes on changing is
// checked again later and later. Invariant: a piece is in `doubted` of the content from the moment the change was seen
// until it was hashed.

import type { Timer } from '../../ports/clock.ts'
import { piecesOfRange } from '../../base/lengths.ts'
import type { FileChange, FileChanged } from '../../ports/piece-store.ts'
import type { PartReports } from '../part-reports.ts'
import { retryWhileBusy } from './busy-pool.ts'
import { CheckRuns } from './check-runs.ts'
import type { DurableDoubts } from './durable-doubts.ts'
import { emptyPieceSet, firstMissing } from '../../base/piece-set.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentCheck } from './torrent-check.ts'
import type { TorrentPieces } from './torrent-pieces.ts'

/** Attempts of one job: a pool that stays full this long is a fault. */
const MAX_ATTEMPTS = 200
/** A file that changed while it was checked is checked again after this long, then after twice as long, and so on. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000

/** Parts that a changed file concerns at once. */
export interface ChangeParts {
  readonly pieces: TorrentPieces
  readonly check: TorrentCheck
  readonly doubts: DurableDoubts
}

type ChangeReports = Pick<PartReports, 'piecesLost' | 'checkpoint' | 'storeFailed'>

interface Change {
  readonly file: number
  /** Readers that waited for one look get one error. */
  seen: FileChanged
  readonly change: FileChange
  /** It changed again while it was hashed. */
  again: boolean
  /** Seen while all data was being checked: that check may have been over with this file. */
  readonly duringCheck: boolean
  readonly pieces: { readonly first: number; readonly last: number }
  waitMs: number
  timer: Timer | null
}

/** The changed files of one torrent. */
export class ChangedFiles {
  readonly #core: TorrentCore
  readonly #parts: ChangeParts
  readonly #reports: ChangeReports
  readonly #changes = new Map<number, Change>()
  /** Checked, and not yet fetched again as a whole. */
  readonly #mending = new Map<number, FileChange>()
  #round = 0

  constructor(core: TorrentCore, parts: ChangeParts, reports: ChangeReports) {
    this.#core = core
    this.#parts = parts
    this.#reports = reports
  }

  /** A file is to be hashed, or is being hashed. */
  get underWay(): boolean {
    return this.#core.working && this.#changes.size > 0
  }

  /** Files that are not whole again since they were changed, with what happened to them. */
  list(): Map<number, FileChange> {
    const content = this.#core.content
    if (content === null) return new Map()
    for (const file of this.#mending.keys()) {
      const { first, last } = piecesOf(content, file)
      if (firstMissing(content.picker.have, first, last) > last) this.#mending.delete(file)
    }
    return new Map([...this.#mending, ...[...this.#changes.values()].map(one => [one.file, one.change] as const)])
  }

  /** A file is not as it was left. */
  found(error: FileChanged): void {
    const content = this.#core.content
    if (content === null) return
    const known = this.#changes.get(error.file)
    if (known !== undefined && !known.again && known.seen !== error) {
      known.again = true
      known.seen = error
      this.#doubt(content, known)
      return this.#holdBack(content, error)
    }
    if (known === undefined) this.#begin(content, error)
  }

  /** The data was checked as a whole. */
  reset(): void {
    const content = this.#core.content
    const changes = [...this.#changes.values()]
    this.stop()
    this.#changes.clear()
    if (content === null) return
    content.doubted = null
    for (const change of changes.filter(one => one.duringCheck)) {
      this.#changes.set(change.file, { ...change, duringCheck: false })
      this.#doubt(content, change)
      this.#examineSoon(content, change.file, 0)
    }
  }

  /** The torrent does not work any more: what is not hashed stays in doubt until its next start. */
  stop(): void {
    this.#round += 1
    for (const change of this.#changes.values()) {
      change.timer?.cancel()
      change.timer = null
    }
  }

  #begin(content: TorrentContent, error: FileChanged): void {
    const { engine, infoHash, status, working } = this.#core
    const { file, change } = error
    const duringCheck = status === 'allocating' || status === 'waiting-check' || status === 'checking'
    const pieces = piecesOf(content, file)
    this.#changes.set(file, { file, seen: error, change, again: false, duringCheck, pieces, waitMs: 0, timer: null })
    this.#doubt(content, { pieces })
    engine.log.warn('a file was changed by somebody else', { infoHash, file: pathOf(content, file), change })
    // The records hear of the doubt before anybody else does.
    this.#holdBack(content, error)
    engine.deps.events.fileChanged?.(infoHash, pathOf(content, file), change)
    this.#parts.pieces.dirty = true
    if (working) this.#examineSoon(content, file, 0)
    else this.#parts.check.doubt(file)
  }

  #doubt(content: TorrentContent, { pieces: { first, last } }: Pick<Change, 'pieces'>): void {
    const doubted = (content.doubted ??= emptyPieceSet(content.lengths.pieceCount))
    for (let piece = first; piece <= last; piece += 1) if (content.picker.have.get(piece)) doubted.set(piece, true)
  }

  /** Nothing of the pieces in doubt goes out from now on, and who reads the file is cut. */
  #holdBack({ doubted }: TorrentContent, error: FileChanged): void {
    if (doubted !== null) {
      for (const peer of this.#core.peers.values()) peer.uploads.clear(request => !doubted.get(request.piece))
    }
    this.#core.content?.own.changed(error.file)
    this.#core.readers.cut(error.file, error)
    this.#parts.doubts.note(error.file)
  }

  #examineSoon(content: TorrentContent, file: number, waitMs: number): void {
    const change = this.#changes.get(file)
    const round = this.#round
    if (change === undefined) return
    const examine = () => {
      change.timer = null
      this.#parts.pieces.watch(this.#examine(content, change, round))
    }
    if (waitMs === 0) examine()
    else change.timer = this.#core.engine.clock.after(waitMs, examine)
  }

  async #examine(content: TorrentContent, change: Change, round: number): Promise<void> {
    change.again = false
    // Before the first byte is hashed: a change from here on is seen.
    content.store.accept(change.file)
    try {
      const lost = await this.#hash(content, change, round)
      if (lost === null) return
      if (change.again) return this.#againLater(content, change)
      this.#end(content, change, lost)
    } catch (error) {
      if (this.#round === round) this.#reports.storeFailed(error)
    }
  }

  #againLater(content: TorrentContent, change: Change): void {
    change.waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, 2 * change.waitMs))
    this.#examineSoon(content, change.file, change.waitMs)
  }

  #end(content: TorrentContent, { file, change }: Change, lost: number): void {
    const { engine, infoHash } = this.#core
    this.#changes.delete(file)
    if (lost > 0) this.#mending.set(file, change)
    if (this.#changes.size === 0) content.doubted = null
    this.#parts.pieces.dirty = true
    engine.log.info('a changed file was checked', { infoHash, file: pathOf(content, file), lost })
    engine.deps.events.fileChecked?.(infoHash, pathOf(content, file), lost)
    this.#reports.checkpoint()
  }

  /** Hashes the file's pieces in doubt; how many are lost, null = the run is over. */
  async #hash(content: TorrentContent, { pieces: { first, last } }: Change, round: number): Promise<number | null> {
    const { clock } = this.#core.engine
    const doubtful: number[] = []
    for (let piece = first; piece <= last; piece += 1) if (content.doubted?.get(piece) === true) doubtful.push(piece)
    const runs = new CheckRuns(doubtful, content.lengths.pieceLength, 1)
    let lost = 0
    for (let run = runs.next(); run !== null; run = runs.next()) {
      const { first: begin, count } = run
      const beganMs = clock.now()
      const check = () => content.store.check(begin, count)
      const verdicts = await retryWhileBusy(clock, check, { maxAttempts: MAX_ATTEMPTS })
      if (this.#round !== round || !this.#core.working) return null
      runs.took(clock.now() - beganMs)
      lost += this.#judge(
        content,
        begin,
        verdicts.map(verdict => verdict === 'ok'),
      )
    }
    return lost
  }

  /** Clears or gives up each piece from `first` on; how many were given up. */
  #judge(content: TorrentContent, first: number, right: readonly boolean[]): number {
    const lost: number[] = []
    for (const [i, isRight] of right.entries()) {
      const piece = first + i
      content.doubted?.set(piece, false)
      if (isRight) {
        this.#core.readers.pieceDone(piece)
      } else if (content.picker.have.get(piece)) {
        content.picker.pieceLost(piece)
        lost.push(piece)
      }
    }
    if (lost.length > 0) this.#reports.piecesLost(lost)
    return lost.length
  }
}

function piecesOf({ lengths, metainfo }: TorrentContent, file: number): { first: number; last: number } {
  const { offset = 0, length = 0 } = metainfo.files[file] ?? {}
  const [first, last] = piecesOfRange(lengths, offset, Math.max(1, length))
  return { first, last }
}

function pathOf({ metainfo }: TorrentContent, file: number): string {
  return metainfo.files[file]?.path.join('/') ?? ''
}
