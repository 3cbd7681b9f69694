// A lock file for the time a file of the state directory is changed, by the node or by the command line: the process
// that made the file holds the lock. A kill may leave it behind, so one that is too old to be held is deleted. For the
// whole life of a process there is state-directory.ts.

import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, errorText } from '../../base/errors.ts'

/** Times of a lock, ms. */
export interface ChangeLockTimes {
  /** A change takes this long at most; an older lock was left behind by a kill. */
  readonly limitMs: number
  /** A process that finds the lock taken waits this long. */
  readonly waitMs: number
  readonly paceMs: number
}

const TIMES: ChangeLockTimes = { limitMs: 5_000, waitMs: 5_000, paceMs: 20 }

/**
 * Does `change` while the lock file at `path` is ours; its folder must be there. AppError StateConflict: others had it
 * all the while; DiskError: it cannot be made. Else what `change` answers or throws.
 */
export async function withChangeLock<T>(
  path: string,
  change: () => Promise<T>,
  times: ChangeLockTimes = TIMES,
): Promise<T> {
  const stamp = await takeLock(path, times)
  try {
    return await change()
  } finally {
    // A change that was held up for too long has lost its lock to another process.
    if ((await stampOf(path)) === stamp) await rm(path, { force: true })
  }
}

/** Answers the stamp of the lock. */
async function takeLock(path: string, { limitMs, waitMs, paceMs }: ChangeLockTimes): Promise<string> {
  for (let waitedMs = 0; waitedMs <= waitMs; waitedMs += paceMs) {
    const stamp = await makeLock(path)
    if (stamp !== null) return stamp
    if (await isOld(path, limitMs)) await takeAway(path, limitMs)
    else await delay(paceMs)
  }
  throw new AppError('StateConflict', `${path} is held by another change; try again in a moment.`)
}

/** Null: another process has it. */
async function makeLock(path: string): Promise<string | null> {
  try {
    await (await open(path, 'wx', 0o600)).close()
    return await stampOf(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw new AppError('DiskError', `${path} cannot be made: ${errorText(error)}`, { cause: error })
  }
}

/**
 * Two may find the same old lock; what the slower of them moves away may be the new one of the faster, which it gives
 * back.
 */
async function takeAway(path: string, limitMs: number): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  )
  if (!moved) return
  if (!(await isOld(aside, limitMs))) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}

/** Of the future counts as old: a clock that was put back must not shut everybody out. */
async function isOld(path: string, limitMs: number): Promise<boolean> {
  const facts = await stat(path).catch(() => null)
  return facts !== null && Math.abs(Date.now() - facts.mtimeMs) > limitMs
}

/** Tells a lock from the next one at the same place: inodes come again. Null: there is none. */
async function stampOf(path: string): Promise<string | null> {
  const facts = await stat(path, { bigint: true }).catch(() => null)
  return facts === null ? null : `${facts.ino} ${facts.mtimeNs}`
}
