// Folders of other clients, read without following a link below them: which torrents there are, and the files of one.
// Nothing is made, opened for writing or locked there. Bounded in entries and in bytes of a file; every call has its
// volume's turn.

import { close as closeFile, type Dir, fstat, read as readFile } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errorText } from '../../base/errors.ts'
import type { OtherClient, OtherNames, ResumeFiles, ResumeFolder, ResumeFolders } from '../../ports/resume-folder.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { MAX_METAINFO_BYTES } from '../../wire/metainfo/metainfo-length.ts'
import { errnoOf } from './disk-errors.ts'
import { withFolder } from './folder-way.ts'
import { procAvailable, SafeFolder } from './safe-files.ts'

/** Entries of a folder; more is a mistake. */
const MAX_ENTRIES = 400_000
/** Largest resume file: it may hold an info dictionary, a byte a piece and the names of 200,000 files. */
const MAX_RESUME_BYTES = 2 * MAX_METAINFO_BYTES
const MAX_MAGNET_BYTES = 64 * 1024
/** Names read from a folder at a time. */
const READ_AHEAD = 256
/** Names read in one turn of the volume. */
const NAMES_A_TURN = 4096

const [statDescriptor, readDescriptor, closeDescriptor] = [promisify(fstat), promisify(readFile), promisify(closeFile)]

/** Where a client keeps what. Paths are tried in their order, the first that is a folder counts. */
interface Layout {
  /** Below the named folder; '' = itself. */
  readonly resumes: readonly string[]
  /** Beside those; null = in the same folder. */
  readonly torrents: string | null
  readonly endings: readonly string[]
  readonly what: string
}

const LAYOUTS: Readonly<Record<OtherClient, Layout>> = {
  transmission: {
    resumes: ['resume'],
    torrents: 'torrents',
    endings: ['.resume'],
    what: 'it has no folder resume: name the configuration folder, as transmission-daemon/info or .config/transmission',
  },
  qbittorrent: {
    resumes: ['BT_backup', 'data/BT_backup', 'qBittorrent/data/BT_backup', 'qBittorrent/BT_backup', ''],
    torrents: null,
    endings: ['.fastresume'],
    what: 'there is no .fastresume in it: name the folder BT_backup. What qBittorrent keeps in torrents.db must be written as files first (Options, Advanced, Resume data storage type: Fastresume files)',
  },
  libtorrent: {
    resumes: [''],
    torrents: null,
    endings: ['.fastresume', '.resume'],
    what: 'there is no .resume or .fastresume in it',
  },
}

/**
 * Folders of other clients, read without following a link below them: which torrents there are, and the files of one.
 */
export class DiskResumeFolders implements ResumeFolders {
  readonly #turns: VolumeTurns

  constructor(turns: VolumeTurns = noTurns) {
    this.#turns = turns
  }

