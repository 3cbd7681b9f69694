// Runs batches of jobs on the open catalogue: one transaction a batch, a savepoint a job, so that a job that refuses
// leaves the others alone. At the end of a batch the heads of own channels that changed are signed. Synchronous; lives
// in the catalogue's thread.

import type Database from 'better-sqlite3'
import { AppError, errorText } from '../../../base/errors.ts'
import { nodeEd25519 } from '../../../io/ed25519.ts'
import { SystemRandom } from '../../../io/random.ts'
import type { CatalogueHappening } from '../ports/channel-catalogue.ts'
import { databaseError } from '../../../records/database-trouble.ts'
import type { JobAnswer, JobFailure, JobMessage } from '../../../records/thread-messages.ts'
import { openCatalogueFile } from './catalogue-file.ts'
import { type CatalogueFacts, type CatalogueJobName, type CatalogueOptions, durableJobs } from './jobs.ts'
import { LibrarySide } from './library-side.ts'
import { NetworkSide } from './network-side.ts'
import { makeParts, type Parts } from './parts.ts'
import { countRefusal } from './refusals.ts'
import { Search } from './search.ts'
import { quickVerifier } from './signatures.ts'
import { Sql } from './sql.ts'
import { Upkeep } from './upkeep.ts'

/** Events of found torrents in a second. */
const FOUND_PER_SECOND = 20

/** What a batch came to. */
export interface BatchOutcome {
  readonly answers: JobAnswer[]
  readonly notices: CatalogueHappening[]
}

/** The clock of the thread; tests may give their own. */
export interface CatalogueClock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

type Handler = (...args: unknown[]) => unknown

/** The catalogue with its statements. */
export class CatalogueDatabase {
  readonly facts: CatalogueFacts
  readonly #database: Database.Database
  readonly #parts: Parts
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #nowMs: () => number
  readonly #ownersWords = { changes: 0 }
  #happened: CatalogueHappening[] = []
  #found = { second: 0, told: 0 }

  /** Opens or makes the file. AppErrors StateUnreadable, DiskFull, DiskError. */
  constructor(options: CatalogueOptions, clock: CatalogueClock = { nowMs: Date.now }) {
    const { database, created } = openCatalogueFile(options.path)
    this.#database = database
    this.#nowMs = clock.nowMs
    this.facts = { created }
    const sql = new Sql(database)
    const random = new SystemRandom()
    this.#parts = makeParts({
      sql,
      nowS: () => Math.floor(this.#nowMs() / 1000),
      random: count => random.bytes(count),
      ed25519: nodeEd25519,
      verify: quickVerifier(),
      ownersWords: this.#ownersWords,
      tell: happening => this.#tell(happening),
      refuse: (reason, count = 1) => countRefusal(sql, reason, count),
    })
    this.#handlers = handlersOf(this.#parts, options)
  }

  /** Runs the jobs in order; their answers in the same order, each committed. Never throws. */
  run(jobs: readonly JobMessage[]): BatchOutcome {
    const durable = jobs.some(job => durableJobs.has(job.name as CatalogueJobName))
    try {
      // Cannot be changed inside a transaction. FULL syncs the write-ahead log at the commit, NORMAL does not.
      this.#database.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
      return this.#transact(jobs)
    } catch (error) {
      this.#forget()
      if (jobs.length === 1) return { answers: [failure(error)], notices: [] }
      const each = jobs.map(job => this.run([job]))
      return { answers: each.flatMap(({ answers }) => answers), notices: each.flatMap(({ notices }) => notices) }
    }
  }

  /** Closes. What was answered is in the file already. */
  close(): void {
    try {
      this.#database.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      this.#database.close()
    }
  }

  #transact(jobs: readonly JobMessage[]): BatchOutcome {
    this.#happened = []
    const answers = this.#database.transaction(() => {
      const made = jobs.map(job => this.#runJob(job))
      this.#parts.own.signHeads()
      return made
    })()
    return { answers, notices: this.#happened }
  }

  #runJob(job: JobMessage): JobAnswer {
    const handler = this.#handlers.get(job.name)
    if (handler === undefined) return failure(new Error(`no job ${job.name}`))
    const happenedBefore = this.#happened.length
    try {
      return { ok: true, reply: this.#database.transaction(() => handler(...job.args))() ?? null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#happened.length = happenedBefore
      this.#ownersWords.changes++
      this.#parts.keys.forget()
      return failure(error)
    }
  }

  #forget(): void {
    this.#happened = []
    this.#ownersWords.changes++
    this.#parts.own.forget()
    this.#parts.keys.forget()
  }

  /** Of found torrents so many a second: a channel that is new may bring thousands. */
  #tell(happening: CatalogueHappening): void {
    if (happening.kind === 'torrent-found') {
      const second = Math.floor(this.#nowMs() / 1000)
      if (second !== this.#found.second) this.#found = { second, told: 0 }
      if (++this.#found.told > FOUND_PER_SECOND) return
    }
    this.#happened.push(happening)
  }
}

/** What a thrown error is on the wire. */
export function failure(error: unknown): JobFailure {
  const known = databaseError('The catalogue reported an error', error)
  if (known instanceof AppError) return { ok: false, code: known.code, text: known.message }
  return { ok: false, code: 'Bug', text: error instanceof Error ? (error.stack ?? error.message) : errorText(error) }
}

function handlersOf(parts: Parts, options: CatalogueOptions): ReadonlyMap<string, Handler> {
  const search = new Search(parts)
  const upkeep = new Upkeep(parts, options.quotaBytes)
  const sides = { network: new NetworkSide(parts, search), library: new LibrarySide(parts, search), own: upkeep }
  const handlers = new Map<string, Handler>()
  for (const [prefix, side] of Object.entries(sides)) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(side))) {
      const method: unknown = Reflect.get(side, name)
      if (name !== 'constructor' && typeof method === 'function')
        handlers.set(`${prefix}.${name}`, method.bind(side) as Handler)
    }
  }
  return handlers
}
