// Which folders a torrent has, as its files name them: planned in steps, whatever is on the disk. Says what of a
// folder's plan a listing of it can mean, also where a file system keeps names in another case or composition.

import type { Steps } from '../../wire/steps.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { foldName } from '../../wire/metainfo/unique-paths.ts'

/** Files looked at in one step: about a millisecond. */
export const FILES_A_STEP = 1024

/** One folder of the torrent, the files directly in it and the folders. `parts` = [] is the destination itself. */
export interface PlannedFolder {
  readonly parts: readonly string[]
  readonly files: TorrentFile[]
  readonly below: Map<string, PlannedFolder>
  /** Folders below each other in it. */
  height: number
  /** Files in it at any depth, each with the folders above it: at least as many entries as it has. */
  weight: number
}

/** What of a plan is directly in its folder. */
export interface PlannedEntries {
  readonly files: readonly TorrentFile[]
  readonly below: readonly PlannedFolder[]
}

/** The name of a file in its folder. */
export function nameOf(file: TorrentFile): string {
  return file.path.at(-1) ?? ''
}

/**
 * Every folder once, parents before children; in steps. A path costs its own parts, however deep the one before it was.
 */
export function* planFolders(files: readonly TorrentFile[]): Steps<readonly PlannedFolder[]> {
  const top = plannedFolder([])
  const plans: PlannedFolder[] = []
  if (files.some(file => !file.padding)) plans.push(top)
  for (const [count, file] of files.entries()) {
    if (count % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.padding) continue
    let folder = top
    addPath(folder, file.path.length)
    for (let depth = 0; depth < file.path.length - 1; depth++) {
      const name = file.path[depth] as string
      let next = folder.below.get(name)
      if (next === undefined) {
        next = plannedFolder(file.path.slice(0, depth + 1))
        folder.below.set(name, next)
        plans.push(next)
      }
      folder = next
      addPath(folder, file.path.length - depth - 1)
    }
    folder.files.push(file)
  }
  return plans
}

function plannedFolder(parts: readonly string[]): PlannedFolder {
  return { parts, files: [], below: new Map(), height: 0, weight: 0 }
}

/** A file below `folder`, whose path from there has so many parts. */
function addPath(folder: PlannedFolder, parts: number): void {
  folder.height = Math.max(folder.height, parts - 1)
  folder.weight += parts
}

/** Those entries of `plan` that `isListed` has, asked with folded names; in steps. */
export function* listedEntries(plan: PlannedFolder, isListed: (folded: string) => boolean): Steps<PlannedEntries> {
  const files: TorrentFile[] = []
  const below: PlannedFolder[] = []
  let count = 0
  for (const file of plan.files) {
    if (isListed(foldName(nameOf(file)))) files.push(file)
    if (++count % FILES_A_STEP === 0) yield
  }
  for (const [name, folder] of plan.below) {
    if (isListed(foldName(name))) below.push(folder)
    if (++count % FILES_A_STEP === 0) yield
  }
  return { files, below }
}
