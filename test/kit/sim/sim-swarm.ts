// A swarm in one process: whole sessions and scripted peers on the memory network under the virtual clock. Everything
// is drawn from one seed. `close()` at the end proves that nothing is left: no slot lent, no timer of a stopped
// session.

import assert from 'node:assert/strict'
import type { InfoHash, PeerAddress } from '../../../src/base/ids.ts'
import type { HttpRanges } from '../../../src/ports/http-ranges.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { MetadataChunks } from '../../../src/ports/metadata-chunks.ts'
import type { TcpNetwork } from '../../../src/ports/tcp.ts'
import type { TorrentContentsSource } from '../../../src/ports/torrent-contents.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import { Session, type SessionOptions, type SwarmParts } from '../../../src/torrent/index.ts'
import type { TorrentEvents, TorrentHandle, TorrentSpec } from '../../../src/torrent/types.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { FakeAnnouncers } from '../doubles/fake-announcers.ts'
import { type Behaviour, FakePeer } from '../peers/fake-peer.ts'
import { type MadeTorrent, specOf } from '../content/make-torrent.ts'
import { MemoryJournal, MemoryMetadata } from '../doubles/memory-journal.ts'
import { type HostLine, type MemoryHost, MemoryNetwork } from './memory-network.ts'
import { MemoryPieceStores } from '../doubles/memory-piece-store.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

const DEFAULTS: SessionOptions = {
  listenIp: '0.0.0.0',
  listenPort: 6881,
  localIp: null,
  maxConnections: 200,
  maxConnectionsPerTorrent: 50,
  uploadSlots: 4,
  maxDownloadRate: 0,
  maxUploadRate: 0,
  version: '0.1.0',
}

/** How a node of the swarm is made. */
export interface SimNodeOptions {
  readonly session?: Partial<SessionOptions>
  readonly line?: Partial<HostLine>
  /** Bytes of the block arena; default 8 MiB. */
  readonly arenaBytes?: number
  /** Where metadata of magnets is gathered; default: memory. */
  readonly metadata?: MetadataChunks
  /** Makes fetched metadata durable; default: at once. */
  readonly keepMetadata?: () => Promise<void>
  /** What suspended torrents are woken from; default: nothing, and none is suspended. */
  readonly contents?: (node: () => SimNode) => TorrentContentsSource
  /** How web seeds are asked; default: they are not. */
  readonly webSeeds?: HttpRanges
  /** What the node lends its swarms; default: nothing. */
  readonly swarm?: SwarmParts
  /** What it connects and listens by; default: its host, as by TCP. */
  readonly network?: (host: MemoryHost) => TcpNetwork
  /** Hears of crowds of torrents that will rest. */
  readonly crowdChanged?: (crowded: boolean) => void
}

/** A whole session with its memory, disk and trackers. */
export interface SimNode {
  readonly host: MemoryHost
  readonly address: PeerAddress
  readonly session: Session
  readonly disk: MemoryPieceStores
  readonly journal: MemoryJournal
  readonly announcers: FakeAnnouncers
  readonly arena: SharedArena
  readonly ranges: SharedArena
  /** `finished`, `failed`, `metadata` and status changes, oldest first, as `kind detail`. */
  readonly events: string[]
  /** Lines of level warn and error. */
  readonly complaints: string[]
  /** What torrents that forget hear of others in their places. */
  sharesFiles: boolean
  add(torrent: MadeTorrent, spec?: Partial<TorrentSpec>): TorrentHandle
}

/** The swarm. */
export class SimSwarm {
  readonly clock = new VirtualClock()
  readonly network = new MemoryNetwork(this.clock)
  readonly random: SeededRandom
  readonly nodes: SimNode[] = []
  readonly peers: FakePeer[] = []
  #nextIp = 1

  constructor(seed = 1) {
    this.random = new SeededRandom(seed)
  }

