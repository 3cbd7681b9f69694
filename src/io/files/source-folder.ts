// The files to make a torrent of: found below a path without following a link, and opened again later only as what was
// found. Reads no content. Invariant: a file that is handed out has the size, time and identity that were listed.

import { type BigIntStats, fstat } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errorText } from '../../base/errors.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { FileFacts } from '../../ports/piece-store.ts'
import { MAX_FILES } from '../../wire/metainfo/info-files.ts'
import { MAX_PATH_PARTS } from '../../wire/metainfo/safe-path.ts'
import { errnoOf } from './disk-errors.ts'
import { withFolder } from './folder-way.ts'
import { closeQuietly, type FileIdentity, type OpenedFile, procAvailable, type SafeFolder } from './safe-files.ts'
import type { VolumeLanes } from './volume-lanes.ts'

const statDescriptor = promisify(fstat) as unknown as (fd: number, options: { bigint: true }) => Promise<BigIntStats>

/** Entries of all kinds that are looked at: a folder of nothing but folders must end too. */
const MAX_ENTRIES = 2 * MAX_FILES

/**
 * Most parts of the path of a folder, the content's own among them. A file tree (BEP 52) nests two dictionaries a file,
 * one a folder, inside of two more: deeper than 64 no bencode is read here.
 */
const MAX_FOLDER_PARTS = MAX_PATH_PARTS - 3

/** Files stated while one lane is held. */
const STATS_A_TURN = 512

/** A file that was found. */
export interface SourceFile extends FileIdentity {
  /** Below the folder that holds the content; a folder's files begin with its name. */
  readonly path: readonly string[]
  /** Bytes. */
  readonly length: number
  readonly mtimeNs: bigint
}

interface Entry {
  readonly name: string
  readonly stats: BigIntStats
}

/** Content on disk. */
export class SourceFolder {
  /** Name of the file or folder. */
  readonly name: string
  /** Folder it lies in. */
  readonly parent: string
  /** True when it is a folder. */
  readonly folder: boolean
  /** Sorted by the bytes of their paths, part by part. */
  readonly files: SourceFile[] = []
  /** Entries that are neither file nor folder. */
  skipped = 0
  readonly #lanes: VolumeLanes
  readonly #own: OwnFiles | null
  #entries = 0

  private constructor(path: string, folder: boolean, lanes: VolumeLanes, own: OwnFiles | null) {
    this.name = basename(path)
    this.parent = dirname(path)
    this.folder = folder
    this.#lanes = lanes
    this.#own = own
  }

  /**
   * Finds the file or the files of the folder at `path`, absolute and without links. AppErrors InvalidParameter,
   * SourceChanged, Aborted, PathNotAllowed where it holds files of `own`.
   */
  static async list(
    path: string,
    lanes: VolumeLanes,
    signal: AbortSignal,
    own: OwnFiles | null = null,
  ): Promise<SourceFolder> {
    const stats = await lanes
      .run(path, () => lstat(path, { bigint: true }))
      .catch((error: unknown) => fail(error, path))
    if (!stats.isFile() && !stats.isDirectory())
      throw new AppError('InvalidParameter', `path: ${path} is neither a file nor a folder.`)
    const source = new SourceFolder(path, stats.isDirectory(), lanes, own)
    if (source.name === '') throw new AppError('InvalidParameter', 'path: the root of the file system has no name.')
    if (source.folder) await source.#walk([source.name], signal)
    else source.#add([source.name], stats)
    if (source.files.length === 0) throw new AppError('InvalidParameter', `path: there is no file in ${path}.`)
    return source
  }

  /** See FileSource. A volume may be mounted on the folder itself. */
  get place(): string {
    return this.folder ? join(this.parent, this.name) : this.parent
  }

  /** The path of a file for messages. */
  pathOf(index: number): string {
    return join(this.parent, ...(this.files[index]?.path ?? []))
  }

