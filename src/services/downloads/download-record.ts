// From the engine's view of a torrent to the records of the interface (spec 2.1, decisions part 2). Pure: no state, no
// engine calls. Every field name here is the specification's.

import type { TrackerRow } from '../../ports/announcer.ts'
import type { CircuitFacts } from '../../ports/overlay-network.ts'
import type { StoredDownload } from '../../ports/records.ts'
import type { FileSnapshot, PeerSnapshot, TorrentSnapshot, TorrentStatus, WebSeedRow } from '../../torrent/types.ts'
import type {
  CircuitsRecord,
  DownloadRecord,
  DownloadStatus,
  FileRecord,
  PeerRecord,
  TrackerRecord,
  WebSeedRecord,
} from './download-records-api.ts'
import type { BufferProgress } from './buffer-progress.ts'
import { controlsOf, limitInForce, shownGoal, shownPriority } from './download-controls.ts'

/** Spec 3.1 for each state of the engine. */
const statusNames: Readonly<Record<TorrentStatus, DownloadStatus>> = {
  metadata: 'DLSTATUS_METADATA',
  allocating: 'DLSTATUS_ALLOCATING_DISKSPACE',
  'waiting-check': 'DLSTATUS_WAITING4HASHCHECK',
  checking: 'DLSTATUS_HASHCHECKING',
  downloading: 'DLSTATUS_DOWNLOADING',
  seeding: 'DLSTATUS_SEEDING',
  stopped: 'DLSTATUS_STOPPED',
  // As the real system shows it; `queued` tells the two apart (decision 0229).
  queued: 'DLSTATUS_STOPPED',
  error: 'DLSTATUS_STOPPED_ON_ERROR',
}

/** Spec 3.1 for a state of the engine; `circuits`: those it goes through, null = it goes through none. */
export function shownStatus(
  { status, downRate }: Pick<TorrentSnapshot, 'status' | 'downRate'>,
  circuits: CircuitFacts | null,
): DownloadStatus {
  return waitsForCircuits(status, downRate, circuits) ? 'DLSTATUS_CIRCUITS' : statusNames[status]
}

/** It would look for peers, or fetch from them, and has no circuit to do it. */
function waitsForCircuits(status: TorrentStatus, downRate: number, circuits: CircuitFacts | null): boolean {
  if (circuits === null || circuits.ready > 0 || downRate > 0) return false
  return status === 'metadata' || status === 'downloading'
}

/** The extra field of a download that goes through circuits. */
export function circuitsRecord(facts: CircuitFacts): CircuitsRecord {
  const { candidates, exits, ready, building, lastFailure } = facts
  return { candidates, exits, ready, building, last_failure: lastFailure ?? '' }
}

/** What is shown beside a torrent's own state. */
export interface ShownParts {
  /** Of its newest reader; null when no reader is open. */
  readonly buffer: BufferProgress | null
  readonly trackers: TrackerRecord[]
  /** Those it goes through; null = it goes through none. */
  readonly circuits: CircuitFacts | null
}

/** What a download is beyond its torrent. */
export type DownloadTraits = Pick<
  StoredDownload,
  'infoHashV2' | 'hops' | 'safeSeeding' | 'addedAtMs' | 'finishedAtMs' | 'scrubbedAtMs' | 'controls' | 'movingTo'
> &
  Pick<StoredDownload, 'queueOrder' | 'position'>

/** Bytes per second, 0 = none. */
export interface RateLimits {
  readonly maxDownloadRate: number
  readonly maxUploadRate: number
}

/** The record of one download. */
export function downloadRecord(
  snapshot: TorrentSnapshot,
  traits: DownloadTraits,
  limits: RateLimits,
  { buffer, trackers, circuits }: ShownParts,
): DownloadRecord {
  const controls = controlsOf(traits)
  return {
    name: snapshot.name,
    infohash: snapshot.infoHash,
    infohash_v2: traits.infoHashV2,
    progress: snapshot.progress,
    status: shownStatus(snapshot, circuits),
    queued: snapshot.status === 'queued',
    size: snapshot.sizeBytes,
    eta: snapshot.etaSec,
    speed_down: Math.round(snapshot.downRate),
    speed_up: Math.round(snapshot.upRate),
    num_peers: snapshot.peersKnown,
    num_seeds: snapshot.seedsKnown,
    num_connected_peers: snapshot.peersConnected,
    num_connected_seeds: snapshot.seedsConnected,
    total_up: snapshot.totalUp,
    total_down: snapshot.totalDown,
    total_pieces: snapshot.pieceCount,
    ratio: snapshot.totalDown > 0 ? snapshot.totalUp / snapshot.totalDown : 0,
    hops: traits.hops,
    anon_download: traits.hops > 0,
    safe_seeding: traits.safeSeeding,
    max_upload_speed: limitInForce(controls.maxUploadRate, limits.maxUploadRate),
    max_download_speed: limitInForce(controls.maxDownloadRate, limits.maxDownloadRate),
    destination: snapshot.destination,
    availability: snapshot.availability,
    error: snapshot.error,
    time_added: Math.floor(traits.addedAtMs / 1000),
    vod_mode: buffer !== null,
    vod_prebuffering_progress: buffer?.total ?? 0,
    vod_prebuffering_progress_consec: buffer?.consecutive ?? 0,
    labels: [...controls.labels],
    sequential: controls.sequential,
    super_seeding: controls.superSeeding === true,
    watch_and_forget: controls.watchAndForget === true,
    seeding_ratio: shownGoal(controls.seedingRatio),
    seeding_time: shownGoal(controls.seedingMinutes),
    queue_order: traits.queueOrder ?? traits.position,
    moving_to: traits.movingTo ?? '',
    time_finished: Math.floor((traits.finishedAtMs ?? 0) / 1000),
    time_scrubbed: Math.floor((traits.scrubbedAtMs ?? 0) / 1000),
    trackers,
    ...ownLimits(controls),
    ...(circuits === null ? {} : { circuits: circuitsRecord(circuits) }),
  }
}

