// The fields of torrent-get that are lists: files, peers, trackers (RPC specification of Transmission, part 3.3).

import type { FileRecord, PeerRecord, TrackerRecord } from '../../services/downloads/download-records-api.ts'
import type { SeenTorrent } from './seen-torrent.ts'

/** This node's normal priority; below it is low, above it high. */
const NORMAL = 4
/** announceState of a tracker that is not asked, and of one that will be. */
const INACTIVE = 0
const WAITING = 1
const UNKNOWN = -1

/** -1, 0 or 1. */
export function rpcPriority({ priority, included }: Pick<FileRecord, 'priority' | 'included'>): number {
  return included ? Math.sign(priority - NORMAL) : 0
}

function bytesCompleted({ size, progress }: FileRecord): number {
  return progress >= 1 ? size : Math.min(Math.floor(size * progress), Math.max(0, size - 1))
}

function* mapped<T>(files: Iterable<FileRecord>, value: (file: FileRecord) => T): Generator<T, void> {
  for (const file of files) yield value(file)
}

/** Field `files`; names begin with the folder of the torrent where it has one. */
export async function filesField(torrent: SeenTorrent): Promise<Iterable<unknown>> {
  const description = await torrent.description()
  const root = description?.multi_file === true ? `${torrent.details.root_name}/` : ''
  return mapped(await torrent.files(), file => ({
    bytesCompleted: bytesCompleted(file),
    length: file.size,
    name: `${root}${file.name}`,
  }))
}

/** Field `fileStats`. */
export async function fileStatsField(torrent: SeenTorrent): Promise<Iterable<unknown>> {
  return mapped(await torrent.files(), file => ({
    bytesCompleted: bytesCompleted(file),
    wanted: file.included,
    priority: rpcPriority(file),
  }))
}

/** Field `wanted`. */
export async function wantedField(torrent: SeenTorrent): Promise<Iterable<unknown>> {
  return mapped(await torrent.files(), file => file.included)
}

/** Field `priorities`. */
export async function prioritiesField(torrent: SeenTorrent): Promise<Iterable<unknown>> {
  return mapped(await torrent.files(), rpcPriority)
}

/** Flags of a peer, each a letter. */
function peerFlags(peer: PeerRecord): string {
  const flags: [string, boolean][] = [
    ['T', peer.connection_type === 3],
    ['O', peer.optimistic],
    ['D', peer.downrate > 0],
    ['d', peer.downrate <= 0 && peer.dinterested && peer.dchoked],
    ['U', peer.uprate > 0],
    ['u', peer.uprate <= 0 && peer.uinterested && peer.uchoked],
    ['K', !peer.dchoked && !peer.dinterested],
    ['?', !peer.uchoked && !peer.uinterested],
    ['E', peer.encryption !== ''],
    ['I', peer.direction === 'R'],
  ]
  return flags.map(([letter, is]) => (is ? letter : '')).join('')
}

/** Field `peers`. */
export function peersField({ record }: SeenTorrent): unknown[] {
  return (record.peers ?? []).map(peer => ({
    address: peer.ip,
    port: peer.port,
    clientName: peer.client,
    clientIsChoked: peer.dchoked,
    clientIsInterested: peer.dinterested,
    peerIsChoked: peer.uchoked,
    peerIsInterested: peer.uinterested,
    flagStr: peerFlags(peer),
    isDownloadingFrom: peer.downrate > 0,
    isUploadingTo: peer.uprate > 0,
    isEncrypted: peer.encryption !== '',
    isIncoming: peer.direction === 'R',
    isUTP: peer.connection_type === 3,
    progress: peer.completed,
    rateToClient: peer.downrate,
    rateToPeer: peer.uprate,
  }))
}

/** The trackers that have a URL; their place in this list is their number. */
export function trackersOf({ record, details }: SeenTorrent): { tracker: TrackerRecord; tier: number }[] {
  return record.trackers
    .filter(({ url }) => !url.startsWith('['))
    .map(tracker => ({
      tracker,
      tier: Math.max(
        0,
        details.announce_tiers.findIndex(urls => urls.includes(tracker.url)),
      ),
    }))
}

/** By convention the last `announce` of the path becomes `scrape` (BEP 48). */
function scrapeUrl(url: string): string {
  return /\/announce(?=[^/]*$)/.test(url) ? url.replace(/\/announce(?=[^/]*$)/, '/scrape') : ''
}

function hostOf(url: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? url
}

/** Field `trackers`. */
export function trackersField(torrent: SeenTorrent): unknown[] {
  return trackersOf(torrent).map(({ tracker: { url }, tier }, id) => ({
    announce: url,
    id,
    scrape: scrapeUrl(url),
    sitename: siteName(url),
    tier,
  }))
}

function siteName(url: string): string {
  const labels = hostOf(url).replace(/:\d+$/, '').split('.')
  return labels.at(-2) ?? labels[0] ?? ''
}

/** Field `trackerList`: a line a URL, an empty one between tiers. */
export function trackerListField({ details }: SeenTorrent): string {
  return details.announce_tiers.map(tier => tier.join('\n')).join('\n\n')
}

/** Field `trackerStats`. When announces were sent is not known here; counts are of the last announce or scrape. */
export function trackerStatsField(torrent: SeenTorrent): unknown[] {
  return trackersOf(torrent).map(({ tracker, tier }, id) => {
    const { url, status, peers, seeds = UNKNOWN, leeches = UNKNOWN, next_announce: nextSec = 0, message } = tracker
    const failed = status.startsWith('Error')
    const announced = failed || status === 'Working'
    return {
      announce: url,
      announceState: announced ? WAITING : INACTIVE,
      downloadCount: UNKNOWN,
      hasAnnounced: announced,
      hasScraped: false,
      host: hostOf(url),
      id,
      isBackup: false,
      lastAnnouncePeerCount: peers,
      lastAnnounceResult: failed ? (message ?? status) : announced ? 'Success' : '',
      lastAnnounceStartTime: 0,
      lastAnnounceSucceeded: announced && !failed,
      lastAnnounceTime: announced ? torrent.facts.nowSec : 0,
      lastAnnounceTimedOut: false,
      lastScrapeResult: '',
      lastScrapeStartTime: 0,
      lastScrapeSucceeded: false,
      lastScrapeTime: 0,
      lastScrapeTimedOut: false,
      leecherCount: leeches,
      nextAnnounceTime: nextSec,
      nextScrapeTime: 0,
      scrape: scrapeUrl(url),
      scrapeState: INACTIVE,
      seederCount: seeds,
      sitename: siteName(url),
      tier,
    }
  })
}
