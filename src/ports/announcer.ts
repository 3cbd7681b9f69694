// Trackers of one torrent, as the engine sees them: it starts and stops them and is given peers.

import type { InfoHash, PeerAddress } from '../base/ids.ts'

/** Counters an announce reports (BEP 3); bytes of this session. */
export interface AnnounceCounters {
  readonly uploaded: number
  readonly downloaded: number
  readonly left: number
}

/** A tracker row of the interface (spec 2.1) plus what the row knows about the swarm. */
export interface TrackerRow {
  readonly url: string
  /** "Not contacted yet", "Working", "Updating", "Error: ..." (decisions part 2). */
  readonly status: string
  /** Peers in the last answer. */
  readonly peers: number
  /** Complete / incomplete counts of the last announce or scrape; null when unknown. */
  readonly seeders: number | null
  readonly leechers: number | null
}

/** What an announcer is made from. */
export interface AnnouncerParams {
  readonly infoHash: InfoHash
  readonly peerId: Uint8Array
  readonly tiers: readonly (readonly string[])[]
  /** Wanted number of peers now; 0 stops asking for them. */
  wantedPeers(): number
  counters(): AnnounceCounters
  onPeers(peers: readonly PeerAddress[]): void
}

/** The announcing of one torrent. */
export interface Announcer {
  /** Announces `started` and keeps announcing. */
  start(): void
  /** Announces `completed` to trackers that know us. */
  completed(): void
  /** Announces soon (the engine is short of peers), as often as min interval allows. */
  announceSoon(): void
  /** Adds trackers that are not there yet, each as a tier of its own kind (BEP 12); answers those that were new. */
  addTiers(tiers: readonly (readonly string[])[]): string[]
  /** The present tiers, with the order of BEP 12. */
  tiers(): string[][]
  rows(): TrackerRow[]
  /** Grows with every change of what rows() shows. */
  readonly revision: number
  /** Announces `stopped` where `started` was heard; settles when all answered or `deadlineMs` passed. */
  stop(deadlineMs: number): Promise<void>
}

/** Makes announcers. */
export interface Announcers {
  create(params: AnnouncerParams): Announcer
  /** The port told to trackers; set once the session listens. */
  setListenPort(port: number): void
}
