// Whether a user could put another program in the place of one that the node runs. Keys of the API name no program, but
// one that may add downloads writes files: of a program that the node's own user may write, what it downloads is run.

import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A user of the system. */
export interface SystemUser {
  readonly uid: number
  readonly groups: readonly number[]
}

/** What is looked at. */
interface Owned {
  readonly uid: number
  readonly gid: number
  readonly mode: number
  isDirectory(): boolean
}

/** Files of folders with this bit are their owners' to take away. */
const STICKY = 0o1000

/** The user of this process; null: the system has no such numbers. */
export function ownUser(): SystemUser | null {
  const { getuid, getgid, getgroups } = process
  if (getuid === undefined || getgid === undefined || getgroups === undefined) return null
  return { uid: getuid(), groups: [getgid(), ...getgroups()] }
}

/**
 * The file or folder, of the program at `path`, that `user` may write; null = none. Of root nothing is said: it may
 * write all. Never rejects.
 */
export async function writableOf(path: string, user: SystemUser | null): Promise<string | null> {
  if (user === null || user.uid === 0) return null
  const real = await realpath(path).catch(() => path)
  for (const one of [real, path, dirname(real), dirname(path)]) {
    const found = await stat(one).catch(() => null)
    if (found !== null && mayWrite(found, user)) return one
  }
  return null
}

/** By its owner, who may always let itself, and its bits. */
function mayWrite(found: Owned, { uid, groups }: SystemUser): boolean {
  if (found.uid === uid) return true
  if (found.isDirectory() && (found.mode & STICKY) !== 0) return false
  return (found.mode & (groups.includes(found.gid) ? 0o020 : 0o002)) !== 0
}
