// The database file: ours, of a schema this program knows, whole, and not held by anybody else. It is opened for
// reading only.

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type Database from 'better-sqlite3'
import { AppError, errorText } from '../../base/errors.ts'
import { errnoOf } from '../../io/files/disk-errors.ts'
import { madeNote } from '../../records/database-file.ts'
import { checkMade } from '../../records/made-stores.ts'
import { APPLICATION_ID, migrations } from '../../records/schema.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'
import { lockHolders } from './lock-holder.ts'
import { userText } from './folders.ts'

/** What was found, and the newest time written in it (ms since 1970, null = none). */
export interface DatabaseFacts {
  readonly findings: readonly Finding[]
  readonly newestMs: number | null
}

/** `pid`: the node that runs; null = none. */
export async function checkDatabase(path: string, pid: number | null): Promise<DatabaseFacts> {
  if (isLost(path)) {
    const code = existsSync(path) ? 'database_emptied' : 'database_missing'
    return alone(coreFinding(code, { path, note: basename(madeNote(path)) }))
  }
  const facts = await stat(path).catch((error: unknown) => errnoOf(error) ?? errorText(error))
  if (facts === 'ENOENT') return alone(coreFinding('database_none', {}))
  if (typeof facts === 'string')
    return alone(coreFinding('database_unreachable', { path, error: facts, user: userText() }))
  if (!facts.isFile()) return alone(coreFinding('database_no_file', { path }))
  try {
    const { default: Sqlite } = await import('better-sqlite3')
    const database = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 3000 })
    try {
      return look(database, path)
    } finally {
      database.close()
    }
  } catch (error) {
    return alone(await failure(path, error, pid))
  }
}

/** A store that was made once and is empty or missing now. */
function isLost(path: string): boolean {
  try {
    checkMade(path)
    return false
  } catch (error) {
    // What else fails is seen once more, and named, by those who read it.
    return error instanceof AppError
  }
}

function look(database: Database.Database, path: string): DatabaseFacts {
  const schema = Number(database.pragma('user_version', { simple: true }))
  if (Number(database.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
    const empty = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
    return alone(empty ? coreFinding('database_empty', {}) : coreFinding('database_foreign', { path }))
  }
  const versions = { path, schema, known: migrations.length }
  if (schema > migrations.length) return alone(coreFinding('database_newer', versions))
  const found = database.prepare('PRAGMA quick_check(1)').pluck().get()
  if (found !== 'ok') return alone(coreFinding('database_damaged', { path, error: String(found) }))
  const newestMs = database.prepare('SELECT max(at) FROM events').pluck().get() as number | null
  const isOlder = schema < migrations.length
  return { findings: [coreFinding(isOlder ? 'database_older' : 'database_ok', versions)], newestMs }
}

async function failure(path: string, error: unknown, pid: number | null): Promise<Finding> {
  const code = errnoOf(error) ?? ''
  const facts = { path, error: errorText(error), user: userText() }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return coreFinding('database_damaged', facts)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const others = (await lockHolders(path)).filter(holder => holder !== pid)
    if (others.length === 0) return coreFinding('database_locked', facts)
    return coreFinding('database_locked_by', { ...facts, process: others.join(', ') })
  }
  return coreFinding(
    /^SQLITE_(CANTOPEN|READONLY|PERM|IOERR)/.test(code) ? 'database_not_opened' : 'database_unreadable',
    facts,
  )
}

function alone(finding: Finding): DatabaseFacts {
  return { findings: [finding], newestMs: null }
}
