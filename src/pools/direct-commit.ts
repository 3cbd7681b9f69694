// Commits for which everything is at hand: files made and open, folder and free space known, no exclusive work near, a
// thread up. Such a one is at its thread in the turn of its last block, and one promise tells its end (decision 0522).
// What lacks anything goes the other way, which waits. Invariant: what a commit took goes back once, whatever the end.

import type { DiskSpace } from '../io/files/disk-space.ts'
import type { FileNotes } from '../io/files/file-notes.ts'
import type { NotedFiles } from '../io/files/noted-files.ts'
import type { LentFile, OpenFiles } from '../io/files/open-files.ts'
import type { TorrentFolder } from '../io/files/torrent-folder.ts'
import type { CommitPlan } from './commit-plan.ts'
import type { CommitReply, CommitRequest, Span } from './contract/jobs.ts'
import { MAX_JOB_FILES } from './contract/limits.ts'
import type { Fence } from './fence.ts'
import type { FirstWrites } from './first-writes.ts'
import type { VolumeJobs } from './volume-jobs.ts'

/** What a commit needs of its store. */
export interface DirectParts {
  readonly jobs: Pick<VolumeJobs, 'isReady' | 'post'>
  readonly files: OpenFiles
  readonly space: DiskSpace
  readonly folder: TorrentFolder
  readonly source: NotedFiles
  readonly notes: FileNotes
  readonly firstWrites: FirstWrites
  readonly fence: Fence
}

/** A commit that has all it needs, and holds it. */
interface TakenCommit {
  readonly plan: CommitPlan
  readonly request: CommitRequest
  readonly lent: readonly LentFile[]
}

/** Who hears of the end of a commit, before its promise settles. */
export interface CommitEars {
  /** What it held is back; `wrote`: it was right, and its files were written. */
  ended(wrote: boolean): void
  /** What a failure is to callers. */
  failure(error: unknown, request: CommitRequest): Error
}

/** The commits of one store that need not wait. */
export class DirectCommits {
  readonly #parts: DirectParts

  constructor(parts: DirectParts) {
    this.#parts = parts
  }

  /** Nothing that all commits need is missing: one may be planned, and sent in this turn. */
  get open(): boolean {
    const { jobs, folder, fence } = this.#parts
    return fence.open && folder.knownRoot !== null && jobs.isReady(folder.place)
  }

  /**
   * Sends a commit, while they are open; null: it has to wait for something, and nothing was taken. `patient`: see
   * WorkerPool.post.
   */
  start(plan: CommitPlan, patient: boolean, ears: CommitEars): Promise<CommitReply['verdict']> | null {
    const taken = this.#take(plan)
    if (taken === null) return null
    const { jobs, folder } = this.#parts
    const { request } = taken
    return new Promise((resolve, reject) => {
      const end = (wrote: boolean, settle: () => void) =>
        this.#ended(taken, wrote, () => {
          ears.ended(wrote)
          settle()
        })
      jobs.post(
        folder.place,
        'piece.commit',
        request,
        patient,
        ({ verdict }) => end(verdict === 'ok', () => resolve(verdict)),
        error => end(false, () => reject(ears.failure(error, request))),
      )
    })
  }

  /** Takes what the commit needs; null: it has to wait for something, and nothing was taken. */
  #take(plan: CommitPlan): TakenCommit | null {
    const { fence, notes } = this.#parts
    if (!fence.enterNow()) return null
    const lent = this.#lend(plan)
    if (lent === null) {
      fence.leave()
      return null
    }
    for (const file of plan.files) notes.writing(file)
    return { plan, request: withDescriptors(plan, lent), lent }
  }

  #ended({ plan, lent }: TakenCommit, wrote: boolean, tell: () => void): void {
    const { files, notes, fence } = this.#parts
    try {
      for (const { file, position, length } of plan.spans) {
        if (file >= 0) notes.wrote(file, wrote ? position + length : 0)
      }
      files.release(lent)
      tell()
    } finally {
      // What waits to be alone comes after everybody knows.
      fence.leave()
    }
  }

  /** The descriptors of a commit and room for it on the disk; null when either must be waited for. */
  #lend({ files: indexes, length }: CommitPlan): LentFile[] | null {
    const { files, source, folder, space, firstWrites } = this.#parts
    const root = folder.knownRoot
    if (root === null || indexes.length > MAX_JOB_FILES) return null
    for (const index of indexes) if (!firstWrites.isDone(index)) return null
    const lent = files.acquireNow(source, indexes)
    if (lent === null || space.reserveNow(root, length)) return lent
    files.release(lent)
    return null
  }
}

/** The request with the descriptors of its files, made with its keys in the order of the contract's sample. */
function withDescriptors({ spans, request }: CommitPlan, lent: readonly LentFile[]): CommitRequest {
  const { arena, segments, hash, tree } = request
  const open: Span[] = []
  let at = 0
  for (const { file, position, length } of spans) {
    open.push({ fd: file < 0 ? -1 : (lent[at++] as LentFile).fd, position, length })
  }
  return { arena, segments, hash, tree, spans: open }
}
