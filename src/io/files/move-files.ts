// Brings the files of a torrent from one folder to another without a moment in which neither has them all: everything
// is placed at the new one (linked where both are one file system, else copied and flushed), and only what is at both
// is ever deleted. Nothing is overwritten, no link is followed that others made. Which place counts is for the caller
// to remember.

import { fsync, ftruncate, futimes } from 'node:fs'
import { promisify } from 'node:util'
import { AppError } from '../../base/errors.ts'
import { copyBytes } from './copy-bytes.ts'
import { diskError, errnoOf } from './disk-errors.ts'
import type { DiskSpace } from './disk-space.ts'
import { closeQuietly, type SafeFolder } from './safe-files.ts'
import type { TorrentFolder } from './torrent-folder.ts'
import type { VolumeLanes } from './volume-lanes.ts'

const syncDescriptor = promisify(fsync)
const truncateDescriptor = promisify(ftruncate)
const timesDescriptor = promisify(futimes)

/** Times of a copy nearer than this to the original's are the same: file systems keep different fractions. */
const SAME_TIME_MS = 1
/** Said by link() where the two places are not one file system, or it has no links. */
export const NO_LINKS: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'])

/** What moving needs. */
export interface MoveFiles {
  readonly from: TorrentFolder
  readonly to: TorrentFolder
  /** Begins the names of unfinished copies. */
  readonly key: string
  readonly lanes: VolumeLanes
  readonly space: Pick<DiskSpace, 'reserve'>
  /** Equal files at the new place are those of an earlier run. */
  readonly resumed: boolean
  readonly signal: AbortSignal
}

/** The two places, and the way to them. */
type Places = Pick<MoveFiles, 'from' | 'to' | 'lanes'>

/** Two open folders and the name that a file has in both. */
interface Pair {
  readonly source: SafeFolder
  readonly target: SafeFolder
  readonly name: string
}

/**
 * Places every file that is there at the new folder too; answers the indexes of those it placed. Rejects with
 * StateConflict where something else is in the way, Aborted, or what the disk said; what was placed is then gone again.
 */
export async function placeFiles(move: MoveFiles): Promise<number[]> {
  const placed: number[] = []
  try {
    for (const { index, exists } of await move.from.facts()) {
      if (!exists) continue
      if (move.signal.aborted) throw new AppError('Aborted')
      if (await inPair(move, index, true, pair => place(move, pair, index))) placed.push(index)
    }
    // The names too, and the folders they are in, must outlive a power cut.
    await move.to.flushFolders()
    return placed
  } catch (error) {
    await takeBack(move, placed)
    throw error
  }
}

/** Undoes placeFiles(). What cannot be undone stays beside the original, which counts. */
export async function takeBack(move: MoveFiles, placed: readonly number[]): Promise<void> {
  for (const index of placed) {
    await inPair(move, index, false, ({ target, name }) => atTarget(move, () => target.unlinkFile(name))).catch(
      () => undefined,
    )
  }
  await move.to.removeEmptyFolders().catch(() => undefined)
}

/**
 * Deletes the files of `from` that are at `to` as well, and the folders that become empty. Rejects as the disk does.
 */
export async function dropMoved(from: TorrentFolder, to: TorrentFolder, lanes: VolumeLanes): Promise<void> {
  for (const { index, exists } of await from.facts()) {
    if (!exists) continue
    await inPair({ from, to, lanes }, index, false, pair => atBoth({ from, to, lanes }, () => dropOne(pair)))
  }
  await from.removeEmptyFolders()
}

async function dropOne({ source, target, name }: Pair): Promise<void> {
  if (await source.isSame(target)) return
  const [old, now] = [await source.stat(name), await target.stat(name)]
  // What was copied may have grown since.
  if (old?.isFile() !== true || now?.isFile() !== true || now.size < old.size) return
  await source.unlinkFile(name)
}

