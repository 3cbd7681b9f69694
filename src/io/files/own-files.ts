// Where the node's own files lie: in the state directory, but for its folder `downloads` and the configured watch
// folder. Nothing of a download may be written, moved or read there, not even for the owner's key: replacing the list
// of keys gives all rights.

import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../../base/errors.ts'
import type { FolderIdentity, OwnFiles } from '../../ports/own-files.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'

/** Folders that are looked at side by side: no link leads from one to the next, so none waits for another. */
const LOOKS_AT_ONCE = 8
/** The folder of the state directory that downloads may lie in. */
const DOWNLOADS = 'downloads'

/**
 * Where the node's own files lie: in the state directory, but for its folder `downloads` and the configured watch
 * folder.
 */
export class StateFiles implements OwnFiles {
  readonly #root: string
  readonly #named: string
  readonly #identity: FolderIdentity
  readonly #watched: () => string
  readonly #turns: VolumeTurns

  /**
   * `stateDir`: as it was named; it exists. `real`: without links. `watched`: the configured watch folder, asked at
   * each use; '' = none.
   */
  constructor(
    { stateDir, real }: { readonly stateDir: string; readonly real: string },
    watched: () => string,
    turns: VolumeTurns = noTurns,
  ) {
    this.#turns = turns
    this.#named = path.resolve(stateDir)
    this.#root = real
    const { dev, ino } = statSync(real, { bigint: true })
    this.#identity = { dev, ino }
    this.#watched = watched
  }

  holds(real: string): boolean {
    return isIn(this.#root, real) && !this.#open().some(folder => isIn(folder, real))
  }

  async check(real: string, turns: VolumeTurns = this.#turns): Promise<FolderIdentity | null> {
    if (this.holds(real)) throw refusal()
    const way = wayTo(real)
    // Within one turn one call at a time: more would hold more threads than the turn stands for.
    const atOnce = turns === noTurns ? 1 : LOOKS_AT_ONCE
    let last: FolderIdentity | null = null
    // One folder may have several paths: other mounts of it, or a file system that takes capitals for small letters.
    for (let at = 0; at < way.length; at += atOnce) {
      const looks = way.slice(at, at + atOnce).map(above => this.#look(above, real, turns))
      const [first] = await Promise.all(looks)
      if (at === 0) last = first ?? null
    }
    return last
  }

  /** What is at `above`. AppError PathNotAllowed where it is the folder of all, and `real` among the node's own. */
  async #look(above: string, real: string, turns: VolumeTurns): Promise<FolderIdentity | null> {
    const facts = await turns.runInTime(above, () => stat(above, { bigint: true }).catch(() => null))
    if (facts !== null && this.isRoot(facts) && this.holds(path.join(this.#root, path.relative(above, real))))
      throw refusal()
    return facts
  }

  checkNames(real: string, files: Iterable<{ readonly path: readonly string[] }>): void {
    if (!this.isBelow(real)) return
    const way = path.relative(real, this.#root).split(path.sep)
    for (const file of files) {
      if (way.every((name, at) => file.path[at] === name) && this.holds(path.join(real, ...file.path))) throw refusal()
    }
  }

  isBelow(real: string): boolean {
    return real !== this.#root && isIn(real, this.#root)
  }

  isRoot({ dev, ino }: FolderIdentity): boolean {
    return dev === this.#identity.dev && ino === this.#identity.ino
  }

  /** What may be used in it. No disk is asked: the watch folder may lie on one that does not answer. */
  #open(): string[] {
    const watched = this.#watched()
    const folders = [path.join(this.#root, DOWNLOADS)]
    for (const root of watched === '' ? [] : new Set([this.#named, this.#root])) {
      const below = path.relative(root, path.resolve(watched))
      if (below !== '' && isIn(root, path.resolve(watched))) folders.push(path.join(this.#root, below))
    }
    return folders
  }
}

/** Whether a path is a folder or below it; both absolute and without links. */
export function isIn(folder: string, real: string): boolean {
  const below = path.relative(folder, real)
  return below === '' || (below !== '..' && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below))
}

/** A path and those of all folders above it. */
function wayTo(real: string): string[] {
  const way = [real]
  for (let at = real; at !== path.dirname(at); at = path.dirname(at)) way.push(path.dirname(at))
  return way
}

function refusal(): AppError {
  return new AppError(
    'PathNotAllowed',
    "The path is among the node's own files (its state directory): choose a folder elsewhere, or `downloads` in it.",
  )
}
