// Size and time of one file of a torrent, as it lies on the disk now.

import type { FileFacts } from '../../ports/piece-store.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { Steps } from '../../wire/steps.ts'
import { FILES_A_STEP, nameOf } from './folder-plan.ts'
import type { SafeFolder } from './safe-files.ts'

/** Facts of files that are not there; in steps. */
export function* absentFacts(count: number): Steps<FileFacts[]> {
  const facts: FileFacts[] = []
  for (let index = 0; index < count; index++) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    facts.push({ index, exists: false, sizeBytes: 0, mtimeMs: 0 })
  }
  return facts
}

/** What lies at the file's name in its open folder; a link and a folder count as not existing. */
export async function statFile(folder: SafeFolder, file: TorrentFile): Promise<FileFacts> {
  const stats = await folder.stat(nameOf(file))
  if (stats === null || !stats.isFile()) return { index: file.index, exists: false, sizeBytes: 0, mtimeMs: 0 }
  return { index: file.index, exists: true, sizeBytes: Number(stats.size), mtimeMs: Number(stats.mtimeNs) / 1e6 }
}
