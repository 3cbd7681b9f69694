// Open files: how many this process, or the node that runs, may have, against what its settings need.

import { readdir, readFile } from 'node:fs/promises'
import { descriptorShares } from '../engine/descriptor-shares.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'

/** What the settings ask for. */
export interface FileNeeds {
  /** disk.open_files. */
  readonly openFiles: number
  /** libtorrent.max_connections. */
  readonly connections: number
}

/** With fewer nothing runs: what a node at rest has, what it keeps back, and some for each that uses them. */
const LEAST = 96
/** What the shares of files, peers and clients leave alone, and connections without a handshake (decision 0478). */
const NOT_SHARED = 80
const PENDING = 100
/** From here on a node is close to its limit. */
const NEARLY = 0.85

/** `pid`: the node that runs, or null: then what this process may have is what a start may have. */
export async function checkOpenFiles(needs: FileNeeds, pid: number | null): Promise<Finding> {
  const owner = pid === null ? 'self' : String(pid)
  const text = await readFile(`/proc/${owner}/limits`, 'utf8').catch(() => '')
  return judgeLimit(text, needs, pid === null ? null : await openNow(owner))
}

/** The same from the text of /proc/<pid>/limits; `open`: files open now, null = not known. */
export function judgeLimit(text: string, needs: FileNeeds, open: number | null): Finding {
  // Files get a quarter at most, peers half.
  const needed = NOT_SHARED + Math.max(4 * needs.openFiles, 2 * (needs.connections + PENDING))
  // A program made with Node raises its soft limit to the hard one.
  const found = /^Max open files\s+\S+\s+(\S+)/m.exec(text)?.[1]
  if (found === undefined) return coreFinding('files_unknown', {})
  const limit = found === 'unlimited' ? Infinity : Number(found)
  const shares = descriptorShares(limit, { peers: needs.connections, files: needs.openFiles })
  const facts = { limit: found, needed }
  if (limit < LEAST) return coreFinding('files_too_few', facts)
  if (shares.peers < needs.connections || shares.files < needs.openFiles) {
    const { peers, files, http: clients } = shares
    return coreFinding('files_held', { ...facts, peers, files, clients })
  }
  if (open === null) return coreFinding('files_ok', facts)
  return coreFinding(open > limit * NEARLY ? 'files_nearly' : 'files_ok_now', { ...facts, open })
}

async function openNow(owner: string): Promise<number | null> {
  return readdir(`/proc/${owner}/fd`).then(
    names => names.length,
    () => null,
  )
}
