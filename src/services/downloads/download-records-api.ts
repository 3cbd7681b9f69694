// What requests get of a download: its record and those of its trackers, peers, files and web seeds, and why it does
// not move. Field names of *Record types are the specification's, letter by letter (node-control-interface.md part 2).

import type { DownloadDetails } from './details-api.ts'

/** Spec 3.1. */
export type DownloadStatus =
  | 'DLSTATUS_ALLOCATING_DISKSPACE'
  | 'DLSTATUS_WAITING4HASHCHECK'
  | 'DLSTATUS_HASHCHECKING'
  | 'DLSTATUS_DOWNLOADING'
  | 'DLSTATUS_SEEDING'
  | 'DLSTATUS_STOPPED'
  | 'DLSTATUS_STOPPED_ON_ERROR'
  | 'DLSTATUS_METADATA'
  | 'DLSTATUS_CIRCUITS'

/** Spec 2.1, tracker record; the fields from `tier` on are extra, and absent where they are not known. */
export interface TrackerRecord {
  url: string
  status: string
  peers: number
  /** 0 = asked first. */
  tier?: number
  /** Complete and incomplete peers, as it said last. */
  seeds?: number
  leeches?: number
  /** When it is asked next, seconds since 1970. */
  next_announce?: number
  /** What it said, or why nothing came, when the last announce failed. */
  message?: string
}

/** Spec 2.1, peer record, with the extra fields of decisions part 2. */
export interface PeerRecord {
  ip: string
  dtotal: number
  downrate: number
  uinterested: boolean
  wstate: string
  optimistic: boolean
  id: string
  port: number
  client: string
  direction: 'L' | 'R'
  uprate: number
  utotal: number
  uchoked: boolean
  dinterested: boolean
  dchoked: boolean
  snubbed: boolean
  completed: number
  speed: number
  upload_only: boolean
  seed: boolean
  connection_type: number
  rstate: string
  /** What follows an encrypted handshake; '' = there was none. */
  encryption: '' | 'rc4' | 'plaintext'
}

/** Circuits of the hop count of a download. */
export interface CircuitsRecord {
  /** Peers of the overlay that may be a hop, and those of them that carry BitTorrent traffic out. */
  candidates: number
  exits: number
  /** Circuits that carry data, and those on their way. */
  ready: number
  building: number
  /** For people; '' = none failed. */
  last_failure: string
}

/** Spec 2.1, file record. `progress` is in the per-download listing and here too. */
export interface FileRecord {
  index: number
  name: string
  size: number
  included: boolean
  progress: number
  /** Extra: 0 = not fetched, 1 (last) to 7 (first). */
  priority: number
}

/** Spec 2.1, download record, with the extra fields of decisions part 2. */
export interface DownloadRecord {
  name: string
  infohash: string
  /** Extra: 64 digits of a v2 or hybrid torrent (BEP 52), null of others and while it is not known. */
  infohash_v2: string | null
  progress: number
  status: DownloadStatus
  queued: boolean
  size: number
  eta: number
  speed_down: number
  speed_up: number
  num_peers: number
  num_seeds: number
  num_connected_peers: number
  num_connected_seeds: number
  total_up: number
  total_down: number
  total_pieces: number
  ratio: number
  hops: number
  anon_download: boolean
  safe_seeding: boolean
  max_upload_speed: number
  max_download_speed: number
  destination: string
  availability: number
  error: string
  time_added: number
  vod_mode: boolean
  vod_prebuffering_progress: number
  vod_prebuffering_progress_consec: number
  /** Extras of decision 0260, from here to `moving_to`. */
  labels: string[]
  /** Decision 0558: sorts the queue, lowest first. */
  queue_order: number
  /** Its place there, from 0; of single downloads and pages. */
  queue_position?: number
  sequential: boolean
  super_seeding: boolean
  /** Decision 0546. */
  watch_and_forget: boolean
  /** Own limits: -2 = as the settings say, -1 = none. */
  seeding_ratio: number
  /** Minutes. */
  seeding_time: number
  /** Folder its files are on their way to; '' = none. */
  moving_to: string
  /** Extra: when all that was chosen was there for the first time, seconds since 1970; 0 = never. */
  time_finished: number
  /** Extra: when all of it was last hashed in the background (disk.scrub_days), seconds since 1970; 0 = never. */
  time_scrubbed: number
  trackers: TrackerRecord[]
  /**
   * Extra, only of a version of a followed torrent: its key's FollowedUpdate.target, and the newest version ('' =
   * this).
   */
  update_of?: string
  updated_by?: string
  /** Extra, only with hops above 0: why it waits, or what it goes through. */
  circuits?: CircuitsRecord
  /** Extra, while its volume does not answer: where that is mounted. */
  stalled_volume?: string
  /** Extra, where a download has such a limit of its own: bytes/s, whatever is in force. */
  own_max_download_speed?: number
  own_max_upload_speed?: number
  /** Extra (decision 0555), while there is more to say of what it does than `status` says. */
  condition?: DownloadCondition
  files?: FileRecord[]
  peers?: PeerRecord[]
  pieces?: string
}

/** What the sentence of a reason names. */
export interface ReasonParameters {
  /** The host of a tracker, and what it said, or why nothing came: one line of at most 240 bytes. */
  readonly tracker?: string
  readonly words?: string
  /** Its place among those that wait, from 1. */
  readonly place?: number
  /** Where a volume is mounted. */
  readonly mount?: string
  /** What went wrong: of circuits, and of the download. */
  readonly failure?: string
  readonly error?: string
  /** Names of files and what happened to them. */
  readonly files?: string
}

/** What counts most of why a download does not move: the first reason of its Explanation. */
export interface DownloadCondition {
  /** As ExplainReason.code. */
  readonly code: string
  /** It needs somebody, or has stood still for a while: it is in the group `trouble`. */
  readonly trouble: boolean
  readonly parameters?: ReasonParameters
}

/** A record whose files are made when they are taken. */
export type ListedDownload = Omit<DownloadRecord, 'files'> & {
  files?: Iterable<FileRecord>
  details?: DownloadDetails
}

/** A web seed (BEP 19) of a download. */
export interface WebSeedRecord {
  url: string
  /** `off`: not asked any more, or not for a long time. */
  state: 'idle' | 'active' | 'waiting' | 'off'
  /** Bytes/s. */
  speed_down: number
  /** Bytes since the download was started. */
  total_down: number
  /** How the last request failed; empty when it did not. */
  error: string
  /** Seconds until it is asked again; 0 = now, or never. */
  retry_in: number
}

/** One cause why a download does not move (GET /downloads/{infohash}/explain). */
export interface ExplainReason {
  /** Stable; the list is in services/downloads/reasons/explain-codes.ts. */
  code: string
  /** For people. */
  message: string
  /** What the message names; absent: nothing. */
  parameters?: ReasonParameters
}

/** GET /downloads/{infohash}/explain. */
export interface Explanation {
  infohash: string
  status: DownloadStatus
  /** Payload goes in or out now. */
  moving: boolean
  /** Seconds it has seeded, all time. */
  time_seeded: number
  /** The one that counts most first; empty when nothing is in the way. */
  reasons: ExplainReason[]
  web_seeds: WebSeedRecord[]
}
