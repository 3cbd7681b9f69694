// Brings the files of a torrent from one folder to another, or to other names in it, without a moment in which neither
// has them all: everything is placed at the new one (linked where both are one file system, else copied and flushed),
// and only what is at both is ever deleted. Nothing is overwritten, no link is followed that others made. Which place
// counts is for the caller to remember.

import { fsync, ftruncate, futimes } from 'node:fs'
import { promisify } from 'node:util'
import { AppError } from '../../base/errors.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { foldName } from '../../wire/metainfo/unique-paths.ts'
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
  /** They get other names (those at `to`): what keeps its name in the same folder stays. Absent = they keep theirs. */
  readonly files?: readonly TorrentFile[]
  /** A path at the new place where nothing may be yet, unless `resumed`. */
  readonly fresh?: readonly string[]
  readonly signal: AbortSignal
}

/** The two places, and the way to them. */
type Places = Pick<MoveFiles, 'from' | 'to' | 'lanes'>

/** Two open folders and the names that a file has in them. */
interface Pair {
  readonly source: SafeFolder
  readonly target: SafeFolder
  readonly oldName: string
  readonly name: string
}

/**
 * Places every file that is there at the new folder too; answers the indexes of those it placed. Rejects with
 * StateConflict where something else is in the way, Aborted, or what the disk said; what was placed is then gone again.
 */
export async function placeFiles(move: MoveFiles): Promise<number[]> {
  const placed: number[] = []
  if (move.fresh !== undefined && !move.resumed && (await move.to.isAnythingAt(move.fresh)))
    throw new AppError('StateConflict', `Something of that name is there already: ${move.fresh.join('/')}`)
  try {
    for (const { index, exists } of await move.from.facts()) {
      if (!exists || (move.files !== undefined && move.from.pathOf(index) === move.to.pathOf(index))) continue
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
  await move.to.removeEmptyFolders(move.from).catch(() => undefined)
}

/**
 * Deletes the files of `from` that are at `to` as well, and the folders that become empty. Rejects as the disk does.
 */
export async function dropMoved(from: TorrentFolder, to: TorrentFolder, lanes: VolumeLanes): Promise<void> {
  for (const { index, exists } of await from.facts()) {
    if (!exists || from.pathOf(index) === to.pathOf(index)) continue
    await inPair({ from, to, lanes }, index, false, pair => atBoth({ from, to, lanes }, () => dropOne(pair)))
  }
  await from.removeEmptyFolders(to)
}

async function dropOne(pair: Pair): Promise<void> {
  const { source, target, oldName, name } = pair
  if (await isOnePlace(pair)) return
  const [old, now] = [await source.stat(oldName), await target.stat(name)]
  // What was copied may have grown since.
  if (old?.isFile() !== true || now?.isFile() !== true || now.size < old.size) return
  await source.unlinkFile(oldName)
}

/**
 * Both names are one and the same: where a file system takes one spelling for the other there is one file, and
 * whichever name is deleted, it is gone. Two links to one file are two names in the list of the folder.
 */
async function isOnePlace({ source, target, oldName, name }: Pair): Promise<boolean> {
  if (oldName !== name && foldName(oldName) !== foldName(name)) return false
  if (!(await source.isSame(target))) return false
  if (oldName === name) return true
  if ((await target.stat(name)) === null) return false
  const names: string[] = []
  for await (const one of source.names()) if (one === oldName || one === name) names.push(one)
  return names.length < 2
}

/** Answers whether the file was placed now, or by the run before. */
async function place(move: MoveFiles, pair: Pair, index: number): Promise<boolean> {
  const { target, name } = pair
  const path = move.to.pathOf(index)
  if (await atBoth(move, () => isOnePlace(pair))) {
    if (move.files === undefined) throw new AppError('StateConflict', `This is the same folder: ${path}`)
    // Another spelling of its name: the file system has it under both.
    return false
  }
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
async function isSameFile({ source, target, oldName, name }: Pair): Promise<boolean> {
  const [a, b] = [await source.stat(oldName), await target.stat(name)]
  if (a === null || b === null || !b.isFile()) return false
  if (a.dev === b.dev && a.ino === b.ino) return true
  return a.size === b.size && Math.abs(Number(a.mtimeNs - b.mtimeNs)) / 1e6 < SAME_TIME_MS
}

async function linked(move: MoveFiles, { source, target, oldName, name }: Pair): Promise<boolean> {
  try {
    await atBoth(move, () => source.link(oldName, target, name))
    return true
  } catch (error) {
    if (NO_LINKS.has(errnoOf(error) ?? '')) return false
    throw error
  }
}

/** Copies under a name of its own, flushes, and only then gives the copy its name. */
async function copied(move: MoveFiles, { source, target, oldName, name }: Pair, index: number): Promise<void> {
  const unfinished = `.${move.key.slice(0, 16)}-${index}.part`
  await atTarget(move, () => target.unlinkFile(unfinished))
  const from = await atSource(move, () => source.openFile(oldName, { write: false, create: false }))
  try {
    const to = await atTarget(move, () => target.openFile(unfinished, { write: true, create: true }))
    try {
      const stats = await atSource(move, () => source.stat(oldName))
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
      return await use({ source, target, oldName: from.nameOf(index), name: to.nameOf(index) })
    } catch (error) {
      throw diskError(error, to.pathOf(index))
    } finally {
      await lanes.run(to.place, () => target.close())
    }
  } finally {
    await lanes.run(from.place, () => source.close())
  }
}
