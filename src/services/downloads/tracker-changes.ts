// Trackers that users add to a download, take away, or want to be asked now. What is answered is durable.

import { AppError } from '../../base/errors.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'

/** Longer URLs the announcer would leave out. */
const MAX_URL_CHARS = 2048
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'udp:'])

/** Whether `url` may name a tracker. */
export function isTrackerUrl(url: string): boolean {
  const parsed = url.length > MAX_URL_CHARS ? null : URL.parse(url)
  return parsed !== null && SCHEMES.has(parsed.protocol) && parsed.hostname !== ''
}

/** AppError InvalidParameter unless `url` may name a tracker. */
export function checkTrackerUrl(url: string): void {
  if (isTrackerUrl(url)) return
  throw new AppError(
    'InvalidParameter',
    `url: must be an http, https or udp address of at most ${MAX_URL_CHARS} characters.`,
  )
}

/**
 * False when the tracker was there. AppErrors InvalidParameter, StateConflict (private torrent; no room for another).
 */
export async function addTracker(set: DownloadSet, entry: DownloadEntry, url: string): Promise<boolean> {
  checkTrackerUrl(url)
  const torrent = await entry.torrent.wake()
  if (torrent.metainfo?.private === true) {
    throw new AppError('StateConflict', 'A private torrent has the trackers of its torrent file and no others.')
  }
  if (entry.torrent.announceTiers().flat().includes(url)) return false
  if (torrent.addTrackers([[url]]).length === 0) {
    throw new AppError('StateConflict', 'The download has as many trackers as it may have.')
  }
  await set.update(entry, { announceTiers: entry.torrent.announceTiers() })
  return true
}

/** False when there is no such tracker. */
export async function removeTracker(set: DownloadSet, entry: DownloadEntry, url: string): Promise<boolean> {
  const { torrent } = entry
  const tiers = torrent.announceTiers()
  if (!tiers.flat().includes(url)) return false
  const announceTiers = tiers.map(tier => tier.filter(each => each !== url)).filter(tier => tier.length > 0)
  await set.update(entry, { announceTiers })
  torrent.removeTrackers([url])
  return true
}
