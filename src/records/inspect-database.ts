// Looks at a database file without running a node on it: what it is, how its last run ended, and what would keep the
// next one from starting, with what to do about it. Nothing in it is changed, and a node may be running on it
// meanwhile.

import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AppError, type ErrorCode } from '../base/errors.ts'
import { openError } from './database-trouble.ts'
import { checkMade } from './made-stores.ts'
import { endOfLastRun, quickCheck, schemaOf } from './open-database.ts'
import { migrations } from './schema.ts'

/** With less a start may fail: it writes, and so does an upgrade (which needs the size of the file besides). */
const MIN_FREE_BYTES = 16 * 1024 * 1024
const LOCK_WAIT_MS = 2000

/** What was found. */
export interface DatabaseFinding {
  /** Bytes of the file; null = there is none yet, which is no problem. */
  readonly bytes: number | null
  /** Its schema, and the newest one that this program knows; null = not readable, or no file. */
  readonly schema: number | null
  readonly knownSchema: number
  /** How the last run ended; `killed` also while a node is running on it. */
  readonly lastRun: 'clean' | 'killed' | 'killed in an upgrade' | null
  /** Why a start would be refused: one sentence with the cause and what to do. */
  readonly problem: { readonly code: ErrorCode; readonly text: string } | null
}

type Seen = { -readonly [K in keyof DatabaseFinding]: DatabaseFinding[K] }

/** Looks at the database at `path`: reads all of it, and asks for its write lock once. Never throws. */
export function inspectDatabase(path: string): DatabaseFinding {
  const seen: Seen = { bytes: null, schema: null, knownSchema: migrations.length, lastRun: null, problem: null }
  try {
    seen.bytes = statSync(path, { throwIfNoEntry: false })?.size ?? null
    checkMade(path)
    checkSpace(path, seen)
    if (seen.bytes !== null) look(path, seen)
  } catch (error) {
    const { code, message: text } = openError(path, error)
    seen.problem = { code, text }
  }
  return seen
}

function checkSpace(path: string, { schema, bytes }: Seen): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  const needed = MIN_FREE_BYTES + (schema !== null && schema < migrations.length ? (bytes ?? 0) : 0)
  if (bavail * bsize >= needed) return
  const mib = Math.ceil(needed / 2 ** 20)
  throw new AppError(
    'DiskFull',
    `The disk of the database ${path} has less than ${mib} MiB left; free some space there.`,
  )
}

function look(path: string, seen: Seen): void {
  const database = new Database(path, { fileMustExist: true, timeout: LOCK_WAIT_MS })
  try {
    const schema = schemaOf(database, path, migrations.length)
    seen.schema = schema
    if (schema === 0) return
    seen.lastRun = endOfLastRun(database)
    quickCheck(database, path)
    // Says whether the file may be written, and whether another program holds it.
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    checkSpace(path, seen)
  } finally {
    database.close()
  }
}
