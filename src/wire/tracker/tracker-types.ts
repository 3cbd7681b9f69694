// What is asked of a tracker and what it answers, whatever carries it (HTTP or UDP). Types, bounds and the text of
// trackers.

import type { PeerAddress } from '../../base/ids.ts'
import { plainLine } from '../plain-text.ts'

/** Announce events of BEP 3; null is a regular announce. */
export type AnnounceEvent = 'started' | 'completed' | 'stopped' | null

/** Most peers used of one answer: no torrent connects to more, and a list costs memory. */
export const MAX_PEERS_PER_ANSWER = 2_000

/** Longest text of a tracker (failure, warning) that is kept, bytes. */
export const MAX_TRACKER_TEXT = 200

/** One announce. Counters in bytes of this session. */
export interface AnnounceRequest {
  /** 20 bytes. */
  readonly infoHash: Uint8Array
  /** 20 bytes. */
  readonly peerId: Uint8Array
  readonly port: number
  readonly uploaded: number
  readonly downloaded: number
  readonly left: number
  readonly event: AnnounceEvent
  /** A regular announce says `paused` (BEP 21; HTTP only: BEP 15 has no such event). Absent = false. */
  readonly partialSeed?: boolean
  /** Wanted number of peers. */
  readonly numWant: number
  /** 32 bits that stay the same while the torrent runs: trackers know us by it when our address changes. */
  readonly key: number
  /** The id this tracker gave with an earlier answer (BEP 3 `tracker id`), raw bytes as latin1. */
  readonly trackerId: string | null
}

/** A tracker's answer to an announce. Members it did not send are null. */
export interface AnnounceReply {
  readonly intervalSec: number | null
  readonly minIntervalSec: number | null
  /** Checked: literal addresses one can connect to, ports from 1 on, at most MAX_PEERS_PER_ANSWER, no doubles. */
  readonly peers: readonly PeerAddress[]
  readonly seeders: number | null
  readonly leechers: number | null
  readonly warning: string | null
  readonly trackerId: string | null
  /** Our address as the tracker sees it (BEP 24). */
  readonly externalIp: string | null
}

/** A tracker that answers, and says no. */
export interface TrackerRefusal {
  readonly reason: string
  /** Seconds to wait before asking again (BEP 31); Infinity = never; null = not told. */
  readonly retryInSec: number | null
}

/** Swarm counts of a scrape (BEP 48, BEP 15). */
export interface ScrapeCounts {
  readonly seeders: number
  readonly leechers: number
  readonly completed: number
}

/**
 * A tracker's text made fit to be shown: one line without control or invisible characters, at most MAX_TRACKER_TEXT
 * bytes.
 */
export function trackerText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_TRACKER_TEXT * 2))
  return plainLine(text.replace(/\p{Cf}/gu, ' '), MAX_TRACKER_TEXT) ?? ''
}
