// Whether names of files on this machine can be names in a torrent. What would be read as padding cannot; what would be
// read under another name can, but this node could not seed it from where it is.

import { safePath } from './safe-path.ts'
import type { Steps } from '../steps.ts'
import { UniquePaths } from './unique-paths.ts'

/** What was found, each the first of its kind as a path with `/`; null = none. */
export interface NameProblems {
  /** It would be taken for padding. */
  readonly padding: string | null
  /** It would be written under another name: reserved somewhere, or equal to another but for case. */
  readonly renamed: string | null
}

/** Names looked at in one step. */
const NAMES_A_STEP = 256

/** Looks at all paths, in steps. They begin with the torrent's name. */
export function* nameProblems(paths: Iterable<readonly string[]>): Steps<NameProblems> {
  const names = new UniquePaths()
  let padding: string | null = null
  let renamed: string | null = null
  let seen = 0
  for (const path of paths) {
    if (++seen % NAMES_A_STEP === 0) yield
    const text = path.join('/')
    if (padding === null && looksLikePadding(path)) padding = text
    const written = names.add(writtenPath(path)).join('/')
    if (renamed === null && written !== text) renamed = text
  }
  return { padding, renamed }
}

function writtenPath(path: readonly string[]): string[] {
  const parts = path.map(part => Buffer.from(part, 'utf8'))
  return safePath(null, parts)
}

/** Padding as readers know it by name, this node among them (BEP 47 and before). */
function looksLikePadding(path: readonly string[]): boolean {
  const below = path.slice(1)
  const last = path.at(-1) ?? ''
  return (below.length === 2 && below[0] === '.pad' && /^\d+$/.test(last)) || last.startsWith('_____padding_file')
}
