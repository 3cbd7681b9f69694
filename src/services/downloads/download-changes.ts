// What a request changes of a download that is there: selection, controls, state, place, and the trackers a second PUT
// brings. The store has it first; what is wrong with a request is found before anything changes.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DownloadChange, StoredDownload } from '../../ports/records.ts'
import { checkSelection } from './add-checks.ts'
import type { PatchDownload } from './downloads-api.ts'
import {
  changeControls,
  changesControls,
  choosePriorities,
  controlsOf,
  NO_CONTROLS,
  NO_GOAL,
  torrentControls,
} from './download-controls.ts'
import type { AwakeTorrent } from '../../torrent/types.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { announceTiersOf } from './new-download.ts'
import type { StalledDownloads } from './stalled-downloads.ts'
import type { StorageMoves } from './storage-moves.ts'
import type { TorrentSource } from './torrent-source.ts'

/** What changes need of the service. */
export interface ChangeParts {
  readonly log: Log
  readonly clock: Pick<Clock, 'wallMs'>
  readonly moves: Pick<StorageMoves, 'request'>
  readonly stalled: Pick<StalledDownloads, 'check' | 'inTime' | 'settled'>
}

type ChangedColumns = Pick<DownloadChange, 'selectedFiles' | 'controls' | 'goalReached' | 'readAtMs'>

/** What a PATCH asks for, as columns; none = {}. AppErrors InvalidParameter, MetadataNotFound. */
function columnsOf(
  { stored }: DownloadEntry,
  torrent: AwakeTorrent,
  change: PatchDownload,
  nowMs: number,
): ChangedColumns {
  const count = torrent.metainfo?.files.length ?? null
  const { selected_files: files, file_priorities: priorities } = change
  const before = controlsOf(stored)
  const selectedFiles = files === undefined ? stored.selectedFiles : checkSelection(files, count)
  const chosen = { selectedFiles, filePriorities: before.filePriorities }
  const choice = priorities === undefined ? chosen : choosePriorities(chosen, priorities, count)
  const picks = files !== undefined || priorities !== undefined
  const goals = change.seeding_ratio !== undefined || change.seeding_time !== undefined
  const controls = { ...changeControls(before, change), filePriorities: choice.filePriorities }
  // Its hours begin now, whenever it was read before.
  const forgets = controls.watchAndForget === true && before.watchAndForget !== true
  return {
    ...(picks ? { selectedFiles: choice.selectedFiles } : {}),
    ...(changesControls(change) ? { controls } : {}),
    ...(goals ? { goalReached: false } : {}),
    ...(forgets ? { readAtMs: nowMs } : {}),
  }
}

async function applyColumns(set: DownloadSet, entry: DownloadEntry, columns: ChangedColumns): Promise<void> {
  if (Object.keys(columns).length === 0) return
  await set.update(entry, columns)
  // The disk may have taken its time.
  const torrent = await entry.torrent.wake()
  if (columns.controls !== undefined) entry.torrent.setControls(torrentControls(columns.controls ?? NO_CONTROLS))
  if (columns.selectedFiles !== undefined) torrent.select(columns.selectedFiles)
}

async function recheck(entry: DownloadEntry, { log, stalled }: ChangeParts): Promise<void> {
  const { stored } = entry
  const torrent = await entry.torrent.wake()
  if (torrent.metainfo === null)
    throw new AppError('StateConflict', 'A download without metadata has nothing to check.')
  stalled.check(stored)
  // Answered when a kill cannot lose it any more; what it finds is seen in the status.
  const begun = new Promise<void>((resolve, reject) => {
    torrent.recheck(resolve).then(resolve, (error: unknown) => {
      log.warn('a recheck ended early', { infoHash: stored.infoHash, error })
      // Heard only when it did not even begin.
      reject(error)
    })
  })
  return stalled.inTime(stored, begun)
}

async function run(
  set: DownloadSet,
  entry: DownloadEntry,
  userStopped: boolean,
  stalled: ChangeParts['stalled'],
): Promise<void> {
  const { stored } = entry
  if (stored.userStopped !== userStopped) {
    await set.update(entry, { userStopped, ...(userStopped ? {} : freeOfGoals(stored)) })
  }
  // The disk may have taken its time.
  const torrent = await entry.torrent.wake()
  // It is over for peers and readers at once; its files are closed when their volume answers.
  if (userStopped) await stalled.settled(entry.stored, torrent.stop())
  else torrent.resume()
}

/** A user who resumes what has seeded enough wants it to go on, and not to be stopped again ten seconds later. */
function freeOfGoals(stored: StoredDownload): DownloadChange {
  if (!stored.goalReached) return {}
  const controls = { ...controlsOf(stored), seedingRatio: NO_GOAL, seedingMinutes: NO_GOAL }
  return { goalReached: false, controls }
}

/**
 * Does what a PATCH says. AppErrors InvalidParameter, MetadataNotFound, StateConflict, VolumeStalled, and what store
 * and disk say.
 */
export async function changeDownload(
  set: DownloadSet,
  entry: DownloadEntry,
  change: PatchDownload,
  parts: ChangeParts,
): Promise<void> {
  const columns = columnsOf(entry, await entry.torrent.wake(), change, parts.clock.wallMs())
  if (change.destination !== undefined) await parts.moves.request(entry, change.destination, change.linkless)
  await applyColumns(set, entry, columns)
  if (change.state === 'recheck') await recheck(entry, parts)
  else if (change.state !== undefined) await run(set, entry, change.state === 'stop', parts.stalled)
}

/** A second PUT brings its trackers (never to a private torrent) and peers, nothing else (decisions part 2). */
export async function mergeTrackers(set: DownloadSet, entry: DownloadEntry, source: TorrentSource): Promise<void> {
  const torrent = await entry.torrent.wake()
  if (torrent.metainfo?.private === true) return
  if (source.kind === 'magnet') torrent.addPeers(source.magnet.peers)
  if (torrent.addTrackers(announceTiersOf(source)).length === 0) return
  await set.update(entry, { announceTiers: entry.torrent.announceTiers() })
}
