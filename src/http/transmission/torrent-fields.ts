// Every field of torrent-get that this node answers, by its name in the RPC specification of Transmission (part 3.3).
// Rates are bytes/s, limits kB/s of 1000 bytes, times Unix time in seconds.

import {
  filesField,
  fileStatsField,
  peersField,
  prioritiesField,
  trackerListField,
  trackersField,
  trackerStatsField,
  wantedField,
} from './list-fields.ts'
import type { SeenTorrent } from './seen-torrent.ts'
import { isStopped, statusCode } from './status-codes.ts'
import { globalGoals, peerLimits } from './session-fields.ts'

/** What a field is read from; a promise where something has to be loaded. `undefined`: left out. */
export interface TorrentField {
  readonly value: (torrent: SeenTorrent) => unknown
  /** What the record has to be asked for with. */
  readonly needs?: 'peers' | 'pieces'
}

/** kB/s shown for a limit that is off: what the real program begins with. */
export const UNUSED_LIMIT = 100
const KILO = 1000
/** eta of this node when nothing moves. */
const NEVER_SEC = 8_640_000
const NO_ETA = -1
const UNKNOWN_ETA = -2
const LOCAL_ERROR = 3
/** seedRatioMode and seedIdleMode. */
const BY_SETTINGS = 0
const ITS_OWN = 1
const UNLIMITED = 2
/** Ratios of nothing to nothing, and of something to nothing. */
const RATIO_NONE = -1
const RATIO_INFINITE = -2

const field = (value: TorrentField['value']): TorrentField => ({ value })
const always = (value: unknown): TorrentField => ({ value: () => value })
const withPeers = (value: TorrentField['value']): TorrentField => ({ value, needs: 'peers' })

function goalMode(own: number): number {
  if (own === -2) return BY_SETTINGS
  return own === -1 ? UNLIMITED : ITS_OWN
}

function etaOf({ record, complete }: SeenTorrent): number {
  if (complete || isStopped(record)) return NO_ETA
  return record.eta >= NEVER_SEC ? UNKNOWN_ETA : record.eta
}

function ratioOf({ record: { total_up: up, total_down: down } }: SeenTorrent): number {
  if (down > 0) return up / down
  return up > 0 ? RATIO_INFINITE : RATIO_NONE
}

function isMoving({ record }: SeenTorrent): boolean {
  return record.speed_down > 0 || record.speed_up > 0
}

// Clients that wait for more than the limit would wait for ever where seeding ended at it.
function secondsSeeding({ record, details }: SeenTorrent): number {
  const limit = details.goal_reached && record.seeding_time >= 0 ? record.seeding_time * 60 + 1 : 0
  return Math.max(details.time_seeded, limit)
}

function secondsDownloading({ record, details, facts, complete }: SeenTorrent): number {
  if (details.time_finished > 0) return Math.max(0, details.time_finished - record.time_added)
  return complete || isStopped(record) ? 0 : Math.max(0, facts.nowSec - record.time_added)
}

function partOf(bytes: number, all: number): number {
  return all > 0 ? Math.min(1, bytes / all) : 0
}

function fileCount(torrent: SeenTorrent): unknown {
  const known = torrent.facts.ids.filesOf(torrent.record.infohash)
  // A look at every torrent of a long list would load the metadata of all.
  if (known !== null || torrent.facts.many) return known ?? undefined
  return torrent.description().then(description => description?.files ?? 0)
}

const activeWebSeeds = async ({ record, details, facts }: SeenTorrent): Promise<number> => {
  if (details.web_seeds.length === 0) return 0
  const { web_seeds: seeds } = await facts.downloads.explain(record.infohash)
  return seeds.filter(seed => seed.speed_down > 0).length
}

const described = <T>(
  read: (description: NonNullable<Awaited<ReturnType<SeenTorrent['description']>>>) => T,
  before: T,
): TorrentField =>
  field(async torrent => {
    const description = await torrent.description()
    return description === null ? before : read(description)
  })

const identity: Record<string, TorrentField> = {
  id: field(torrent => torrent.id),
  hashString: field(({ record }) => record.infohash),
  name: field(({ details, record }) => details.root_name || record.name),
  comment: described(({ comment }) => comment, ''),
  creator: described(({ created_by: creator }) => creator, ''),
  dateCreated: described(({ creation_date: date }) => date, 0),
  pieceSize: described(({ piece_length: length }) => length, 0),
  pieceCount: field(({ record }) => record.total_pieces),
  'file-count': field(fileCount),
  isPrivate: field(({ details }) => details.private),
  labels: field(({ record }) => record.labels),
  magnetLink: field(async ({ record, facts }) => (await facts.downloads.magnet(record.infohash)).magnet),
  'primary-mime-type': always('application/octet-stream'),
  torrentFile: always(''),
  group: always(''),
  downloadDir: field(({ record }) => record.destination),
  queuePosition: field(({ record }) => record.queue_position ?? 0),
}

