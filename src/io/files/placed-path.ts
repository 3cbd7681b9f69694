// Where a path leads, link by link, each looked at in the turn of its own volume: so a path that leads to a stalled
// volume holds up no other call.

import { readlink } from 'node:fs/promises'
import path from 'node:path'
import type { VolumeTurns } from '../../ports/volumes.ts'

/** As many links as Linux follows. */
const MAX_LINKS = 40

/**
 * The absolute path with the links of all its folders, and its own, followed as far as they are there. Never rejects
 * for what is missing or forbidden: using the path will. AppError VolumeStalled.
 */
export async function placeOf(named: string, turns: VolumeTurns): Promise<string> {
  let rest = path
    .resolve(named)
    .split(path.sep)
    .filter(part => part !== '')
  let at: string = path.sep
  for (let links = 0; rest.length > 0; ) {
    const next = path.join(at, rest[0] as string)
    const target = await turns.runInTime(next, () => readlink(next).catch(noLink))
    if (target === null) return path.join(at, rest.join(path.sep))
    rest = rest.slice(1)
    if (target === '') {
      at = next
      continue
    }
    links += 1
    if (links > MAX_LINKS) return path.join(next, rest.join(path.sep))
    rest = [
      ...path
        .resolve(at, target)
        .split(path.sep)
        .filter(part => part !== ''),
      ...rest,
    ]
    at = path.sep
  }
  return at
}

/** '' for what is no link, null for what cannot be looked at. */
function noLink(error: NodeJS.ErrnoException): '' | null {
  return error.code === 'EINVAL' ? '' : null
}