  async open(path: string, client: OtherClient): Promise<ResumeFolder> {
    const layout = LAYOUTS[client]
    const resumes = await firstFolder(path, layout.resumes, this.#turns)
    if (resumes === null) throw new AppError('InvalidParameter', `folder: ${path}: ${layout.what}.`)
    const torrents = layout.torrents === null ? resumes : join(path, layout.torrents)
    const found = await namesIn(resumes, layout.endings, this.#turns)
    const others = layout.torrents === null ? [] : await torrentsIn(torrents, this.#turns)
    for (const name of others) found.set(name, found.get(name) ?? '')
    if (found.size === 0) throw new AppError('InvalidParameter', `folder: ${path}: ${layout.what}.`)
    return new DiskResumeFolder(resumes, torrents, found, this.#turns)
  }
}

class DiskResumeFolder implements ResumeFolder {
  readonly names: readonly string[]
  readonly #resumes: string
  readonly #torrents: string
  /** Ending of the resume file by name; '' = there is none. */
  readonly #found: ReadonlyMap<string, string>
  readonly #turns: VolumeTurns

  constructor(resumes: string, torrents: string, found: ReadonlyMap<string, string>, turns: VolumeTurns) {
    this.#turns = turns
    this.#resumes = resumes
    this.#torrents = torrents
    this.#found = found
    this.names = [...found.keys()].sort()
  }

  async read(name: string): Promise<ResumeFiles> {
    const ending = this.#found.get(name) ?? ''
    const resume = ending === '' ? null : await this.#read(this.#resumes, name + ending, MAX_RESUME_BYTES)
    const torrent = await this.#read(this.#torrents, `${name}.torrent`, MAX_METAINFO_BYTES)
    const magnet = torrent === null ? await this.#read(this.#torrents, `${name}.magnet`, MAX_MAGNET_BYTES) : null
    return {
      torrent: torrent?.bytes ?? null,
      resume: resume?.bytes ?? null,
      resumeMs: resume?.changedMs ?? 0,
      magnet: magnet === null ? null : Buffer.from(magnet.bytes).toString('utf8').trim(),
    }
  }

  #read(place: string, name: string, maxBytes: number): ReturnType<typeof readPlain> {
    return this.#turns.runInTime(place, () => readPlain(place, name, maxBytes))
  }
}

/** See the port. */
export class DiskOtherNames implements OtherNames {
  readonly #turns: VolumeTurns

  constructor(turns: VolumeTurns = noTurns) {
    this.#turns = turns
  }

  ending(folder: string, path: readonly string[], endings: readonly string[]): Promise<string | null> {
    return this.#turns.runInTime(folder, () => this.#look(folder, path, endings))
  }

  async #look(folder: string, path: readonly string[], endings: readonly string[]): Promise<string | null> {
    const name = path.at(-1) ?? ''
    try {
      return await withFolder(
        folder,
        path.slice(0, -1),
        { create: false, proc: procAvailable, own: null },
        async found => {
          for (const ending of endings) if ((await found.stat(name + ending))?.isFile() === true) return ending
          return null
        },
      )
    } catch {
      return null
    }
  }
}

/** No link below the named folder: it may lead out of what the caller may read. */
async function firstFolder(path: string, below: readonly string[], turns: VolumeTurns): Promise<string | null> {
  for (const name of below) {
    const place = join(path, name)
    const found = await turns.runInTime(place, () => lstat(place).catch(() => null))
    if (found?.isDirectory() === true) return place
  }
  return null
}

/** Names that end so, without the ending. */
async function namesIn(folder: string, endings: readonly string[], turns: VolumeTurns): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let entries = 0
  try {
    for await (const name of allNames(folder, turns)) {
      if (++entries > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`)
      const ending = endings.find(one => name.endsWith(one) && name.length > one.length)
      if (ending !== undefined) found.set(name.slice(0, -ending.length), ending)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('InvalidParameter', `folder: ${folder} cannot be read: ${errorText(error)}.`, { cause: error })
  }
  return found
}

/** Every name in a folder, some in each turn: a long list holds up no other call. */
async function* allNames(folder: string, turns: VolumeTurns): AsyncGenerator<string, void> {
  let gone = false
  let directory: Dir | null = null
  const close = (): void => {
    const opened = directory
    directory = null
    if (opened !== null) void turns.runInTime(folder, () => opened.close()).catch(() => undefined)
  }
  try {
    await turns.runInTime(folder, async () => {
      directory = await opendir(folder, { bufferSize: READ_AHEAD })
      // The caller may already have had an error that the volume does not answer.
      if (gone) close()
    })
    for (let names: string[] | null = []; names !== null; ) {
      yield* names
      names = await turns.runInTime(folder, () => nextNames(directory))
    }
  } finally {
    gone = true
    close()
  }
}

/** Null at the end. */
async function nextNames(directory: Dir | null): Promise<string[] | null> {
  const names: string[] = []
  while (names.length < NAMES_A_TURN) {
    const entry = (await directory?.read()) ?? null
    if (entry === null) break
    names.push(entry.name)
  }
  return names.length === 0 ? null : names
}

async function torrentsIn(folder: string, turns: VolumeTurns): Promise<Iterable<string>> {
  if ((await firstFolder(folder, [''], turns)) === null) return []
  return (await namesIn(folder, ['.torrent', '.magnet'], turns)).keys()
}

/** A plain file whole; null when there is none. AppError TorrentUnreadable. */
async function readPlain(
  place: string,
  name: string,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; changedMs: number } | null> {
  let folder: SafeFolder | null = null
  try {
    folder = await SafeFolder.openRoot(place)
    const { fd } = await folder.openFile(name, { write: false, create: false })
    try {
      const { size, mtimeMs } = await statDescriptor(fd)
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
      const bytes = new Uint8Array(size)
      const { bytesRead } = await readDescriptor(fd, bytes, 0, size, 0)
      return { bytes: bytes.subarray(0, bytesRead), changedMs: mtimeMs }
    } finally {
      await closeDescriptor(fd)
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    const text = errnoOf(error) === 'ELOOP' ? 'it is a link' : errorText(error)
    throw new AppError('TorrentUnreadable', `${join(place, name)} cannot be read: ${text}.`, { cause: error })
  } finally {
    await folder?.close()
  }
}
