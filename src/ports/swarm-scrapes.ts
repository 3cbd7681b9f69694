// Sizes of swarms, as services ask for them: from a tracker (BEP 48, BEP 15) or the DHT (BEP 33). It announces nothing.

import type { InfoHash } from '../base/ids.ts'

/** Most torrents of one question to a tracker. BEP 15 allows 74; a URL with 32 of them stays under 4,000 characters. */
export const MAX_SCRAPE_TORRENTS = 32

/** How many have all of a torrent, and how many a part. The answer may be wrong or a lie. */
export interface SwarmCounts {
  readonly seeders: number
  readonly leechers: number
}

/** Asks trackers and the DHT, by the ways that the settings give to trackers and to the DHT. */
export interface SwarmScrapes {
  /**
   * Asks the tracker that announces at `url` for 1 to MAX_SCRAPE_TORRENTS torrents; what it told, by info hash. Private
   * addresses are refused. Rejects with an Error whose text can be shown, within some 20 s or soon after the signal.
   */
  tracker(
    url: string,
    infoHashes: readonly InfoHash[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<InfoHash, SwarmCounts>>
  /** There is a DHT; it may have reached no node yet. */
  hasDht(): boolean
  /**
   * Estimated by what nodes near the torrent have stored; null: there is no DHT, or it reaches no node. Takes some
   * seconds.
   */
  dht(infoHash: InfoHash): Promise<SwarmCounts | null>
}
