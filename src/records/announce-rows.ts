// Rows of when trackers may be asked again. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'

/** One row; see KeptAnnounce. `peers` is JSON, '' = none. */
export interface AnnounceRow {
  readonly infoHash: InfoHash
  readonly tracker: string
  readonly mayAskAtMs: number
  readonly mayStartAtMs: number
  readonly minMs: number
  readonly peers: string
  /** 0 or 1. */
  readonly owesCompleted: number
}

/** A tracker that was away for so long hears of no completion any more. */
const OWED_MS = 30 * 86_400_000

/** Statements over the table. */
export class AnnounceRows {
  readonly #unsaid: Database.Statement<[]>
  readonly #over: Database.Statement<[number, number]>
  readonly #list: Database.Statement<[string, string, number]>
  readonly #keep: Database.Statement<[AnnounceRow]>
  readonly #cleanStop: boolean

  /** `cleanStop`: the run before told trackers `stopped`. */
  constructor(database: Database.Database, cleanStop: boolean) {
    this.#cleanStop = cleanStop
    this.#unsaid = database.prepare('UPDATE announces SET may_start_at = may_ask_at')
    this.#over = database.prepare(
      'DELETE FROM announces WHERE may_start_at <= ? AND (owes_completed = 0 OR may_start_at <= ?)',
    )
    this.#list = database.prepare(
      `SELECT info_hash AS infoHash, tracker, may_ask_at AS mayAskAtMs, may_start_at AS mayStartAtMs, min_ms AS minMs, peers,
        owes_completed AS owesCompleted FROM announces WHERE (info_hash, tracker) > (?, ?) ORDER BY info_hash, tracker LIMIT ?`,
    )
    this.#keep = database.prepare(
      `INSERT OR REPLACE INTO announces (info_hash, tracker, may_ask_at, may_start_at, min_ms, peers, owes_completed)
      VALUES (@infoHash, @tracker, @mayAskAtMs, @mayStartAtMs, @minMs, @peers, @owesCompleted)`,
    )
  }

  /**
   * A start begins: what was over before `atMs` goes. Where no `stopped` was sent, `mayStartAtMs` becomes `mayAskAtMs`,
   * and stays so over a further start in which nothing was sent either.
   */
  trim(atMs: number): void {
    if (!this.#cleanStop) this.#unsaid.run()
    this.#over.run(atMs, atMs - OWED_MS)
  }

  /** Those behind `after`, in order. */
  list(after: readonly [infoHash: string, tracker: string], limit: number): AnnounceRow[] {
    return this.#list.all(...after, limit) as AnnounceRow[]
  }

  keep(rows: readonly AnnounceRow[]): void {
    for (const row of rows) this.#keep.run(row)
  }
}
