// Runs batches of jobs on the open database: one transaction a batch. When a job of a batch fails, the batch is undone
// and run again one job at a time, so that only the job at fault fails. Synchronous; lives in the database thread.

import type Database from 'better-sqlite3'
import { AppError, errorText } from '../base/errors.ts'
import { EventRows } from './event-rows.ts'
import { type Handlers, makeHandlers } from './job-handlers.ts'
import { type DatabaseOptions, durableJobs, type JobName, type OpenFacts } from './jobs.ts'
import { databaseError } from './database-trouble.ts'
import { type OpenedDatabase, openDatabase } from './open-database.ts'
import { ProgressRows } from './progress-rows.ts'
import type { JobAnswer, JobFailure, JobMessage } from './thread-messages.ts'
import { openUpgraded, type UpgradeReport } from './upgrade-database.ts'

/** The database with its statements. */
export class RecordsDatabase {
  readonly facts: OpenFacts
  readonly #database: Database.Database
  readonly #handlers: Handlers

  /** Opens the file, whose schema is up to date. AppErrors StateUnreadable, DiskFull. */
  constructor(options: DatabaseOptions, opened: OpenedDatabase = openDatabase(options)) {
    const { database, facts, epoch } = opened
    this.#database = database
    this.facts = facts
    try {
      const events = new EventRows(database)
      this.#handlers = makeHandlers(database, new ProgressRows(database, epoch, !facts.cleanStop), events, facts)
      events.trim(options.nowMs)
    } catch (error) {
      database.close()
      throw databaseError(`The database ${options.path} cannot be read`, error)
    }
  }

  /** Brings the file up to date when its schema is older, and opens it. AppErrors as of the constructor. */
  static async open(options: DatabaseOptions, report: UpgradeReport): Promise<RecordsDatabase> {
    return new RecordsDatabase(options, await openUpgraded(options, report))
  }

  /** Runs the jobs in order; their answers in the same order, each committed. Never throws. */
  run(jobs: readonly JobMessage[]): JobAnswer[] {
    const durable = jobs.some(job => durableJobs.has(job.name as JobName))
    try {
      // Cannot be changed inside a transaction. FULL syncs the write-ahead log at the commit, NORMAL does not.
      this.#database.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
      return this.#transact(jobs)
    } catch (error) {
      return jobs.length === 1 ? [failure(error)] : jobs.map(job => this.#runAlone(job))
    }
  }

  /** Notes the clean stop and closes. Errors are of no use then: the stop just counts as unclean. */
  close(): void {
    try {
      this.#database.pragma('synchronous = FULL')
      this.#database.prepare("INSERT OR REPLACE INTO node (key, value) VALUES ('clean_stop', ?)").run(Buffer.from('1'))
      this.#database.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      this.#database.close()
    }
  }

  /** Closes without noting anything, as if the process had been killed. */
  abandon(): void {
    this.#database.close()
  }

  #transact(jobs: readonly JobMessage[]): JobAnswer[] {
    return this.#database.transaction(() => jobs.map(job => this.#runJob(job)))()
  }

  #runAlone(job: JobMessage): JobAnswer {
    try {
      return this.#transact([job])[0] ?? failure(new Error('no answer'))
    } catch (error) {
      return failure(error)
    }
  }

  #runJob(job: JobMessage): JobAnswer {
    const handler = this.#handlers[job.name as JobName] as (...args: unknown[]) => unknown
    return { ok: true, reply: handler(...job.args) ?? null }
  }
}

/** What a thrown error is on the wire. */
export function failure(error: unknown): JobFailure {
  const known = databaseError('The database reported an error', error)
  if (known instanceof AppError) {
    const code = known.code
    if (code === 'DiskFull' || code === 'DiskError' || code === 'StateUnreadable') {
      return { ok: false, code, text: known.message }
    }
  }
  return { ok: false, code: 'Bug', text: error instanceof Error ? (error.stack ?? error.message) : errorText(error) }
}
