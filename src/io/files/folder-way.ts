// The way into a torrent's folders, part by part from the destination: as safe-files opens them, and never into the
// node's own files. Errors of the ways become AppErrors.

import { join } from 'node:path'
import { AppError } from '../../base/errors.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import { diskError } from './disk-errors.ts'
import { SafeFolder } from './safe-files.ts'

/** How folders are opened. */
export interface OpenFolders {
  /** Folders that are missing are made. */
  readonly create: boolean
  readonly proc: boolean
  /** What is none of the torrent's, wherever links and names lead; null = nothing, for torrents of the node itself. */
  readonly own: OwnFiles | null
}

/** An open folder of a torrent, and the way into those below it. Errors of the ways become AppErrors. */
export class FolderWay {
  readonly folder: SafeFolder
  readonly #options: OpenFolders
  /** Its path without links; '' where it is not needed. */
  readonly #real: string
  /** The folder of the node's own files may lie below it. */
  readonly #mayMeet: boolean

  private constructor(folder: SafeFolder, options: OpenFolders, real: string, mayMeet: boolean) {
    this.folder = folder
    this.#options = options
    this.#real = real
    this.#mayMeet = mayMeet
  }

  /** Opens `root`; the caller closes it. */
  static async top(root: string, options: OpenFolders): Promise<FolderWay> {
    const { own, proc } = options
    const top = await SafeFolder.openRoot(root, proc)
    try {
      // Asked of what was opened: the path may lead elsewhere since it was judged.
      const real = own === null ? '' : await top.realPath()
      return new FolderWay(top, options, real, own?.isBelow(real) === true)
    } catch (error) {
      await top.close()
      throw error
    }
  }

  /** Opens the folder at `parts` below `root`; the caller closes it. */
  static async open(root: string, parts: readonly string[], options: OpenFolders): Promise<FolderWay> {
    const chain = new FolderChain(root, options, 1)
    try {
      return await chain.at(parts)
    } catch (error) {
      await chain.close()
      throw error
    }
  }

  /** Makes folder `name`; false: something has that name. */
  async make(name: string): Promise<boolean> {
    try {
      this.check([name])
      return await this.folder.makeFolder(name)
    } catch (error) {
      throw diskError(error, join(this.folder.path, name))
    }
  }

  /** Runs `use` on folder `name`, and closes it. */
  async enter(name: string, use: (way: FolderWay) => Promise<void>): Promise<void> {
    try {
      this.check([name])
      const way = await this.into(name)
      try {
        await use(way)
      } finally {
        await way.folder.close()
      }
    } catch (error) {
      throw diskError(error, join(this.folder.path, name))
    }
  }

  /**
   * Opens folder `name`, which may have check()ed folders below it; the caller closes it. Errors are those of the
   * system.
   */
  async into(name: string): Promise<FolderWay> {
    const { own, create } = this.#options
    const next = await this.folder.openFolder(name, create)
    // By another spelling of its name, where the file system takes one for the other.
    if (this.#mayMeet && own?.isRoot(await next.identity()) === true) {
      await next.close()
      throw notOurs(next.path)
    }
    return new FolderWay(next, this.#options, own === null ? '' : join(this.#real, name), this.#mayMeet)
  }

  /** Throws AppError UnsafePath when the folder at `parts` below is among the node's own. */
  check(parts: readonly string[]): void {
    if (this.#options.own?.holds(join(this.#real, ...parts)) === true) throw notOurs(join(this.folder.path, ...parts))
  }
}

/**
 * Folders that are open below each other, for a walk from folder to folder: what the next one shares with the one
 * before is not opened again. Close it after use.
 */
export class FolderChain {
  readonly #root: string
  readonly #options: OpenFolders
  readonly #most: number
  /** Each in the one before. */
  readonly #ways: FolderWay[] = []
  /** Where the last one is. */
  #parts: string[] = []

  /** `most`: folders that stay open. */
  constructor(root: string, options: OpenFolders, most: number) {
    this.#root = root
    this.#options = options
    this.#most = most
  }

  /** The folder at `parts` below the root: open until the next call. Errors become AppErrors. */
  async at(parts: readonly string[]): Promise<FolderWay> {
    try {
      let shared = 0
      while (shared < parts.length && this.#parts[shared] === parts[shared]) shared += 1
      while (this.#parts.length > shared && this.#ways.length > 0) await this.#up()
      let last = this.#ways.at(-1)
      if (last === undefined) {
        last = await FolderWay.top(this.#root, this.#options)
        this.#ways.push(last)
        this.#parts = []
      }
      last.check(parts.slice(this.#parts.length))
      for (const part of parts.slice(this.#parts.length)) last = await this.#down(last, part)
      return last
    } catch (error) {
      throw diskError(error, join(this.#root, ...parts))
    }
  }

  async close(): Promise<void> {
    while (this.#ways.length > 0) await this.#up()
  }

  async #down(last: FolderWay, part: string): Promise<FolderWay> {
    const next = await last.into(part)
    this.#ways.push(next)
    this.#parts.push(part)
    if (this.#ways.length > this.#most) await this.#ways.shift()?.folder.close()
    return next
  }

  async #up(): Promise<void> {
    this.#parts.pop()
    await this.#ways.pop()?.folder.close()
  }
}

/** Opens the folder at `parts` below `root`; the caller closes it. Errors become AppErrors. */
export async function openFolder(root: string, parts: readonly string[], options: OpenFolders): Promise<SafeFolder> {
  return (await FolderWay.open(root, parts, options)).folder
}

/** Runs `use` on the folder at `parts` below `root`, and closes every folder on the way. Errors become AppErrors. */
export async function withFolder<T>(
  root: string,
  parts: readonly string[],
  options: OpenFolders,
  use: (folder: SafeFolder) => Promise<T>,
): Promise<T> {
  const way = await FolderWay.open(root, parts, options)
  try {
    return await use(way.folder)
  } catch (error) {
    throw diskError(error, join(root, ...parts))
  } finally {
    await way.folder.close()
  }
}

function notOurs(path: string): AppError {
  return new AppError('UnsafePath', `The folder is among the node's own files, where no download may lie: ${path}`)
}
