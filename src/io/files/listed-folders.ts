// What is in a folder: the folders in it and the room on its volume. It is read by its descriptor, which is asked where
// it lies: a part of the path that was swapped for a link since it was judged shows nothing of elsewhere.

import path from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { FolderContents, FolderLooks } from '../../ports/new-files.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { errnoOf } from './disk-errors.ts'
import { freeBytes } from './disk-space.ts'
import { SafeFolder } from './safe-files.ts'

/** Folders in an answer. */
const MAX_FOLDERS = 1000
/** Entries that are read: a folder may have millions of files. */
const MAX_ENTRIES = 20_000

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** See FolderLooks. */
export class ListedFolders implements FolderLooks {
  readonly #turns: VolumeTurns

  constructor(turns: VolumeTurns = noTurns) {
    this.#turns = turns
  }

  look(real: string): Promise<FolderContents> {
    return this.#turns.runInTime(real, () => lookInto(real))
  }
}

async function lookInto(real: string): Promise<FolderContents> {
  const folder = await openedFolder(real)
  if (folder === null) return { exists: false, folders: [], more: false, freeBytes: await roomAt(real) }
  try {
    if ((await folder.realPath()) !== real) throw new AppError('PathNotAllowed')
    return { exists: true, ...(await namesIn(folder)), freeBytes: await roomAt(real) }
  } finally {
    await folder.close()
  }
}

/** Null: there is nothing. AppError InvalidParameter. */
async function openedFolder(real: string): Promise<SafeFolder | null> {
  try {
    return await SafeFolder.openRoot(real)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT') return null
    const reason = errno === 'ENOTDIR' || errno === 'ELOOP' ? 'it is no folder' : errorText(error)
    throw new AppError('InvalidParameter', `path: ${real} cannot be looked into: ${reason}.`, { cause: error })
  }
}

async function namesIn(folder: SafeFolder): Promise<{ folders: string[]; more: boolean }> {
  const folders: string[] = []
  let [read, more] = [0, false]
  for await (const { name, isFolder } of folder.entries()) {
    read += 1
    // A name that is not UTF-8 cannot be asked for again.
    const isNamed = !name.startsWith('.') && !name.includes('\ufffd')
    if (isFolder && isNamed) folders.push(name)
    if (read > MAX_ENTRIES || folders.length > MAX_FOLDERS) {
      more = true
      break
    }
  }
  return { folders: folders.slice(0, MAX_FOLDERS).sort(byName.compare), more }
}

/** Of the nearest folder above that is there; null: nobody can tell. */
async function roomAt(real: string): Promise<number | null> {
  for (let at = real; ; at = path.dirname(at)) {
    try {
      return await freeBytes(at)
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || at === path.dirname(at)) return null
    }
  }
}
