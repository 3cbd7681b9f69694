// Opens catalogue.db: refuses what is not ours or newer than this program, makes a new one, brings an older one up to
// date step by step. SQLite's own log makes the file whole again after a kill, so it is not read through at each start
// as the store is.

import type Database from 'better-sqlite3'
import { AppError } from '../../../base/errors.ts'
import { openError } from '../../../records/database-trouble.ts'
import { noteMade } from '../../../records/made-stores.ts'
import { connect } from '../../../records/open-database.ts'
import { APPLICATION_ID, migrations } from './schema.ts'

/** Pages kept in memory, KiB. */
const CACHE_KIB = 24 * 1024

/**
 * The open file and whether it was made now. AppErrors StateUnreadable, DiskFull, DiskError, each with one sentence.
 */
export function openCatalogueFile(path: string): { database: Database.Database; created: boolean } {
  let database: Database.Database | null = null
  try {
    database = connect(path)
    database.pragma(`cache_size = -${CACHE_KIB}`)
    const found = schemaOf(database, path)
    upgrade(database, found)
    noteMade(path)
    return { database, created: found === 0 }
  } catch (error) {
    database?.close()
    throw openError(path, error)
  }
}

function schemaOf(database: Database.Database, path: string): number {
  const found = Number(database.pragma('user_version', { simple: true }))
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables > 0 && Number(database.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
    throw new AppError('StateUnreadable', `The file ${path} is a database of another program.`)
  }
  if (found <= migrations.length) return found
  throw new AppError(
    'StateUnreadable',
    `The catalogue ${path} has schema ${found}, written by a newer version; this one knows up to ${migrations.length}. ` +
      'Start the newer version again, or choose another --state-dir.',
  )
}

function upgrade(database: Database.Database, found: number): void {
  if (found === migrations.length) return
  database.pragma('synchronous = FULL')
  database.transaction(() => {
    for (const sql of migrations.slice(found)) database.exec(sql)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${migrations.length}`)
  })()
  database.pragma('synchronous = NORMAL')
}
