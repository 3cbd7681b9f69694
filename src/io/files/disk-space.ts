// Free space kept on the disks that torrents are written to. Asks the file system at most once a second per folder and
// counts what was promised since, so a burst of pieces cannot run through the reserve between two looks.

import { statfs } from 'node:fs/promises'
import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { diskError } from './disk-errors.ts'

/** A look at the disk is good this long. */
const FRESH_MS = 1000
/** Folders remembered; more distinct destinations than this are looked at again sooner. */
const MAX_FOLDERS = 256

interface Look {
  readonly atMs: number
  /** Bytes left for us: free space as seen, less what was promised since. */
  left: number
}

/** Bytes that an ordinary user may still write to the file system of `folder`. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Keeps a reserve of free bytes on every disk written to. */
export class DiskSpace {
  readonly #clock: Clock
  readonly #free: (folder: string) => Promise<number>
  readonly #looks = new Map<string, Promise<Look>>()
  /** The last look at each folder that was answered. */
  readonly #seen = new Map<string, Look>()
  #minFreeBytes: number

  /** `minFreeBytes` 0 turns the check off. */
  constructor(
    minFreeBytes: number,
    deps: {
      readonly clock: Clock
      /** `turn`: when the volume of the folder may be asked. */
      readonly turn?: <T>(folder: string, call: () => Promise<T>) => Promise<T>
      readonly free?: (folder: string) => Promise<number>
    },
  ) {
    this.#minFreeBytes = minFreeBytes
    this.#clock = deps.clock
    const { turn, free = freeBytes } = deps
    this.#free = turn === undefined ? free : folder => turn(folder, () => free(folder))
  }

  /** Takes effect with the next write. */
  setMinFreeBytes(bytes: number): void {
    this.#minFreeBytes = bytes
    this.#looks.clear()
    this.#seen.clear()
  }

  /** As reserve(), when that can be said at once; false: nothing was reserved, and reserve() is to be asked. */
  reserveNow(folder: string, bytes: number): boolean {
    if (this.#minFreeBytes <= 0) return true
    const look = this.#seen.get(folder)
    if (look === undefined || this.#clock.now() - look.atMs >= FRESH_MS) return false
    if (look.left - bytes < this.#minFreeBytes) return false
    look.left -= bytes
    return true
  }

  /** Resolves when `bytes` may be written below `folder`; rejects with DiskFull when too little would be left. */
  async reserve(folder: string, bytes: number): Promise<void> {
    if (this.#minFreeBytes <= 0) return
    const look = await this.#look(folder)
    if (look.left - bytes < this.#minFreeBytes)
      throw new AppError(
        'DiskFull',
        `The disk is full: less than ${this.#minFreeBytes} bytes would stay free on the disk of ${folder}.`,
      )
    look.left -= bytes
  }

  async #look(folder: string): Promise<Look> {
    const known = this.#looks.get(folder)
    if (known !== undefined) {
      const look = await known
      if (this.#clock.now() - look.atMs < FRESH_MS) return look
      // Another call may have looked again while this one waited.
      const newer = this.#looks.get(folder)
      if (newer !== undefined && newer !== known) return newer
    }
    const asking = this.#ask(folder)
    if (this.#looks.size >= MAX_FOLDERS) {
      this.#looks.clear()
      this.#seen.clear()
    }
    this.#looks.set(folder, asking)
    return asking
  }

  async #ask(folder: string): Promise<Look> {
    try {
      const look: Look = { left: await this.#free(folder), atMs: this.#clock.now() }
      this.#seen.set(folder, look)
      return look
    } catch (error) {
      this.#looks.delete(folder)
      throw diskError(error, folder)
    }
  }
}
