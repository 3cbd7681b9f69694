// A torrent whose content is there becomes a download: one that was just made of files, complete from the start, or one
// that another client had. Invariant: the progress is durable before the engine has it, so a restart hashes nothing
// either.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FileFacts } from '../../ports/piece-store.ts'
import { ALL_FILES, type ProgressJournal, type ResumeData } from '../../ports/progress-journal.ts'
import type { DownloadControls } from '../../ports/records.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Anonymity } from './add-checks.ts'
import { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import type { MetadataPreviews } from './metadata-previews.ts'
import { newRow, type NewRow, type NewRowFacts, specOf, storedMetainfo } from './new-download.ts'

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
  /** What another client did with it; absent: it was just made, and is complete. */
  readonly earlier?: EarlierDownload
}

/** A download as another client left it. Times since 1970, 0 = not known. */
export interface EarlierDownload {
  /** Null = nothing is known of its pieces. */
  readonly resume: ResumeData | null
  readonly announceTiers: readonly (readonly string[])[]
  readonly webSeeds: readonly string[]
  readonly selectedFiles: readonly number[] | null
  readonly controls: DownloadControls | null
  readonly paused: boolean
  readonly totalUp: number
  readonly totalDown: number
  readonly addedAtMs: number
  readonly finishedAtMs: number
  readonly seededSec: number
}

/**
 * Adds it; the entry. Not for an info hash that is there. A preview of it gives way. Rejects as the store does.
 */
export async function addMadeTorrent(
  set: DownloadSet,
  made: SeedableTorrent,
  traits: Anonymity,
  nowMs: number,
  previews: Pick<MetadataPreviews, 'owns' | 'giveWay'>,
): Promise<DownloadEntry> {
  const { metainfo, journal, earlier } = made
  const { infoHash } = metainfo
  const facts = { traits, nowMs, queueOrder: set.order.next() }
  const row = earlier === undefined ? madeRow(made, facts) : earlierRow(made, earlier, facts)
  const whole = { have: allPieces(metainfo.pieceCount), suspect: [], files: made.facts, newestMs: 0 }
  const resume = earlier === undefined ? whole : earlier.resume
  const engine = await set.engineOf(row.hops)
  await set.store.insert({ ...row, ...(await storedMetainfo(metainfo)), ownFiles: [ALL_FILES] })
  const { totalUp, totalDown, finishedAtMs, seededSec } = row
  if (totalUp + totalDown > 0) set.store.noteTotals(infoHash, totalUp, totalDown)
  if (earlier !== undefined) await set.store.update(infoHash, { finishedAtMs, seededSec })
  if (resume !== null) await journal.checkpoint(infoHash, resume.have, resume.files)
  // Then nothing is waited for until the download is listed: no other look at it may begin.
  while (previews.owns(infoHash)) await previews.giveWay(infoHash)
  const entry = new DownloadEntry({ ...row, position: set.entries.size })
  set.enter(entry)
  entry.attach(engine.add(specOf(row, metainfo, resume)), set.factsOf(row.hops))
  return entry
}

type RowFacts = Pick<NewRowFacts, 'traits' | 'nowMs' | 'queueOrder'>

function madeRow({ metainfo, bytes, destination }: SeedableTorrent, facts: RowFacts): NewRow {
  const uri = pathToFileURL(join(destination, metainfo.name)).href
  const source = { kind: 'file', infoHash: metainfo.infoHash, metainfo, bytes } as const
  return newRow({ uri, source, metainfo, selectedFiles: null, destination, controls: null, ...facts })
}

function earlierRow(made: SeedableTorrent, earlier: EarlierDownload, facts: RowFacts): NewRow {
  const { announceTiers, selectedFiles, controls, paused, webSeeds, totalUp, totalDown, seededSec } = earlier
  const { metainfo, bytes, destination } = made
  const source = { kind: 'file', infoHash: metainfo.infoHash, metainfo, bytes } as const
  const asked = { announceTiers, selectedFiles, controls, paused }
  const nowMs = earlier.addedAtMs || facts.nowMs
  const row = newRow({ uri: '', source, metainfo, destination, ...facts, nowMs, ...asked })
  return { ...row, webSeeds, totalUp, totalDown, seededSec, finishedAtMs: earlier.finishedAtMs || null }
}

/** One bit a piece, most significant first; those behind the last piece are 0. */
function allPieces(count: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8)).fill(0xff)
  const spare = bits.length * 8 - count
  if (spare > 0) bits[bits.length - 1] = (0xff << spare) & 0xff
  return bits
}
