// The health of a torrent of a channel, asked for by a client (extra).

/** What one source told of one torrent. */
export interface HealthRow {
  infohash: string
  seeders: number
  leechers: number
}

/** By source: the URL of a tracker, `DHT`, or `db` for what was learned before. */
export type HealthRows = Record<string, HealthRow[] | { error: string }>

/** GET /torrents/{infohash}/health. */
export interface TorrentHealthService {
  /**
   * Asks trackers and the DHT, for at most `timeoutMs`; without `refresh` not when it was asked within the last hours.
   * Nothing is asked while torrent_checking.enabled is off, and never for a download over circuits. AppErrors
   * TorrentNotFound (in no channel here), TooManyRequests, and those of the catalogue.
   */
  health(infohash: string, refresh: boolean, timeoutMs: number): Promise<HealthRows>
}
