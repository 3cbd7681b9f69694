// A download goes from one engine to another: PATCH anon_hops, and hidden seeding of what was fetched plainly. The old
// engine has let go of it, with all its connections, before the new one hears of it; data, selection and time_added
// stay (decision 0392).

import { AppError, errorText } from '../../base/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { specOf } from './new-download.ts'

/**
 * Changes the hops of a download, in its turn; safe_seeding goes with them. AppErrors StateConflict (its files are
 * being moved, it could not be loaded), CircuitsUnavailable, and what the store says: then it goes on as it was.
 */
export async function changeHops(set: DownloadSet, entry: DownloadEntry, hops: number, log: Log): Promise<void> {
  const { infoHash, hops: before, safeSeeding, movingTo } = entry.stored
  if (hops === before) {
    if (hops > 0 && !safeSeeding) await set.update(entry, { safeSeeding: true })
    return
  }
  if (movingTo !== null) throw new AppError('StateConflict', 'The files of this download are being moved.')
  const [from, to] = await Promise.all([set.engineOf(before), set.engineOf(hops)])
  const metainfo = await entry.torrent.loadMetainfo()
  const { totalUp, totalDown } = entry.torrent.snapshot()
  entry.detach()
  await from.remove(infoHash, { deleteData: false }).catch((error: unknown) => {
    log.warn('a download did not leave its engine cleanly', { infoHash, error: errorText(error) })
  })
  entry.stored = { ...entry.stored, totalUp, totalDown }
  set.store.noteTotals(infoHash, totalUp, totalDown)
  const failure = await set.update(entry, { hops, safeSeeding: hops > 0 }).then(
    () => null,
    (error: unknown) => ({ error }),
  )
  const resume = metainfo === null ? null : await progressOf(set, entry, log)
  const engine = failure === null ? to : from
  entry.attach(engine.add(specOf(entry.stored, metainfo, resume)), set.factsOf(entry.stored.hops))
  if (failure !== null) throw failure.error
}

/** Without it the files are hashed again. */
async function progressOf(set: DownloadSet, { stored }: DownloadEntry, log: Log) {
  try {
    return (await set.anonymous?.loadResume(stored.infoHash)) ?? null
  } catch (error) {
    log.warn('the progress of a download could not be read', { infoHash: stored.infoHash, error: errorText(error) })
    return null
  }
}
