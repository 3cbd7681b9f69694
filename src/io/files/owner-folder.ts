// A folder that only its owner may enter, with small files: texts that are replaced as a whole, and logs that only
// grow. What settled is on the disk.

import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'

const NAME = /^[A-Za-z0-9-][A-Za-z0-9.-]{0,63}$/
/** Ends the name of a text that is being written. */
const FRESH = '.new'
const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW } = constants

/**
 * A folder that only its owner may enter, with small files: texts that are replaced as a whole, and logs that only
 * grow. The folder is made with the first write.
 */
export class OwnerFolder {
  readonly #folder: string
  readonly #what: string
  readonly #maxBytes: number
  readonly #writing = new Map<string, Promise<unknown>>()

  /** `what` could not be kept, say errors. `maxBytes`: larger files are not ours. */
  constructor(folder: string, what: string, maxBytes: number) {
    this.#folder = folder
    this.#what = what
    this.#maxBytes = maxBytes
  }

  /** The whole text; null: there is no such file. AppError StateUnreadable. */
  async read(name: string): Promise<string | null> {
    try {
      const text = await readFile(this.path(name), { encoding: 'utf8', flag: constants.O_RDONLY | O_NOFOLLOW })
      if (text.length > this.#maxBytes) throw new Error('it is too large')
      return text
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new AppError('StateUnreadable', `${this.path(name)} cannot be read: ${errorText(error)}`, { cause: error })
    }
  }

  /** Old text or new one, never half of it. Of several at a time the last one stays. AppErrors DiskFull, DiskError. */
  write(name: string, text: string): Promise<void> {
    const path = this.path(name)
    return this.#inTurn(name, async () => {
      await makeDurably(this.#folder)
      const fresh = `${path}${FRESH}`
      await rm(fresh, { force: true })
      try {
        await writeDurably(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, text)
        await rename(fresh, path)
      } catch (error) {
        // What it takes of a full disk is needed elsewhere.
        await rm(fresh, { force: true }).catch(() => undefined)
        throw error
      }
      await syncFolder(this.#folder)
    })
  }

  /** Adds a line at the end: the whole of it or nothing. AppErrors DiskFull, DiskError. */
  append(name: string, line: string): Promise<void> {
    const path = this.path(name)
    return this.#inTurn(name, async () => {
      await makeDurably(this.#folder)
      const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600)
      try {
        const { size } = await file.stat()
        await appendLine(file, line)
        // Its name is as new as its first line.
        if (size === 0) await syncFolder(this.#folder)
      } finally {
        await file.close()
      }
    })
  }

  /** Names of whole files that begin so, in their order. AppError DiskError. */
  list(prefix: string): Promise<string[]> {
    return this.failingAsDisk(async () => {
      const entries = await readdir(this.#folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const names = entries.filter(entry => entry.isFile()).map(({ name }) => name)
      return names.filter(name => NAME.test(name) && name.startsWith(prefix) && !name.endsWith(FRESH)).sort()
    })
  }

  /** A file that is not there is fine. AppError DiskError. */
  remove(name: string): Promise<void> {
    const path = this.path(name)
    return this.#inTurn(name, async () => {
      await rm(path, { force: true })
      await syncFolder(this.#folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    })
  }

  /** Throws for what is no plain name. */
  path(name: string): string {
    if (!NAME.test(name) || name.endsWith(FRESH)) throw new Error(`no name of a file: ${name}`)
    return join(this.#folder, name)
  }

  async failingAsDisk<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError) throw error
      const { code } = error as NodeJS.ErrnoException
      const full = code === 'ENOSPC' || code === 'EDQUOT'
      const text = `${this.#what} could not be kept: ${errorText(error)}`
      throw new AppError(full ? 'DiskFull' : 'DiskError', text, { cause: error })
    }
  }

  /** Two writers of one file would spoil each other's text. */
  #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const result = (this.#writing.get(name) ?? Promise.resolve()).then(() => this.failingAsDisk(work))
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (this.#writing.get(name) === tail) this.#writing.delete(name)
      })
    this.#writing.set(name, tail)
    return result
  }
}

/** Makes the folder and those above it, and their names durable: a power cut would take all that lies in them. */
async function makeDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** A full disk takes part of a line: that part goes again, and what a lost machine left of one is ended. */
async function appendLine(file: FileHandle, line: string): Promise<void> {
  const { size } = await file.stat()
  const last = Buffer.alloc(1, '\n')
  if (size > 0) await file.read(last, 0, 1, size - 1)
  try {
    await file.writeFile(`${last.toString() === '\n' ? '' : '\n'}${line}\n`)
    await file.sync()
  } catch (error) {
    await file.truncate(size).catch(() => undefined)
    throw error
  }
}

/** Writes a file, 0600, and what was written is on the disk when it settles. */
export async function writeDurably(path: string, flags: number, content: string | Uint8Array): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Names of a folder are on the disk when it settles. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
