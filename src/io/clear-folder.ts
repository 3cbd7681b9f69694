// Deletes what a torrent has on the disk, folder by folder, those below before those above. Only what is there is visited: of a
// torrent of 200,000 folders a few may have been made. Invariant: nothing is deleted that the plan does not name.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { runStepsInTurns } from '../wire/steps.ts'
import type { TorrentFile } from '../wire/torrent-types.ts'
import { foldName } from '../wire/unique-paths.ts'
import { listedEntries, nameOf, type PlannedEntries, type PlannedFolder } from './folder-plan.ts'
import type { SafeFolder } from './safe-files.ts'

/** Entries that are tried one by one, there or not: fewer calls than a listing, and the folder may be full of others'. */
const FEW_ENTRIES = 16
/** Entries deleted in one visit: it holds a lane, and a long one makes the volume look stalled. */
const ENTRIES_A_VISIT = 256
/** Names of a folder that are held at a time; in a fuller one every entry is tried. */
const MAX_NAMES = 1_000_000

/** Runs `use` on the folder at `parts` below the destination, or does nothing where there is none. Rejects as the disk does. */
export type Visit = (parts: readonly string[], use: (folder: SafeFolder) => Promise<void>) => Promise<void>

/**
 * Deletes the plain files of `plan` that `goes` takes, all below it too, and the folders below it that are empty then; `plan`'s
 * own folder stays. Rejects as `visit` does; what is deleted until then is gone.
 */
export async function clearFolder(
  plan: PlannedFolder,
  goes: (file: TorrentFile) => boolean,
  visit: Visit,
): Promise<void> {
  let there: PlannedEntries = { files: [], below: [] }
  await visit(plan.parts, async folder => {
    there = await entriesThere(folder, plan)
    await unlinkFiles(folder, there.files.slice(0, ENTRIES_A_VISIT), goes)
  })
  for (const files of batches(there.files.slice(ENTRIES_A_VISIT)))
    await visit(plan.parts, folder => unlinkFiles(folder, files, goes))
  for (const below of batches(there.below)) {
    for (const child of below) await clearFolder(child, goes, visit)
    await visit(plan.parts, async folder => {
      for (const { parts } of below) await folder.removeFolderIfEmpty(parts.at(-1) ?? '')
    })
  }
}

async function unlinkFiles(
  folder: SafeFolder,
  files: readonly TorrentFile[],
  goes: (file: TorrentFile) => boolean,
): Promise<void> {
  for (const file of files) if (goes(file)) await folder.unlinkFile(nameOf(file))
}

/** What of the plan may be in the folder: all of a short plan, else what its listing has. */
async function entriesThere(folder: SafeFolder, plan: PlannedFolder): Promise<PlannedEntries> {
  const all = { files: plan.files, below: [...plan.below.values()] }
  if (all.files.length + all.below.length <= FEW_ENTRIES) return all
  const names = new Set<string>()
  for await (const name of folder.names()) {
    if (names.size === MAX_NAMES) return all
    names.add(foldName(name))
  }
  return runStepsInTurns(
    listedEntries(plan, folded => names.has(folded)),
    nextTurn,
  )
}

function* batches<T>(entries: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < entries.length; at += ENTRIES_A_VISIT) yield entries.slice(at, at + ENTRIES_A_VISIT)
}
