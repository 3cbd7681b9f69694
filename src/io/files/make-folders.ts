// Makes a torrent's folders and its zero-byte files, and finds out which of its files are there. A folder that is made
// now holds nothing: it is entered only when something must be made in it.

import { join } from 'node:path'
import { AppError } from '../../base/errors.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { diskError, errnoOf } from './disk-errors.ts'
import { nameOf, type PlannedEntries, type PlannedFolder } from './folder-plan.ts'
import { entriesThere, FolderWalk, type WalkPlace } from './folder-walk.ts'
import { closeQuietly, type SafeFolder } from './safe-files.ts'

/**
 * Makes all below `plan`, whose own folder is there; answers the indexes of the files that are there then. Rejects with
 * AppError Aborted soon after `signal` fires, UnsafePath, or as the disk does: what was made until then stays.
 */
export async function makeFolders(
  plan: PlannedFolder,
  place: WalkPlace,
  signal: AbortSignal | undefined,
): Promise<Set<number>> {
  const there = new Set<number>()
  const fresh = new Set<PlannedFolder>()
  const walk = new FolderWalk(
    {
      entries: (folder, inside) => entriesToMake(folder, inside, fresh.delete(inside)),
      file: async (folder, file) => {
        if (await makeFile(folder, file)) there.add(file.index)
      },
      before: async (above, below) => {
        if (await above.make(below.parts.at(-1) ?? '')) fresh.add(below)
        if (!fresh.has(below) || below.below.size > 0 || below.files.some(isEmpty)) return true
        fresh.delete(below)
        return false
      },
    },
    { place, skips: false, signal },
  )
  await walk.run(plan)
  return there
}

/** Every folder; of the files those that are there, and those without a byte. */
async function entriesToMake(folder: SafeFolder, plan: PlannedFolder, isFresh: boolean): Promise<PlannedEntries> {
  const below = [...plan.below.values()]
  if (isFresh) return { files: plan.files.filter(isEmpty), below }
  const { files } = await entriesThere(folder, plan)
  return { files: [...new Set([...files, ...plan.files.filter(isEmpty)])], below }
}

function isEmpty(file: TorrentFile): boolean {
  return file.length === 0
}

/** Makes a zero-byte file; true when the file is there afterwards. */
async function makeFile(folder: SafeFolder, file: TorrentFile): Promise<boolean> {
  const name = nameOf(file)
  const path = join(folder.path, name)
  const stats = await folder.stat(name)
  if (stats !== null && !stats.isFile())
    throw new AppError('UnsafePath', `A path of the download is not a plain file: ${path}`)
  if (file.length > 0 || stats !== null) return stats !== null
  try {
    const opened = await folder.openFile(name, { write: true, create: true })
    await closeQuietly(opened.fd)
    return true
  } catch (error) {
    throw errnoOf(error) === null ? error : diskError(error, path)
  }
}
