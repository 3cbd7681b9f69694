// Finds out what of a torrent's data is there: what the last run says, what the files say, and hashing for the rest. A
// few runs of pieces of a torrent are in hashing at a time, and few torrents check at a time. Changes no network state.

import { AppError } from '../../base/errors.ts'
import { type FileFacts, unfitFacts } from '../../ports/piece-store.ts'
import type { ResumeData } from '../../ports/progress-journal.ts'
import { retryWhileBusy } from './busy-pool.ts'
import { FirstLook } from './first-look.ts'
import { refuseForeign, settleLook } from './foreign-files.ts'
import type { PieceRun } from '../../base/piece-run.ts'
import { CheckRuns } from './check-runs.ts'
import { copyPieceSet, countBits, fullPieceSet, piecesOf, type PieceSet, takeOut } from '../../base/piece-set.ts'
import { changedByOthers, OWN_WRITES_MS, planFromResume, planWithoutResume, type ResumePlan } from './resume-plan.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentStatus } from '../types.ts'

/** How often a check looks whether the volume of its files answers. */
const STALL_LOOK_MS = 1000

/** Pieces and files of which each pass takes a part of a turn that counts. */
const MANY = 50_000

/** The run that a check belongs to; see TorrentRun. */
export interface CheckedRun {
  setStatus(status: TorrentStatus): void
  /** Nothing of the data is there: trackers and peers may be told so, and who reads need not wait for folders. */
  nothingThere(): void
}

/** One check: of what, what is to be hashed, for whom. */
interface CheckWork {
  readonly content: TorrentContent
  readonly plan: ResumePlan
  readonly look: FirstLook
  readonly signal: AbortSignal
  readonly run: CheckedRun
}

/** The checks of one torrent. */
export class TorrentCheck {
  readonly #core: TorrentCore
  /** What the next start begins from; null = nothing is known. */
  #resume: ResumeData | null

  constructor(core: TorrentCore, resume: ResumeData | null) {
    this.#core = core
    this.#resume = resume
  }

  /** Progress as far as it can be trusted without looking at the disk: shown while the torrent is stopped. */
  assumeResumed(content: TorrentContent): void {
    const resume = this.#resume
    if (resume === null) return
    content.picker.setHave(planFromResume(content.lengths, [], [], resume).have)
    this.expectResumed(content)
  }

  /** Nothing is looked at now, but what is read later is to be as the last run left it. */
  expectResumed(content: TorrentContent): void {
    const resume = this.#resume
    if (resume === null) return
    content.store.expect(resume.files, resume.newestMs === 0 ? 0 : resume.newestMs + OWN_WRITES_MS)
  }

  /** The next start hashes this file, whatever it looks like then. */
  doubt(file: number): void {
    const resume = this.#resume
    if (resume === null) return
    const files = [...resume.files]
    files[file] = unfitFacts(file)
    this.#resume = { ...resume, files }
  }

