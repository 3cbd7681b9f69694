// What a torrent looks like from outside at this moment: snapshots of it, its peers and its files. Changes nothing.

import { pieceBytes, piecesOfRange } from '../base/lengths.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { PeerSession } from './peer-session.ts'
import type { TorrentContent, TorrentCore } from './torrent-core.ts'
import type { FileSnapshot, PeerSnapshot, TorrentSnapshot } from './types.ts'

/** What clients of the interface read as "never" (decisions part 2). */
const ETA_NEVER_SEC = 8_640_000

/** The torrent now. */
export function torrentSnapshot(core: TorrentCore, announcer: Announcer): TorrentSnapshot {
  const nowMs = core.now()
  const downRate = core.down.rate(nowMs)
  let seedsConnected = 0
  for (const peer of core.peers.values()) if (core.isSeed(peer)) seedsConnected += 1
  const swarm = swarmCounts(announcer)
  return {
    infoHash: core.infoHash,
    name: core.name,
    status: core.status,
    progress: progressOf(core),
    sizeBytes: core.content?.lengths.totalLength ?? 0,
    pieceCount: core.content?.lengths.pieceCount ?? 0,
    etaSec: etaOf(core, downRate),
    downRate,
    upRate: core.up.rate(nowMs),
    totalDown: core.totalDown,
    totalUp: core.totalUp,
    peersKnown: Math.max(swarm.leechers, core.known.size - core.known.seeds, core.peers.size - seedsConnected),
    seedsKnown: Math.max(swarm.seeders, core.known.seeds, seedsConnected),
    peersConnected: core.peers.size,
    seedsConnected,
    availability: core.peers.size === 0 ? 0 : (core.content?.picker.availability() ?? 0),
    error: core.status === 'error' ? core.errorText : '',
    destination: core.destination,
  }
}

/** Every connected peer. */
export function peerSnapshots(core: TorrentCore): PeerSnapshot[] {
  const nowMs = core.now()
  return [...core.peers.values()].map(peer => peerSnapshot(core, peer, nowMs))
}

/** Every file but padding, in torrent order; [] before metadata. */
export function fileSnapshots(core: TorrentCore): FileSnapshot[] {
  const content = core.content
  if (content === null) return []
  const selected = core.selected === null ? null : new Set(core.selected)
  const files = content.metainfo.files.filter(file => !file.padding)
  return files.map(file => ({
    index: file.index,
    name: (content.metainfo.multiFile ? file.path.slice(1) : file.path).join('/'),
    sizeBytes: file.length,
    selected: selected === null || selected.has(file.index),
    progress: rangeProgress(content, file.offset, file.length),
  }))
}

function peerSnapshot(core: TorrentCore, peer: PeerSession, nowMs: number): PeerSnapshot {
  const content = core.content
  const count = content?.picker.peerCount(peer.key) ?? 0
  return {
    id: peer.peerId,
    ip: peer.link.remote.ip,
    port: peer.address.port,
    client: peer.client,
    incoming: peer.link.incoming,
    downRate: peer.down.rate(nowMs),
    upRate: peer.up.rate(nowMs),
    downTotal: peer.down.total,
    upTotal: peer.up.total,
    upInterested: peer.peerInterested,
    upChoked: peer.amChoking,
    downInterested: peer.amInterested,
    downChoked: peer.peerChoking,
    optimistic: peer.optimistic,
    snubbed: peer.pipeline.snubbed,
    completed: content === null || content.lengths.pieceCount === 0 ? 0 : count / content.lengths.pieceCount,
    seed: core.isSeed(peer),
    uploadOnly: peer.uploadOnly,
    requestsOut: peer.outstanding.size,
    requestsIn: peer.uploads.length,
  }
}

function progressOf(core: TorrentCore): number {
  if (core.status === 'waiting-check') return 0
  return core.status === 'checking' ? core.checkProgress : core.wantedProgress()
}

function etaOf(core: TorrentCore, downRate: number): number {
  if (core.complete) return 0
  if (downRate === 0 || core.content === null) return ETA_NEVER_SEC
  return Math.min(ETA_NEVER_SEC, Math.ceil(core.bytesLeft() / downRate))
}

function swarmCounts(announcer: Announcer): { seeders: number; leechers: number } {
  let seeders = 0
  let leechers = 0
  for (const row of announcer.rows()) {
    seeders = Math.max(seeders, row.seeders ?? 0)
    leechers = Math.max(leechers, row.leechers ?? 0)
  }
  return { seeders, leechers }
}

/** Share of the bytes [offset, offset + length) whose pieces are there. */
function rangeProgress(content: TorrentContent, offset: number, length: number): number {
  if (length === 0) return 1
  const { lengths, picker } = content
  const [first, last] = piecesOfRange(lengths, offset, length)
  let have = 0
  for (let piece = first; piece <= last; piece += 1) {
    if (!picker.have.get(piece)) continue
    const start = piece * lengths.pieceLength
    have += Math.min(offset + length, start + pieceBytes(lengths, piece)) - Math.max(offset, start)
  }
  return have / length
}
