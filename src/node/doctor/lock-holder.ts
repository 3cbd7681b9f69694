// Who holds a lock on a file, and who listens on a port, as the kernel lists it: nothing is opened or locked for the
// answer.

import { readdir, readFile, readlink, stat } from 'node:fs/promises'

/**
 * The processes that hold write locks on `path`, by the kernel's list; empty when there are none or it is not known.
 */
export async function lockHolders(path: string): Promise<number[]> {
  const facts = await stat(path).catch(() => null)
  if (facts === null) return []
  return holdersIn(await readFile('/proc/locks', 'utf8').catch(() => ''), facts.ino)
}

/** The same from the text of /proc/locks. */
export function holdersIn(text: string, inode: number): number[] {
  const holders = new Set<number>()
  for (const line of text.split('\n')) {
    const [, , , access, pid, place] = line.trim().split(/\s+/)
    if (access !== 'WRITE' || place?.split(':')[2] !== String(inode)) continue
    if (Number(pid) > 0) holders.add(Number(pid))
  }
  return [...holders]
}

/** `process 12 (nginx)` for the listener on a TCP port, as far as this user may know; '' = not known. */
export async function portHolder(port: number): Promise<string> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map(name => readFile(name, 'utf8').catch(() => '')),
  )
  const sockets = tables.flatMap(text => listenersIn(text, port))
  if (sockets.length === 0) return ''
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  for (const pid of pids) {
    if (!(await hasSocket(pid, sockets))) continue
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
    return `process ${pid} (${name})`
  }
  return ''
}

/** Inodes of the sockets that listen on `port`, from the text of /proc/net/tcp. */
export function listenersIn(text: string, port: number): string[] {
  const digits = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = text.split('\n').map(line => line.trim().split(/\s+/))
  return rows.filter(row => row[1]?.endsWith(`:${digits}`) && row[3] === '0A').map(row => row[9] ?? '')
}

async function hasSocket(pid: string, sockets: readonly string[]): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  for (const name of await readdir(folder).catch(() => [])) {
    const target = await readlink(`${folder}/${name}`).catch(() => '')
    if (sockets.some(inode => target === `socket:[${inode}]`)) return true
  }
  return false
}
