// What a torrent looks like from outside at this moment: snapshots of it, its peers and its files. Changes nothing.

import { pieceBytes, piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import type { Announcer } from '../../ports/announcer.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { countAndNot, countBits, type PieceSet } from '../../base/piece-set.ts'
import type { PeerSession } from '../peers/peer-session.ts'
import { ETA_NEVER_SEC, packedHave, type SuspendedTorrent } from './suspended-torrent.ts'
import { swarmCounts } from '../peers/swarm-counts.ts'
import type { TorrentCore } from './torrent-core.ts'
import type { FileSnapshot, PeerSnapshot, TorrentSnapshot } from '../types.ts'

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
    totalDown: core.total.down,
    totalUp: core.total.up,
    peersKnown: Math.max(swarm.leechers, core.known.size - core.known.seeds, core.peers.size - seedsConnected),
    seedsKnown: Math.max(swarm.seeders, core.known.seeds, seedsConnected),
    peersConnected: core.peers.size,
    seedsConnected,
    availability: core.content?.picker.availability() ?? 0,
    error: core.status === 'error' ? core.errorText : '',
    destination: core.destination,
  }
}

/** Every connected peer. */
export function peerSnapshots(core: TorrentCore): PeerSnapshot[] {
  const nowMs = core.now()
  return [...core.peers.values()].map(peer => peerSnapshot(core, peer, nowMs))
}

/** What is kept of a torrent while it is suspended. */
export function suspendedOf(core: TorrentCore, metainfo: Metainfo, have: PieceSet): SuspendedTorrent {
  const { pieceCount, totalLength } = metainfo
  const all = have.get(pieceCount - 1) && countBits(have.buffer) === pieceCount
  return {
    name: core.name,
    status: suspendedStatus(core),
    private: metainfo.private,
    sizeBytes: totalLength,
    pieceCount,
    have: all ? null : packedHave(have),
    progress: core.wantedProgress(),
    selected: core.selected,
    totalDown: core.total.down,
    totalUp: core.total.up,
    sessionDown: core.session.down,
    sessionUp: core.session.up,
    left: core.bytesLeft(),
    piecesLeft: core.content === null ? 0 : countAndNot(core.content.wanted.buffer, have.buffer),
    addresses: core.known.size,
  }
}

function suspendedStatus({ working, complete, status }: TorrentCore): SuspendedTorrent['status'] {
  if (working) return complete ? 'seeding' : 'downloading'
  return status === 'queued' ? 'queued' : 'stopped'
}

/** Every file but padding, in torrent order. */
export function* fileSnapshots(
  metainfo: Metainfo,
  selection: readonly number[] | null,
  have: Pick<PieceSet, 'get'>,
): Generator<FileSnapshot, void> {
  const selected = selection === null ? null : new Set(selection)
  for (const file of metainfo.files) {
    if (file.padding) continue
    yield {
      index: file.index,
      name: (metainfo.multiFile ? file.path.slice(1) : file.path).join('/'),
      sizeBytes: file.length,
      selected: selected === null || selected.has(file.index),
      progress: rangeProgress(metainfo, have, file.offset, file.length),
    }
  }
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
    utp: peer.utp,
    encryption: peer.encryption,
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
  // It is never to be complete.
  if (core.forgets) return ETA_NEVER_SEC
  if (downRate === 0 || core.content === null) return ETA_NEVER_SEC
  return Math.min(ETA_NEVER_SEC, Math.ceil(core.bytesLeft() / downRate))
}

/** Share of the bytes [offset, offset + length) whose pieces are there. */
function rangeProgress(lengths: TorrentLengths, have: Pick<PieceSet, 'get'>, offset: number, length: number): number {
  if (length === 0) return 1
  const [first, last] = piecesOfRange(lengths, offset, length)
  let bytes = 0
  for (let piece = first; piece <= last; piece += 1) {
    if (!have.get(piece)) continue
    const start = piece * lengths.pieceLength
    bytes += Math.min(offset + length, start + pieceBytes(lengths, piece)) - Math.max(offset, start)
  }
  return bytes / length
}
