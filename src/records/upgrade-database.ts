// Brings a database of an older schema up to date: check after an unclean stop, whole copy beside the file, then one
// transaction a step. What is reported was written to the event log first, so that nothing announced is forgotten.
// Killed at any moment it leaves a file that the next start goes on with, and the copy for the program of before.

import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { AppError, errorText } from '../base/errors.ts'
import { copyPath } from './database-file.ts'
import { openError, troubleOf } from './database-trouble.ts'
import type { DatabaseOptions } from './jobs.ts'
import {
  begin,
  connect,
  endOfLastRun,
  type OpenedDatabase,
  quickCheck,
  schemaOf,
  UPGRADING_KEY,
} from './open-database.ts'
import { type Migration, migrations } from './schema.ts'
import type { UpgradeNote } from './thread-messages.ts'

/** The copy's progress is reported at each tenth of it. */
const COPY_TOLD_STEPS = 10
/** Pages of the copy made at a time: some 4 MiB. */
const COPY_PAGES = 1024
/** Copies of upgrades that are kept, the newest. */
const KEPT_COPIES = 3

/** Told of an event that is in the log. */
export type UpgradeReport = (note: UpgradeNote) => void

/**
 * As openDatabase(), but brings the file up to date first when its schema is older. `facts.schemaBefore` is the schema
 * it was found with. AppErrors StateUnreadable and DiskFull, with what to do.
 */
export async function openUpgraded(
  options: DatabaseOptions,
  report: UpgradeReport = () => undefined,
  steps: readonly Migration[] = migrations,
): Promise<OpenedDatabase> {
  let database: Database.Database | null = null
  try {
    database = connect(options.path)
    const schema = schemaOf(database, options.path, steps.length)
    const end = schema === 0 ? 'clean' : endOfLastRun(database)
    if (schema > 0 && (schema < steps.length || end === 'killed in an upgrade')) {
      if (end !== 'clean') quickCheck(database, options.path)
      await new Upgrade(database, options, report).run(schema, steps)
    }
    return begin(database, options, schema, steps)
  } catch (error) {
    database?.close()
    throw openError(options.path, error)
  }
}

class Upgrade {
  readonly #database: Database.Database
  readonly #options: DatabaseOptions
  readonly #report: UpgradeReport
  readonly #append: Database.Statement<[number, string, string]>

  constructor(database: Database.Database, options: DatabaseOptions, report: UpgradeReport) {
    this.#database = database
    this.#options = options
    this.#report = report
    this.#append = database.prepare('INSERT INTO events (at, type, payload) VALUES (?, ?, ?)')
  }

  async run(found: number, steps: readonly Migration[]): Promise<void> {
    this.#database.pragma('synchronous = FULL')
    // A step may rebuild a table; rows that refer to it are checked when it is done.
    this.#database.pragma('foreign_keys = OFF')
    this.#note('upgrader_started', null, () => this.#mark(found))
    if (found < steps.length) await this.#steps(found, steps)
    this.#tick('Upgrading the database: 100 % done.')
    this.#note('upgrader_finished', null, () =>
      this.#database.prepare('DELETE FROM node WHERE key = ?').run(UPGRADING_KEY),
    )
    this.#database.pragma('foreign_keys = ON')
    forgetOldCopies(this.#options.path)
  }

  async #steps(found: number, steps: readonly Migration[]): Promise<void> {
    const copy = await this.#copy(found, steps.length)
    const todo = steps.slice(found)
    for (const [index, step] of todo.entries()) {
      const done = Math.floor((index / todo.length) * 100)
      this.#tick(`Upgrading the database: step ${index + 1} of ${todo.length}, ${step.adds} (${done} % done).`)
      this.#step(step, found + index, copy)
    }
  }

  #step(step: Migration, schema: number, copy: string): void {
    const { path } = this.#options
    try {
      this.#database.transaction(() => {
        this.#database.exec(step.sql)
        const broken = this.#database.pragma('foreign_key_check') as unknown[]
        if (broken.length > 0) throw new Error(`${broken.length} rows refer to nothing`)
        this.#database.pragma(`user_version = ${schema + 1}`)
      })()
    } catch (error) {
      throw new AppError(
        troubleOf(error)?.code === 'DiskFull' ? 'DiskFull' : 'StateUnreadable',
        `The database ${path} cannot be brought to schema ${schema + 1} (${errorText(error)}); nothing of it is lost: ` +
          `it is whole at schema ${schema}, and ${copy} is a copy of what the version before used.`,
        { cause: error },
      )
    }
  }

  /** A whole copy beside the database, complete and on the disk before its name appears. */
  async #copy(schema: number, target: number): Promise<string> {
    const copy = copyPath(this.#options.path, schema)
    const temporary = `${copy}.new`
    this.#tick(`Upgrading the database from schema ${schema} to ${target}: making a copy (0 %).`)
    rmSync(temporary, { force: true })
    closeSync(openSync(temporary, 'wx', 0o600))
    let told = 0
    try {
      await this.#database.backup(temporary, {
        progress: ({ totalPages, remainingPages }) => {
          const tenth = Math.floor((1 - remainingPages / Math.max(totalPages, 1)) * COPY_TOLD_STEPS)
          if (tenth > told && tenth < COPY_TOLD_STEPS) {
            told = tenth
            this.#tick(`Upgrading the database: making a copy (${tenth * (100 / COPY_TOLD_STEPS)} %).`)
          }
          return COPY_PAGES
        },
      })
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    for (const leftover of ['-wal', '-shm']) rmSync(temporary + leftover, { force: true })
    chmodSync(temporary, 0o600)
    sync(temporary)
    renameSync(temporary, copy)
    sync(dirname(copy))
    return copy
  }

  #mark(found: number): void {
    const write = this.#database.prepare('INSERT OR REPLACE INTO node (key, value) VALUES (?, ?)')
    write.run(UPGRADING_KEY, Buffer.from(String(found)))
  }

  #tick(text: string): void {
    this.#note('upgrader_tick', text, () => undefined)
  }

  /** Logs an event, together with `also`, and then tells of it. */
  #note(type: UpgradeNote['type'], text: string | null, also: () => unknown): void {
    const payload = JSON.stringify(text === null ? null : { text })
    const id = this.#database.transaction(() => {
      also()
      return Number(this.#append.run(Math.round(this.#options.nowMs), type, payload).lastInsertRowid)
    })()
    this.#report({ id, type, text })
  }
}

/** Each upgrade leaves a whole copy: they are not to fill the disk. Never throws: what stays takes nothing but room. */
function forgetOldCopies(path: string): void {
  const [folder, start] = [dirname(path), basename(copyPath(path, 0)).slice(0, -1)]
  try {
    const copies = readdirSync(folder)
      .filter(name => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
      .map(name => ({ file: join(folder, name), madeMs: statSync(join(folder, name)).mtimeMs }))
      .toSorted((a, b) => b.madeMs - a.madeMs)
    for (const { file } of copies.slice(KEPT_COPIES)) rmSync(file, { force: true })
  } catch {
    // The folder cannot be read, or another process was quicker.
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
