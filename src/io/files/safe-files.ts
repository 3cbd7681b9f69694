// Folders and files below a root, reached part by part without ever following a link. With /proc each part is opened
// relative to its parent's descriptor, so a part swapped meanwhile cannot lead anywhere else. Without /proc each part
// is checked by lstat, O_NOFOLLOW, and once more after it is open. Errors are those of the system, or AppError
// UnsafePath.

import { close, constants, existsSync, fstat, open, readlinkSync, type BigIntStats } from 'node:fs'
import { link, lstat, mkdir, opendir, realpath, rename, rmdir, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../base/errors.ts'
import type { FileMark } from '../../ports/piece-store.ts'
import { errnoOf } from './disk-errors.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants
/** 0 where the system has none. */
const O_NOATIME: number = constants.O_NOATIME ?? 0
/** Names read from a folder at a time. */
const NAMES_AT_ONCE = 256
/** Type of a file system in memory (statfs(2)); it has no reads that do not wait, since none of its reads wait. */
const TMPFS = 0x01021994
const openDescriptor = promisify(open)
const statDescriptor = promisify(fstat) as unknown as (fd: number, options: { bigint: true }) => Promise<BigIntStats>
const closeDescriptor = promisify(close)

/** True where descriptors can be walked by path (Linux with /proc). */
export const procAvailable: boolean = existsSync('/proc/self/fd')

/** What tells two files apart: device and inode. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** What one look at a file shows. */
export interface FileLook extends FileIdentity {
  readonly sizeBytes: number
  /** Since 1970, with its fraction. */
  readonly mtimeMs: number
}

/**
 * Which reads end without waiting for a disk: `all` of a file that lives in memory; `cached` = what the page cache
 * holds; `none` where a read may also write the file's time of access, and wait for the disk to take it.
 */
export type ReadsAtOnce = 'all' | 'cached' | 'none'

/** A descriptor and which file it is of. The holder closes it. */
export interface OpenedFile extends FileIdentity {
  readonly fd: number
  readonly atOnce: ReadsAtOnce
}

/** A descriptor just opened, with what its file looked like then. */
export interface FreshFile extends OpenedFile, FileLook {
  readonly mark: FileMark
}

/** Closes a descriptor; no caller could act on a failure to close. */
export async function closeQuietly(fd: number): Promise<void> {
  await closeDescriptor(fd).catch(() => undefined)
}

/** What the file behind a descriptor looks like now. */
export async function lookAtDescriptor(fd: number): Promise<FileLook> {
  return lookOf(await statDescriptor(fd, { bigint: true }))
}

/** The part of a stat that tells files and their changes apart. */
export function lookOf({ dev, ino, size, mtimeNs }: BigIntStats): FileLook {
  return { dev, ino, sizeBytes: Number(size), mtimeMs: Number(mtimeNs) / 1e6 }
}

/**
 * The inode with the time at which it was made, which tells it from one that had its number before. Devices are left
 * out: they have other numbers after a start of the machine. '' where the file system does not tell that time: numbers
 * alone are given out again.
 */
export function markOf({ ino, birthtimeNs }: Pick<BigIntStats, 'ino' | 'birthtimeNs'>): FileMark {
  return birthtimeNs > 0n ? `${ino}-${birthtimeNs}` : ''
}

/** A folder held open. Close it after use. */
export class SafeFolder {
  readonly fd: number
  /** The folder's own path as the user knows it, for messages and for the way without /proc. */
  readonly path: string
  readonly #base: string
  readonly #proc: boolean

  private constructor(fd: number, path: string, proc: boolean) {
    this.fd = fd
    this.path = path
    this.#proc = proc
    this.#base = proc ? `/proc/self/fd/${fd}` : path
  }

  /** Opens the root. `path` must be absolute and resolved (realpath); its last part may not be a link. */
  static async openRoot(path: string, proc: boolean = procAvailable): Promise<SafeFolder> {
    return new SafeFolder(await openDescriptor(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path, proc)
  }

  async close(): Promise<void> {
    await closeQuietly(this.fd)
  }

  /** Makes folder `name`; false: something has that name. */
  async makeFolder(name: string): Promise<boolean> {
    try {
      await mkdir(this.#child(name))
      return true
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw error
    }
  }

  /** Opens folder `name`, making it first when `create`. */
  async openFolder(name: string, create: boolean): Promise<SafeFolder> {
    const at = this.#child(name)
    if (create) await this.makeFolder(name)
    const fd = await this.#openFolderDescriptor(name, at)
    try {
      await this.#checkOpened(fd, name)
      return new SafeFolder(fd, join(this.path, name), this.#proc)
    } catch (error) {
      await closeQuietly(fd)
      throw error
    }
  }

  /**
   * Opens plain file `name`; `create` makes it when it is not there, `exclusive` only then (else EEXIST). Pipes,
   * devices and folders are refused unread.
   */
  async openFile(
    name: string,
    options: { readonly write: boolean; readonly create: boolean; readonly exclusive?: boolean },
  ): Promise<FreshFile> {
    // O_NONBLOCK: a pipe in the file's place must not hang the open.
    const making = (options.create ? O_CREAT : 0) | (options.exclusive === true ? O_EXCL : 0)
    const flags = (options.write ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | making
    const { fd, atOnce } = await openQuiet(this.#child(name), flags)
    try {
      const stats = await statDescriptor(fd, { bigint: true })
      if (!stats.isFile()) throw this.#unsafe(name, 'is not a plain file')
      if (stats.nlink === 0n) throw new AppError('FileMissing', `The file was deleted: ${join(this.path, name)}`)
      await this.#checkOpened(fd, name)
      return { fd, atOnce, mark: markOf(stats), ...lookOf(stats) }
    } catch (error) {
      await closeQuietly(fd)
      throw error
    }
  }

  /** lstat of `name`; null when there is nothing. */
  async stat(name: string): Promise<BigIntStats | null> {
    try {
      return await lstat(this.#child(name), { bigint: true })
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null
      throw error
    }
  }

  /** Which file `fd` is of, when `name` in this folder is the only name it has now; null: it has others, or another. */
  async markOf(name: string, fd: number): Promise<FileMark | null> {
    const [stats, there] = [await statDescriptor(fd, { bigint: true }), await this.stat(name)]
    const isHere = there !== null && there.dev === stats.dev && there.ino === stats.ino
    return isHere && stats.nlink === 1n ? markOf(stats) : null
  }

  /** The names of all that is in it, in no order; a turn of the loop for every few hundred. */
  async *names(): AsyncGenerator<string> {
    // By its descriptor where that is possible: the path may have been swapped since it was opened.
    for await (const { name } of await opendir(this.#base, { bufferSize: NAMES_AT_ONCE })) yield name
  }

  /** All that is in it, in no order; links are no folders. */
  async *entries(): AsyncGenerator<{ readonly name: string; readonly isFolder: boolean }> {
    for await (const entry of await opendir(this.#base, { bufferSize: NAMES_AT_ONCE }))
      yield { name: entry.name, isFolder: entry.isDirectory() }
  }

  /** Deletes file `name` when it is a plain file, and `goes` takes its length and mark; anything else stays. */
  async unlinkFile(name: string, goes: (sizeBytes: number, mark: FileMark) => boolean = () => true): Promise<void> {
    const stats = await this.stat(name)
    if (stats?.isFile() !== true || !goes(Number(stats.size), markOf(stats))) return
    await unlink(this.#child(name)).catch(ignore('ENOENT'))
  }

  /** Gives the file `name` a second name in `target`, which must be free. */
  async link(name: string, target: SafeFolder, newName: string): Promise<void> {
    await link(this.#child(name), target.#child(newName))
  }

  /** Gives file `name` another name in this folder, which must be free: what is there already is not replaced. */
  async rename(name: string, newName: string): Promise<void> {
    try {
      await this.link(name, this, newName)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw this.#unsafe(newName, 'is another file')
      // A file system without links: looking first is all that can be done.
      if ((await this.stat(newName)) !== null) throw this.#unsafe(newName, 'is another file')
      await rename(this.#child(name), this.#child(newName))
      return
    }
    await this.unlinkFile(name)
  }

  /**
   * Gives file `name` the name `over` in this folder, in the place of the file that has it: at no moment is there none.
   */
  async replace(name: string, over: string): Promise<void> {
    await rename(this.#child(name), this.#child(over))
  }

  /** True when both are one folder, by whatever paths. */
  async isSame(other: SafeFolder): Promise<boolean> {
    const [a, b] = [await statDescriptor(this.fd, { bigint: true }), await statDescriptor(other.fd, { bigint: true })]
    return a.dev === b.dev && a.ino === b.ino
  }

  /** Device and inode. */
  async identity(): Promise<FileIdentity> {
    const { dev, ino } = await statDescriptor(this.fd, { bigint: true })
    return { dev, ino }
  }

  /** Where it lies now, without links. /proc is asked at once: it waits for no disk. */
  async realPath(): Promise<string> {
    return this.#proc ? readlinkSync(`/proc/self/fd/${this.fd}`) : realpath(this.path)
  }

  /** Deletes folder `name` when it is empty; true when it is gone now. */
  async removeFolderIfEmpty(name: string): Promise<boolean> {
    try {
      await rmdir(this.#child(name))
      return true
    } catch (error) {
      ignore('ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')(error)
      return false
    }
  }

  async #openFolderDescriptor(name: string, at: string): Promise<number> {
    try {
      return await openDescriptor(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch (error) {
      // Linux answers ENOTDIR for a link here; a client must hear the difference.
      if (errnoOf(error) === 'ENOTDIR' && (await this.stat(name))?.isSymbolicLink() === true)
        throw this.#unsafe(name, 'is a link')
      throw error
    }
  }

  #child(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
      throw this.#unsafe(name, 'is not a name')
    return `${this.#base}/${name}`
  }

  /**
   * Without /proc a parent may have been swapped between check and open: the path must still lead to `fd`, by no link.
   */
  async #checkOpened(fd: number, name: string): Promise<void> {
    if (this.#proc) return
    const path = this.#child(name)
    const [opened, named, real] = [
      await statDescriptor(fd, { bigint: true }),
      await lstat(path, { bigint: true }),
      await realpath(path),
    ]
    if (opened.dev === named.dev && opened.ino === named.ino && real === path) return
    throw this.#unsafe(name, 'leads through a link')
  }

  #unsafe(name: string, why: string): AppError {
    return new AppError('UnsafePath', `A path of the download is not safe: ${join(this.path, name)} ${why}`)
  }
}

// Only a file's owner may ask for that; for others the file opens as usual.
async function openQuiet(path: string, flags: number): Promise<Pick<OpenedFile, 'fd' | 'atOnce'>> {
  try {
    const fd = await openDescriptor(path, flags | O_NOATIME, 0o666)
    return { fd, atOnce: O_NOATIME === 0 ? 'none' : await readsAtOnce(fd) }
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
    return { fd: await openDescriptor(path, flags, 0o666), atOnce: 'none' }
  }
}

async function readsAtOnce(fd: number): Promise<ReadsAtOnce> {
  const facts = await statfs(`/proc/self/fd/${fd}`).catch(() => null)
  return facts?.type === TMPFS ? 'all' : 'cached'
}

function ignore(...errnos: string[]): (error: unknown) => void {
  return error => {
    if (!errnos.includes(errnoOf(error) ?? '')) throw error
  }
}
