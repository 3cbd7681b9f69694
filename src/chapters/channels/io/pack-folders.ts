// Packs of channels on the disk: a folder of record files each, and its torrent file beside it once it is whole. All
// below one folder of the state directory. Names come from wire/channel/pack-files.ts; others are refused, so that no
// name leads elsewhere.

import { createReadStream } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { AppError } from '../../../base/errors.ts'
import { diskError, errnoOf } from '../../../io/files/disk-errors.ts'

const PACK = /^channel-[0-9a-f]{32}$/
const FILE = /^records(?:-[0-9a-f]{1,3})?\.bin$/
const TORRENT_ENDING = '.torrent'
const MAX_TORRENT_BYTES = 16 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

function packPath(folder: string, pack: string): string {
  const path = join(folder, pack)
  // Whole folders are removed here: the place is looked at as well as the name.
  if (!PACK.test(pack) || dirname(path) !== normalize(folder))
    throw new AppError('UnsafePath', `no name of a pack: ${JSON.stringify(pack)}`)
  return path
}

/** Packs below one folder. Methods reject with AppErrors DiskFull, DiskError and UnsafePath. */
export class PackFolders {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Makes an empty folder for it. */
  async begin(pack: string): Promise<void> {
    await this.discard(pack)
    await this.#told(pack, async path => void (await mkdir(path, { recursive: true, mode: 0o700 })))
  }

  /** Adds to the end of a file. */
  async append(pack: string, file: string, bytes: Uint8Array): Promise<void> {
    await this.#told(pack, async path => {
      await appendFile(join(path, checked(file)), bytes, { mode: 0o600 })
    })
  }

  /** Keeps its torrent file: it is whole. */
  async keepTorrent(pack: string, bytes: Uint8Array): Promise<void> {
    await this.#told(pack, async path => {
      await writeFile(`${path}.new`, bytes, { mode: 0o600 })
      await rename(`${path}.new`, path + TORRENT_ENDING)
    })
  }

  /** Its torrent file; null: there is none, so it is not whole. */
  async torrent(pack: string): Promise<Uint8Array | null> {
    const bytes = await readFile(packPath(this.folder, pack) + TORRENT_ENDING).catch(() => null)
    return bytes === null || bytes.length > MAX_TORRENT_BYTES ? null : bytes
  }

  /** A file's bytes; nothing when it is not there. */
  async *read(pack: string, file: string): AsyncGenerator<Uint8Array> {
    const path = join(packPath(this.folder, pack), checked(file))
    try {
      for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield chunk as Buffer
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw diskError(error, path)
    }
  }

  /** Packs that lie here, whole or not. */
  async list(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => [])
    return [...new Set(names.map(name => name.replace(/\.(?:torrent|new)$/, '')))].filter(name => PACK.test(name))
  }

  /** Throws it away. */
  async discard(pack: string): Promise<void> {
    await this.#told(pack, async path => {
      for (const name of [path + TORRENT_ENDING, `${path}.new`, path]) await rm(name, { recursive: true, force: true })
    })
  }

  async #told(pack: string, work: (path: string) => Promise<void>): Promise<void> {
    const path = packPath(this.folder, pack)
    await work(path).catch((error: unknown) => {
      throw diskError(error, path)
    })
  }
}

function checked(file: string): string {
  if (!FILE.test(file)) throw new AppError('UnsafePath', `no file of a pack: ${JSON.stringify(file)}`)
  return file
}
