// What the announcer asks of a tracker, whatever protocol its URL names, and the one error it gets.

import type { AnnounceReply, AnnounceRequest, ScrapeCounts } from '../wire/tracker/tracker-types.ts'

/** The tracker could not be asked, or said no; the text is fit for its row. */
export class TrackerError extends Error {
  /** Seconds to wait before asking again (BEP 31); Infinity = never; null = the usual back-off. */
  readonly retryInSec: number | null
  /** Surely it counted nothing: it said no, or nothing reached it. False: an answer may have been lost. */
  readonly unheard: boolean
  /** It answered, and said no: the text is its own. */
  readonly refused: boolean
  constructor(message: string, retryInSec: number | null = null, unheard = false, refused = false) {
    super(message)
    this.name = 'TrackerError'
    this.retryInSec = retryInSec
    this.unheard = unheard
    this.refused = refused
  }
}

/** A way to reach trackers. Every promise settles: after its time-outs, or soon after `signal` fires (by rejecting). */
export interface TrackerClient {
  /** Rejects with TrackerError. */
  announce(url: string, request: AnnounceRequest, signal: AbortSignal): Promise<AnnounceReply>
  /**
   * Counts of 1 to MAX_SCRAPE_TORRENTS (ports/swarm-scrapes.ts) torrents (20 bytes each), in their order; null for
   * those for which this tracker has none. Rejects with TrackerError.
   */
  scrape(url: string, infoHashes: readonly Uint8Array[], signal: AbortSignal): Promise<readonly (ScrapeCounts | null)[]>
}

/** The path (with query) of a tracker on a private address may only be one of these (decisions part 2, uri schemes). */
export const PRIVATE_TRACKER_PATHS: ReadonlySet<string> = new Set(['/announce', '/scrape'])