  /** Opens a file for reading. AppErrors SourceChanged when it is not what was listed, InvalidParameter. */
  async open(index: number): Promise<OpenedFile> {
    const file = this.#file(index)
    return this.#inFolder(file.path.slice(0, -1), async folder => {
      const opened = await folder.openFile(file.path.at(-1) ?? '', { write: false, create: false })
      try {
        if (!isSame(file, await statDescriptor(opened.fd, { bigint: true }))) throw changed(this.pathOf(index))
        return opened
      } catch (error) {
        await closeQuietly(opened.fd)
        throw error
      }
    })
  }

  /** What lies at the path of a file now. AppError SourceChanged when it is not what was listed. */
  async identify(index: number): Promise<FileIdentity> {
    const file = this.#file(index)
    await this.#inFolder(file.path.slice(0, -1), folder => this.#checkFile(folder, file))
    return { dev: file.dev, ino: file.ino }
  }

  /** Looks at every file once more; their facts, in order. AppError SourceChanged. */
  async checkUnchanged(): Promise<Omit<FileFacts, 'index'>[]> {
    const byFolder = new Map<string, SourceFile[]>()
    for (const file of this.files) {
      const key = file.path.slice(0, -1).join('/')
      const there = byFolder.get(key)
      if (there === undefined) byFolder.set(key, [file])
      else there.push(file)
    }
    for (const files of byFolder.values()) {
      for (let at = 0; at < files.length; at += STATS_A_TURN) {
        await this.#inFolder(files[at]?.path.slice(0, -1) ?? [], async folder => {
          for (const file of files.slice(at, at + STATS_A_TURN)) await this.#checkFile(folder, file)
        })
      }
    }
    return this.files.map(file => ({ exists: true, sizeBytes: file.length, mtimeMs: Number(file.mtimeNs) / 1e6 }))
  }

  #file(index: number): SourceFile {
    const file = this.files[index]
    if (file === undefined) throw new RangeError(`there is no file ${index}`)
    return file
  }

  async #checkFile(folder: SafeFolder, file: SourceFile): Promise<void> {
    const stats = await folder.stat(file.path.at(-1) ?? '')
    if (stats === null || !stats.isFile() || !isSame(file, stats)) throw changed(join(this.parent, ...file.path))
  }

  /** Depth first, each folder's names in order: so the whole list is in order. No folder stays open meanwhile. */
  async #walk(parts: readonly string[], signal: AbortSignal): Promise<void> {
    if (parts.length > MAX_FOLDER_PARTS)
      throw new AppError('InvalidParameter', `path: folders lie more than ${MAX_FOLDER_PARTS - 1} deep.`)
    await this.#own?.check(join(this.parent, ...parts))
    for (const { name, stats } of await this.#entriesOf(parts, signal)) {
      if (signal.aborted) throw new AppError('Aborted')
      if (stats.isDirectory()) await this.#walk([...parts, name], signal)
      else if (stats.isFile()) this.#add([...parts, name], stats)
      else this.skipped += 1
    }
  }

  #add(path: readonly string[], stats: BigIntStats): void {
    if (this.files.length >= MAX_FILES)
      throw new AppError('InvalidParameter', `path: a torrent has at most ${MAX_FILES} files.`)
    if (stats.size > BigInt(Number.MAX_SAFE_INTEGER))
      throw new AppError('InvalidParameter', `path: ${join(this.parent, ...path)} is too large.`)
    const { dev, ino, mtimeNs } = stats
    this.files.push({ path, length: Number(stats.size), mtimeNs, dev, ino })
  }

  /** Everything in a folder, sorted by the bytes of the names. */
  async #entriesOf(parts: readonly string[], signal: AbortSignal): Promise<Entry[]> {
    const names = await this.#inFolder(parts, folder => this.#namesIn(folder))
    const sorted = names
      .map(name => ({ name, bytes: Buffer.from(name, 'utf8') }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    const entries: Entry[] = []
    for (let at = 0; at < sorted.length; at += STATS_A_TURN) {
      if (signal.aborted) throw new AppError('Aborted')
      await this.#inFolder(parts, async folder => {
        for (const { name } of sorted.slice(at, at + STATS_A_TURN)) {
          const stats = await folder.stat(name)
          if (stats === null) throw missing(join(this.parent, ...parts, name), name)
          entries.push({ name, stats })
        }
      })
    }
    return entries
  }

  async #namesIn(folder: SafeFolder): Promise<string[]> {
    const names: string[] = []
    for await (const name of folder.names()) {
      if (++this.#entries > MAX_ENTRIES)
        throw new AppError('InvalidParameter', `path: there are more than ${MAX_ENTRIES} files and folders.`)
      names.push(name)
    }
    return names
  }

  /**
   * Runs `use` on a folder of the content; `parts` as in paths. The parent of a named folder may be closed to this
   * user.
   */
  async #inFolder<T>(parts: readonly string[], use: (folder: SafeFolder) => Promise<T>): Promise<T> {
    const options = { create: false, proc: procAvailable, own: this.#own }
    const root = this.place
    const below = this.folder ? parts.slice(1) : parts
    try {
      return await this.#lanes.run(root, () => withFolder(root, below, options, use))
    } catch (error) {
      return fail(error, join(this.parent, ...parts))
    }
  }
}

function isSame(file: SourceFile, stats: BigIntStats): boolean {
  const { dev, ino, mtimeNs, size } = stats
  return file.dev === dev && file.ino === ino && file.mtimeNs === mtimeNs && BigInt(file.length) === size
}

function changed(path: string): AppError {
  return new AppError('SourceChanged', `The file changed while the torrent was made: ${path}`)
}

/** A name that was read and is not there: bytes that are not UTF-8 were read as other characters. */
function missing(path: string, name: string): AppError {
  if (name.includes('\ufffd')) return new AppError('InvalidParameter', `path: a name is not UTF-8: ${path}`)
  return changed(path)
}

/** What went wrong, as the client can act on it. */
function fail(error: unknown, path: string): never {
  const errno = errnoOf(error instanceof AppError ? error.cause : error)
  if (errno === 'EACCES' || errno === 'EPERM')
    throw new AppError('InvalidParameter', `path: this user has no right to read ${path}.`, { cause: error })
  if (errno === 'ENOENT' && !(error instanceof AppError))
    throw new AppError('InvalidParameter', `path: there is nothing at ${path}.`, { cause: error })
  if (error instanceof AppError && (error.code === 'FileMissing' || error.code === 'UnsafePath'))
    throw new AppError('SourceChanged', `A file or folder changed while the torrent was made: ${path}`, {
      cause: error,
    })
  if (error instanceof AppError) throw error
  throw new AppError('InvalidParameter', `path: ${path} cannot be read: ${errorText(error)}.`, { cause: error })
}