  /**
   * Makes folders, finds out what is there and sets `have`. Answers whether that is news for the journal.
   * Rejects with AppError Aborted when `signal` fires, or with what the store said.
   */
  async prepare(content: TorrentContent, signal: AbortSignal, run: CheckedRun): Promise<boolean> {
    // After a suspension a look that finds nothing new is not reported.
    if (this.#core.status !== 'downloading') run.setStatus('allocating')
    // Before prepare(): it makes files, and what it makes says nothing.
    const [facts] = await Promise.all([content.store.facts(signal), content.own.load()])
    // What changes from here on, also while it is hashed, is seen when it is read.
    content.store.expect(facts, 0)
    const plan = this.#plan(content, facts)
    await this.#leaveToOthers(content, facts)
    await this.#rest(content)
    const look = this.#look(content, facts)
    look.plan(plan.have, plan.check)
    await this.#rest(content)
    stopWhen(signal)
    const toCheck = countBits(plan.check.buffer) > 0
    const nothing = !toCheck && look.isEmpty && countBits(plan.have.buffer) === 0
    content.picker.setHave(clearOf(plan.have, plan.check))
    await this.#rest(content)
    const work = { content, plan, look, signal, run }
    if (!look.isEmpty) await this.#lookFirst(work)
    // Called first: whatever is asked of the store from here on comes after it.
    const prepared = content.store.prepare(signal)
    // Whoever throws below, this has somebody who hears of it.
    prepared.catch(() => undefined)
    if (nothing && !signal.aborted) run.nothingThere()
    await prepared
    stopWhen(signal)
    if (toCheck && look.isEmpty) await this.#hashAll(work)
    return toCheck || this.#resume === null
  }

  /** Hashes everything. `have` is empty while it runs and right afterwards. Rejects like prepare(). */
  async recheck(content: TorrentContent, signal: AbortSignal, run: CheckedRun): Promise<void> {
    const check = fullPieceSet(content.lengths.pieceCount)
    const [facts] = await Promise.all([content.store.facts(signal), content.own.load()])
    content.store.expect(facts, 0)
    const have = copyPieceSet(check)
    have.buffer.fill(0)
    content.picker.setHave(have)
    this.#resume = null
    await this.#rest(content)
    const look = this.#look(content, facts)
    await this.#hashAll({ content, plan: { have, check }, look, signal, run })
    await settleLook(content, look, this.#core)
  }

  /** Notes what was there and what the files looked like at a checkpoint, for a later start in this run. */
  remember(have: Uint8Array, files: readonly FileFacts[]): void {
    this.#resume = { have, suspect: [], files, newestMs: 0 }
  }

  /** No checkpoint could be made: what is there was written until now, whatever the files looked like before. */
  rememberHave(content: TorrentContent): void {
    const have = Uint8Array.from(content.picker.have.buffer)
    const files = this.#resume?.files ?? []
    this.#resume = { have, suspect: [], files, newestMs: this.#core.engine.clock.wallMs() }
  }

  /** Gives others a turn between two passes over very many pieces or files. */
  async #rest({ lengths, metainfo }: TorrentContent): Promise<void> {
    if (lengths.pieceCount + metainfo.files.length < MANY) return
    await new Promise<void>(resolve => this.#core.engine.clock.after(0, resolve))
  }

  #look({ lengths, metainfo, own }: TorrentContent, facts: readonly FileFacts[]): FirstLook {
    return new FirstLook(lengths, metainfo.files, facts, index => own.isOwn(index))
  }

  /** Files into which another program wrote while the torrent was away are not of its making any more. */
  async #leaveToOthers({ lengths, metainfo, own }: TorrentContent, facts: readonly FileFacts[]): Promise<void> {
    if (this.#resume === null || !own.hasMade) return
    const files = changedByOthers(lengths, metainfo.files, facts, this.#resume)
    const made = files.filter(index => own.madeMark(index) !== null)
    for (const index of made) own.changed(index)
    const { engine, infoHash } = this.#core
    if (made.length > 0) await engine.deps.journal.doubt(infoHash, made)
  }

  /** There are files that are not noted as the torrent's own: nothing is made before it is known whose they are. */
  async #lookFirst(work: CheckWork): Promise<void> {
    const { content, plan, look, signal } = work
    refuseForeign(content, look, this.#core)
    if (countBits(plan.check.buffer) > 0) await this.#hashAll(work)
    await settleLook(content, look, this.#core)
    stopWhen(signal)
  }

  #plan(content: TorrentContent, facts: readonly FileFacts[]): ResumePlan {
    const { lengths, metainfo } = content
    if (this.#resume === null) return planWithoutResume(lengths, metainfo.files, facts)
    return planFromResume(lengths, metainfo.files, facts, this.#resume)
  }

  async #hashAll(work: CheckWork): Promise<void> {
    const { content, plan, signal, run } = work
    // A status set after the stop would stay.
    stopWhen(signal)
    run.setStatus('waiting-check')
    this.#core.checkProgress = 0
    const { shared, clock } = this.#core.engine
    const permit = await shared.checks.take(signal)
    // A check that stands still lets another begin, and goes on beside it.
    const stallLook = clock.every(STALL_LOOK_MS, () => {
      if (content.store.volume?.stalled === true) permit.release()
    })
    try {
      stopWhen(signal)
      run.setStatus('checking')
      await this.#hash(work, piecesOf(plan.check))
    } finally {
      stallLook.cancel()
      permit.release()
    }
  }

  async #hash(work: CheckWork, pieces: Uint32Array): Promise<void> {
    const { content, signal } = work
    const { clock, checkDepth } = this.#core.engine
    const runs = new CheckRuns(pieces, content.lengths.pieceLength, checkDepth)
    let done = 0
    const lane = async (): Promise<void> => {
      for (let run = runs.next(); run !== null; run = runs.next()) {
        stopWhen(signal)
        const beganMs = clock.now()
        await this.#check(work, run)
        runs.took(clock.now() - beganMs)
        done += run.count
        this.#core.checkProgress = done / pieces.length
      }
    }
    // All lanes end before this does, also when one fails: nobody may touch the torrent afterwards.
    const lanes = Array.from({ length: checkDepth }, lane)
    const results = await Promise.allSettled(lanes)
    for (const result of results) if (result.status === 'rejected') throw result.reason
    stopWhen(signal)
  }

  async #check({ content, look, signal }: CheckWork, { first, count }: PieceRun): Promise<void> {
    const check = () => content.store.check(first, count)
    const verdicts = await retryWhileBusy(this.#core.engine.clock, check, { signal })
    for (const [i, verdict] of verdicts.entries()) {
      look.take(first + i, verdict)
      if (verdict === 'ok') content.picker.pieceDone(first + i)
    }
  }
}

/** Pieces that are to be hashed are not there until then. */
function clearOf(have: PieceSet, check: PieceSet): PieceSet {
  takeOut(have, check)
  return have
}

function stopWhen(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError('Aborted')
}
