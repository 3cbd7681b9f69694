// Statistics as the interface shows them (spec 2.13 and 4.10). Field names are the specification's, letter by letter.

/** An entry of GET /statistics/communities. */
export interface CommunityStatistics {
  identifier: string
  member: string
  classification: string
  candidates: number
  global_time: number
  packets_sent: number
  packets_received: number
  /**
   * Extra, from here on of the overlays of circuits only: packets that came and were of no use, malformed or forged.
   */
  packets_dropped?: number
  /** Bytes. */
  bytes_sent?: number
  bytes_received?: number
}

/** GET /statistics/dispersy. */
export interface DispersyStatistics {
  /** `ip:port`; `0.0.0.0:0` = not known. */
  wan_address: string
  lan_address: string
  /** `symmetric-NAT` is a value of the interface that this node does not find out. */
  connection: 'unknown' | 'public'
  /** Seconds. */
  runtime: number
  total_downloaded: number
  total_uploaded: number
  packets_sent: number
  packets_received: number
}

/** GET /statistics/ipv8 (extra): bytes of the overlays of circuits, and seconds they have run. */
export interface Ipv8Statistics {
  total_up: number
  total_down: number
  session_uptime: number
}

/** A queue of GET /statistics/tribler; `total` is the sum of the three others. */
export interface QueueStatistics {
  failed: number
  total: number
  pending: number
  success: number
  type: string
}

/** GET /statistics/tribler. */
export interface TriblerStatistics {
  num_channels: number
  /** Bytes. */
  database_size: number
  torrent_queue_stats: QueueStatistics[]
}

/** GET /statistics/*; each answers from the first moment on, with zeros and empty lists for what does not run. */
export interface StatisticsService {
  communities(): CommunityStatistics[]
  dispersy(): DispersyStatistics
  ipv8(): Ipv8Statistics
  tribler(): Promise<TriblerStatistics>
}
