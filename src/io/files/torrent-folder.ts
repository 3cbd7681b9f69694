// The files of one torrent below its destination folder: made, stated, opened and deleted through safe-files. It keeps
// no descriptor open. Invariant: no path is followed through a link below the destination, and padding files are never
// touched.

import { fsync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { FileChoice, FileFacts, FileMark } from '../../ports/piece-store.ts'
import { noTurns } from '../../ports/volumes.ts'
import { runStepsInTurns } from '../../wire/steps.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { foldName } from '../../wire/metainfo/unique-paths.ts'
import { clearFolder } from './clear-folder.ts'
import { diskError, errnoOf } from './disk-errors.ts'
import { absentFacts, statFile } from './file-facts.ts'
import { nameOf, type PlannedFolder, planFolders } from './folder-plan.ts'
import { makePlace } from './make-place.ts'
import { placeOf } from './placed-path.ts'
import { entriesThere, FolderWalk, type WalkPlace } from './folder-walk.ts'
import { type OpenFolders, openFolder, withFolder } from './folder-way.ts'
import { makeFolders } from './make-folders.ts'
import {
  closeQuietly,
  type FileLook,
  lookOf,
  type FreshFile,
  type FileIdentity,
  procAvailable,
  type SafeFolder,
} from './safe-files.ts'
import type { VolumeLanes } from './volume-lanes.ts'

const syncDescriptor = promisify(fsync)

/** The files of one torrent below its destination. */
export class TorrentFolder {
  readonly #destination: string
  readonly #files: readonly TorrentFile[]
  /** Made at the first use; see planFolders. */
  #planned: Promise<readonly PlannedFolder[]> | null = null
  readonly #lanes: VolumeLanes
  readonly #own: OwnFiles | null
  readonly #proc: boolean
  /** Files known to have been there: when such a one is gone it was deleted by others, and is not created again. */
  #made = new Set<number>()
  /** Files whose names have been made durable since prepare(). */
  #flushed = new Set<number>()
  #root: string | null = null
  /** Which file the first opening for writing must find, where it was looked at before. */
  readonly #expected = new Map<number, FileIdentity>()

  /** `own`: what is never touched; null for torrents of the node itself. */
  constructor(
    layout: { readonly destination: string; readonly files: readonly TorrentFile[] },
    lanes: VolumeLanes,
    own: OwnFiles | null,
    proc: boolean = procAvailable,
  ) {
    this.#destination = layout.destination
    this.#files = layout.files
    this.#lanes = lanes
    this.#own = own
    this.#proc = proc
  }

  /** The path whose volume the files count to. */
  get place(): string {
    return this.#destination
  }

  /** The path of a file for messages. */
  pathOf(index: number): string {
    return join(this.#destination, ...(this.#files[index]?.path ?? []))
  }

  /** What root() answered since prepare(); null: nothing yet. */
  get knownRoot(): string | null {
    return this.#root
  }

  /** The destination without links, for questions about free space. Rejects with FileMissing when it is not there. */
  async root(): Promise<string> {
    if (this.#root === null) {
      try {
        this.#root = await this.#lanes.run(this.#destination, () => realpath(this.#destination))
      } catch (error) {
        throw diskError(error, this.#destination)
      }
    }
    return this.#root
  }

  /** True when the file was seen or made since prepare(). */
  isMade(index: number): boolean {
    return this.#made.has(index)
  }

  /**
   * Makes the destination, the torrent's folders and its zero-byte files; notes which files are there. Rejects with
   * AppError Aborted soon after `signal` fires: what was made until then stays.
   */
  async prepare(signal?: AbortSignal): Promise<void> {
    this.#root = null
    this.#expected.clear()
    await this.#lanes
      .run(this.#destination, () => this.#makeDestination())
      .catch(error => {
        throw diskError(error, this.#destination)
      })
    const [top] = await this.#folders()
    const made = top === undefined ? new Set<number>() : await makeFolders(top, await this.#walkPlace(true), signal)
    this.#made = made
    this.#flushed.clear()
  }

  /** A folder that is missing is not made behind a link that came since it was judged. */
  async #makeDestination(): Promise<void> {
    await makePlace(await placeOf(this.#destination, noTurns), real => {
      if (this.#own?.holds(real) === true)
        throw new AppError('UnsafePath', `The folder is among the node's own files: ${this.#destination}`)
    })
  }

  /**
   * Size and time of every file by lstat, where there is one; a link, a folder and a padding file count as not
   * existing. Rejects with AppError Aborted soon after `signal` fires.
   */
  async facts(signal?: AbortSignal): Promise<FileFacts[]> {
    const [top] = await this.#folders()
    const facts = await runStepsInTurns(absentFacts(this.#files.length), nextTurn)
    const place = top === undefined ? null : await this.#placeIfThere()
    if (top === undefined || place === null) return facts
    const look = async (folder: SafeFolder, file: TorrentFile): Promise<void> => {
      facts[file.index] = await statFile(folder, file)
    }
    await new FolderWalk({ entries: entriesThere, file: look }, { place, skips: true, signal }).run(top)
    return facts
  }

  /**
   * Opens file `index`. For writing, a file that was never there is made; its folder is not. Rejects with FileMissing,
   * UnsafePath, DiskFull or DiskError.
   */
  async open(index: number, write: boolean): Promise<FreshFile> {
    const { parts, name } = this.#locate(index)
    const create = write && !this.#made.has(index)
    const opened = await this.#inFolder(parts, false, folder =>
      naming(this.pathOf(index), folder.openFile(name, { write, create })),
    )
    if (write) await this.#checkExpected(index, opened)
    if (write) this.#made.add(index)
    return opened
  }

  /** Makes file `index`, empty; null when something is there. Rejects as open() does. */
  async create(index: number): Promise<FreshFile | null> {
    const { parts, name } = this.#locate(index)
    const options = { write: true, create: true, exclusive: true }
    const opened = await this.#inFolder(parts, false, folder =>
      naming(
        this.pathOf(index),
        folder.openFile(name, options).catch(error => {
          if (errnoOf(error) === 'EEXIST') return null
          throw error
        }),
      ),
    )
    if (opened === null) return null
    await closeQuietly(opened.fd)
    this.expect(index, opened)
    return opened
  }

  /** The next opening for writing must find this very file at the path of `index`. */
  expect(index: number, { dev, ino }: FileIdentity): void {
    this.#expected.set(index, { dev, ino })
    this.#made.add(index)
  }

  async #checkExpected(index: number, { fd, dev, ino }: FreshFile): Promise<void> {
    const expected = this.#expected.get(index)
    this.#expected.delete(index)
    if (expected === undefined || (expected.dev === dev && expected.ino === ino)) return
    await closeQuietly(fd)
    throw new AppError('FileMissing', `A file of the download was replaced by another: ${this.pathOf(index)}`)
  }

  /** Those of the files that are there under one name only. */
  async unshared(indexes: readonly number[]): Promise<number[]> {
    const found: number[] = []
    for (const index of indexes) {
      const { parts, name } = this.#locate(index)
      await this.#inExistingFolder(parts, async folder => {
        if ((await folder.stat(name))?.nlink === 1n) found.push(index)
      })
    }
    return found
  }

  /**
   * Which file `fd` is of, when its only name is the path of `index`, by folders of which none is a link; null: it has
   * others, or another. In the turn of the volume that the caller has. Rejects with what the disk said.
   */
  async markOf(index: number, fd: number): Promise<FileMark | null> {
    const { parts, name } = this.#locate(index)
    if (this.#root === null) return null
    try {
      return await withFolder(this.#root, parts, this.#ways(false), folder => folder.markOf(name, fd))
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }

  /** What lies at the path of `index` now. Rejects with FileMissing or UnsafePath when it is none of ours. */
  async identify(index: number): Promise<FileLook> {
    const { parts, name } = this.#locate(index)
    return this.#inFolder(parts, false, async folder => {
      const stats = await folder.stat(name)
      if (stats === null)
        throw new AppError('FileMissing', `A file of the download has vanished: ${this.pathOf(index)}`)
      if (!stats.isFile())
        throw new AppError('UnsafePath', `A path of the download is not a plain file: ${this.pathOf(index)}`)
      return lookOf(stats)
    })
  }

  /** The name of file `index` in its folder. */
  nameOf(index: number): string {
    return this.#locate(index).name
  }

  /**
   * Opens the folder that file `index` lies in, `create`: makes it first; the caller closes it. Rejects as open() does.
   */
  async openFolderOf(index: number, create: boolean): Promise<SafeFolder> {
    const { parts } = this.#locate(index)
    const root = await this.root()
    return this.#lanes.run(root, () => openFolder(root, parts, this.#ways(create)))
  }

  /** Makes the names in the torrent's folders durable, where there are such folders. */
  async flushFolders(): Promise<void> {
    for (const { parts } of (await this.#folders()).toReversed()) await this.#inExistingFolder(parts, flushFolder)
  }

  /**
   * Makes the names of these files durable, and those of the folders above them, once for each file: bytes that a power
   * cut left without a name are lost as well. Rejects with DiskError.
   */
  async flushNames(files: Iterable<number>): Promise<void> {
    const fresh = [...files].filter(file => !this.#flushed.has(file))
    if (fresh.length === 0) return
    const above = new Map(
      fresh.flatMap(file => partsAbove(this.#locate(file).parts)).map(parts => [parts.join('/'), parts]),
    )
    for (const parts of [...above.values()].sort((a, b) => b.length - a.length)) {
      await this.#inExistingFolder(parts, flushFolder).catch(error => {
        throw diskError(error, join(this.#destination, ...parts))
      })
    }
    for (const file of fresh) this.#flushed.add(file)
  }

  /** Whether anything has that path below the destination; a folder above it that is a link counts as nothing. */
  async isAnythingAt(path: readonly string[]): Promise<boolean> {
    let found = false
    await this.#inExistingFolder(path.slice(0, -1), async folder => {
      found = (await folder.stat(path.at(-1) ?? '')) !== null
    })
    return found
  }

  /** Deletes the torrent's folders that are empty, but those that it has in `other` as well. */
  async removeEmptyFolders(other: TorrentFolder): Promise<void> {
    if (other.#destination !== this.#destination) return this.#clear(() => false)
    const kept = new Set((await other.#folders()).map(foldedPath))
    for (const folder of (await this.#folders()).toReversed()) {
      const { parts } = folder
      if (parts.length === 0 || kept.has(foldedPath(folder))) continue
      await this.#inExistingFolder(parts.slice(0, -1), async above => {
        await above.removeFolderIfEmpty(parts.at(-1) ?? '')
      })
    }
  }

  /**
   * Deletes the torrent's plain files, but those `keeps` takes, and the folders below the destination that became
   * empty.
   */
  async remove(keeps: FileChoice = () => false): Promise<void> {
    await this.#clear((file, sizeBytes, mark) => !keeps(file.index, sizeBytes, mark))
    this.#made.clear()
  }

  async #clear(goes: (file: TorrentFile, sizeBytes: number, mark: FileMark) => boolean): Promise<void> {
    const [top] = await this.#folders()
    const place = top === undefined ? null : await this.#placeIfThere()
    if (top !== undefined && place !== null) await clearFolder(top, goes, place)
  }

  #folders(): Promise<readonly PlannedFolder[]> {
    this.#planned ??= runStepsInTurns(planFolders(this.#files), nextTurn)
    return this.#planned
  }

  async #walkPlace(create: boolean): Promise<WalkPlace> {
    const root = await this.root()
    return { root, folders: this.#ways(create), turn: call => this.#lanes.run(root, call) }
  }

  /** Null where the destination is gone. */
  async #placeIfThere(): Promise<WalkPlace | null> {
    try {
      return await this.#walkPlace(false)
    } catch (error) {
      if (isGone(error)) return null
      throw error
    }
  }

  #ways(create: boolean): OpenFolders {
    return { create, proc: this.#proc, own: this.#own }
  }

  async #inFolder<T>(parts: readonly string[], create: boolean, use: (folder: SafeFolder) => Promise<T>): Promise<T> {
    const root = await this.root()
    return this.#lanes.run(root, () => withFolder(root, parts, this.#ways(create), use))
  }

  /** Does nothing where the folder is gone, or is a link and so not the torrent's. */
  async #inExistingFolder(parts: readonly string[], use: (folder: SafeFolder) => Promise<void>): Promise<void> {
    try {
      await this.#inFolder(parts, false, use)
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }

  #locate(index: number): { parts: readonly string[]; name: string } {
    const file = this.#files[index]
    if (file === undefined || file.padding) throw new RangeError(`file ${index} is not on disk`)
    return { parts: file.path.slice(0, -1), name: nameOf(file) }
  }
}

function foldedPath({ parts }: PlannedFolder): string {
  return foldName(parts.join('/'))
}

/** A folder is not there, or is a link and so not the torrent's. */
function isGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'FileMissing' || error.code === 'UnsafePath')
}

/** A folder and all those above it, down from the destination, which is []. */
function partsAbove(parts: readonly string[]): (readonly string[])[] {
  return [[], ...parts.map((_, depth) => parts.slice(0, depth + 1))]
}

/** File systems that cannot flush folders do it with the files. */
async function flushFolder(folder: SafeFolder): Promise<void> {
  await syncDescriptor(folder.fd).catch((error: unknown) => {
    if (errnoOf(error) !== 'EINVAL') throw error
  })
}

async function naming<T>(path: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (error) {
    throw errnoOf(error) === null ? error : diskError(error, path)
  }
}
