// A torrent that was just made of files becomes a download that seeds them: row, progress and torrent in the engine, complete
// from the start. Invariant: the progress is durable before the engine has it, so a restart hashes nothing either.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FileFacts } from '../ports/piece-store.ts'
import type { ProgressJournal } from '../ports/progress-journal.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import type { Anonymity } from './add-checks.ts'
import { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { newRow, specOf, storedMetainfo } from './new-download.ts'

/** A torrent whose content is there, whole. */
export interface SeedableTorrent {
  readonly metainfo: Metainfo
  readonly bytes: Uint8Array
  /** Folder below which the content lies as the torrent says. */
  readonly destination: string
  /** The torrent's files as they were when they were hashed. */
  readonly facts: readonly FileFacts[]
  /** Where progress is kept. */
  readonly journal: Pick<ProgressJournal, 'checkpoint'>
}

/** Adds it; the entry. Not for an info hash that is there. Rejects as the store does. */
export async function addMadeTorrent(
  set: DownloadSet,
  made: SeedableTorrent,
  traits: Anonymity,
  nowMs: number,
): Promise<DownloadEntry> {
  const { metainfo, bytes, destination, facts, journal } = made
  const { infoHash } = metainfo
  const uri = pathToFileURL(join(destination, metainfo.name)).href
  const source = { kind: 'file', infoHash, metainfo, bytes } as const
  const row = newRow({ uri, source, metainfo, selectedFiles: null, destination, traits, controls: null, nowMs })
  await set.store.insert({ ...row, ...storedMetainfo(metainfo) })
  const have = allPieces(metainfo.pieceCount)
  await journal.checkpoint(infoHash, have, facts)
  const entry = new DownloadEntry({ ...row, position: set.entries.size })
  set.enter(entry)
  entry.attach(set.running.add(specOf(row, metainfo, { have, suspect: [], files: facts, newestMs: 0 })))
  return entry
}

/** One bit a piece, most significant first; those behind the last piece are 0. */
function allPieces(count: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8)).fill(0xff)
  const spare = bits.length * 8 - count
  if (spare > 0) bits[bits.length - 1] = (0xff << spare) & 0xff
  return bits
}
