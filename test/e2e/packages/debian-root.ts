// A small Debian of its own in a folder, made by mmdebstrap from Debian's mirror, and programs that run in it: as a
// given user, with nothing writable but what is said, in a network of its own that has a loopback device only.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type DaemonProcess, startDaemon } from '../../kit/nodes/daemon-process.ts'

const run = promisify(execFile)
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 }

/** Makes the root of a minimal Debian 12 in `folder`, which does not exist yet; without Node. */
export async function makeDebianRoot(folder: string): Promise<void> {
  const quick = [
    '--dpkgopt=force-unsafe-io',
    '--dpkgopt=path-exclude=/usr/share/doc/*',
    '--aptopt=Acquire::Languages "none"',
  ]
  const args = ['--variant=minbase', '--include=adduser,ca-certificates,libstdc++6', '--format=directory', ...quick]
  await run('mmdebstrap', [...args, 'bookworm', folder, 'http://deb.debian.org/debian'], OUTPUT)
}

/** How a program runs within a root. */
export interface Within {
  readonly root: string
  /** `uid:gid`. */
  readonly user: string
  readonly env: Readonly<Record<string, string>>
  /** Folders below the root that may be written; empty = all that the user may. */
  readonly writable: readonly string[]
  readonly command: readonly string[]
}

// The root is mounted upon itself without the right to write, the writable folders upon it. Each command takes the
// place of the one before, so that signals reach the program itself.
const ENTER = `
root=$1 user=$2; shift 2
ip link set lo up
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do mount --bind "$root$1" "$root$1"; writable=yes; shift; done
shift
[ -z "\${writable-}" ] || mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" env -i "$@"`

/** Starts a program within a root; its process is the program's own. */
export function startWithin({ root, user, env, writable, command }: Within): DaemonProcess {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const enter = ['--mount', '--net', '--propagation', 'private', 'sh', '-ec', ENTER, 'enter', root, user]
  return startDaemon('unshare', [...enter, ...writable, '--', ...variables, ...command])
}

/**
 * Runs another command where `process` runs, as the same user; what it printed. Rejects when it fails, with its output.
 */
export async function runBeside(pid: number, within: Within, command: readonly string[]): Promise<string> {
  const [uid = '', gid = ''] = within.user.split(':')
  const variables = Object.entries(within.env).map(([name, value]) => `${name}=${value}`)
  const enter = ['--target', String(pid), '--mount', '--net', '--root', '--wd=/', '--setgid', gid, '--setuid', uid]
  const { stdout } = await run('nsenter', [...enter, 'env', '-i', ...variables, ...command], OUTPUT)
  return stdout
}
