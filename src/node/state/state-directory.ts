// The state directory: made for its owner alone and held by one node at a time. The lock is a file lock of the
// operating system, taken through SQLite: it dies with the process (kill -9 too), and of two starts exactly one gets
// it.

import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { AppError, errorText } from '../../base/errors.ts'

/** Held by the node that runs. */
export const LOCK_FILE = 'lock.db'
/** Only for the sentence about who holds the lock; nothing depends on it. */
const PID_FILE = 'node.pid'
/** What holding a directory leaves in it. */
export const LOCK_FILES = [LOCK_FILE, `${LOCK_FILE}-journal`, PID_FILE] as const

/** Where the node keeps its state by default: $XDG_STATE_HOME/tributary or ~/.local/state/tributary. */
export function defaultStateDirectory(env: Readonly<Record<string, string | undefined>>, homeDir: string): string {
  const base = env['XDG_STATE_HOME']
  return join(base !== undefined && isAbsolute(base) ? base : join(homeDir, '.local', 'state'), 'tributary')
}

/** A state directory held by this process. */
export class StateDirectory {
  /** Those that are held: a database without a reference is closed by the garbage collector, and its lock is gone. */
  static readonly #held = new Set<StateDirectory>()
  /** Absolute. */
  readonly path: string
  readonly #lock: Database.Database

  private constructor(path: string, lock: Database.Database) {
    this.path = path
    this.#lock = lock
  }

  /**
   * Makes the directory (mode 0700) when it is missing, and locks it until release() or the end of the process.
   * AppError StateUnreadable: it cannot be made or written, or is no directory. StateLocked: another node has it.
   */
  static open(path: string): StateDirectory {
    const absolute = resolve(path)
    prepare(absolute)
    const directory = new StateDirectory(absolute, lock(absolute))
    StateDirectory.#held.add(directory)
    try {
      writeFileSync(join(absolute, PID_FILE), `${process.pid}\n`, { mode: 0o600 })
    } catch (error) {
      directory.release()
      throw unreadable(absolute, error)
    }
    return directory
  }

  /** Gives the lock up. Idempotent. */
  release(): void {
    this.#lock.close()
    StateDirectory.#held.delete(this)
  }
}

function prepare(path: string): void {
  try {
    makeDirectory(path)
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory')
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    makeLockFile(join(path, LOCK_FILE))
  } catch (error) {
    throw unreadable(path, error)
  }
}

/**
 * Makes the directory and those above it. Not by mkdir's own recursion: that never ends in places like /proc, where
 * making a folder fails as if its parent were missing.
 */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another start was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Makes the lock file closed to other users; SQLite keeps its mode. A file that is there is not even opened: closing it
 * again would drop a lock that this process holds on it (POSIX record locks).
 */
function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * BEGIN IMMEDIATE takes SQLite's RESERVED lock, which one connection alone can have: two starts at once cannot both
 * win, and cannot both lose. Nothing is ever written, so there is no journal to recover.
 */
function lock(path: string): Database.Database {
  let database: Database.Database | null = null
  try {
    database = new Database(join(path, LOCK_FILE), { timeout: 0 })
    database.exec('BEGIN IMMEDIATE')
    return database
  } catch (error) {
    database?.close()
    const code = error instanceof Database.SqliteError ? error.code : ''
    if (!code.startsWith('SQLITE_BUSY') && !code.startsWith('SQLITE_LOCKED')) throw unreadable(path, error)
    const holder = holderText(path)
    throw new AppError('StateLocked', `The state directory ${path} is used by another node${holder}.`, { cause: error })
  }
}

function holderText(path: string): string {
  try {
    const pid = Number(readFileSync(join(path, PID_FILE), 'utf8').trim())
    return Number.isSafeInteger(pid) && pid > 0 ? ` (process ${pid})` : ''
  } catch {
    return ''
  }
}

function unreadable(path: string, error: unknown): AppError {
  const code = (error as NodeJS.ErrnoException).code
  const reason = reasons[code ?? ''] ?? errorText(error)
  return new AppError('StateUnreadable', `The state directory ${path} cannot be used: ${reason}.`, { cause: error })
}

const NOT_WRITABLE = 'this user may not write there; change its owner or choose another --state-dir'
const READ_ONLY = 'the file system is read-only; mount it writable or choose another --state-dir'
const FULL = 'the disk is full; free some space there'

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: READ_ONLY,
  SQLITE_READONLY: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  SQLITE_FULL: FULL,
  SQLITE_NOTADB: `its file ${LOCK_FILE} is damaged; delete that file`,
}
