// The watch folder on the disk: looks at it over and over (network mounts tell of no change), and listens where the
// system tells. A folder that did not change is not read again, except now and then. Bounded in files, folders and
// depth.

import { constants, type FSWatcher, type Stats, watch } from 'node:fs'
import { copyFile, lstat, mkdir, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../../base/errors.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { DroppedFile, FolderLook, ReadFile, WatchedFolder } from '../../ports/watched-folder.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { errnoOf } from './disk-errors.ts'
import { placeOf } from './placed-path.ts'

/** Files that are watched; more are left alone until there are fewer. */
const MAX_FILES = 10_000
const MAX_FOLDERS = 1_000
const MAX_DEPTH = 8
/** Folders whose changes the system is asked to tell. */
const MAX_LISTENERS = 64
/** Operations on the disk at a time. */
const AT_ONCE = 8
/** A folder changed so shortly before it was read may change again within the same tick of its file system's clock. */
const SAME_TICK_MS = 3_000
/** Names tried for a file that is put aside. */
const MAX_NAMES = 1_000

/** A folder below the watched one, as it was read last. */
interface KnownFolder {
  readonly stamp: string
  /** It may have changed since without showing it. */
  readonly fresh: boolean
  readonly folders: readonly string[]
  /** Names of files that are wanted, with what they were. */
  readonly files: ReadonlyMap<string, DroppedFile>
}

/** A look under way. */
interface Look {
  readonly thorough: boolean
  readonly restless: ReadonlySet<string>
  readonly folders: Map<string, KnownFolder>
  files: DroppedFile[]
  whole: boolean
}

/**
 * The watch folder on the disk: looks at it over and over (network mounts tell of no change), and listens where the
 * system tells.
 */
export class DiskWatchedFolder implements WatchedFolder {
  readonly #root: string
  readonly #wanted: (name: string) => boolean
  readonly #wallMs: () => number
  readonly #own: OwnFiles | null
  readonly #turns: VolumeTurns
  readonly #listeners = new Map<string, FSWatcher>()
  #known = new Map<string, KnownFolder>()
  /** Folders the system told of. */
  readonly #touched = new Set<string>()
  #heard: (() => void) | null = null

  /** `root` absolute; `wanted` judges names; `wallMs` is the time of day; folders of `own` are never looked into. */
  constructor(
    root: string,
    wanted: (name: string) => boolean,
    wallMs: () => number,
    own: OwnFiles | null,
    turns: VolumeTurns = noTurns,
  ) {
    this.#own = own
    this.#turns = turns
    this.#root = root
    this.#wanted = wanted
    this.#wallMs = wallMs
  }

  async look(thorough: boolean, restless: ReadonlySet<string>): Promise<FolderLook | null> {
    const look: Look = { thorough, restless, folders: new Map(), files: [], whole: true }
    if (!(await this.#lookInto(this.#root, 0, look))) return null
    this.#known = look.folders
    this.#listenTo(look.folders)
    return { files: look.files, whole: look.whole }
  }

  listen(heard: () => void): void {
    this.#heard = heard
    this.#listenTo(this.#known)
  }

  read(file: string, maxBytes: number): Promise<ReadFile | null> {
    return this.#turn(file, () => readDropped(file, maxBytes))
  }

  async setAside(file: string): Promise<string> {
    return this.#place(file, path.dirname(file), `${path.basename(file)}.corrupt`)
  }

  async moveInto(file: string, folder: string): Promise<string> {
    await this.#own?.check(await placeOf(folder, this.#turns))
    await this.#turn(folder, () => mkdir(folder, { recursive: true }))
    return this.#place(file, folder, path.basename(file))
  }

  remove(file: string): Promise<void> {
    return this.#turn(file, () => unlink(file))
  }

  close(): void {
    this.#heard = null
    for (const listener of this.#listeners.values()) listener.close()
    this.#listeners.clear()
  }

  /** False when the folder is not there. */
  async #lookInto(folder: string, depth: number, look: Look): Promise<boolean> {
    const touched = this.#touched.delete(folder)
    // The folder itself may be named through a link; nothing below it may.
    const facts = await this.#turn(folder, () => (depth === 0 ? stat : lstat)(folder)).catch(() => null)
    if (facts?.isDirectory() !== true || (await this.#isOwn(folder))) return false
    const known = this.#known.get(folder)
    const stamp = stampOf(facts)
    const same = !look.thorough && !touched && known !== undefined && !known.fresh && known.stamp === stamp
    const found = same ? known : await this.#readFolder(folder, stamp)
    if (found === null) {
      look.whole = false
      return depth > 0
    }
    const present = await this.#present(folder, found, look, same)
    look.folders.set(folder, { ...found, files: present })
    for (const below of found.folders) {
      if (depth >= MAX_DEPTH || look.folders.size >= MAX_FOLDERS || look.files.length >= MAX_FILES) look.whole = false
      else await this.#lookInto(path.join(folder, below), depth + 1, look)
    }
    return true
  }

  /** Every folder is looked at again: the watched one may be named through a link that changes. */
  async #isOwn(folder: string): Promise<boolean> {
    const real = await this.#turn(folder, () => realpath(folder)).catch(() => null)
    return real === null || this.#own?.holds(real) === true
  }

  async #readFolder(folder: string, stamp: string): Promise<KnownFolder | null> {
    const atMs = this.#wallMs()
    const entries = await this.#turn(folder, () => readdir(folder, { withFileTypes: true })).catch(() => null)
    if (entries === null) return null
    const shown = entries.filter(entry => !entry.name.startsWith('.'))
    const files = shown.filter(entry => entry.isFile() && this.#wanted(entry.name)).map(({ name }) => name)
    const changedMs = Number(stamp.split(' ', 1)[0])
    return {
      stamp,
      fresh: !(atMs - changedMs > SAME_TICK_MS),
      folders: shown.filter(entry => entry.isDirectory()).map(({ name }) => name),
      files: new Map(
        files.slice(0, MAX_FILES).map(name => [name, { path: path.join(folder, name), size: -1, mtimeMs: -1 }]),
      ),
    }
  }

  /** The files of a folder with what they are now. Of a folder that is the `same` only restless ones are looked at. */
  async #present(folder: string, found: KnownFolder, look: Look, same: boolean): Promise<Map<string, DroppedFile>> {
    const present = new Map<string, DroppedFile>()
    const names = [...found.files.keys()]
    for (let at = 0; at < names.length && look.files.length < MAX_FILES; at += AT_ONCE) {
      const some = names.slice(at, at + AT_ONCE)
      const facts = await Promise.all(
        some.map(async name => {
          const known = found.files.get(name)
          const file = path.join(folder, name)
          return same && known !== undefined && !look.restless.has(file) ? known : this.#facts(file)
        }),
      )
      facts.forEach((file, index) => {
        if (file === null) return
        present.set(some[index] ?? '', file)
        look.files.push(file)
      })
    }
    if (present.size < names.length && look.files.length >= MAX_FILES) look.whole = false
    return present
  }

  async #facts(file: string): Promise<DroppedFile | null> {
    const facts = await this.#turn(file, () => lstat(file)).catch(() => null)
    return facts?.isFile() === true ? droppedFile(file, facts) : null
  }

  /** A call on files of the folder, in the turn of their volume. */
  #turn<T>(path: string, call: () => Promise<T>): Promise<T> {
    return this.#turns.runInTime(path, call)
  }

  #listenTo(folders: ReadonlyMap<string, unknown>): void {
    // To listen is to touch the folder, on this thread.
    if (this.#heard === null || this.#turns.stalledAt(this.#root) !== null) return
    for (const [folder, listener] of this.#listeners) {
      if (folders.has(folder)) continue
      listener.close()
      this.#listeners.delete(folder)
    }
    for (const folder of folders.keys()) {
      if (this.#listeners.size >= MAX_LISTENERS) return
      if (!this.#listeners.has(folder)) this.#listenAt(folder)
    }
  }

  #listenAt(folder: string): void {
    try {
      const listener = watch(folder, { persistent: false }, () => {
        this.#touched.add(folder)
        this.#heard?.()
      })
      // Looking goes on without it.
      listener.on('error', () => {
        listener.close()
        if (this.#listeners.get(folder) === listener) this.#listeners.delete(folder)
      })
      this.#listeners.set(folder, listener)
    } catch {
      // No more watches to be had, or the folder has gone.
    }
  }

  /** Gives a file a new name that nothing has. */
  async #place(file: string, folder: string, name: string): Promise<string> {
    for (let number = 1; number <= MAX_NAMES; number++) {
      const target = path.join(folder, number === 1 ? name : `${name}.${number}`)
      if ((await this.#turn(target, () => lstat(target)).catch(missing)) !== null) continue
      await this.#turn(target, () => moveFile(file, target))
      return target
    }
    throw new Error(`${MAX_NAMES} files of this name are there already`)
  }
}

/** Null for what is not there, or cannot be looked at: a volume that does not answer may have it. */
function missing(error: unknown): null {
  if (error instanceof AppError) throw error
  return null
}

async function readDropped(file: string, maxBytes: number): Promise<ReadFile | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) throw new Error('it is not a regular file')
    if (facts.size > maxBytes) return null
    const bytes = new Uint8Array(facts.size)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return { bytes: bytes.subarray(0, length), file: droppedFile(file, facts) }
  } finally {
    await handle.close()
  }
}

/** Moves a file, over the border of file systems too. */
async function moveFile(file: string, target: string): Promise<void> {
  try {
    await rename(file, target)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error
    await copyFile(file, target, constants.COPYFILE_EXCL)
    await unlink(file)
  }
}

function droppedFile(file: string, facts: Stats): DroppedFile {
  return { path: file, size: facts.size, mtimeMs: Math.trunc(facts.mtimeMs) }
}

function stampOf(facts: Stats): string {
  return `${Math.trunc(facts.mtimeMs)} ${facts.ctimeMs} ${facts.ino} ${facts.dev}`
}
