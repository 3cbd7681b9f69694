// The engine over circuits with memory for everything else, on virtual time: what a whole node has of it.

import { AddressPolicy } from '../../../../src/io/net/address-policy.ts'
import {
  type AnonymousEngine,
  type AnonymousEngineOptions,
  startAnonymousEngine,
} from '../../../../src/chapters/circuits/anonymous/anonymous-engine.ts'
import { SharedArena } from '../../../../src/pools/arena.ts'
import type { CircuitLane } from '../../../../src/chapters/circuits/ports/circuits.ts'
import type { TorrentHandle, TorrentSpec } from '../../../../src/torrent/types.ts'
import { decodeMetainfo } from '../../../../src/wire/metainfo/metainfo.ts'
import { type MadeTorrent, specOf } from '../../../kit/content/make-torrent.ts'
import { MemoryJournal, MemoryMetadata } from '../../../kit/doubles/memory-journal.ts'
import { MemoryPieceStores } from '../../../kit/doubles/memory-piece-store.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import type { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

/** Options that a test does not choose. */
export const ANONYMOUS_DEFAULTS: AnonymousEngineOptions = {
  limits: {
    maxDownloadRate: 0,
    maxUploadRate: 0,
    maxConnections: 100,
    maxConnectionsPerTorrent: 50,
    uploadSlots: 4,
  },
  spread: { allTiers: false, allTrackers: false },
  version: '0.1.0',
  checkDepth: 2,
  dht: false,
  dhtBootstrap: [],
  pex: true,
}

/** One engine. */
export interface AnonymousNode {
  readonly engine: AnonymousEngine
  readonly disk: MemoryPieceStores
  readonly ranges: SharedArena
  readonly arena: SharedArena
  add(torrent: MadeTorrent, spec?: Partial<TorrentSpec>): TorrentHandle
  /** Adds it with all its bytes on the disk. */
  seed(torrent: MadeTorrent, spec?: Partial<TorrentSpec>): TorrentHandle
}

/** A started engine over `lane`. */
export async function anonymousNode(
  clock: VirtualClock,
  lane: CircuitLane,
  options: Partial<AnonymousEngineOptions> = {},
  seed = 1,
): Promise<AnonymousNode> {
  const disk = new MemoryPieceStores(clock)
  const arena = new SharedArena({ id: 'block', bytes: 8 * 1024 * 1024 })
  const ranges = new SharedArena({ id: 'range', slotBytes: 64 * 1024, bytes: 2 * 1024 * 1024 })
  const engine = await startAnonymousEngine(
    { ...ANONYMOUS_DEFAULTS, ...options },
    {
      clock,
      random: new SeededRandom(seed),
      log: silentLog,
      policy: new AddressPolicy([]),
      lane,
      stores: disk,
      journal: new MemoryJournal(),
      metadata: new MemoryMetadata(),
      blockArena: arena,
      rangeArena: ranges,
      events: {
        metadata: async () => undefined,
        finished: () => undefined,
        failed: () => undefined,
        statusChanged: () => undefined,
      },
    },
  )
  const add = (torrent: MadeTorrent, spec: Partial<TorrentSpec> = {}): TorrentHandle =>
    engine.session.add({ ...specOf(torrent), ...spec })
  return {
    engine,
    disk,
    arena,
    ranges,
    add,
    seed: (torrent, spec) => {
      disk.put(torrent.infoHash, torrent.content, decodeMetainfo(torrent.torrent).pieceCount)
      return add(torrent, spec)
    },
  }
}
