// Files of wallets: a folder only its owner may enter, texts that are replaced as a whole, and a log that only grows.

import { constants } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../base/errors.ts'
import type { WalletFiles } from '../ports/wallet-files.ts'
import { readLogTail } from './wallet-log-tail.ts'

/** A wallet of a hundred thousand transactions is smaller. */
const MAX_FILE_BYTES = 256 * 1024 * 1024
const NAME = /^[A-Za-z0-9.-]{1,64}$/
const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW } = constants

/** WalletFiles in `folder`, which is made with the first write. */
export class WalletFolder implements WalletFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(name: string): Promise<string | null> {
    try {
      const text = await readFile(this.#path(name), { encoding: 'utf8', flag: constants.O_RDONLY | O_NOFOLLOW })
      if (text.length > MAX_FILE_BYTES) throw new Error('it is too large')
      return text
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new AppError('StateUnreadable', `${this.#path(name)} cannot be read: ${errorText(error)}`, { cause: error })
    }
  }

  async write(name: string, text: string): Promise<void> {
    const path = this.#path(name)
    await failingAsDisk(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const fresh = `${path}.new`
      await rm(fresh, { force: true })
      await writeDurably(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, text)
      await rename(fresh, path)
      await syncFolder(this.#folder)
    })
  }

  async append(name: string, line: string): Promise<void> {
    await failingAsDisk(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeDurably(this.#path(name), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, `${line}\n`)
    })
  }

  tail(name: string, lines: number): Promise<string[]> {
    return failingAsDisk(() => readLogTail(this.#path(name), lines))
  }

  #path(name: string): string {
    if (!NAME.test(name) || name.startsWith('.')) throw new Error(`no name of a file: ${name}`)
    return join(this.#folder, name)
  }
}

async function writeDurably(path: string, flags: number, text: string): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function failingAsDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code } = error as NodeJS.ErrnoException
    const full = code === 'ENOSPC' || code === 'EDQUOT'
    throw new AppError(full ? 'DiskFull' : 'DiskError', `A wallet could not be kept: ${errorText(error)}`, {
      cause: error,
    })
  }
}
