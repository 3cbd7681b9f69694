// The folders a node works in: are they there, may it write, on what kind of disk, is there room.

import { randomBytes } from 'node:crypto'
import { access, constants, mkdtemp, open, realpath, rmdir, stat, statfs, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorText } from '../../base/errors.ts'
import { errnoOf } from '../../io/files/disk-errors.ts'
import { fine, type Finding, problem, warning } from './finding.ts'
import { isNetwork, type Mount, mountOf } from '../../io/files/mounts.ts'

/** A folder and what it is for. */
export interface NamedFolder {
  readonly path: string
  /** Such as `state directory`. */
  readonly role: string
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
  if (!(await stat(real)).isDirectory()) {
    return [
      problem('permissions', `The ${folder.role} ${folder.path} is not a folder.`, `Set ${folder.named} to a folder.`),
    ]
  }
  const mount = mountOf(real, mounts)
  if (mount?.readOnly === true) {
    const text = `The ${folder.role} ${folder.path} lies on a read-only file system (${mount.type} at ${mount.point}).`
    return [problem('mounts', text, `Mount it for writing, or set ${folder.named} to another folder.`)]
  }
  const open = folder.kind === 'state' ? await openToOthers(folder, real) : []
  return [await checkRights(folder, real), ...open, ...(await checkRoom(folder, real)), ...checkKind(folder, mount)]
}

/** It is not narrowed by itself: downloads may lie in it that others are to read. */
async function openToOthers({ path, role }: NamedFolder, real: string): Promise<Finding[]> {
  const { mode } = await stat(real)
  if ((mode & 0o077) === 0) return []
  const text = `The ${role} ${path} can be entered by other users of this machine. Its files of keys are closed to them.`
  return [warning('permissions', text, `chmod 700 ${path} (not where others are to read downloads in it).`)]
}

async function missing(folder: NamedFolder): Promise<Finding> {
  const { path, role, named, kind } = folder
  if (kind === 'watched') {
    return problem(
      'permissions',
      `The ${role} ${path} is not there.`,
      `Make it, mount what belongs there, or change ${named}.`,
    )
  }
  const above = await nearest(path)
  const error = await access(above, constants.W_OK | constants.X_OK).then(
    () => null,
    (cause: unknown) => cause,
  )
  if (error === null) return fine('permissions', `The ${role} ${path} will be created.`)
  const text = `The ${role} ${path} is not there and cannot be made: ${above}: ${errorText(error)}.`
  return problem(
    'permissions',
    text,
    `Give this user (${userText()}) the right to write to ${above}, or change ${named}.`,
  )
}

/** The nearest folder above that is there. */
async function nearest(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((await stat(at).catch(() => null)) !== null || at === dirname(at)) return at
  }
}

/** Whether something can really be written there: quotas and full disks show only then. */
async function checkRights({ path, role, named, kind }: NamedFolder, real: string): Promise<Finding> {
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
    return fine('permissions', `The ${role} ${path} can be written to.`)
  } catch (error) {
    const text = `Nothing can be written to the ${role} ${path}: ${errorText(error)}.`
    const full = errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT'
    const advice = full
      ? 'Make room on its disk, or raise the quota.'
      : `Give this user (${userText()}) the right to write there, or change ${named}.`
    const readable = await access(real, constants.R_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
    // Files that are kept where they lie are only read.
    return kind === 'watched' && readable
      ? warning('permissions', text, `Corrupt files stay there. ${advice}`)
      : problem('permissions', text, advice)
  }
}

async function checkRoom({ path, role, kind, minFreeBytes }: NamedFolder, real: string): Promise<Finding[]> {
  const facts = await statfs(real).catch(() => null)
  if (facts === null || kind === 'watched') return []
  const free = facts.bavail * facts.bsize
  const text = `${mebibytes(free)} MiB are free for the ${role} ${path}`
  if (free < Math.max(LITTLE_BYTES, minFreeBytes)) {
    const advice =
      minFreeBytes > LITTLE_BYTES
        ? `disk.min_free_bytes asks for ${mebibytes(minFreeBytes)} MiB. Make room, or lower it.`
        : 'Make room.'
    return [problem('mounts', `Only ${text}.`, advice)]
  }
  // File systems without a fixed number of inodes say 0 of 0.
  if (facts.files > 0 && facts.ffree === 0)
    return [problem('mounts', `The disk of the ${role} ${path} has no free inodes.`, 'Delete files there.')]
  return [fine('mounts', `${text}.`)]
}

function checkKind({ path, role, kind }: NamedFolder, mount: Mount | null): Finding[] {
  if (mount === null) return []
  if (kind === 'state' && isNetwork(mount)) {
    const text = `The ${role} ${path} lies on a network file system (${mount.type} at ${mount.point}), where databases break.`
    return [
      problem('mounts', text, 'Keep it on a disk of this machine (--state-dir); only downloads may lie elsewhere.'),
    ]
  }
  if (kind === 'downloads' && /^(vfat|msdos)$/.test(mount.type)) {
    return [
      warning(
        'mounts',
        `The ${role} ${path} lies on ${mount.type}: no file there can reach 4 GiB.`,
        'Use another file system, such as ext4 or exfat.',
      ),
    ]
  }
  return []
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}

/** Who this is. */
export function userText(): string {
  return `uid ${process.getuid?.() ?? '?'}`
}
