// Trackers of one torrent, and whatever else is asked for peers, as the engine sees them: it starts and stops them and
// is given peers.

import type { InfoHash, PeerAddress } from '../base/ids.ts'
import type { TorrentDhtNode } from '../wire/metainfo/torrent-types.ts'

/** Counters an announce reports (BEP 3); bytes of this session: each tracker gets what came after its `started`. */
export interface AnnounceCounters {
  readonly uploaded: number
  readonly downloaded: number
  /** Of the whole torrent once the selection is complete. */
  readonly left: number
  /** It has all it wants and not everything (BEP 21). Absent = false. */
  readonly partialSeed?: boolean
}

/** A tracker row of the interface (spec 2.1) plus what the row knows about the swarm; `[DHT]` is one too. */
export interface TrackerRow {
  readonly url: string
  /** "Not contacted yet", "Working", "Updating", "Error: ..." (decisions part 2). */
  readonly status: string
  /** Peers in the last answer. */
  readonly peers: number
  /** Complete / incomplete counts of the last announce or scrape; null when unknown. */
  readonly seeders: number | null
  readonly leechers: number | null
  /** Its place among the tiers (BEP 12), 0 = asked first. Absent: not a tracker. */
  readonly tier?: number
  /** When it is due, or may be asked again after a failure, seconds since 1970; 0 or absent = not known. */
  readonly nextSec?: number
  /** How the last announce failed, also while the next is on its way: it said no, or nothing usable came. */
  readonly failure?: 'refused' | 'unanswered'
  /** What it said then, or why nothing came: one line, bounded. With `failure` alone. */
  readonly words?: string
}

/** Who named a peer: of a private torrent only its trackers count (BEP 27). */
export type PeerOrigin = 'tracker' | 'dht' | 'lsd' | 'pex'

/** What an announcer is made from. */
export interface AnnouncerParams {
  readonly infoHash: InfoHash
  readonly peerId: Uint8Array
  readonly tiers: readonly (readonly string[])[]
  /** Nodes of the DHT that its file names (BEP 5). Absent: none. */
  readonly dhtNodes?: readonly TorrentDhtNode[]
  /** `completed` was announced in an earlier run, or must not be: it is announced once ever. Absent = false. */
  readonly completedBefore?: boolean
  /** Wanted number of peers now; 0 stops asking for them. */
  wantedPeers(): number
  counters(): AnnounceCounters
  /** Its metadata says that peers come from its trackers alone (BEP 27); may become true once a magnet is known. */
  isPrivate(): boolean
  onPeers(peers: readonly PeerAddress[], origin: PeerOrigin): void
}

/** Announcing under one info hash. */
export interface HashAnnouncer {
  /** Announces `started` and keeps announcing. */
  start(): void
  /** Announces `completed` to trackers that know us. */
  completed(): void
  /**
   * Announces soon (the engine is short of peers), at most once a minute, or as seldom as a longer min interval of the
   * tracker says; `urgent`: a user waits, and only the tracker's own min interval counts.
   */
  announceSoon(urgent?: boolean): void
  /** Adds trackers that are not there yet, each as a tier of its own kind (BEP 12); answers those that were new. */
  addTiers(tiers: readonly (readonly string[])[]): string[]
  /** Takes trackers away and tells them `stopped` if they heard `started`; answers those that were there. */
  remove(urls: readonly string[]): string[]
  /**
   * These are its trackers from now on, in this order: those that are no more there are taken away, new ones added
   * (BEP 12); over-long URLs, and those beyond 256, are left out.
   */
  setTiers(tiers: readonly (readonly string[])[]): void
  /**
   * Announces now to these (null: all) without waiting for their interval; how many are asked. Not before their min
   * interval has passed, and a tracker that was asked so in the last ten seconds is not.
   */
  announceNow(urls: readonly string[] | null): number
  /** The present tiers, with the order of BEP 12. */
  tiers(): string[][]
  rows(): TrackerRow[]
  /** Grows with every change of what rows() shows. */
  readonly revision: number
  /** Announces `stopped` where `started` was heard; settles when all answered or `deadlineMs` passed. */
  stop(deadlineMs: number): Promise<void>
}

/** The announcing of one torrent. */
export interface Announcer extends HashAnnouncer {
  /**
   * The torrent has a swarm under another info hash too (BEP 52): whatever is announced is announced there as well,
   * from now on. `rows()` stay one a tracker.
   */
  alsoAs(infoHash: InfoHash): void
  /** A magnet's metadata came: isPrivate() has its answer, and what a private torrent may not have ends at once. */
  metadataKnown(): void
}

/** Makes announcers. */
export interface Announcers<A extends HashAnnouncer = Announcer> {
  create(params: AnnouncerParams): A
  /** The port told to trackers; set once the session listens. */
  setListenPort(port: number): void
}
