// Decides which tracker to scrape for which torrents: few requests for many torrents. Pure.

import type { InfoHash } from '../../../base/ids.ts'
import type { UncheckedTorrent } from '../ports/channel-library.ts'
import { MAX_SCRAPE_TORRENTS } from '../../../ports/swarm-scrapes.ts'
import { scrapeHost } from '../../../wire/tracker/scrape-host.ts'

/** Trackers that one torrent is asked of; a swarm is seldom at a third one only. */
const TRACKERS_PER_TORRENT = 2
/** Trackers of a torrent that are looked at. */
const MAX_TRACKERS = 16

/** One question. */
export interface TrackerQuestion {
  readonly url: string
  readonly host: string
  readonly infoHashes: readonly InfoHash[]
}

/** The first `limit` trackers that have a scrape, each host once. */
export function scrapableTrackers(
  trackers: readonly string[],
  limit: number,
): { readonly url: string; readonly host: string }[] {
  const chosen = new Map<string, string>()
  for (const url of trackers.slice(0, MAX_TRACKERS)) {
    const host = scrapeHost(url)
    if (host !== null && !chosen.has(host) && chosen.size < limit) chosen.set(host, url)
  }
  return [...chosen].map(([host, url]) => ({ url, host }))
}

/** The questions, those for most torrents first. Hosts that rest are left out: the next tracker takes their place. */
export function planQuestions(
  torrents: readonly UncheckedTorrent[],
  isResting: (host: string) => boolean,
): TrackerQuestion[] {
  const byUrl = new Map<string, { readonly host: string; readonly infoHashes: InfoHash[] }>()
  for (const { infoHash, trackers } of torrents) {
    const awake = scrapableTrackers(trackers, MAX_TRACKERS).filter(({ host }) => !isResting(host))
    for (const { url, host } of awake.slice(0, TRACKERS_PER_TORRENT)) {
      const asked = byUrl.get(url) ?? { host, infoHashes: [] }
      asked.infoHashes.push(infoHash)
      byUrl.set(url, asked)
    }
  }
  const questions = [...byUrl].flatMap(([url, { host, infoHashes }]) =>
    partsOf(infoHashes).map(part => ({ url, host, infoHashes: part })),
  )
  return questions.sort((a, b) => b.infoHashes.length - a.infoHashes.length)
}

function partsOf(infoHashes: readonly InfoHash[]): InfoHash[][] {
  const parts: InfoHash[][] = []
  for (let at = 0; at < infoHashes.length; at += MAX_SCRAPE_TORRENTS) {
    parts.push(infoHashes.slice(at, at + MAX_SCRAPE_TORRENTS))
  }
  return parts
}
