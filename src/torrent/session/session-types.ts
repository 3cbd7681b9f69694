// What a Session is made from: options, ports, limits. Types and defaults only.

import type { Announcers } from '../../ports/announcer.ts'
import type { Arena } from '../../ports/arena.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HttpRanges } from '../../ports/http-ranges.ts'
import type { Log } from '../../ports/log.ts'
import type { MetadataChunks } from '../../ports/metadata-chunks.ts'
import type { PieceStores } from '../../ports/piece-store.ts'
import type { ProgressJournal } from '../../ports/progress-journal.ts'
import type { Random } from '../../ports/random.ts'
import type { TcpNetwork } from '../../ports/tcp.ts'
import type { TorrentContentsSource } from '../../ports/torrent-contents.ts'
import type { SwarmParts } from '../swarm-parts.ts'
import type { EncryptionSettings } from '../peers/connection-policy.ts'
import type { EngineShare } from './engine-share.ts'
import type { QueueLimits } from './torrent-queue.ts'
import type { TorrentEvents } from '../types.ts'

/** Limits that can change while the session runs. Rates in bytes/s of payload, 0 = none. */
export interface SessionLimits {
  readonly maxDownloadRate: number
  readonly maxUploadRate: number
  /** Connected peers of all torrents together. */
  readonly maxConnections: number
  /** Incoming connections beside them that have not come to a handshake; default 100. */
  readonly maxPending?: number
  readonly maxConnectionsPerTorrent: number
  /** Of one torrent with one address that is not local (decision 0368); 0 = no limit, the default. */
  readonly maxConnectionsPerIp?: number
  /** Peers a torrent uploads to at a time, the optimistic one included; below 0 = no limit. */
  readonly uploadSlots: number
  /** Seconds that windows of readers reach ahead in films whose rate is known; default 30. */
  readonly streamAheadSec?: number
  /** What a torrent that forgets keeps on the disk beside what its readers are at, bytes; default: 2 GiB. */
  readonly readCacheBytes?: number
  /** How many torrents run and check at a time; default NO_QUEUE. */
  readonly queue?: QueueLimits
  /** Which connections are encrypted; default NO_ENCRYPTION. */
  readonly encryption?: EncryptionSettings
}

/** How a session runs. */
export interface SessionOptions extends SessionLimits {
  readonly listenIp: string
  /** 0 = any free port. */
  readonly listenPort: number
  /** Address outgoing connections come from; null = the system chooses. */
  readonly localIp: string | null
  /** Software version, e.g. `0.1.0`: told to peers. */
  readonly version: string
  /** Outgoing connections not yet through their handshake, all torrents together; default 50. */
  readonly maxHalfOpen?: number
  /** Runs of pieces of one torrent in hashing at a time during a check; default 4. */
  readonly checkDepth?: number
}

/** What a session works with. */
export interface SessionDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tcp: TcpNetwork
  readonly stores: PieceStores
  readonly journal: ProgressJournal
  readonly metadata: MetadataChunks
  readonly announcers: Announcers
  /** Slots of 16 KiB for received blocks: its size bounds what all downloads together hold in memory. */
  readonly blockArena: Arena
  /**
   * Slots that FileReader.read is given, and that runs of blocks are read into for upload (at most half of them):
   * larger slots mean fewer, longer reads. Default: blockArena, of which uploads then take a quarter.
   */
  readonly rangeArena?: Arena
  readonly events: TorrentEvents
  /** What suspended torrents are woken from; without it none is suspended. */
  readonly contents?: TorrentContentsSource
  /** How web seeds are asked (BEP 19); without it none is. */
  readonly webSeeds?: HttpRanges
  /** What another session lends (Session.share); without it this one has its own. */
  readonly share?: EngineShare
  /** Hundreds of torrents are awake that will be suspended soon (true), and have been suspended (false). */
  crowdChanged?(crowded: boolean): void
  /** What swarms use besides; without it they do with less. */
  readonly swarm?: SwarmParts
}
