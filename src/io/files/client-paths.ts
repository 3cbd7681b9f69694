// Paths that clients name (decisions part 1): absolute, resolved, and inside the allowed folders where there is a list
// of them. What lies behind a path afterwards is not this file's business. Also files made new where a client says.

import { constants } from 'node:fs'
import { access, lstat, open, realpath, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { ClientPaths, NewFiles, PathCaller } from '../../ports/new-files.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { diskError, errnoOf } from './disk-errors.ts'
import { isIn } from './own-files.ts'
import { placeOf } from './placed-path.ts'

/** Paths inside folders, and beside the node's own files. */
export class AllowedPaths implements ClientPaths {
  readonly #folders: () => readonly string[]
  readonly #own: Pick<OwnFiles, 'check'> | null
  readonly #turns: VolumeTurns

  /**
   * `folders` is called at each use: absolute folders for callers who may not name any path. `own`: files that no
   * caller may name; null where there is no node.
   */
  constructor(folders: () => readonly string[], own: Pick<OwnFiles, 'check'> | null, turns: VolumeTurns = noTurns) {
    this.#folders = folders
    this.#own = own
    this.#turns = turns
  }

  async resolve(named: string, caller: PathCaller): Promise<string> {
    checkAbsolute(named)
    const real = await this.#real(named).catch((error: unknown) => {
      if (error instanceof AppError) throw error
      // A caller must not learn whether there is something outside the allowed folders.
      if (!caller.anyPath && !isInside(path.resolve(named), this.#folders())) throw new AppError('PathNotAllowed')
      const text = errnoOf(error) === 'ENOENT' ? 'there is nothing' : errorText(error)
      throw new AppError('InvalidParameter', `path: ${named} cannot be used: ${text}.`, { cause: error })
    })
    return this.#admitted(real, caller)
  }

  async resolveNew(named: string, caller: PathCaller): Promise<string> {
    checkAbsolute(named)
    return this.#admitted(await placeOf(named, this.#turns), caller)
  }

  async #admitted(real: string, caller: PathCaller): Promise<string> {
    if (!caller.anyPath) await this.#checkInside(real)
    await this.#own?.check(real)
    return real
  }

  /** AppError PathNotAllowed unless the path, which has no links, is in an allowed folder. */
  async #checkInside(real: string): Promise<void> {
    // Folders are named by a person, perhaps through links.
    const roots = await Promise.all(this.#folders().map(folder => this.#root(folder).catch(() => folder)))
    if (!isInside(real, roots)) throw new AppError('PathNotAllowed')
  }

  async #real(named: string): Promise<string> {
    return this.#turns.runInTime(await placeOf(named, this.#turns), () => realpath(named))
  }

  /** An allowed folder without links. Of a volume that is known to be stalled nothing is asked. */
  async #root(folder: string): Promise<string> {
    return this.#turns.stalledAt(folder) === null ? this.#real(folder) : folder
  }
}

function checkAbsolute(named: string): void {
  if (!path.isAbsolute(named) || named.includes('\0'))
    throw new AppError('InvalidParameter', 'path: must be an absolute path.')
}

function isInside(real: string, folders: readonly string[]): boolean {
  return folders.some(folder => isIn(folder, real))
}

/** Files made where nothing was. */
export class FreshFiles implements NewFiles {
  readonly #turns: VolumeTurns

  constructor(turns: VolumeTurns = noTurns) {
    this.#turns = turns
  }

  async check(file: string): Promise<void> {
    return this.#turns.runInTime(await placeOf(file, this.#turns), () => checkFree(file))
  }

  async write(file: string, bytes: Uint8Array): Promise<void> {
    return this.#turns.runInTime(await placeOf(file, this.#turns), () => writeNew(file, bytes))
  }
}

async function checkFree(file: string): Promise<void> {
  const folder = path.dirname(file)
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder')
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new AppError('InvalidParameter', `The folder ${folder} cannot be written to: ${errorText(error)}.`, {
      cause: error,
    })
  }
  const there = await lstat(file).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return null
    throw new AppError('InvalidParameter', `${file} cannot be written: ${errorText(error)}.`, { cause: error })
  })
  if (there !== null) throw existing(file)
}

async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  // O_EXCL: neither over a file nor through a link.
  const handle = await open(file, 'wx', 0o644).catch((error: unknown) => {
    throw errnoOf(error) === 'EEXIST' ? existing(file) : diskError(error, file)
  })
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await unlink(file).catch(() => undefined)
    throw diskError(error, file)
  } finally {
    await handle.close()
  }
}

function existing(file: string): AppError {
  return new AppError('StateConflict', `There is something at ${file} already; nothing was written over.`)
}
