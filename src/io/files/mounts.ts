// What is mounted where, as the kernel lists it. Linux; elsewhere nothing is known.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One mount. */
export interface Mount {
  readonly point: string
  /** Such as `ext4` or `nfs4`. */
  readonly type: string
  readonly readOnly: boolean
  /** The file system's device number, `major:minor`: one for all places where it is mounted. */
  readonly device: string
  /** Which folder of the file system lies there: `/`, or another where only a part of it is mounted (bind mounts). */
  readonly root?: string
}

const TABLE = '/proc/self/mountinfo'
const NETWORK = /^(nfs|nfs4|cifs|smb\w*|9p|ceph|glusterfs|afs|lustre|fuse\.(sshfs|rclone|glusterfs|s3fs|davfs2?))$/

/** Whether files of the mount lie on another machine. */
export function isNetwork(mount: Mount): boolean {
  return NETWORK.test(mount.type)
}

/** Reads the text of /proc/self/mountinfo. */
export function parseMounts(text: string): Mount[] {
  const mounts: Mount[] = []
  for (const line of text.split('\n')) {
    const fields = line.split(' ')
    const dash = fields.indexOf('-', 6)
    const [point, options] = [fields[4], fields[5]]
    if (dash < 0 || point === undefined || options === undefined) continue
    const type = fields[dash + 1] ?? ''
    const ofDisk = fields[dash + 3] ?? ''
    const readOnly = [...options.split(','), ...ofDisk.split(',')].includes('ro')
    mounts.push({
      point: unescaped(point),
      type,
      readOnly,
      device: fields[2] ?? '',
      root: unescaped(fields[3] ?? '/'),
    })
  }
  return mounts
}

/** Blanks in paths are written as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)))
}

/**
 * Where `path` (absolute, without links) lies in its file system, which is the same by whatever mount it is reached;
 * the path itself where nothing is known of that.
 */
export function placeOnDevice(path: string, mounts: readonly Mount[]): string {
  const mount = mountOf(path, mounts)
  if (mount?.root === undefined) return path
  return `${mount.device}:${join(mount.root, path.slice(mount.point.length))}`
}

/** The mount that `path` (absolute, without links) lies on; null when nothing is known. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | null {
  let best: Mount | null = null
  for (const mount of mounts) {
    const inside = mount.point === '/' || path === mount.point || path.startsWith(`${mount.point}/`)
    // Of mounts over each other the last one counts.
    if (inside && (best === null || mount.point.length >= best.point.length)) best = mount
  }
  return best
}

/** What is mounted now, at once: the table lies in memory. */
export function mountsNow(): Mount[] {
  try {
    return parseMounts(readFileSync(TABLE, 'utf8'))
  } catch {
    return []
  }
}

/** What is mounted now. */
export async function readMounts(): Promise<Mount[]> {
  return parseMounts(await readFile(TABLE, 'utf8').catch(() => ''))
}
