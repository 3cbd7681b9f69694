// What a request changes of a download that is there: its selection, its state, its trackers. The store has it first.

import { AppError } from '../base/errors.ts'
import type { Log } from '../ports/log.ts'
import { checkSelection } from './add-checks.ts'
import type { PatchDownload } from './api.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { announceTiersOf } from './new-download.ts'
import type { TorrentSource } from './torrent-source.ts'

async function select(set: DownloadSet, entry: DownloadEntry, files: readonly number[]): Promise<void> {
  const { torrent } = entry
  const selectedFiles = checkSelection(files, torrent.metainfo?.files.length ?? null)
  await set.update(entry, { selectedFiles })
  await torrent.wake()
  torrent.select(selectedFiles)
}

async function recheck({ torrent, stored }: DownloadEntry, log: Log): Promise<void> {
  if (torrent.metainfo === null)
    throw new AppError('StateConflict', 'A download without metadata has nothing to check.')
  // Answered when a kill cannot lose it any more; what it finds is seen in the status.
  return new Promise((resolve, reject) => {
    torrent.recheck(resolve).then(resolve, (error: unknown) => {
      log.warn('a recheck ended early', { infoHash: stored.infoHash, error })
      // Heard only when it did not even begin.
      reject(error)
    })
  })
}

async function run(set: DownloadSet, entry: DownloadEntry, userStopped: boolean): Promise<void> {
  const { torrent } = entry
  if (entry.stored.userStopped !== userStopped) await set.update(entry, { userStopped })
  // The disk may have taken its time.
  await torrent.wake()
  if (userStopped) await torrent.stop()
  else torrent.resume()
}

/** Does what a PATCH says. AppErrors InvalidParameter, StateConflict, and what store and disk say. */
export async function changeDownload(
  set: DownloadSet,
  entry: DownloadEntry,
  change: PatchDownload,
  log: Log,
): Promise<void> {
  await entry.torrent.wake()
  if (change.selected_files !== undefined) await select(set, entry, change.selected_files)
  if (change.state === 'recheck') await recheck(entry, log)
  else if (change.state !== undefined) await run(set, entry, change.state === 'stop')
}

/** A second PUT brings its trackers (never to a private torrent) and peers, nothing else (decisions part 2). */
export async function mergeTrackers(set: DownloadSet, entry: DownloadEntry, source: TorrentSource): Promise<void> {
  const { torrent } = entry
  await torrent.wake()
  if (torrent.metainfo?.private === true) return
  if (source.kind === 'magnet') torrent.addPeers(source.magnet.peers)
  if (torrent.addTrackers(announceTiersOf(source)).length === 0) return
  await set.update(entry, { announceTiers: torrent.announceTiers() })
}
