// The database file: ours, of a schema this program knows, whole, and not held by anybody else. It is opened for
// reading only.

import { stat } from 'node:fs/promises'
import type Database from 'better-sqlite3'
import { errorText } from '../../base/errors.ts'
import { errnoOf } from '../../io/files/disk-errors.ts'
import { checkMade } from '../../records/made-stores.ts'
import { APPLICATION_ID, migrations } from '../../records/schema.ts'
import { fine, type Finding, problem, warning } from './finding.ts'
import { lockHolders } from './lock-holder.ts'
import { userText } from './folders.ts'

/** What was found, and the newest time written in it (ms since 1970, null = none). */
export interface DatabaseFacts {
  readonly findings: readonly Finding[]
  readonly newestMs: number | null
}

const RESTORE =
  'Stop the node, then restore a copy, or move the file and its note (.made) away to start empty (downloads must be added again, their files stay).'

/** `pid`: the node that runs; null = none. */
export async function checkDatabase(path: string, pid: number | null): Promise<DatabaseFacts> {
  const lost = lostStore(path)
  if (lost !== null) return alone(problem('database', lost.said, lost.advice))
  const facts = await stat(path).catch((error: unknown) => errnoOf(error) ?? errorText(error))
  if (facts === 'ENOENT') return alone(fine('database', 'There is no database yet; the first start makes it.'))
  if (typeof facts === 'string') {
    return alone(
      problem(
        'database',
        `The database ${path} cannot be reached: ${facts}.`,
        `Give this user (${userText()}) the right to it.`,
      ),
    )
  }
  if (!facts.isFile()) return alone(problem('database', `${path} is not a file.`, 'Move it away.'))
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

/** A store that was made once and is empty or missing now; null: it is not. */
function lostStore(path: string): { said: string; advice: string } | null {
  try {
    checkMade(path)
    return null
  } catch (error) {
    const [said = '', advice = ''] = errorText(error).split(': ')
    return { said: `${said}.`, advice: `${advice.charAt(0).toUpperCase()}${advice.slice(1)}` }
  }
}

function look(database: Database.Database, path: string): DatabaseFacts {
  const schema = Number(database.pragma('user_version', { simple: true }))
  if (Number(database.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
    const empty = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
    if (empty) return alone(fine('database', 'The database is empty; the next start fills it.'))
    return alone(problem('database', `The file ${path} is a database of another program.`, 'Move it away.'))
  }
  if (schema > migrations.length) {
    const text = `The database ${path} has schema ${schema}, written by a newer version; this one knows up to ${migrations.length}.`
    return alone(
      problem(
        'database',
        text,
        'Install the newer version again, or restore the copy made before the upgrade (tributary.db.schema-*).',
      ),
    )
  }
  const found = database.prepare('PRAGMA quick_check(1)').pluck().get()
  if (found !== 'ok') return alone(problem('database', `The database ${path} is damaged: ${String(found)}.`, RESTORE))
  const newestMs = database.prepare('SELECT max(at) FROM events').pluck().get() as number | null
  const older = schema < migrations.length ? ` The next start brings it to ${migrations.length}, after a copy.` : ''
  return { findings: [fine('database', `Database OK (schema ${schema}).${older}`)], newestMs }
}

async function failure(path: string, error: unknown, pid: number | null): Promise<Finding> {
  const code = errnoOf(error) ?? ''
  const text = `The database ${path} cannot be read: ${errorText(error)}.`
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return problem('database', `The database ${path} is damaged: ${errorText(error)}.`, RESTORE)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    const others = (await lockHolders(path)).filter(holder => holder !== pid)
    const who = others.length === 0 ? 'another program' : `process ${others.join(', ')}`
    return problem(
      'database',
      `The database ${path} is locked by ${who}.`,
      'End what has it open: a copy under way, a database browser.',
    )
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|IOERR)/.test(code)) {
    return problem(
      'database',
      text,
      `See the lines about its folder; this user (${userText()}) must be able to write there.`,
    )
  }
  return warning('database', text, 'Try again; if it stays so, look into the log of the node.')
}

function alone(finding: Finding): DatabaseFacts {
  return { findings: [finding], newestMs: null }
}