const progress: Record<string, TorrentField> = {
  status: field(({ record }) => statusCode(record)),
  error: field(({ record }) => (record.error === '' ? 0 : LOCAL_ERROR)),
  errorString: field(({ record }) => record.error),
  totalSize: field(({ record }) => record.size),
  sizeWhenDone: field(({ details }) => details.size_selected),
  leftUntilDone: field(torrent => torrent.left),
  haveValid: field(({ details, left }) => Math.max(0, details.size_selected - left)),
  haveUnchecked: always(0),
  desiredAvailable: field(({ record, left }) => Math.round(left * Math.min(1, record.availability))),
  percentDone: field(({ details, left, complete }) =>
    complete ? 1 : partOf(details.size_selected - left, details.size_selected),
  ),
  percentComplete: field(({ details, record, left }) => partOf(details.size_selected - left, record.size)),
  metadataPercentComplete: field(({ hasMetadata }) => (hasMetadata ? 1 : 0)),
  recheckProgress: field(({ record }) => (record.status === 'DLSTATUS_HASHCHECKING' ? record.progress : 0)),
  isFinished: field(({ details, record }) => details.goal_reached && isStopped(record)),
  isStalled: field(({ record }) => record.status === 'DLSTATUS_DOWNLOADING' && record.eta >= NEVER_SEC),
  eta: field(etaOf),
  etaIdle: always(NO_ETA),
  corruptEver: always(0),
  pieces: { value: ({ record }) => record.pieces ?? '', needs: 'pieces' },
}

const times: Record<string, TorrentField> = {
  addedDate: field(({ record }) => record.time_added),
  startDate: field(({ record }) => record.time_added),
  doneDate: field(({ details }) => details.time_finished),
  editDate: always(0),
  activityDate: field(torrent =>
    isMoving(torrent) ? torrent.facts.nowSec : torrent.details.time_finished || torrent.record.time_added,
  ),
  manualAnnounceTime: always(-1),
  secondsDownloading: field(secondsDownloading),
  secondsSeeding: field(secondsSeeding),
}

const transfer: Record<string, TorrentField> = {
  rateDownload: field(({ record }) => record.speed_down),
  rateUpload: field(({ record }) => Math.round(record.speed_up)),
  downloadedEver: field(({ record }) => record.total_down),
  uploadedEver: field(({ record }) => record.total_up),
  uploadRatio: field(ratioOf),
  peers: withPeers(peersField),
  peersConnected: withPeers(({ record }) => record.peers?.length ?? 0),
  peersGettingFromUs: withPeers(({ record }) => record.peers?.filter(peer => peer.uprate > 0).length ?? 0),
  peersSendingToUs: withPeers(({ record }) => record.peers?.filter(peer => peer.downrate > 0).length ?? 0),
  peersFrom: withPeers(({ record }) => ({
    fromCache: 0,
    fromDht: 0,
    fromLpd: 0,
    fromLtep: 0,
    fromPex: 0,
    fromTracker: 0,
    fromIncoming: record.peers?.filter(peer => peer.direction === 'R').length ?? 0,
  })),
  webseeds: field(({ details }) => details.web_seeds),
  webseedsSendingToUs: field(activeWebSeeds),
  trackers: field(trackersField),
  trackerStats: field(trackerStatsField),
  trackerList: field(trackerListField),
}

const limits: Record<string, TorrentField> = {
  bandwidthPriority: always(0),
  honorsSessionLimits: always(true),
  downloadLimited: field(({ details }) => details.own_max_download_speed > 0),
  downloadLimit: field(({ details }) => Math.round(details.own_max_download_speed / KILO) || UNUSED_LIMIT),
  uploadLimited: field(({ details }) => details.own_max_upload_speed > 0),
  uploadLimit: field(({ details }) => Math.round(details.own_max_upload_speed / KILO) || UNUSED_LIMIT),
  'peer-limit': field(({ facts }) => peerLimits(facts.settings).torrent),
  maxConnectedPeers: field(({ facts }) => peerLimits(facts.settings).torrent),
  seedRatioMode: field(({ record }) => goalMode(record.seeding_ratio)),
  seedRatioLimit: field(({ record, facts }) =>
    record.seeding_ratio >= 0 ? record.seeding_ratio : globalGoals(facts.settings).ratio,
  ),
  seedIdleMode: field(({ record }) => goalMode(record.seeding_time)),
  seedIdleLimit: field(({ record, facts }) =>
    record.seeding_time >= 0 ? record.seeding_time : globalGoals(facts.settings).minutes,
  ),
}

const lists: Record<string, TorrentField> = {
  files: field(filesField),
  fileStats: field(fileStatsField),
  wanted: field(wantedField),
  priorities: field(prioritiesField),
}

/** All fields by name. */
export const torrentFields: ReadonlyMap<string, TorrentField> = new Map(
  Object.entries({ ...identity, ...progress, ...times, ...transfer, ...limits, ...lists }),
)
