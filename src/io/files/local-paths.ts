// Paths that clients name: torrent files to read and folders to download into. Every failure becomes a sentence the
// client can act on. What is inside a destination folder is not this file's business.

import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import path from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { FolderIdentity, FolderLook, FolderUse, OwnFiles } from '../../ports/own-files.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { makePlace } from './make-place.ts'
import { placeOf } from './placed-path.ts'
import type { SafeFolder } from './safe-files.ts'

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

/** The longest path that Linux takes (PATH_MAX), bytes. */
const MAX_PATH_BYTES = 4096

/** What a look at a destination works with. */
export interface FolderParts {
  readonly own: OwnFiles
  readonly volumes: VolumeTurns
}

/** Where a destination leads, and which folder is there; null: none. */
interface SeenPlace {
  readonly place: string
  readonly seen: FolderIdentity | null
}

/**
 * Makes a destination folder ready and answers its real path: absolute, made when missing, writable, and not among the
 * node's own files. AppErrors InvalidParameter (what is wrong with it), PathNotAllowed, DiskFull,
 * VolumeStalled.
 */
export function prepareFolder(folder: string, parts: FolderParts, use: FolderUse = {}): Promise<string> {
  return lookAtFolder(folder, parts).prepare(use)
}

/**
 * Begins to look where a destination folder leads, which needs a dozen calls of files in a row, and makes nothing:
 * what will lie in it may be read meanwhile (decision 0535).
 */
export function lookAtFolder(folder: string, parts: FolderParts): FolderLook {
  const looked = look(folder, parts)
  // Who prepares hears of it; nobody may.
  looked.catch(() => undefined)
  return { prepare: async use => prepared(folder, await looked, parts, use ?? {}) }
}

async function look(folder: string, { own, volumes }: FolderParts): Promise<SeenPlace> {
  if (!path.isAbsolute(folder) || folder.includes('\0')) {
    throw new AppError('InvalidParameter', 'destination: must be an absolute path.')
  }
  if (Buffer.byteLength(folder) >= MAX_PATH_BYTES) {
    throw new AppError('InvalidParameter', `destination: must be shorter than ${MAX_PATH_BYTES} bytes.`)
  }
  await volumes.refresh()
  const place = await placeOf(folder, volumes)
  return { place, seen: await own.check(place, volumes) }
}

function prepared(folder: string, { place, seen }: SeenPlace, parts: FolderParts, use: FolderUse): Promise<string> {
  const { own, volumes } = parts
  judgeUse(place, folder, own, use)
  return volumes.runInTime(place, () =>
    madeFolder(place, folder, async (real, above) => {
      judgeUse(real, folder, own, use)
      // Which folders may be used can have changed since the look, and this asks no disk.
      if (own.holds(real)) throw new AppError('PathNotAllowed')
      // In a turn none is waited for: all turns may be taken by those who wait so.
      if (real !== place || !isSame(await above.identity(), seen)) await own.check(real, noTurns)
    }),
  )
}

function judgeUse(real: string, folder: string, own: OwnFiles, use: FolderUse): void {
  if (use.linkless === true && real !== folder) throw new AppError('PathNotAllowed')
  if (use.files !== undefined) own.checkNames(real, use.files)
}

// Whoever could move a judged folder in among the node's own files, its path and all above it unchanged to see, could
// write there without us.
function isSame(now: FolderIdentity, seen: FolderIdentity | null): boolean {
  return now.dev === seen?.dev && now.ino === seen.ino
}

/** The real path of the folder at `place`, made where it is missing. */
async function madeFolder(
  place: string,
  folder: string,
  judge: (real: string, above: SafeFolder) => Promise<void>,
): Promise<string> {
  try {
    const real = await makePlace(place, judge)
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
