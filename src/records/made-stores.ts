// A store that was made leaves a small file beside it that says so. Without it an empty file, or none, is a new node;
// with it, a store that was lost or emptied is noticed, and does not silently become a node without downloads, channels
// and keys.

import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../base/errors.ts'
import { madeNote } from './database-file.ts'

/**
 * Throws AppError StateUnreadable, with what to do, when the store at `path` was made once and is empty or missing now.
 */
export function checkMade(path: string): void {
  if (!existsSync(madeNote(path))) return
  const bytes = statSync(path, { throwIfNoEntry: false })?.size
  if (bytes !== undefined && bytes > 0) return
  const note = basename(madeNote(path))
  throw new AppError(
    'StateUnreadable',
    `The database ${path} is ${bytes === undefined ? 'missing' : 'empty'}, though this node has made it: restore a copy, or remove ${note} beside it to start empty.`,
  )
}

/** Notes that the store at `path` was made; it holds what its first transaction wrote. Throws what the system says. */
export function noteMade(path: string): void {
  const note = madeNote(path)
  if (existsSync(note)) return
  closeSync(openSync(note, 'a', 0o600))
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