/** Most downloads have none. */
function ownLimits({ maxDownloadRate: down, maxUploadRate: up }: RateLimits): Partial<DownloadRecord> {
  if (down === 0 && up === 0) return {}
  return { ...(down > 0 && { own_max_download_speed: down }), ...(up > 0 && { own_max_upload_speed: up }) }
}

/** A row for every announce URL, then the pseudo rows `[DHT]` and `[PeX]`: Disabled where no report of them came. */
export function trackerRecords(rows: readonly TrackerRow[]): TrackerRecord[] {
  const records = rows.map(trackerRecord)
  for (const url of ['[DHT]', '[PeX]']) {
    if (!records.some(record => record.url === url)) records.push({ url, status: 'Disabled', peers: 0 })
  }
  return records
}

/** What is not known is left out: lists of thousands say the rest of each. */
function trackerRecord({ url, status, peers, seeders, leechers, ...row }: TrackerRow): TrackerRecord {
  return {
    url,
    status,
    peers,
    ...(row.tier === undefined ? {} : { tier: row.tier }),
    ...(seeders === null ? {} : { seeds: seeders }),
    ...(leechers === null ? {} : { leeches: leechers }),
    ...(row.nextSec === undefined || row.nextSec === 0 ? {} : { next_announce: row.nextSec }),
    ...(row.words === undefined ? {} : { message: row.words }),
  }
}

/** A connected peer. `u...` is this node's upload side, `d...` its download side. */
export function peerRecord(peer: PeerSnapshot): PeerRecord {
  return {
    ip: peer.ip,
    dtotal: peer.downTotal,
    downrate: Math.round(peer.downRate),
    uinterested: peer.upInterested,
    wstate: writeState(peer),
    optimistic: peer.optimistic,
    id: peer.id,
    port: peer.port,
    client: peer.client,
    direction: peer.incoming ? 'R' : 'L',
    uprate: Math.round(peer.upRate),
    utotal: peer.upTotal,
    uchoked: peer.upChoked,
    dinterested: peer.downInterested,
    dchoked: peer.downChoked,
    snubbed: peer.snubbed,
    completed: peer.completed,
    // How fast a peer downloads from others is not told on the wire.
    speed: 0,
    upload_only: peer.uploadOnly,
    seed: peer.seed,
    connection_type: connectionType(peer),
    rstate: readState(peer),
    encryption: peer.encryption ?? '',
  }
}

/** A web seed. */
export function webSeedRecord({ url, state, downRate, downTotal, error, retryInMs }: WebSeedRow): WebSeedRecord {
  const retry_in = Math.ceil((retryInMs ?? 0) / 1000)
  return { url, state, speed_down: Math.round(downRate), total_down: downTotal, error, retry_in }
}

/** What keeps this node from sending the next block to the peer. */
function writeState(peer: PeerSnapshot): string {
  if (peer.requestsIn > 0) return peer.upRate > 0 ? 'sending' : 'queued'
  return peer.upInterested && peer.upChoked ? 'choked' : 'idle'
}

/** What keeps this node from getting the next block from the peer. */
function readState(peer: PeerSnapshot): string {
  if (peer.requestsOut > 0) return peer.downRate > 0 ? 'receiving' : 'requested'
  return peer.downInterested && peer.downChoked ? 'choked' : 'idle'
}

/** A file with its progress; `priorities` are those of files that have another than 4. */
export function fileRecord(file: FileSnapshot, priorities: ReadonlyMap<number, number>): FileRecord {
  return {
    index: file.index,
    name: file.name,
    size: file.sizeBytes,
    included: file.selected,
    progress: file.progress,
    priority: shownPriority(priorities, file.index, file.selected),
  }
}

/** One bit a piece, most significant first, as base64. */
export function piecesField(have: Uint8Array): string {
  return Buffer.from(have.buffer, have.byteOffset, have.byteLength).toString('base64')
}

/** How the peer is connected: 0 TCP, 1 a web server, 3 uTP; see decisions part 2. */
function connectionType(peer: PeerSnapshot): number {
  if (peer.webSeed === true) return 1
  return peer.utp ? 3 : 0
}
