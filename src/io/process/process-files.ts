// Open files and sockets of this process as the kernel knows them, opened by any of JavaScript, libuv, the native
// server. Its tables of sockets show all of the network namespace; only those of our descriptors are taken from them.

import { constants, createReadStream } from 'node:fs'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { type SocketTable, socketTables } from '../net/socket-tables.ts'

/** A regular file that is open. */
export interface OpenFile {
  path: string
  fd: number
}

/** A socket; see OpenSocketRecord of services/debug-api.ts. */
export interface OpenSocket {
  family: number
  status: string
  laddr: string
  raddr: string
  type: number
  fd: number
}

/** What the kernel says of a socket that is in none of its tables: made, and neither bound nor connected. */
const UNKNOWN = { family: 0, status: 'NONE', laddr: '-', raddr: '-', type: 0 } as const

/** Where the facts are; another folder in tests. */
const PROC = '/proc/self'

/** Every regular file that is open, by descriptor. */
export async function openFiles(turns: VolumeTurns = noTurns): Promise<OpenFile[]> {
  const found = await Promise.all([...(await descriptors())].map(([fd, target]) => regularFile(fd, target, turns)))
  return found.filter(file => file !== null).toSorted((a, b) => a.fd - b.fd)
}

/** Every socket of the process, by descriptor. */
export async function openSockets(): Promise<OpenSocket[]> {
  const byInode = new Map<string, number>()
  for (const [fd, target] of await descriptors()) {
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode !== undefined) byInode.set(inode, fd)
  }
  const found: OpenSocket[] = []
  for (const table of socketTables) await readTable(table, byInode, found)
  for (const [inode, fd] of byInode) if (await isSocket(fd, inode)) found.push({ ...UNKNOWN, fd })
  return found.toSorted((a, b) => a.fd - b.fd)
}

/** Descriptor -> what it leads to. Those that close meanwhile are left out. */
async function descriptors(): Promise<Map<number, string>> {
  const names = await readdir(`${PROC}/fd`)
  const targets = await Promise.all(names.map(name => readlink(`${PROC}/fd/${name}`).catch(() => null)))
  const found = new Map<number, string>()
  for (const [at, target] of targets.entries()) if (target !== null) found.set(Number(names[at]), target)
  return found
}

async function regularFile(fd: number, target: string, turns: VolumeTurns): Promise<OpenFile | null> {
  if (!target.startsWith('/')) return null
  // Also one that is deleted: the descriptor leads to it.
  return (await isFile(fd, target, turns)) ? { path: target, fd } : null
}

async function isFile(fd: number, target: string, turns: VolumeTurns): Promise<boolean> {
  if (turns.isOwn(target)) return (await stat(`${PROC}/fd/${fd}`).catch(() => null))?.isFile() === true
  // Another volume may not answer: what the kernel knows of the descriptor has to do.
  const info = await readFile(`${PROC}/fdinfo/${fd}`, 'utf8').catch(() => '')
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & constants.O_DIRECTORY) === 0
}

/** Takes those of `byInode` that the table has out of it. */
async function readTable(table: SocketTable, byInode: Map<string, number>, found: OpenSocket[]): Promise<void> {
  const take = (line: string): void => {
    const row = table.read(line.trim().split(/ +/))
    const fd = row === null ? undefined : byInode.get(row.inode)
    if (row === null || fd === undefined) return
    byInode.delete(row.inode)
    const { inode: _inode, ...socket } = row
    found.push({ ...socket, fd })
  }
  let rest = ''
  try {
    for await (const chunk of createReadStream(`${PROC}/net/${table.name}`, 'latin1')) {
      const lines = (rest + (chunk as string)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line)
    }
    take(rest)
  } catch {
    // The kernel was built without this protocol.
  }
}

async function isSocket(fd: number, inode: string): Promise<boolean> {
  return (await readlink(`${PROC}/fd/${fd}`).catch(() => '')) === `socket:[${inode}]`
}
