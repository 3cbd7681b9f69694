// Parts of a torrent's files, given back to the disk one after the other in the turns of its volume.

import { AppError } from '../base/errors.ts'
import type { PieceRun } from '../base/piece-run.ts'
import { diskError } from '../io/files/disk-errors.ts'
import { punchHole } from '../io/files/punch-hole.ts'
import type { TorrentFolder } from '../io/files/torrent-folder.ts'
import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { StoreLayout } from '../ports/piece-store.ts'
import type { Span } from './contract/jobs.ts'
import { MAX_JOB_FILES } from './contract/limits.ts'
import type { SpanFiles } from './span-files.ts'
import { type FileSpan, groupSpans, type SpanMap } from './spans.ts'

/** Gives a part of an open file back: see punchHole. */
export type PunchFile = (fd: number, position: number, length: number) => Promise<boolean>

/** What it works with. */
export interface PunchParts {
  readonly lanes: Pick<VolumeLanes, 'run'>
  readonly folder: Pick<TorrentFolder, 'place' | 'pathOf'>
  readonly files: Pick<SpanFiles, 'withFiles'>
  /** Default: by the machine code. */
  readonly punch?: PunchFile
  /** What changes of the files of the spans while `write` runs is our doing. */
  noting<T>(spans: readonly FileSpan[], write: () => Promise<T>): Promise<T>
}

/** The spans of runs of pieces. */
export function runSpans(
  { pieceLength, totalLength }: StoreLayout,
  map: SpanMap,
  runs: readonly PieceRun[],
): FileSpan[] {
  return runs.flatMap(({ first, count }) => {
    const offset = first * pieceLength
    return map.spans(offset, Math.min(count * pieceLength, totalLength - offset))
  })
}

/**
 * Gives the spans back, of files that are there. False: that cannot be done, and nothing was changed. Rejects with
 * AppError of the disk, and as SpanFiles.withFiles does.
 */
export async function punchSpans(spans: readonly FileSpan[], parts: PunchParts): Promise<boolean> {
  let punched = 0
  for (const group of groupSpans(spans, MAX_JOB_FILES)) {
    const done = await parts.files.withFiles(group, 'write', open =>
      parts.noting(group, () => punchOpen(group, open, parts)),
    )
    punched += done
    if (done === group.length) continue
    if (punched === 0) return false
    throw new AppError('DiskError', 'Only some files of the download can give bytes back to the disk.')
  }
  return true
}

/** How many of the spans, from the first on, were given back: fewer than all where that cannot be done. */
async function punchOpen(
  spans: readonly FileSpan[],
  open: readonly Span[],
  { lanes, folder, punch = punchHole }: PunchParts,
): Promise<number> {
  for (const [i, { fd, position, length }] of open.entries()) {
    try {
      if (!(await lanes.run(folder.place, () => punch(fd, position, length)))) return i
    } catch (error) {
      throw diskError(error, folder.pathOf(spans[i]?.file ?? 0))
    }
  }
  return open.length
}
