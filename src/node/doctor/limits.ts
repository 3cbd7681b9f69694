// Open files: how many this process, or the node that runs, may have, against what its settings need.

import { readdir, readFile } from 'node:fs/promises'
import { fine, type Finding, problem, warning } from './finding.ts'

/** What the settings ask for. */
export interface FileNeeds {
  /** disk.open_files. */
  readonly openFiles: number
  /** libtorrent.max_connections. */
  readonly connections: number
}

/** The database, logs, clients of the interface, trackers. */
const OTHER_FILES = 200
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
  const needed = needs.openFiles + needs.connections + OTHER_FILES
  // A program made with Node raises its soft limit to the hard one.
  const found = /^Max open files\s+\S+\s+(\S+)/m.exec(text)?.[1]
  if (found === undefined) return fine('open-files', 'The limit of open files is not known on this system.')
  const limit = found === 'unlimited' ? Infinity : Number(found)
  const advice = `Raise it (ulimit -n ${needed}; LimitNOFILE=${needed} for systemd; --ulimit nofile=${needed} for containers), or lower libtorrent.max_connections or disk.open_files.`
  if (limit < needed) {
    return problem('open-files', `The limit of open files is ${found}; the settings need ${needed}.`, advice)
  }
  if (open !== null && open > limit * NEARLY) {
    return warning('open-files', `The node that runs has ${open} of at most ${found} files open.`, advice)
  }
  return fine(
    'open-files',
    `The limit of open files is ${found}; the settings need ${needed}${open === null ? '' : `, ${open} are open`}.`,
  )
}

async function openNow(owner: string): Promise<number | null> {
  return readdir(`/proc/${owner}/fd`).then(
    names => names.length,
    () => null,
  )
}