  /** A started session. */
  async node(options: SimNodeOptions = {}): Promise<SimNode> {
    const host = this.network.host(this.#ip(), options.line)
    const parts = {
      disk: new MemoryPieceStores(this.clock),
      journal: new MemoryJournal(),
      announcers: new FakeAnnouncers(),
      arena: new SharedArena({ id: 'block', bytes: options.arenaBytes ?? 8 * 1024 * 1024 }),
      ranges: new SharedArena({ id: 'range', slotBytes: 64 * 1024, bytes: 2 * 1024 * 1024 }),
      events: [] as string[],
      complaints: [] as string[],
    }
    const session = new Session(
      { ...DEFAULTS, ...options.session },
      {
        clock: this.clock,
        random: this.random,
        log: logTo(parts.complaints),
        tcp: options.network?.(host) ?? host,
        stores: parts.disk,
        journal: parts.journal,
        metadata: options.metadata ?? new MemoryMetadata(),
        announcers: parts.announcers,
        blockArena: parts.arena,
        rangeArena: parts.ranges,
        events: eventsTo(parts.events, () => node.sharesFiles, options.keepMetadata),
        ...(options.contents === undefined ? {} : { contents: options.contents(() => node) }),
        ...(options.webSeeds === undefined ? {} : { webSeeds: options.webSeeds }),
        ...(options.swarm === undefined ? {} : { swarm: options.swarm }),
        ...(options.crowdChanged === undefined ? {} : { crowdChanged: options.crowdChanged }),
      },
    )
    await session.start()
    const node: SimNode = {
      ...parts,
      sharesFiles: false,
      host,
      session,
      address: { ip: host.ip, port: session.listenPort },
      add: (torrent, spec = {}) => session.add({ ...specOf(torrent), ...spec }),
    }
    this.nodes.push(node)
    return node
  }

  /** A node whose disk holds all of `torrent`, and that seeds it. */
  async seeder(torrent: MadeTorrent, options: SimNodeOptions = {}): Promise<SimNode> {
    const node = await this.node(options)
    const metainfo = decodeMetainfo(torrent.torrent)
    node.disk.put(torrent.infoHash, torrent.content, metainfo.pieceCount)
    const handle = node.add(torrent)
    await this.clock.until('seeding', () => handle.snapshot().status === 'seeding', 60_000)
    return node
  }

  /** A scripted peer; it neither listens nor connects yet. */
  peer(torrent: MadeTorrent, behaviour: Partial<Behaviour> = {}, line: Partial<HostLine> = {}): FakePeer {
    const peer = new FakePeer(this.network.host(this.#ip(), line), torrent, () => this.clock.now(), behaviour)
    this.peers.push(peer)
    return peer
  }

  /** A scripted peer that has connected to `node`. */
  async join(
    node: SimNode,
    torrent: MadeTorrent,
    behaviour: Partial<Behaviour> = {},
    line: Partial<HostLine> = {},
  ): Promise<FakePeer> {
    const peer = this.peer(torrent, behaviour, line)
    peer.connect(node.address)
    await this.clock.until('connected', () => peer.connected || peer.closed, 10_000)
    return peer
  }

  /** Lets time pass until `handle` has everything; answers the ms it took. */
  complete(handle: TorrentHandle, limitMs = 600_000): Promise<number> {
    return this.clock.until('complete', () => handle.snapshot().status === 'seeding', limitMs)
  }

  /** Stops everything and checks that nothing is left. */
  async close(): Promise<void> {
    for (const peer of this.peers) await peer.close()
    for (const node of this.nodes) {
      let stopped = false
      void node.session.stop(1000).then(() => {
        stopped = true
      })
      await this.clock.until('session stopped', () => stopped, 10_000)
      await this.clock.advance(2000)
      assert.equal(node.arena.freeCount, node.arena.slotCount, 'a block slot was not given back')
      assert.equal(node.ranges.freeCount, node.ranges.slotCount, 'a range slot was not given back')
      assert.deepEqual(node.complaints, [])
    }
    await this.clock.advance(60_000)
    assert.equal(this.clock.pending, 0, 'a timer was left')
  }

  #ip(): string {
    return `10.0.0.${this.#nextIp++}`
  }
}

/**
 * Fails unless the node's disk holds exactly the torrent's bytes. (A deep comparison of megabytes would print for
 * minutes.)
 */
export function assertHolds(node: SimNode, torrent: MadeTorrent): void {
  const bytes = node.disk.content(torrent.infoHash)?.bytes ?? new Uint8Array(0)
  assert.ok(Buffer.compare(bytes, torrent.content) === 0, 'the bytes on disk are not those of the torrent')
}

function eventsTo(list: string[], shares: () => boolean, keepMetadata?: () => Promise<void>): TorrentEvents {
  return {
    metadata: async (_infoHash: InfoHash, metainfo) => {
      await keepMetadata?.()
      list.push(`metadata ${metainfo.name}`)
    },
    finished: (_infoHash, name) => list.push(`finished ${name}`),
    failed: (_infoHash, error) => list.push(`failed ${error}`),
    statusChanged: (_infoHash, status) => list.push(`status ${status}`),
    sharesFiles: () => shares(),
  }
}

function logTo(list: string[]): Log {
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, fields) => list.push(`${message} ${JSON.stringify(fields ?? {})}`),
    part: () => log,
  }
  return log
}
