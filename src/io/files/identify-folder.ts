// Which folder a path leads to: for telling whether two paths are one folder, or one lies in the other. Makes and opens
// nothing.

import { realpath, stat } from 'node:fs/promises'
import { errnoOf } from './disk-errors.ts'
import { type Mount, placeOnDevice, readMounts } from './mounts.ts'

/** The mounts, read once for all who ask at the same time; the next who asks has them read again. */
let reading: Promise<Mount[]> | null = null

function mountsSoon(): Promise<Mount[]> {
  reading ??= readMounts().finally(() => {
    reading = null
  })
  return reading
}

/**
 * Where it lies in its file system, without links and by whatever mount, and which one it is: the inode with the time
 * at which it was made, for one folder of another machine may be mounted twice under two device numbers. Null: nothing
 * is there.
 */
export async function identifyFolder(folder: string): Promise<{ readonly path: string; readonly id: string } | null> {
  try {
    const real = await realpath(folder)
    const { dev, ino, birthtimeNs } = await stat(real, { bigint: true })
    const path = placeOnDevice(real, await mountsSoon())
    return { path, id: birthtimeNs > 0n ? `${ino}-${birthtimeNs}` : `${dev}-${ino}` }
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null
    throw error
  }
}
