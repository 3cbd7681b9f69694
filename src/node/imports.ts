// Puts the import of other clients' torrents together, at its first use.

import { DiskOtherNames, DiskResumeFolders } from '../io/files/resume-folder.ts'
import type { VolumeTurns } from '../ports/volumes.ts'
import { TorrentImports, type ImportDeps } from '../services/import/import-torrents.ts'

/** Makes it; `turns`: the way to the folders of others. */
export function makeImports(deps: Omit<ImportDeps, 'folders' | 'names'>, turns: VolumeTurns): TorrentImports {
  return new TorrentImports({ ...deps, folders: new DiskResumeFolders(turns), names: new DiskOtherNames(turns) })
}
