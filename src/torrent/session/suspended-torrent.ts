// What is kept of a torrent that nobody uses: what its record shows, and what it needs to go on. Everything else (piece
// hashes, files, picker, parts) is loaded again when somebody comes. Data and reads of it only. Invariant: only a
// torrent that is complete, stopped, queued, or misses data that nobody known could give is ever suspended.

import type { InfoHash } from '../../base/ids.ts'
import type { Announcer } from '../../ports/announcer.ts'
import type { FileFacts } from '../../ports/piece-store.ts'
import type { ResumeData } from '../../ports/progress-journal.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { bytesLeft } from '../pieces/bytes-left.ts'
import { piecePadding, wantedPieces } from '../pieces/file-pieces.ts'
import {
  countAndNot,
  countBits,
  emptyPieceSet,
  fullPieceSet,
  type PieceSet,
  pieceSetFromBytes,
} from '../../base/piece-set.ts'
import { planFromResume } from '../pieces/resume-plan.ts'
import { swarmCounts } from '../peers/swarm-counts.ts'
import type { TorrentObstacles, TorrentSnapshot, TorrentSpec } from '../types.ts'

/** A suspended torrent. */
export interface SuspendedTorrent {
  readonly name: string
  /** `allocating`: as an earlier run left it; whether its files are still so is being looked at. */
  readonly status: 'allocating' | 'seeding' | 'downloading' | 'stopped' | 'queued'
  /** BEP 27; false while the metadata is not known. */
  readonly private: boolean
  readonly sizeBytes: number
  readonly pieceCount: number
  /**
   * One bit a piece, most significant first, a byte a character: an array takes ten times as much. '' = no piece is
   * there, null = all are.
   */
  readonly have: string | null
  /** Of the selected files, 0 to 1. */
  readonly progress: number
  readonly selected: readonly number[] | null
  /** Bytes of payload, all time and since start-up. */
  readonly totalDown: number
  readonly totalUp: number
  readonly sessionDown: number
  readonly sessionUp: number
  /** Bytes that are wanted and not there. */
  readonly left: number
  /** Pieces that are wanted and not there. */
  readonly piecesLeft: number
  /** Known addresses without an answer; they are forgotten. */
  readonly addresses: number
}

/** Suspended, and in touch with its swarm: peers may call. */
export function listens({ status }: SuspendedTorrent): boolean {
  return status === 'seeding' || status === 'downloading'
}

/** What is in the way of a suspended torrent: its status alone, or that nobody is known who has what it misses. */
export function suspendedObstacles(
  { status, private: isPrivate, piecesLeft, addresses }: SuspendedTorrent,
  networkTrouble: TorrentObstacles['networkTrouble'],
): TorrentObstacles {
  if (status === 'seeding') return { ...NO_OBSTACLES, private: isPrivate, networkTrouble }
  if (status !== 'downloading') return NO_OBSTACLES
  const missing = { piecesLeft, piecesNobodyHas: piecesLeft }
  return { ...NO_OBSTACLES, private: isPrivate, networkTrouble, addresses, ...missing }
}

/** Nothing is in the way but its status. */
export const NO_OBSTACLES: TorrentObstacles = {
  private: null,
  waitsForSpace: false,
  changedFiles: [],
  diskRetries: false,
  foreignFile: false,
  addresses: 0,
  dialing: 0,
  allBlocked: false,
  allFiltered: false,
  encryption: null,
  networkTrouble: null,
  connectionsFull: false,
  downLimited: false,
  makesWay: false,
  upLimited: false,
  quiet: true,
  piecesLeft: 0,
  piecesNobodyHas: 0,
}

/**
 * The row of a torrent that had everything in an earlier run, so that it need not be awake to find that out again; null
 * when it had not, or something about it is in doubt.
 */
export function suspendedFrom(spec: TorrentSpec): SuspendedTorrent | null {
  const { metainfo, resume } = spec
  if (metainfo === null || resume === null || resume.suspect.length > 0 || spec.peers.length > 0) return null
  const have = pieceSetFromBytes(resume.have, metainfo.pieceCount)
  if (have === null || countBits(have.buffer) !== metainfo.pieceCount) return null
  return {
    name: metainfo.name,
    status: spec.running ? 'allocating' : 'stopped',
    private: metainfo.private,
    sizeBytes: metainfo.totalLength,
    pieceCount: metainfo.pieceCount,
    have: null,
    progress: 1,
    selected: spec.selectedFiles,
    totalDown: spec.totalDown,
    totalUp: spec.totalUp,
    sessionDown: 0,
    sessionUp: 0,
    left: 0,
    piecesLeft: 0,
    addresses: 0,
  }
}

