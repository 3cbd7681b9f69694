// Paths that clients name: torrent files to read and folders to download into. Every failure becomes a sentence the
// client can act on. What is inside a destination folder is not this file's business.

import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import path from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { FolderUse, OwnFiles } from '../../ports/own-files.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { makePlace } from './make-place.ts'
import { placeOf } from './placed-path.ts'

/**
 * Reads a regular file of at most `maxBytes`. AppError TorrentUnreadable: missing, unreadable, too large, or a folder,
 * pipe or device (these are never opened in a way that waits). AppError VolumeStalled.
 */
export async function readSmallFile(file: string, maxBytes: number, turns: VolumeTurns): Promise<Uint8Array> {
  const place = await placeOf(file, turns)
  return turns.runInTime(place, () => readWhole(file, maxBytes))
}

async function readWhole(file: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const facts = await handle.stat()
      if (!facts.isFile()) throw new Error('it is not a regular file')
      if (facts.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
      const bytes = new Uint8Array(facts.size)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new AppError('TorrentUnreadable', `The torrent file cannot be read: ${reason(error)}.`, { cause: error })
  }
}

/**
 * Makes a destination folder ready and answers its real path: absolute, made when missing, writable, and not among the
 * node's own files. AppErrors InvalidParameter (what is wrong with it), PathNotAllowed, DiskFull,
 * VolumeStalled.
 */
export async function prepareFolder(
  folder: string,
  parts: { readonly own: OwnFiles; readonly volumes: VolumeTurns },
  use: FolderUse = {},
): Promise<string> {
  if (!path.isAbsolute(folder) || folder.includes('\0')) {
    throw new AppError('InvalidParameter', 'destination: must be an absolute path.')
  }
  const { own, volumes } = parts
  await volumes.refresh()
  const place = await placeOf(folder, volumes)
  await judge(place, folder, { own, volumes }, use)
  // In a turn none is waited for: all turns may be taken by those who wait so.
  const inTurn = { own, volumes: noTurns }
  return volumes.runInTime(place, () => madeFolder(place, folder, real => judge(real, folder, inTurn, use)))
}

async function judge(
  real: string,
  folder: string,
  { own, volumes }: { readonly own: OwnFiles; readonly volumes: VolumeTurns },
  use: FolderUse,
): Promise<void> {
  if (use.linkless === true && real !== folder) throw new AppError('PathNotAllowed')
  await own.check(real, volumes)
  if (use.files !== undefined) own.checkNames(real, use.files)
}

/** The real path of the folder at `place`, made where it is missing. */
async function madeFolder(place: string, folder: string, judged: (real: string) => Promise<void>): Promise<string> {
  try {
    const real = await makePlace(place, judged)
    await access(real, constants.W_OK | constants.X_OK)
    return real
  } catch (error) {
    if (error instanceof AppError && error.code !== 'UnsafePath') throw error
    const code = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'DiskFull' : 'InvalidParameter'
    throw new AppError(code, `destination: ${folder} cannot be used: ${reason(error)}.`, { cause: error })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'too many links lead on from it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}

function reason(error: unknown): string {
  return reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? errorText(error)
}
