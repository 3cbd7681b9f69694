// GET /statistics/*: figures of parts that run, read when they are asked for. Parts that do not exist or do not run yet
// give zeros and empty lists; nothing is estimated (decision 0316).

import type { PeerAddress } from '../../base/ids.ts'
import type { NetworkCounts } from '../../ports/network-counts.ts'
import type { OverlayNetwork, OverlayRow } from '../../ports/overlay-network.ts'
import type {
  CommunityStatistics,
  DispersyStatistics,
  Ipv8Statistics,
  QueueStatistics,
  StatisticsService,
  TriblerStatistics,
} from './statistics-api.ts'
import type { WorkCounts } from './work-counts.ts'

/** Figures of chapters, by their names in the answers; they start nothing and never reject. Absent: 0. */
export interface NodeFigures {
  readonly num_channels?: () => Promise<number>
}

/** What it reads. */
export interface StatisticsDeps {
  /** Bytes of the stores on the disk; 0 = there is none. */
  databaseBytes(): Promise<number>
  /** What chapters know better. */
  readonly figures: NodeFigures
  /** Metadata of magnet links, from peers. */
  metadata(): WorkCounts
  /** Torrent files from web servers. */
  sources(): WorkCounts
  /** Overlays of circuits; null while the node is starting. */
  overlay(): OverlayNetwork | null
}

/** The address shown where none is known. */
const NO_ADDRESS = '0.0.0.0:0'
const NO_DATAGRAMS = { bytesSent: 0, bytesReceived: 0, packetsSent: 0, packetsReceived: 0 }

/** GET /statistics/*: figures of parts that run, read when they are asked for. */
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
    const mainline = (this.#network?.overlays() ?? []).map(overlay => ({
      identifier: overlay.name,
      member: overlay.member,
      classification: 'MainlineDHT',
      candidates: overlay.candidates,
      // The DHT has no clock that its members share.
      global_time: 0,
      packets_sent: overlay.packetsSent,
      packets_received: overlay.packetsReceived,
    }))
    return [...mainline, ...this.#overlays().map(communityOf)]
  }

  dispersy(): DispersyStatistics {
    const network = this.#network
    const overlay = this.#running()
    const counts = [network?.datagrams() ?? NO_DATAGRAMS, ...this.#overlays()]
    return {
      wan_address: overlay?.wanAddress() ?? addressText(network?.wanAddress() ?? null),
      lan_address: overlay?.lanAddress() ?? addressText(network?.lanAddress() ?? null),
      connection: network?.isPublic() === true ? 'public' : 'unknown',
      runtime: Math.max(network?.runtimeSec() ?? 0, overlay?.runtimeS() ?? 0),
      total_downloaded: total(counts.map(({ bytesReceived }) => bytesReceived)),
      total_uploaded: total(counts.map(({ bytesSent }) => bytesSent)),
      packets_sent: total(counts.map(({ packetsSent }) => packetsSent)),
      packets_received: total(counts.map(({ packetsReceived }) => packetsReceived)),
    }
  }

  ipv8(): Ipv8Statistics {
    const overlays = this.#overlays()
    return {
      total_up: total(overlays.map(({ bytesSent }) => bytesSent)),
      total_down: total(overlays.map(({ bytesReceived }) => bytesReceived)),
      session_uptime: this.#running()?.runtimeS() ?? 0,
    }
  }

  async tribler(): Promise<TriblerStatistics> {
    const { databaseBytes, figures, metadata, sources } = this.#deps
    return {
      num_channels: (await figures.num_channels?.()) ?? 0,
      database_size: await databaseBytes(),
      torrent_queue_stats: [queue('DHT', metadata()), queue('HTTP', sources())],
    }
  }

  #running(): OverlayNetwork | null {
    const overlay = this.#deps.overlay()
    return overlay?.running === true ? overlay : null
  }

  #overlays(): readonly OverlayRow[] {
    return this.#running()?.overlays() ?? []
  }
}

function communityOf(overlay: OverlayRow): CommunityStatistics {
  return {
    identifier: overlay.id,
    member: overlay.member,
    classification: overlay.name,
    candidates: overlay.peers,
    global_time: overlay.globalTime,
    packets_sent: overlay.packetsSent,
    packets_received: overlay.packetsReceived,
    packets_dropped: overlay.packetsDropped,
    bytes_sent: overlay.bytesSent,
    bytes_received: overlay.bytesReceived,
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

function queue(type: string, { pending, success, failed }: WorkCounts): QueueStatistics {
  return { failed, total: pending + success + failed, pending, success, type }
}

function addressText(address: PeerAddress | null): string {
  if (address === null) return NO_ADDRESS
  return address.ip.includes(':') ? `[${address.ip}]:${address.port}` : `${address.ip}:${address.port}`
}
