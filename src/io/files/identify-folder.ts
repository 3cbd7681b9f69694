// Which folder a path leads to: for telling whether two paths are one folder. Makes and opens nothing.

import { realpath, stat } from 'node:fs/promises'
import { errnoOf } from './disk-errors.ts'

/** The path without links, and device and inode, which are one by whatever path; null: nothing is there. */
export async function identifyFolder(folder: string): Promise<{ readonly path: string; readonly id: string } | null> {
  try {
    const path = await realpath(folder)
    const { dev, ino } = await stat(path, { bigint: true })
    return { path, id: `${dev}-${ino}` }
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null
    throw error
  }
}
