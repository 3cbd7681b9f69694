// Decides which of another client's resume data is believed, by what the file system says now. Pure. What does not fit
// goes into the facts of the new download in a way that makes every start hash those files, until a check has been made
// (decision 0365).

import { piecesOfRange } from '../../base/lengths.ts'
import type { FileFacts } from '../../ports/piece-store.ts'
import type { ResumeData } from '../../ports/progress-journal.ts'
import { countBits, emptyPieceSet, type PieceSet, pieceSetFromBytes, setRange } from '../../base/piece-set.ts'
import { lastByteHad, planFromResume, planWithoutResume } from '../../torrent/pieces/resume-plan.ts'
import type { OtherState } from '../../wire/resume/other-state.ts'
import type { Metainfo, TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { ImportReason } from './import-api.ts'

/** A file may be this much younger than the resume file: file systems round. */
const SAME_MOMENT_MS = 1000
/**
 * Transmission notes that a file was checked right after its own last write to it, by a clock that it sets once a
 * second.
 */
const CHECK_CLOCK_SEC = 2

/** What of another client's word is taken: its resume data against what the file system says now. */
export interface ImportPlan {
  /** What the torrent starts from; null = every file that is there is hashed. */
  readonly resume: ResumeData | null
  /** Taken as verified. */
  readonly kept: PieceSet
  readonly piecesKept: number
  readonly piecesToCheck: number
  readonly reasons: readonly ImportReason[]
  /** Wanted files with verified pieces that are not there, by index. */
  readonly missing: readonly number[]
  /** Any file of verified pieces is there, or there are none. */
  readonly found: boolean
}

/** Plans it. `facts` by file index; `resumeMs`: when the resume file was written. */
export function planImport(
  metainfo: Metainfo,
  state: OtherState,
  facts: readonly FileFacts[],
  resumeMs: number,
): ImportPlan {
  const claimed = state.have === null ? null : pieceSetFromBytes(state.have, metainfo.pieceCount)
  if (claimed === null) return hashAll(metainfo, facts, [{ code: 'nothing_known', message: NOTHING_KNOWN }])
  const looked = new Looked(metainfo, state, claimed, resumeMs)
  for (const file of metainfo.files) looked.takeMissing(file, facts[file.index])
  const told = metainfo.files.map(file => looked.fact(file, facts[file.index] ?? absent(file.index)))
  const resume: ResumeData = { have: Uint8Array.from(claimed.buffer), suspect: [], files: told, newestMs: 0 }
  const { have, check } = planFromResume(metainfo, metainfo.files, facts, resume)
  return {
    resume,
    kept: have,
    piecesKept: countBits(have.buffer),
    piecesToCheck: countBits(check.buffer),
    reasons: looked.reasons(),
    missing: looked.missing,
    found: looked.found || looked.missing.length === 0,
  }
}

const NOTHING_KNOWN = 'The other client does not say which pieces it has: what is there is hashed.'

/** Nothing is trusted. */
export function hashAll(metainfo: Metainfo, facts: readonly FileFacts[], reasons: readonly ImportReason[]): ImportPlan {
  const { have, check } = planWithoutResume(metainfo, metainfo.files, facts)
  const piecesToCheck = countBits(check.buffer)
  return { resume: null, kept: have, piecesKept: 0, piecesToCheck, reasons, missing: [], found: true }
}

function absent(index: number): FileFacts {
  return { index, exists: false, sizeBytes: 0, mtimeMs: 0 }
}

const TEXTS = {
  size_differs: 'of another size than the verified pieces need: hashed',
  time_differs: 'changed after the other client saw them last: hashed',
  not_verified: 'not verified by the other client: hashed',
  file_missing: 'not there: their pieces are not taken',
} as const

type Doubt = keyof typeof TEXTS

/** Files as they are looked at; `claimed` loses the pieces of files that are not there. */
class Looked {
  readonly missing: number[] = []
  found = false
  readonly #metainfo: Metainfo
  readonly #state: OtherState
  readonly #claimed: PieceSet
  readonly #resumeMs: number
  readonly #doubted: PieceSet
  readonly #doubts = new Map<Doubt, { count: number; first: string }>()

  constructor(metainfo: Metainfo, state: OtherState, claimed: PieceSet, resumeMs: number) {
    const { pieceCount } = metainfo
    this.#metainfo = metainfo
    this.#state = state
    this.#claimed = claimed
    this.#resumeMs = resumeMs
    const doubted = state.doubted === null ? null : pieceSetFromBytes(state.doubted, pieceCount)
    this.#doubted = doubted ?? emptyPieceSet(pieceCount)
  }

  /** A file that is not there has no pieces, whatever was said. */
  takeMissing(file: TorrentFile, now: FileFacts | undefined): void {
    if (file.padding || file.length === 0) return
    const [first, last] = piecesOfRange(this.#metainfo, file.offset, file.length)
    if (!this.#any(this.#claimed, first, last)) return
    if (now?.exists === true) {
      this.found = true
      return
    }
    setRange(this.#claimed, first, last, false)
    // Of a file that was not wanted, the other client kept no more than the ends of its neighbours' pieces.
    if (this.#state.priorities?.[file.index] === 0) return
    this.missing.push(file.index)
    this.#note('file_missing', file)
  }

  /** What is remembered of a file: as it is, or so that it will be hashed. */
  fact(file: TorrentFile, now: FileFacts): FileFacts {
    if (file.padding || file.length === 0 || !now.exists) return now
    const doubt = this.#doubtOf(file, now)
    if (doubt === null) return now
    this.#note(doubt, file)
    // No file shrinks without being looked at.
    return { ...now, sizeBytes: now.sizeBytes + 1 }
  }

  reasons(): ImportReason[] {
    return [...this.#doubts].map(([code, { count, first }]) => ({
      code,
      message: `${count === 1 ? '1 file is' : `${count} files are`} ${TEXTS[code]} (${first}${count > 1 ? ', ...' : ''}).`,
    }))
  }

  #doubtOf(file: TorrentFile, now: FileFacts): Doubt | null {
    const [first, last] = piecesOfRange(this.#metainfo, file.offset, file.length)
    if (!this.#any(this.#claimed, first, last)) return null
    const needed = lastByteHad(this.#metainfo, file, this.#claimed)
    if (now.sizeBytes > file.length || now.sizeBytes < needed) return 'size_differs'
    if (this.#any(this.#doubted, first, last)) return 'not_verified'
    const seen = this.#state.times
    if (seen === null || file.index >= seen.seconds.length || !this.#all(first, last)) {
      return now.mtimeMs > this.#resumeMs + SAME_MOMENT_MS ? 'time_differs' : null
    }
    const then = seen.seconds[file.index] ?? 0
    if (then === 0) return 'not_verified'
    const nowSec = Math.floor(now.mtimeMs / 1000)
    return (seen.rule === 'same' ? nowSec === then : nowSec <= then + CHECK_CLOCK_SEC) ? null : 'time_differs'
  }

  #any(set: PieceSet, first: number, last: number): boolean {
    for (let piece = first; piece <= last; piece++) if (set.get(piece)) return true
    return false
  }

  #all(first: number, last: number): boolean {
    for (let piece = first; piece <= last; piece++) if (!this.#claimed.get(piece)) return false
    return true
  }

  #note(doubt: Doubt, file: TorrentFile): void {
    const known = this.#doubts.get(doubt)
    if (known === undefined) this.#doubts.set(doubt, { count: 1, first: file.path.join('/') })
    else known.count += 1
  }
}