/** Answers whether the file was placed now, or by the run before. */
async function place(move: MoveFiles, pair: Pair, index: number): Promise<boolean> {
  const { source, target, name } = pair
  const path = move.to.pathOf(index)
  if (await atBoth(move, () => source.isSame(target)))
    throw new AppError('StateConflict', `This is the same folder: ${path}`)
  const there = await atTarget(move, () => target.stat(name))
  if (there !== null) {
    const same = await atBoth(move, () => isSameFile(pair))
    if (!same) throw new AppError('StateConflict', `Another file is there already: ${path}`)
    return move.resumed
  }
  if (!(await linked(move, pair))) await copied(move, pair, index)
  return true
}

/** One file under two names, or a copy: rsync's rule of size and time. */
async function isSameFile({ source, target, name }: Pair): Promise<boolean> {
  const [a, b] = [await source.stat(name), await target.stat(name)]
  if (a === null || b === null || !b.isFile()) return false
  if (a.dev === b.dev && a.ino === b.ino) return true
  return a.size === b.size && Math.abs(Number(a.mtimeNs - b.mtimeNs)) / 1e6 < SAME_TIME_MS
}

async function linked(move: MoveFiles, { source, target, name }: Pair): Promise<boolean> {
  try {
    await atBoth(move, () => source.link(name, target, name))
    return true
  } catch (error) {
    if (NO_LINKS.has(errnoOf(error) ?? '')) return false
    throw error
  }
}

/** Copies under a name of its own, flushes, and only then gives the copy its name. */
async function copied(move: MoveFiles, { source, target, name }: Pair, index: number): Promise<void> {
  const unfinished = `.${move.key.slice(0, 16)}-${index}.part`
  await atTarget(move, () => target.unlinkFile(unfinished))
  const from = await atSource(move, () => source.openFile(name, { write: false, create: false }))
  try {
    const to = await atTarget(move, () => target.openFile(unfinished, { write: true, create: true }))
    try {
      const stats = await atSource(move, () => source.stat(name))
      await copyBytes(from.fd, to.fd, {
        space: move.space,
        root: await move.to.root(),
        signal: move.signal,
        reading: call => atSource(move, call),
        writing: call => atTarget(move, call),
      })
      await atTarget(move, async () => {
        if (stats !== null) {
          await truncateDescriptor(to.fd, Number(stats.size))
          await timesDescriptor(to.fd, Number(stats.atimeNs) / 1e9, Number(stats.mtimeNs) / 1e9)
        }
        await syncDescriptor(to.fd)
      })
    } finally {
      await atTarget(move, () => closeQuietly(to.fd))
    }
    await atTarget(move, () => target.rename(unfinished, name))
  } catch (error) {
    await atTarget(move, () => target.unlinkFile(unfinished)).catch(() => undefined)
    throw error
  } finally {
    await atSource(move, () => closeQuietly(from.fd))
  }
}

/** A call on files of the old place. */
function atSource<T>({ from, lanes }: Places, call: () => Promise<T>): Promise<T> {
  return lanes.run(from.place, call)
}

/** A call on files of the new place. */
function atTarget<T>({ to, lanes }: Places, call: () => Promise<T>): Promise<T> {
  return lanes.run(to.place, call)
}

/** A call on files of both: it has its turn where it could be held up. */
function atBoth<T>({ from, to, lanes }: Places, call: () => Promise<T>): Promise<T> {
  return lanes.run(lanes.volumeOf(from.place).own ? to.place : from.place, call)
}

/** Opens the folders of a file at both places, `create`: makes the new one's, for `use`. Errors become AppErrors. */
async function inPair<T>(
  { from, to, lanes }: Places,
  index: number,
  create: boolean,
  use: (pair: Pair) => Promise<T>,
): Promise<T> {
  const source = await from.openFolderOf(index, false)
  try {
    const target = await to.openFolderOf(index, create)
    try {
      return await use({ source, target, name: to.nameOf(index) })
    } catch (error) {
      throw diskError(error, to.pathOf(index))
    } finally {
      await lanes.run(to.place, () => target.close())
    }
  } finally {
    await lanes.run(from.place, () => source.close())
  }
}
