// The bytes of one open file into another, in turns with other work of the disk. Zeroes are left out: a file with holes
// keeps them.

import { fdatasync, read, write } from 'node:fs'
import { promisify } from 'node:util'
import { AppError } from '../../base/errors.ts'
import type { DiskSpace } from './disk-space.ts'

const readDescriptor = promisify(read)
const writeDescriptor = promisify(write)
const syncData = promisify(fdatasync)

/** Bytes copied at a time: each read and write waits for a lane of its own, so that other torrents come in between. */
const COPY_BYTES = 1024 * 1024
/** A copy is flushed after so many; a multiple of COPY_BYTES. */
const FLUSH_BYTES = 64 * COPY_BYTES

/** What a copy works with. */
export interface CopyWork {
  /** Runs a call on the file that is read, or written, when it may have its turn. */
  reading<T>(call: () => Promise<T>): Promise<T>
  writing<T>(call: () => Promise<T>): Promise<T>
  readonly space: Pick<DiskSpace, 'reserve'>
  /** A folder on the disk that is written to. */
  readonly root: string
  /** Absent: it cannot be given up. */
  readonly signal?: AbortSignal
}

/**
 * Copies all of `from`; `to` may end shorter where that ends in zeroes. Rejects with Aborted, DiskFull, or what the
 * system said.
 */
export async function copyBytes(from: number, to: number, work: CopyWork): Promise<void> {
  const { space, root, signal } = work
  const chunk = Buffer.allocUnsafe(COPY_BYTES)
  const zeroes = Buffer.alloc(COPY_BYTES)
  for (let at = 0; ; ) {
    if (signal?.aborted === true) throw new AppError('Aborted')
    const { bytesRead } = await work.reading(() => readDescriptor(from, chunk, 0, COPY_BYTES, at))
    if (bytesRead === 0) return
    const part = chunk.subarray(0, bytesRead)
    if (part.compare(zeroes, 0, bytesRead) !== 0) {
      await space.reserve(root, bytesRead)
      await work.writing(() => writeWhole(to, part, at))
    }
    at += bytesRead
    // Little by little: one flush of everything at the end would hold its lane for minutes.
    if (at % FLUSH_BYTES === 0) await work.writing(() => syncData(to))
  }
}

async function writeWhole(fd: number, part: Buffer, at: number): Promise<void> {
  for (let done = 0; done < part.length; ) {
    const { bytesWritten } = await writeDescriptor(fd, part, done, part.length - done, at + done)
    done += bytesWritten
  }
}
