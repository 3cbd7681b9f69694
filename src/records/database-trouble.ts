// What can be wrong with the database file, as sentences that say the cause and what to do: in the error of an open
// that is refused and of failed jobs, and where a state directory is looked at without running a node.

import Database from 'better-sqlite3'
import { AppError, type ErrorCode, errorText } from '../base/errors.ts'

/** Kinds of trouble by SQLite's result code or the system's error code, in the order they are looked for. */
const kinds: readonly (readonly [pattern: RegExp, code: ErrorCode, said: string, advice: string])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'DiskFull', 'the disk is full', 'free some space there'],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'DiskError',
    'it is locked by another program',
    'close that program (a database browser, a copy under way)',
  ],
  [
    /^(SQLITE_READONLY|SQLITE_PERM|EROFS|EACCES|EPERM)/,
    'DiskError',
    'it may not be written',
    'make its folder and files writable for this user',
  ],
  [
    /^(SQLITE_CORRUPT|SQLITE_NOTADB)/,
    'StateUnreadable',
    'it is damaged',
    'restore a copy, or move it and its note (.made) away to start empty',
  ],
  [/^SQLITE_IOERR/, 'DiskError', 'the disk reported an error', 'check the disk'],
  [
    /^(SQLITE_CANTOPEN|E[A-Z]+$)/,
    'DiskError',
    'it cannot be opened',
    'look at the path and at its permissions, or choose another --state-dir',
  ],
]

/** A cause that has a name. */
export interface DatabaseTrouble {
  readonly code: ErrorCode
  /** The cause, as a part of a sentence: `the disk is full`. */
  readonly said: string
  /** What to do, as a part of a sentence. */
  readonly advice: string
}

/** The kind of trouble behind an error of SQLite or of the file system; null for anything else (a bug). */
export function troubleOf(error: unknown): DatabaseTrouble | null {
  const known = error instanceof Database.SqliteError || typeof (error as { errno?: unknown })?.errno === 'number'
  if (!known) return null
  const found = String((error as { code?: unknown }).code)
  const kind = kinds.find(([pattern]) => pattern.test(found))
  return kind === undefined ? null : { code: kind[1], said: kind[2], advice: kind[3] }
}

/** Turns an error of SQLite into an AppError; `what` begins the sentence. Anything else comes back as it is. */
export function databaseError(what: string, error: unknown): unknown {
  const trouble = error instanceof Database.SqliteError ? troubleOf(error) : null
  if (trouble === null) return error
  return new AppError(trouble.code, `${what}: ${trouble.said} (${errorText(error)}); ${trouble.advice}.`, {
    cause: error,
  })
}

/** Why a start refuses: an AppError with the cause and what to do. AppErrors come back as they are. */
export function openError(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, said, advice } = troubleOf(error) ?? {}
  if (said === undefined || advice === undefined) {
    const text = `The database ${path} cannot be opened: ${errorText(error)}.`
    return new AppError('StateUnreadable', text, { cause: error })
  }
  const text = `The database ${path} cannot be used: ${said} (${errorText(error)}); ${advice}.`
  return new AppError(code === 'DiskFull' ? code : 'StateUnreadable', text, { cause: error })
}

/** The error of a file that `quick_check` finds fault with. */
export function damaged(path: string, finding: string): AppError {
  return new AppError(
    'StateUnreadable',
    `The database ${path} is damaged (${finding.replaceAll(/\s+/g, ' ')}); restore a copy, or move it and its note (.made) away to start empty.`,
  )
}
