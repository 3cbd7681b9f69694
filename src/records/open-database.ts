// Opens the database file: refuses what is not ours or newer than this program, makes a new one, and checks the file
// after an unclean stop. An older schema is brought up to date by upgrade-database.ts before this. Runs in the database
// thread; tests call it without one.

import { closeSync, existsSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AppError } from '../base/errors.ts'
import { copyPath } from './database-file.ts'
import { damaged, openError } from './database-trouble.ts'
import type { DatabaseOptions, OpenFacts } from './jobs.ts'
import { checkMade, noteMade } from './made-stores.ts'
import { APPLICATION_ID, type Migration, migrations } from './schema.ts'

/** An open database and what was found. `epoch` numbers the boots after which unsynced data is doubtful. */
export interface OpenedDatabase {
  readonly database: Database.Database
  readonly facts: OpenFacts
  readonly epoch: number
}

/** The write-ahead log is cut back to this after it was larger. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024
/** Another program's lock is waited for this long. */
const LOCK_WAIT_MS = 2000

const SKIP_EVENT_IDS = "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'events'"
/** More than are likely to be written between two syncs; they count as kept events until these have passed. */
const SKIPPED_EVENT_IDS = 10_000

/** Row of `node` that is there while an upgrade is under way. */
export const UPGRADING_KEY = 'upgrading'

/**
 * Opens, makes and checks. AppErrors StateUnreadable and DiskFull, each one sentence. An Error for an older schema:
 * openUpgraded() (upgrade-database.ts) takes that.
 */
export function openDatabase(options: DatabaseOptions, steps: readonly Migration[] = migrations): OpenedDatabase {
  let database: Database.Database | null = null
  try {
    database = connect(options.path)
    const schema = schemaOf(database, options.path, steps.length)
    if (schema > 0 && schema < steps.length) throw new Error(`schema ${schema} must be upgraded first`)
    return begin(database, options, schema, steps)
  } catch (error) {
    database?.close()
    throw openError(options.path, error)
  }
}

/**
 * A connection as this program uses it. AppError StateUnreadable when the store was made once and is empty or missing
 * now; throws what SQLite and the file system throw.
 */
export function connect(path: string): Database.Database {
  checkMade(path)
  // Closed to other users from its first byte; SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path, { timeout: LOCK_WAIT_MS })
  try {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    database.pragma('foreign_keys = ON')
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * The schema of a database, 0 for an empty file. AppError StateUnreadable when it is not ours, or newer than `known`.
 */
export function schemaOf(database: Database.Database, path: string, known: number): number {
  const found = pragmaNumber(database, 'user_version')
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables > 0 && pragmaNumber(database, 'application_id') !== APPLICATION_ID) {
    throw new AppError('StateUnreadable', `The file ${path} is a database of another program.`)
  }
  if (found <= known) return found
  throw new AppError(
    'StateUnreadable',
    `The database ${path} has schema ${found}, written by a newer version; this one knows up to ${known}. ` +
      `Start the newer version again, ${wayBack(path, known)}or choose another --state-dir.`,
  )
}

/** Where the newest copy lies that this program can read; empty when an upgrade has left none. */
function wayBack(path: string, known: number): string {
  const schemas = Array.from({ length: known }, (_, index) => known - index)
  const copy = schemas.map(schema => copyPath(path, schema)).find(each => existsSync(each))
  if (copy === undefined) return ''
  return `or go back: move ${path} with its -wal and -shm away and put ${copy}, the copy from before the upgrade, in its place, `
}

/** How the run before this one ended; not for a new file. */
export function endOfLastRun(database: Database.Database): 'clean' | 'killed' | 'killed in an upgrade' {
  if (nodeText(database, UPGRADING_KEY) !== null) return 'killed in an upgrade'
  return nodeText(database, 'clean_stop') === '1' ? 'clean' : 'killed'
}

/** Throws AppError StateUnreadable when the file is damaged. Reads all of it. */
export function quickCheck(database: Database.Database, path: string): void {
  const found = database.prepare('PRAGMA quick_check(1)').pluck().get()
  if (found !== 'ok') throw damaged(path, String(found))
}

function create(database: Database.Database, steps: readonly Migration[]): void {
  database.transaction(() => {
    for (const { sql } of steps) database.exec(sql)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${steps.length}`)
  })()
}

/**
 * Makes the tables of a new file; else reads how the last run ended and checks the file when that was badly. Notes that
 * this run is under way. `schemaBefore`: what was found. AppError StateUnreadable, and what SQLite throws.
 */
export function begin(
  database: Database.Database,
  options: DatabaseOptions,
  schemaBefore: number,
  steps: readonly Migration[],
): OpenedDatabase {
  const created = schemaBefore === 0
  if (created) create(database, steps)
  const cleanStop = created || nodeText(database, 'clean_stop') === '1'
  const otherBoot = !created && (options.bootId === null || nodeText(database, 'boot_id') !== options.bootId)
  if (!cleanStop) quickCheck(database, options.path)
  const epochBefore = Number(nodeText(database, 'epoch') ?? '0')
  const epoch = otherBoot && !cleanStop ? epochBefore + 1 : epochBefore
  const write = database.prepare('INSERT OR REPLACE INTO node (key, value) VALUES (?, ?)')
  // This must be on the disk before anything else of this run is.
  database.pragma('synchronous = FULL')
  database.transaction(() => {
    write.run('clean_stop', Buffer.from('0'))
    write.run('boot_id', Buffer.from(options.bootId ?? ''))
    write.run('epoch', Buffer.from(String(epoch)))
    // A power cut may have taken events that readers had: their numbers are not given again.
    if (epoch > epochBefore) database.prepare(SKIP_EVENT_IDS).run(SKIPPED_EVENT_IDS)
  })()
  database.pragma('synchronous = NORMAL')
  noteMade(options.path)
  return { database, facts: { created, cleanStop, otherBoot, schemaBefore }, epoch }
}

function nodeText(database: Database.Database, key: string): string | null {
  const value = database.prepare('SELECT value FROM node WHERE key = ?').pluck().get(key) as Buffer | undefined
  return value === undefined ? null : value.toString()
}

function pragmaNumber(database: Database.Database, name: string): number {
  return Number(database.pragma(name, { simple: true }))
}
