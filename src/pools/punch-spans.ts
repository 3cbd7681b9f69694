// Parts of a torrent's files, given back to the disk one after the other in the turns of its volume. Invariant: a hole
// is made in a file only when its descriptor, looked at right before, is of the file that the torrent made itself, that
// lies at its place under that name alone: what lay there before, was put in its place, is linked elsewhere or was
// moved away keeps every byte.

import { piecesOfRange } from '../base/lengths.ts'
import type { PieceRun } from '../base/piece-run.ts'
import { diskError, errnoOf } from '../io/files/disk-errors.ts'
import { punchHole } from '../io/files/punch-hole.ts'
import type { TorrentFolder } from '../io/files/torrent-folder.ts'
import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { FileClaims, FileMark, Punched, StoreLayout } from '../ports/piece-store.ts'
import type { Span } from './contract/jobs.ts'
import { MAX_JOB_FILES } from './contract/limits.ts'
import type { SpanFiles } from './span-files.ts'
import { type FileSpan, groupSpans, type SpanMap } from './spans.ts'

/** Bytes of one hole: a call holds a lane of the volume, and a long one makes it look stalled. */
const MAX_HOLE_BYTES = 64 * 1024 * 1024

/** Gives a part of an open file back: see punchHole. */
export type PunchFile = (fd: number, position: number, length: number) => Promise<boolean>

/** A part of a file, and the pieces that have bytes of it. */
export interface HoleSpan extends FileSpan {
  readonly pieces: PieceRun
}

/** What it works with. */
export interface PunchParts {
  readonly lanes: Pick<VolumeLanes, 'run'>
  readonly folder: Pick<TorrentFolder, 'place' | 'pathOf' | 'markOf'>
  readonly files: Pick<SpanFiles, 'withFiles'>
  /** Default: by the machine code. */
  readonly punch?: PunchFile
  /** What changes of the files of the spans while `write` runs is our doing. */
  noting<T>(spans: readonly FileSpan[], write: () => Promise<T>): Promise<T>
  /** Asked before each hole; false: no more of them. */
  may(): boolean
}

/** Which files the torrent made; undefined: none is known to be of its making. */
type MadeFiles = Pick<FileClaims, 'known' | 'madeMark'> | undefined

/** The spans of runs of pieces, none longer than one hole may be. */
export function runSpans(layout: StoreLayout, map: SpanMap, runs: readonly PieceRun[]): HoleSpan[] {
  const { pieceLength, totalLength } = layout
  const found: HoleSpan[] = []
  for (const { first, count } of runs) {
    let at = first * pieceLength
    for (const { file, position, length } of map.spans(at, Math.min(count * pieceLength, totalLength - at))) {
      for (let done = 0; done < length; done += MAX_HOLE_BYTES) {
        const part = Math.min(MAX_HOLE_BYTES, length - done)
        found.push({ file, position: position + done, length: part, pieces: piecesAt(layout, at + done, part) })
      }
      at += length
    }
  }
  return found
}

function piecesAt(layout: StoreLayout, offset: number, length: number): PieceRun {
  const [first, last] = piecesOfRange(layout, offset, length)
  return { first, count: last - first + 1 }
}

/**
 * Gives those of the spans back, all of files that are there, whose files are of the torrent's making. Rejects with
 * AppError of the disk, and as SpanFiles.withFiles does.
 */
export async function punchSpans(spans: readonly HoleSpan[], claims: MadeFiles, parts: PunchParts): Promise<Punched> {
  const { files, noting } = parts
  await claims?.known()
  const isMade = ({ file }: FileSpan): boolean => (claims?.madeMark(file) ?? null) !== null
  const kept = new Set(spans.filter(span => !isMade(span)).map(({ file }) => file))
  const done: Doing = { claims, gone: [], kept, ended: null }
  const groups = groupSpans(spans.filter(isMade), MAX_JOB_FILES)
  for (const group of groups) {
    if (done.ended !== null) break
    await files.withFiles(group, 'write', open => noting(group, () => punchOpen(group, open, parts, done)))
  }
  return { gone: done.gone, kept: [...kept], ended: done.ended }
}

interface Doing {
  readonly claims: MadeFiles
  readonly gone: PieceRun[]
  readonly kept: Set<number>
  ended: Punched['ended']
}

async function punchOpen(
  spans: readonly HoleSpan[],
  open: readonly Span[],
  parts: PunchParts,
  done: Doing,
): Promise<void> {
  for (const [i, { fd, position, length }] of open.entries()) {
    const { file, pieces } = spans[i] as HoleSpan
    if (done.kept.has(file)) continue
    const made = done.claims?.madeMark(file) ?? null
    const hole = await parts.lanes
      .run(parts.folder.place, () => makeHole({ file, fd, position, length }, made, parts))
      .catch((error: unknown) => {
        throw diskError(error, parts.folder.pathOf(file))
      })
    if (hole === 'made') done.gone.push(pieces)
    else if (hole === 'kept') done.kept.add(file)
    else {
      done.ended = hole
      return
    }
  }
}

/** Errors that say that there is no room for the notes of a hole now, as on a full disk that copies on write. */
const NO_ROOM: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT'])

async function makeHole(
  { file, fd, position, length }: FileSpan & { readonly fd: number },
  made: FileMark | null,
  { folder, punch = punchHole, may }: PunchParts,
): Promise<'made' | 'kept' | Exclude<Punched['ended'], null>> {
  const mark = await folder.markOf(file, fd)
  if (mark === null || mark !== made) return 'kept'
  if (!may()) return 'told'
  try {
    return (await punch(fd, position, length)) ? 'made' : 'unable'
  } catch (error) {
    if (NO_ROOM.has(errnoOf(error))) return 'later'
    throw error
  }
}
