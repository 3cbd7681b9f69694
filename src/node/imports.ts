// Taking over what other clients have, put together at its first use.

import { DiskOtherNames, DiskResumeFolders } from '../io/resume-folder.ts'
import { TorrentImports, type ImportDeps } from '../services/import-torrents.ts'

/** Makes it. */
export function makeImports(deps: Omit<ImportDeps, 'folders' | 'names'>): TorrentImports {
  return new TorrentImports({ ...deps, folders: new DiskResumeFolders(), names: new DiskOtherNames() })
}
