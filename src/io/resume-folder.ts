// Folders of other clients, read without following a link below them: which torrents there are, and the files of one. Nothing is
// made, opened for writing or locked there. Bounded in entries and in bytes of a file.

import { close as closeFile, fstat, read as readFile } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errorText } from '../base/errors.ts'
import type { OtherClient, OtherNames, ResumeFiles, ResumeFolder, ResumeFolders } from '../ports/resume-folder.ts'
import { MAX_METAINFO_BYTES } from '../wire/metainfo.ts'
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

/** See the top of the file. */
export class DiskResumeFolders implements ResumeFolders {
  async open(path: string, client: OtherClient): Promise<ResumeFolder> {
    const layout = LAYOUTS[client]
    const resumes = await firstFolder(path, layout.resumes)
    if (resumes === null) throw new AppError('InvalidParameter', `folder: ${path}: ${layout.what}.`)
    const torrents = layout.torrents === null ? resumes : join(path, layout.torrents)
    const found = await namesIn(resumes, layout.endings)
    if (layout.torrents !== null) for (const name of await torrentsIn(torrents)) found.set(name, found.get(name) ?? '')
    if (found.size === 0) throw new AppError('InvalidParameter', `folder: ${path}: ${layout.what}.`)
    return new DiskResumeFolder(resumes, torrents, found)
  }
}

class DiskResumeFolder implements ResumeFolder {
  readonly names: readonly string[]
  readonly #resumes: string
  readonly #torrents: string
  /** Ending of the resume file by name; '' = there is none. */
  readonly #found: ReadonlyMap<string, string>

  constructor(resumes: string, torrents: string, found: ReadonlyMap<string, string>) {
    this.#resumes = resumes
    this.#torrents = torrents
    this.#found = found
    this.names = [...found.keys()].sort()
  }

  async read(name: string): Promise<ResumeFiles> {
    const ending = this.#found.get(name) ?? ''
    const resume = ending === '' ? null : await readPlain(this.#resumes, name + ending, MAX_RESUME_BYTES)
    const torrent = await readPlain(this.#torrents, `${name}.torrent`, MAX_METAINFO_BYTES)
    const magnet = torrent === null ? await readPlain(this.#torrents, `${name}.magnet`, MAX_MAGNET_BYTES) : null
    return {
      torrent: torrent?.bytes ?? null,
      resume: resume?.bytes ?? null,
      resumeMs: resume?.changedMs ?? 0,
      magnet: magnet === null ? null : Buffer.from(magnet.bytes).toString('utf8').trim(),
    }
  }
}

/** See the port. */
export class DiskOtherNames implements OtherNames {
  async ending(folder: string, path: readonly string[], endings: readonly string[]): Promise<string | null> {
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
async function firstFolder(path: string, below: readonly string[]): Promise<string | null> {
  for (const name of below) {
    const place = join(path, name)
    const found = await lstat(place).catch(() => null)
    if (found?.isDirectory() === true) return place
  }
  return null
}

/** Names that end so, without the ending. */
async function namesIn(folder: string, endings: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let entries = 0
  try {
    for await (const { name } of await opendir(folder, { bufferSize: READ_AHEAD })) {
      if (++entries > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`)
      const ending = endings.find(one => name.endsWith(one) && name.length > one.length)
      if (ending !== undefined) found.set(name.slice(0, -ending.length), ending)
    }
  } catch (error) {
    throw new AppError('InvalidParameter', `folder: ${folder} cannot be read: ${errorText(error)}.`, { cause: error })
  }
  return found
}

async function torrentsIn(folder: string): Promise<Iterable<string>> {
  return (await firstFolder(folder, [''])) === null ? [] : (await namesIn(folder, ['.torrent', '.magnet'])).keys()
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