/** The row of a torrent that waits for its first turn: nothing of it is made until then. */
export function queuedFrom(spec: TorrentSpec): SuspendedTorrent {
  const { metainfo, resume } = spec
  const complete = suspendedFrom(spec)
  if (complete !== null) return { ...complete, status: 'queued' }
  const have = knownHave(metainfo, resume)
  const wanted = metainfo === null ? null : wantedPieces(metainfo, metainfo.files, spec.selectedFiles)
  const wantedCount = wanted === null ? 0 : countBits(wanted.buffer)
  const missing = wanted === null || have === null ? wantedCount : countAndNot(wanted.buffer, have.buffer)
  const left = metainfo === null || wanted === null || have === null ? UNKNOWN_LEFT : leftOf(metainfo, wanted, have)
  return {
    name: metainfo?.name ?? spec.name,
    status: 'queued',
    private: metainfo?.private ?? false,
    sizeBytes: metainfo?.totalLength ?? 0,
    pieceCount: metainfo?.pieceCount ?? 0,
    have: have === null ? '' : packedHave(have),
    progress: metainfo === null ? 0 : wantedCount === 0 ? 1 : 1 - missing / wantedCount,
    selected: spec.selectedFiles,
    totalDown: spec.totalDown,
    totalUp: spec.totalUp,
    sessionDown: 0,
    sessionUp: 0,
    left,
    piecesLeft: missing,
    addresses: 0,
  }
}

/**
 * The row of a torrent that misses something, where an earlier run says what: it need not be awake to look at its
 * files. Null when it must be: something is in doubt, or it knows peers to ask.
 */
export function seekingFrom(spec: TorrentSpec): SuspendedTorrent | null {
  const { metainfo, resume, peers, webSeeds } = spec
  if (metainfo === null || resume === null || resume.suspect.length > 0 || peers.length > 0) return null
  if ((webSeeds ?? metainfo.webSeeds ?? []).length > 0) return null
  const row = queuedFrom(spec)
  return row.piecesLeft === 0 ? null : { ...row, status: 'allocating' }
}

function leftOf(metainfo: Metainfo, wanted: PieceSet, have: PieceSet): number {
  const { totalLength, pieceLength, pieceCount, files } = metainfo
  return bytesLeft({ totalLength, pieceLength, pieceCount, padding: piecePadding(metainfo, files) }, wanted, have)
}

function knownHave(metainfo: Metainfo | null, resume: ResumeData | null): PieceSet | null {
  if (metainfo === null) return null
  return resume === null ? emptyPieceSet(metainfo.pieceCount) : planFromResume(metainfo, [], [], resume).have
}

/** Whether all files are what they were. */
export function filesUnchanged(metainfo: Metainfo, resume: ResumeData, facts: readonly FileFacts[]): boolean {
  if (countBits(planFromResume(metainfo, metainfo.files, facts, resume).check.buffer) > 0) return false
  // Of a complete torrent the empty ones must be there too.
  if (countBits(resume.have) < metainfo.pieceCount) return true
  return metainfo.files.every(file => file.padding || facts[file.index]?.exists === true)
}

/** The pieces that are there; memory of its own. */
export function suspendedHave(row: SuspendedTorrent): PieceSet {
  const { have, pieceCount } = row
  if (have === null) return fullPieceSet(pieceCount)
  return pieceSetFromBytes(Uint8Array.from(Buffer.from(have, 'latin1')), pieceCount) ?? emptyPieceSet(pieceCount)
}

/** What a row keeps of the pieces that are there when some are missing. */
export function packedHave({ buffer }: PieceSet): string {
  return countBits(buffer) === 0 ? '' : Buffer.from(buffer).toString('latin1')
}

/** As torrentSnapshot() shows it when it is awake and nobody is connected. */
export function suspendedSnapshot(
  infoHash: InfoHash,
  destination: string,
  row: SuspendedTorrent,
  announcer: Announcer,
): TorrentSnapshot {
  const swarm = swarmCounts(announcer)
  return {
    infoHash,
    name: row.name,
    status: row.status,
    progress: row.progress,
    sizeBytes: row.sizeBytes,
    pieceCount: row.pieceCount,
    etaSec: row.left === 0 ? 0 : ETA_NEVER_SEC,
    downRate: 0,
    upRate: 0,
    totalDown: row.totalDown,
    totalUp: row.totalUp,
    peersKnown: swarm.leechers,
    seedsKnown: swarm.seeders,
    peersConnected: 0,
    seedsConnected: 0,
    availability: 0,
    error: '',
    destination,
  }
}

/** What trackers hear as `left` while the size is not known: something, so that we count as a leecher. */
export const UNKNOWN_LEFT = 16 * 1024

/** What clients of the interface read as "never" (decisions part 2). */
export const ETA_NEVER_SEC = 8_640_000
