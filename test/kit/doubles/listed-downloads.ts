// A list of downloads made of records that a test changes as it likes, and a count of how often they were looked at.

import type { InfoHash } from '../../../src/base/ids.ts'
import type { DownloadRecord } from '../../../src/services/downloads/download-records-api.ts'
import type { SummedDownload } from '../../../src/services/downloads/list/list-index.ts'
import type { ListedSet } from '../../../src/services/downloads/list/list-pages.ts'

/** The info hash of a number. */
export function hashOf(number: number): InfoHash {
  return number.toString(16).padStart(8, '0').repeat(5) as InfoHash
}

const plain: DownloadRecord = {
  name: '',
  infohash: '',
  infohash_v2: null,
  progress: 1,
  status: 'DLSTATUS_SEEDING',
  queued: false,
  queue_order: 1,
  size: 1000,
  eta: 0,
  speed_down: 0,
  speed_up: 0,
  num_peers: 0,
  num_seeds: 0,
  num_connected_peers: 0,
  num_connected_seeds: 0,
  total_up: 0,
  total_down: 0,
  total_pieces: 1,
  ratio: 0,
  hops: 0,
  anon_download: false,
  safe_seeding: false,
  max_upload_speed: 0,
  max_download_speed: 0,
  destination: '/srv',
  availability: 0,
  error: '',
  time_added: 0,
  vod_mode: false,
  vod_prebuffering_progress: 0,
  vod_prebuffering_progress_consec: 0,
  labels: [],
  sequential: false,
  super_seeding: false,
  watch_and_forget: false,
  seeding_ratio: -2,
  seeding_time: -2,
  moving_to: '',
  time_finished: 0,
  time_scrubbed: 0,
  trackers: [],
}

/** One of them. */
export class ListedDouble implements SummedDownload {
  stored: { readonly infoHash: InfoHash; readonly announceTiers: readonly (readonly string[])[] }
  readonly number: number
  /** Null: it is awake. */
  mark: number | null = 0
  record: DownloadRecord
  summed = 0

  constructor(number: number, fields: Partial<DownloadRecord>) {
    this.number = number
    this.stored = { infoHash: hashOf(number), announceTiers: [] }
    this.record = { ...plain, name: `Film ${number}`, infohash: hashOf(number), ...fields }
  }

  summary(): DownloadRecord {
    this.summed += 1
    return this.record
  }

  condition() {
    return this.record.condition ?? null
  }

  /** Gives it these trackers, in a tier. */
  announceTo(...urls: readonly string[]): void {
    this.stored = { ...this.stored, announceTiers: [urls] }
    if (this.mark !== null) this.mark += 1
  }

  /** Changes it, as its engine would. */
  change(fields: Partial<DownloadRecord>): void {
    this.record = { ...this.record, ...fields }
    if (this.mark !== null) this.mark += 1
  }
}

/** All of them. */
export class ListedDoubles implements ListedSet {
  readonly entries = new Map<InfoHash, ListedDouble>()
  #count = 0

  /** Adds one at the end of the list. */
  add(fields: Partial<DownloadRecord> = {}): ListedDouble {
    this.#count += 1
    const made = new ListedDouble(this.#count, fields)
    this.entries.set(made.stored.infoHash, made)
    return made
  }

  remove(infoHash: InfoHash): void {
    this.entries.delete(infoHash)
  }

  lookUp(name: string): ListedDouble | null {
    return this.entries.get(name.toLowerCase() as InfoHash) ?? null
  }

  /** How often any was looked at since the last call. */
  takeSummed(): number {
    let sum = 0
    for (const one of this.entries.values()) {
      sum += one.summed
      one.summed = 0
    }
    return sum
  }
}
