// GET /statistics/*: figures of parts that run, read when they are asked for. Parts that do not exist or do not run yet give
// zeros and empty lists; nothing is estimated (decision 0316).

import type { PeerAddress } from '../base/ids.ts'
import type { NetworkCounts } from '../ports/network-counts.ts'
import type {
  CommunityStatistics,
  DispersyStatistics,
  QueueStatistics,
  StatisticsService,
  TriblerStatistics,
} from './statistics-api.ts'
import type { WorkCounts } from './work-counts.ts'

/** What it reads. */
export interface StatisticsDeps {
  /** Bytes of the store on the disk; 0 = there is none. */
  databaseBytes(): Promise<number>
  /** Metadata of magnet links, from peers. */
  metadata(): WorkCounts
  /** Torrent files from web servers. */
  sources(): WorkCounts
}

/** An address that nobody has told. */
const NO_ADDRESS = '0.0.0.0:0'

/** See the top of the file. */
export class NodeStatistics implements StatisticsService {
  readonly #deps: StatisticsDeps
  #network: NetworkCounts | null = null

  constructor(deps: StatisticsDeps) {
    this.#deps = deps
  }

  /** The engine runs: these are its counters. */
  setNetwork(network: NetworkCounts): void {
    this.#network = network
  }

  communities(): CommunityStatistics[] {
    return (this.#network?.overlays() ?? []).map(overlay => ({
      identifier: overlay.name,
      member: overlay.member,
      classification: 'MainlineDHT',
      candidates: overlay.candidates,
      // The DHT has no clock that its members share.
      global_time: 0,
      packets_sent: overlay.packetsSent,
      packets_received: overlay.packetsReceived,
    }))
  }

  dispersy(): DispersyStatistics {
    const network = this.#network
    const counts = network?.datagrams()
    return {
      wan_address: addressText(network?.wanAddress() ?? null),
      lan_address: addressText(network?.lanAddress() ?? null),
      connection: network?.isPublic() === true ? 'public' : 'unknown',
      runtime: network?.runtimeSec() ?? 0,
      total_downloaded: counts?.bytesReceived ?? 0,
      total_uploaded: counts?.bytesSent ?? 0,
      packets_sent: counts?.packetsSent ?? 0,
      packets_received: counts?.packetsReceived ?? 0,
    }
  }

  async tribler(): Promise<TriblerStatistics> {
    const { databaseBytes, metadata, sources } = this.#deps
    return {
      num_channels: 0,
      database_size: await databaseBytes(),
      torrent_queue_stats: [queue('DHT', metadata()), queue('HTTP', sources())],
    }
  }
}

function queue(type: string, { pending, success, failed }: WorkCounts): QueueStatistics {
  return { failed, total: pending + success + failed, pending, success, type }
}

function addressText(address: PeerAddress | null): string {
  if (address === null) return NO_ADDRESS
  return address.ip.includes(':') ? `[${address.ip}]:${address.port}` : `${address.ip}:${address.port}`
}
