// Trackers that users add to a download, change, take away, or want to be asked now. What is answered is durable.

import { AppError } from '../../base/errors.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'

/** Longer URLs the announcer would leave out. */
const MAX_URL_CHARS = 2048
/** As many as the announcer takes. */
const MAX_TRACKERS = 256
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'udp:'])

/** Whether `url` may name a tracker. */
export function isTrackerUrl(url: string): boolean {
  const parsed = url.length > MAX_URL_CHARS ? null : URL.parse(url)
  return parsed !== null && SCHEMES.has(parsed.protocol) && parsed.hostname !== ''
}

/** AppError InvalidParameter unless `url` may name a tracker. */
function checkTrackerUrl(url: string): void {
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

/** What is to become of a tracker; what is absent stays. */
export interface TrackerChange {
  /** Its URL from now on, in its tier. */
  readonly newUrl?: string | undefined
  /** The tier it is in from now on, at its end: 0 = asked first, the number of tiers = one of its own. */
  readonly tier?: number | undefined
}

/**
 * Gives the tracker `url` another URL, another tier or both; false: it was so. AppErrors InvalidParameter (no tracker
 * URL, no such tracker, no such tier), StateConflict (another one has that URL; another host for a private torrent,
 * decision 0562).
 */
export async function changeTracker(
  set: DownloadSet,
  entry: DownloadEntry,
  url: string,
  { newUrl = url, tier }: TrackerChange,
): Promise<boolean> {
  checkTrackerUrl(newUrl)
  const tiers = entry.torrent.announceTiers()
  const at = tiers.findIndex(urls => urls.includes(url))
  if (at < 0) throw new AppError('InvalidParameter', 'url: the download has no such tracker.')
  if (tier !== undefined && tier > tiers.length) {
    throw new AppError('InvalidParameter', `tier: the download has ${tiers.length} tiers; 0 is the first.`)
  }
  if (newUrl !== url && tiers.flat().includes(newUrl)) {
    throw new AppError('StateConflict', 'The download has that tracker already.')
  }
  const changed = tiers.map(urls => urls.map(one => (one === url ? newUrl : one)))
  return setTrackers(set, entry, tier === undefined || tier === at ? changed : moved(changed, newUrl, tier))
}

/**
 * These are its trackers from now on, tier by tier; false: they were. AppErrors InvalidParameter, StateConflict (other
 * hosts for a private torrent, or too many).
 */
export async function setTrackers(
  set: DownloadSet,
  entry: DownloadEntry,
  wanted: readonly (readonly string[])[],
): Promise<boolean> {
  const tiers = eachOnce(wanted)
  const before = entry.torrent.announceTiers()
  const present = new Set(before.flat())
  const added = tiers.flat().filter(url => !present.has(url))
  for (const url of added) checkTrackerUrl(url)
  if (tiers.flat().length > MAX_TRACKERS) {
    throw new AppError('StateConflict', 'The download has as many trackers as it may have.')
  }
  await checkHosts(entry, present, added)
  if (JSON.stringify(tiers) === JSON.stringify(before)) return false
  await set.update(entry, { announceTiers: tiers })
  entry.torrent.setTrackers(tiers)
  return true
}

/** Without what stands there already: it would be kept, and count, but not be asked. */
function eachOnce(tiers: readonly (readonly string[])[]): string[][] {
  const known = new Set<string>()
  const isFirst = (url: string): boolean => {
    if (known.has(url)) return false
    known.add(url)
    return true
  }
  return tiers.map(urls => urls.filter(isFirst)).filter(urls => urls.length > 0)
}

/** A private torrent may have another address of a host that it has: sites change the passkey in it (decision 0562). */
async function checkHosts(entry: DownloadEntry, present: ReadonlySet<string>, added: readonly string[]): Promise<void> {
  if (added.length === 0) return
  const metainfo = await entry.torrent.loadMetainfo()
  if (metainfo?.private !== true) return
  const hosts = new Set([...present].map(hostOf))
  if (added.every(url => hosts.has(hostOf(url)))) return
  throw new AppError('StateConflict', 'A private torrent has trackers at the hosts of its torrent file and no others.')
}

/** Another protocol or port is another server as far as strangers are concerned; the name stays. */
function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? '').toLowerCase()
}

function moved(tiers: readonly (readonly string[])[], url: string, to: number): string[][] {
  const left = tiers.map(urls => urls.filter(one => one !== url))
  while (left.length <= to) left.push([])
  return left.map((urls, at) => (at === to ? [...urls, url] : urls)).filter(urls => urls.length > 0)
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

/** Asks all trackers, or the one at `url`, now; false: none may be asked yet. AppError InvalidParameter. */
export async function forceAnnounce({ torrent }: DownloadEntry, url?: string): Promise<boolean> {
  if (url !== undefined) checkTrackerUrl(url)
  return torrent.forceAnnounce(url === undefined ? null : [url]) > 0
}
