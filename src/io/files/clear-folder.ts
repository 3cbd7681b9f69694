// Deletes what a torrent has on the disk, folder by folder, those below before those above. Invariant: nothing is
// deleted that the plan does not name.

import type { FileMark } from '../../ports/piece-store.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { nameOf, type PlannedFolder } from './folder-plan.ts'
import { entriesThere, FolderWalk, type WalkPlace } from './folder-walk.ts'
import type { SafeFolder } from './safe-files.ts'

/**
 * Deletes the plain files of `plan` that `goes` takes, all below it too, and the folders below it that are empty then;
 * `plan`'s own folder stays. Rejects as the disk does; what is deleted until then is gone.
 */
export function clearFolder(
  plan: PlannedFolder,
  goes: (file: TorrentFile, sizeBytes: number, mark: FileMark) => boolean,
  place: WalkPlace,
): Promise<void> {
  const walk = new FolderWalk(
    {
      entries: entriesThere,
      file: (folder, file) => folder.unlinkFile(nameOf(file), (sizeBytes, mark) => goes(file, sizeBytes, mark)),
      // Most folders of a download that was stopped early are empty: one call, and nothing to enter.
      before: async ({ folder }, below) => !(await removeIfEmpty(folder, below)),
      after: async (folder, below) => {
        await removeIfEmpty(folder, below)
      },
    },
    { place, skips: true, signal: undefined },
  )
  return walk.run(plan)
}

function removeIfEmpty(folder: SafeFolder, { parts }: PlannedFolder): Promise<boolean> {
  return folder.removeFolderIfEmpty(parts.at(-1) ?? '')
}
