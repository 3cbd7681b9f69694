// Opens the database file: refuses what is not ours or newer than this program, brings an older schema up to date after
// a backup, and checks the file after an unclean stop. Runs in the database thread; tests call it without one.

import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AppError, errorText } from '../base/errors.ts'
import type { DatabaseOptions, OpenFacts } from './jobs.ts'
import { APPLICATION_ID, type Migration, migrations } from './schema.ts'

/** An open database and what was found. `epoch` numbers the boots after which unsynced data is doubtful. */
export interface OpenedDatabase {
  readonly database: Database.Database
  readonly facts: OpenFacts
  readonly epoch: number
}

/** The write-ahead log is cut back to this after it was larger. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024

/** Opens, migrates and checks. AppErrors StateUnreadable, DiskFull, DiskError, each one sentence. */
export function openDatabase(options: DatabaseOptions, steps: readonly Migration[] = migrations): OpenedDatabase {
  let database: Database.Database | null = null
  try {
    // Closed to other users from its first byte; SQLite gives its other files the same mode.
    closeSync(openSync(options.path, 'a', 0o600))
    database = new Database(options.path, { timeout: 2000 })
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    database.pragma('foreign_keys = ON')
    database.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    const schemaBefore = migrate(database, options.path, steps)
    return begin(database, options, schemaBefore)
  } catch (error) {
    database?.close()
    throw openError(options.path, error)
  }
}

/** Turns an error of SQLite into an AppError; `what` begins the sentence. Anything else comes back as it is. */
export function databaseError(what: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const text = `${what}: ${error.message}.`
  if (error.code === 'SQLITE_FULL') return new AppError('DiskFull', text, { cause: error })
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN|BUSY|LOCKED|PERM)/.test(error.code)) {
    return new AppError('DiskError', text, { cause: error })
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return new AppError('StateUnreadable', text, { cause: error })
  return error
}

function openError(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const known = databaseError(`The database ${path} cannot be opened`, error)
  if (known instanceof AppError && known.code === 'DiskFull') return known
  const damaged = known instanceof AppError && known.code === 'StateUnreadable'
  const text = damaged
    ? `The database ${path} is damaged (${errorText(error)}); restore a copy, or move it away to start empty.`
    : `The database ${path} cannot be opened: ${errorText(error)}.`
  return new AppError('StateUnreadable', text, { cause: error })
}

/** Brings the schema up to date; answers the one that was found (0 = a new file). */
function migrate(database: Database.Database, path: string, steps: readonly Migration[]): number {
  const found = pragmaNumber(database, 'user_version')
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables > 0 && pragmaNumber(database, 'application_id') !== APPLICATION_ID) {
    throw new AppError('StateUnreadable', `The file ${path} is a database of another program.`)
  }
  if (found > steps.length) {
    throw new AppError(
      'StateUnreadable',
      `The database ${path} has schema ${found}, written by a newer version; this one knows up to ${steps.length}.`,
    )
  }
  if (found === steps.length) return found
  const copy = found > 0 ? backUp(database, `${path}.schema-${found}`) : null
  try {
    database.transaction(() => {
      for (const step of steps.slice(found)) database.exec(step)
      database.pragma(`application_id = ${APPLICATION_ID}`)
      database.pragma(`user_version = ${steps.length}`)
    })()
  } catch (error) {
    if (copy === null) throw error
    throw new AppError(
      'StateUnreadable',
      `The database ${path} cannot be brought to schema ${steps.length} (${errorText(error)}); it is unchanged, and ${copy} is a copy.`,
      { cause: error },
    )
  }
  return found
}

/** A whole copy beside the database, complete before its name appears. */
function backUp(database: Database.Database, copy: string): string {
  const temporary = `${copy}.new`
  rmSync(temporary, { force: true })
  database.prepare('VACUUM INTO ?').run(temporary)
  chmodSync(temporary, 0o600)
  const file = openSync(temporary, 'r')
  fsyncSync(file)
  closeSync(file)
  renameSync(temporary, copy)
  return copy
}

/** Reads how the last run ended, checks the file when that was badly, and notes that this run is under way. */
function begin(database: Database.Database, options: DatabaseOptions, schemaBefore: number): OpenedDatabase {
  const read = database.prepare('SELECT value FROM node WHERE key = ?').pluck()
  const text = (key: string): string | null => {
    const value = read.get(key) as Buffer | undefined
    return value === undefined ? null : value.toString()
  }
  const created = schemaBefore === 0
  const cleanStop = created || text('clean_stop') === '1'
  const otherBoot = !created && (options.bootId === null || text('boot_id') !== options.bootId)
  if (!cleanStop) quickCheck(database, options.path)
  const epochBefore = Number(text('epoch') ?? '0')
  const epoch = otherBoot && !cleanStop ? epochBefore + 1 : epochBefore
  const write = database.prepare('INSERT OR REPLACE INTO node (key, value) VALUES (?, ?)')
  // This must be on the disk before anything else of this run is.
  database.pragma('synchronous = FULL')
  database.transaction(() => {
    write.run('clean_stop', Buffer.from('0'))
    write.run('boot_id', Buffer.from(options.bootId ?? ''))
    write.run('epoch', Buffer.from(String(epoch)))
  })()
  database.pragma('synchronous = NORMAL')
  return { database, facts: { created, cleanStop, otherBoot, schemaBefore }, epoch }
}

function quickCheck(database: Database.Database, path: string): void {
  const found = database.prepare('PRAGMA quick_check(1)').pluck().get()
  if (found !== 'ok') {
    throw new AppError(
      'StateUnreadable',
      `The database ${path} is damaged (${String(found)}); restore a copy, or move it away to start empty.`,
    )
  }
}

function pragmaNumber(database: Database.Database, name: string): number {
  return Number(database.pragma(name, { simple: true }))
}
