// The folders a node works in: are they there, may it write, on what kind of disk, is there room.

import { randomBytes } from 'node:crypto'
import { access, constants, mkdtemp, open, realpath, rmdir, stat, statfs, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorText } from '../../base/errors.ts'
import { errnoOf } from '../../io/files/disk-errors.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'
import { isNetwork, type Mount, mountOf } from '../../io/files/mounts.ts'

/** A folder and what it is for. */
export interface NamedFolder {
  readonly path: string
  /** The setting or flag that names it. */
  readonly named: string
  /** `state`: databases lie in it. `downloads`: made when it is missing. `watched`: it must be there. */
  readonly kind: 'state' | 'downloads' | 'watched'
  /** Bytes that must stay free; 0 = any. */
  readonly minFreeBytes: number
}

/** A start writes some; less is a full disk. */
const LITTLE_BYTES = 16 * 1024 * 1024

/** Looks at permissions, mount and room of one folder. */
export async function checkFolder(folder: NamedFolder, mounts: readonly Mount[]): Promise<Finding[]> {
  const real = await realpath(folder.path).catch(() => null)
  if (real === null) return [await missing(folder)]
  if (!(await stat(real)).isDirectory()) return [coreFinding('folder_is_none', factsOf(folder))]
  const mount = mountOf(real, mounts)
  if (mount?.readOnly === true) {
    return [coreFinding('folder_read_only', { ...factsOf(folder), type: mount.type, mount: mount.point })]
  }
  const open = folder.kind === 'state' ? await openToOthers(folder, real) : []
  return [await checkRights(folder, real), ...open, ...(await checkRoom(folder, real)), ...checkKind(folder, mount)]
}

/** What texts say of it. */
function factsOf({ path, named, kind }: NamedFolder) {
  return { role: kind, path, setting: named, user: userText() }
}

/** It is not narrowed by itself: downloads may lie in it that others are to read. */
async function openToOthers(folder: NamedFolder, real: string): Promise<Finding[]> {
  const { mode } = await stat(real)
  return (mode & 0o077) === 0 ? [] : [coreFinding('folder_open_to_others', factsOf(folder))]
}

async function missing(folder: NamedFolder): Promise<Finding> {
  const facts = factsOf(folder)
  if (folder.kind === 'watched') return coreFinding('folder_missing', facts)
  const above = await nearest(folder.path)
  const error = await access(above, constants.W_OK | constants.X_OK).then(
    () => null,
    (cause: unknown) => cause,
  )
  if (error === null) return coreFinding('folder_to_be_made', facts)
  return coreFinding('folder_not_made', { ...facts, above, error: errorText(error) })
}

/** The nearest folder above that is there. */
async function nearest(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((await stat(at).catch(() => null)) !== null || at === dirname(at)) return at
  }
}

/** Whether something can really be written there: quotas and full disks show only then. */
async function checkRights(folder: NamedFolder, real: string): Promise<Finding> {
  try {
    const made = await mkdtemp(join(real, '.tributary-doctor-'))
    const probe = join(made, randomBytes(4).toString('hex'))
    try {
      const handle = await open(probe, 'wx')
      try {
        await handle.writeFile('x')
      } finally {
        await handle.close()
      }
      await unlink(probe)
    } finally {
      await unlink(probe).catch(() => undefined)
      await rmdir(made)
    }
    return coreFinding('folder_writable', factsOf(folder))
  } catch (error) {
    const facts = { ...factsOf(folder), error: errorText(error) }
    const full = errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT'
    const readable = await access(real, constants.R_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
    // Files that are kept where they lie are only read.
    if (folder.kind === 'watched' && readable) return coreFinding(full ? 'watched_full' : 'watched_not_writable', facts)
    return coreFinding(full ? 'folder_full' : 'folder_not_writable', facts)
  }
}

async function checkRoom(folder: NamedFolder, real: string): Promise<Finding[]> {
  const { kind, minFreeBytes } = folder
  const facts = await statfs(real).catch(() => null)
  if (facts === null || kind === 'watched') return []
  const free = facts.bavail * facts.bsize
  const said = { ...factsOf(folder), free: mebibytes(free), wanted: mebibytes(minFreeBytes) }
  if (free < Math.max(LITTLE_BYTES, minFreeBytes))
    return [coreFinding(minFreeBytes > LITTLE_BYTES ? 'room_below_setting' : 'room_little', said)]
  // File systems without a fixed number of inodes say 0 of 0.
  const isOutOfInodes = facts.files > 0 && facts.ffree === 0
  return [coreFinding(isOutOfInodes ? 'room_no_inodes' : 'room', said)]
}

function checkKind(folder: NamedFolder, mount: Mount | null): Finding[] {
  if (mount === null) return []
  const facts = { ...factsOf(folder), type: mount.type, mount: mount.point }
  if (folder.kind === 'state' && isNetwork(mount)) return [coreFinding('state_on_network', facts)]
  if (folder.kind === 'downloads' && /^(vfat|msdos)$/.test(mount.type))
    return [coreFinding('folder_small_files', facts)]
  return []
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}

/** Who this is. */
export function userText(): string {
  return `uid ${process.getuid?.() ?? '?'}`
}
