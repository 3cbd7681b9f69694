// Between the rows of downloads and the engines: a row is handed to the engine of its hops when the node starts, and
// taken out of it when the download is removed.

import { AppError, errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { LoadedDownload } from '../../ports/records.ts'
import type { DataChoice } from '../../torrent/types.ts'
import { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { decodeStored, specOf } from './new-download.ts'

/** Hands one to its engine; a failure is in its record. Answers its entry. */
export async function loadDownload(set: DownloadSet, loaded: LoadedDownload, log: Log): Promise<DownloadEntry> {
  const { stored, resume } = loaded
  const entry = set.entries.get(loaded.download.infoHash) ?? new DownloadEntry(loaded.download)
  set.enter(entry)
  // What is listed already: of a hundred thousand downloads no row is kept twice.
  const download = entry.stored
  try {
    const { infoHash, announceTiers } = download
    const metainfo = stored === null ? null : await decodeStored(stored, infoHash, announceTiers)
    // Rows of older versions do not say it.
    if (metainfo !== null) set.named(entry, metainfo)
    const engine = await set.engineOf(download.hops)
    entry.attach(engine.add(specOf(download, metainfo, resume)), set.factsOf(download.hops))
  } catch (error) {
    entry.loadError = errorText(error)
    log.error('a download could not be loaded', { infoHash: download.infoHash, error })
  }
  return entry
}

/** The error that kept data from being deleted, or null. The torrent is out of its engine either way. */
export async function removeTorrent(
  set: DownloadSet,
  infoHash: InfoHash,
  { deleteData, log }: { readonly deleteData: DataChoice; readonly log: Log },
): Promise<AppError | null> {
  const entry = set.entries.get(infoHash)
  if (entry?.loaded !== true) return null
  try {
    await (await set.engineOf(entry.stored.hops)).remove(infoHash, { deleteData })
    return null
  } catch (error) {
    log.error('the data of a removed download is still there', { infoHash, error })
    const text = `The download was removed, but its data could not be: ${errorText(error)}`
    return new AppError(error instanceof AppError ? error.code : 'DiskError', text, { cause: error })
  }
}
