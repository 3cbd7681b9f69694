// Runs batches of jobs on the open database: one transaction a batch. When a job of a batch fails, the batch is undone
// and run again one job at a time, so that only the job at fault fails. Synchronous; lives in the database thread.

import type Database from 'better-sqlite3'
import { AppError, errorText } from '../base/errors.ts'
import { runSteps } from '../wire/steps.ts'
import { AnnounceRows } from './announce-rows.ts'
import { DiscoveredMetadataRows } from './discovered-metadata-rows.ts'
import { DownloadRows } from './download-rows.ts'
import { EventRows } from './event-rows.ts'
import { FeedRows } from './feed-rows.ts'
import { type DatabaseOptions, durableJobs, type JobName, type OpenFacts, type RecordJobs } from './jobs.ts'
import { NodeRows } from './node-rows.ts'
import { databaseError } from './database-trouble.ts'
import { type OpenedDatabase, openDatabase } from './open-database.ts'
import { OwnFileRows } from './own-file-rows.ts'
import { packResume, unpackFacts } from './packed-progress.ts'
import { ProgressRows } from './progress-rows.ts'
import { SeenFileRows } from './seen-file-rows.ts'
import { SettingsHistoryRows } from './settings-history-rows.ts'
import type { JobAnswer, JobFailure, JobMessage } from './thread-messages.ts'
import { UpdateRows } from './update-rows.ts'
import { openUpgraded, type UpgradeReport } from './upgrade-database.ts'

type Handlers = { readonly [N in JobName]: (...args: RecordJobs[N]['args']) => RecordJobs[N]['reply'] }

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

function makeHandlers(
  database: Database.Database,
  progress: ProgressRows,
  events: EventRows,
  facts: OpenFacts,
): Handlers {
  const announces = new AnnounceRows(database, facts.cleanStop)
  const ownFiles = new OwnFileRows(database)
  const downloads = new DownloadRows(database, progress, ownFiles)
  const node = new NodeRows(database)
  const updates = new UpdateRows(database)
  const feeds = new FeedRows(database)
  const seen = new SeenFileRows(database)
  const settings = new SettingsHistoryRows(database)
  const metadata = new DiscoveredMetadataRows(database)
  return {
    'download.insert': download => downloads.insert(download),
    'download.update': (infoHash, change) => downloads.update(infoHash, change),
    'download.delete': infoHash => downloads.delete(infoHash),
    'download.list': (after, limit) => downloads.list(after, limit),
    'download.load': (after, limit, maxBytes) =>
      downloads.load(after, limit, maxBytes).map(each => ({ ...each, resume: packResume(each.resume) })),
    'download.metainfo': infoHash => downloads.metainfo(infoHash),
    'download.totals': totals => downloads.setTotals(totals),
    'download.seeded': seeded => downloads.setSeeded(seeded),
    'progress.verified': (infoHash, piece, atMs) => progress.verified(infoHash, piece, atMs),
    'progress.checkpoint': (infoHash, have, files, atMs) =>
      progress.checkpoint(infoHash, have, runSteps(unpackFacts(files)), atMs),
    'progress.doubt': (infoHash, files) => progress.doubt(infoHash, files),
    'progress.reset': infoHash => progress.reset(infoHash),
    'files.own': infoHash => ownFiles.list(infoHash),
    'files.noteOwn': (infoHash, runs) => ownFiles.note(infoHash, runs),
    'progress.resume': infoHash => packResume(progress.resumeOf(infoHash)),
    'event.append': (atMs, types, payloads) => events.appendAll(atMs, types, payloads),
    'event.read': (since, limit) => events.read(since, limit),
    'event.bounds': () => events.bounds(),
    'node.get': key => node.get(key),
    'node.set': (key, value) => node.set(key, value),
    'node.getOrSet': (key, value) => node.getOrSet(key, value),
    'update.followed': () => updates.followed(),
    'update.keepFollowed': row => updates.keepFollowed(row),
    'update.dropFollowed': target => updates.dropFollowed(target),
    'update.published': () => updates.published(),
    'update.keepPublished': row => updates.keepPublished(row),
    'update.dropPublished': name => updates.dropPublished(name),
    'settings.note': (changes, atMs) => settings.note(changes, atMs),
    'settings.list': (before, limit) => settings.list(before, limit),
    'settings.latest': () => settings.latest(),
    'metadata.get': infoHash => metadata.get(infoHash),
    'metadata.keep': (infoHash, infoBytes, atMs) => metadata.keep(infoHash, infoBytes, atMs),
    'feed.list': () => feeds.list(),
    'feed.add': (channel, url, addedAtMs) => feeds.add(channel, url, addedAtMs),
    'feed.drop': (channel, url) => feeds.drop(channel, url),
    'feed.unseen': (channel, url, items) => feeds.unseen(channel, url, items),
    'feed.checked': (channel, url, check, items) => feeds.checked(channel, url, check, items),
    'announce.trim': atMs => announces.trim(atMs),
    'announce.list': (after, limit) => announces.list(after, limit),
    'announce.keep': rows => announces.keep(rows),
    'announce.settle': row => announces.keep([row]),
    'seen.list': (after, limit) => seen.list(after, limit),
    'seen.keep': files => seen.keep(files),
    'seen.drop': paths => seen.drop(paths),
  }
}
