// The commands `backup` and `restore`. The store and the catalogue of channels, with the keys of own ones, are copied
// by SQLite itself, page by page in one view of it, so that a node may go on meanwhile; the other files are small and
// replaced whole, so that any moment of them is good. So are those of the wallets and the market, in folders of their
// own. Invariant: nothing is overwritten; a copy that failed is taken away again, and every copy is closed to other
// users.

import { chmod, type FileHandle, mkdir, open, readdir, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import { placeOf } from '../../io/files/placed-path.ts'
import { noTurns } from '../../ports/volumes.ts'
import { DATABASE_FILE_NAME } from '../../records/database-file.ts'
import { type KeptFiles, keptByAll } from './kept-files.ts'
import { stateDirectoryOf } from './find-node.ts'
import { LOCK_FILES, StateDirectory } from './state-directory.ts'

/** What of the core makes a node what it is. */
const OWN: KeptFiles = {
  stores: [DATABASE_FILE_NAME],
  files: ['tributary.yaml', 'link-secret', 'keys.json', 'links.json', 'update-key'],
  folders: [],
}
/** Ends the name of a file that is being written. */
const UNFINISHED = '.new'
/** Copied at a time. */
const COPY_BYTES = 1024 * 1024

/**
 * Copies the state of a node, `others`: what chapters keep, into a new folder; the names of the files. AppErrors
 * StateConflict, StateUnreadable.
 */
export async function backUp(chosen: string | null, folder: string, others: readonly KeptFiles[]): Promise<string[]> {
  const kept = keptByAll([OWN, ...others])
  const from = stateDirectoryOf(chosen)
  const to = resolve(folder)
  await checkState(from)
  await checkOutside(from, to)
  await makeNew(to)
  try {
    const done = await copySmall(from, to, [...kept.files, ...(await inFolders(from, kept))])
    for (const name of kept.stores) {
      if (!(await isFile(join(from, name)))) continue
      await copyStore(join(from, name), join(to, name))
      done.push(name)
    }
    return done
  } catch (error) {
    await rm(to, { recursive: true, force: true })
    throw wrapped(error, to)
  }
}

/**
 * Copies a backup into a state directory without a store; what cannot be copied whole leaves nothing behind. AppErrors
 * StateConflict, StateLocked, StateUnreadable, DiskError.
 */
export async function restore(chosen: string | null, folder: string, others: readonly KeptFiles[]): Promise<string[]> {
  const from = resolve(folder)
  const to = stateDirectoryOf(chosen)
  await checkState(from)
  const before = new Set(await readdir(to).catch(() => []))
  const wasThere = (await stat(to).catch(() => null)) !== null
  const held = StateDirectory.open(to)
  const made = new Made(to)
  try {
    const names = (await readdir(from, { withFileTypes: true }))
      .filter(entry => entry.isFile())
      .map(entry => entry.name)
    names.push(...(await inFolders(from, keptByAll(others))))
    for (const name of names) {
      if (await isFile(join(to, name))) {
        throw new AppError('StateConflict', `${join(to, name)} is there already: restore into a folder without a node.`)
      }
    }
    return await copySmall(from, to, names, made)
  } catch (error) {
    await made.takeAway()
    held.release()
    await takeAwayLock(to, before, wasThere)
    throw wrapped(error, to)
  } finally {
    held.release()
  }
}

/**
 * A copy inside the directory would go with it, and the node takes what lies there for its own. AppError StateConflict.
 */
async function checkOutside(from: string, to: string): Promise<void> {
  const [state, place] = await Promise.all([realpath(from), placeOf(to, noTurns)])
  const way = relative(state, place)
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return
  throw new AppError('StateConflict', `${to} lies in the state directory: name a folder outside ${from}.`)
}

/** What a copy has made so far. */
class Made {
  readonly #to: string
  readonly #files: string[] = []
  readonly #folders: string[] = []

  constructor(to: string) {
    this.#to = to
  }

  noteFile(name: string): void {
    this.#files.push(name)
  }

  noteFolder(path: string): void {
    this.#folders.push(path)
  }

  /** As far as it goes; folders only where nothing else has come into them. */
  async takeAway(): Promise<void> {
    for (const name of this.#files) await rm(join(this.#to, name), { force: true })
    for (const path of this.#folders.toReversed()) await rmdir(path).catch(() => undefined)
  }
}

/**
 * What holding the directory has made, where it was not there before; the directory itself too, where it is empty then.
 */
async function takeAwayLock(to: string, before: ReadonlySet<string>, wasThere: boolean): Promise<void> {
  for (const name of LOCK_FILES) if (!before.has(name)) await rm(join(to, name), { force: true })
  if (!wasThere) await rmdir(to).catch(() => undefined)
}

async function checkState(path: string): Promise<void> {
  if ((await isFile(join(path, 'tributary.yaml'))) || (await isFile(join(path, DATABASE_FILE_NAME)))) return
  throw new AppError('StateUnreadable', `${path} holds no state of a node.`)
}

async function makeNew(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new AppError('StateConflict', `${path} is there already; nothing is overwritten.`)
    }
    throw wrapped(error, path)
  }
}

async function copySmall(from: string, to: string, names: readonly string[], made = new Made(to)): Promise<string[]> {
  const done: string[] = []
  for (const name of names) {
    if (!(await isFile(join(from, name)))) continue
    const folder = await mkdir(dirname(join(to, name)), { recursive: true, mode: 0o700 })
    if (folder !== undefined) made.noteFolder(folder)
    await copyClosed(join(from, name), join(to, name), () => made.noteFile(name))
    done.push(name)
  }
  return done
}

/**
 * Whatever the modes of the backup became on its way (archives, FAT), the copy is its owner's alone from its first
 * byte.
 */
async function copyClosed(from: string, to: string, begun: () => void): Promise<void> {
  const target = await open(to, 'wx', 0o600)
  begun()
  try {
    const source = await open(from, 'r')
    try {
      await copyBytes(source, target)
      await target.sync()
    } finally {
      await source.close()
    }
  } finally {
    await target.close()
  }
}

async function copyBytes(source: FileHandle, target: FileHandle): Promise<void> {
  const part = Buffer.allocUnsafe(COPY_BYTES)
  for (;;) {
    const { bytesRead } = await source.read(part, 0, part.length, null)
    if (bytesRead === 0) return
    await target.writeFile(part.subarray(0, bytesRead))
  }
}

async function copyStore(from: string, to: string): Promise<void> {
  const { default: Sqlite } = await import('better-sqlite3')
  const database = new Sqlite(from, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    await database.backup(to)
    await chmod(to, 0o600)
  } finally {
    database.close()
  }
}

/** Names of the files in the folders, each with its folder. */
async function inFolders(from: string, { folders }: KeptFiles): Promise<string[]> {
  const names: string[] = []
  for (const folder of folders) {
    const entries = await readdir(join(from, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const files = entries.filter(entry => entry.isFile() && !entry.name.endsWith(UNFINISHED))
    names.push(...files.map(({ name }) => `${folder}/${name}`))
  }
  return names
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isFile(),
    () => false,
  )
}

function wrapped(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error
  return new AppError('DiskError', `${path}: ${errorText(error)}`, { cause: error })
}
