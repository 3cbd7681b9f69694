// Makes the paths of one torrent unique, also where case or Unicode composition is ignored, and keeps a file and a folder
// from having one path. Depends on nothing but the order in which paths are added, so a torrent always gets the same.

import { cutName, MAX_NAME_BYTES, splitName } from './safe-path.ts'

/** Room kept for ` (n)` behind a stem, bytes; n has at most six digits. */
const SUFFIX_BYTES = 9

/** Names that were given in one torrent. */
export class UniquePaths {
  /** What stands at a folded path. */
  readonly #taken = new Map<string, 'file' | 'folder'>()
  /** Folders that had to be renamed: folded path wanted -> name given. */
  readonly #renamed = new Map<string, string>()
  /** Last number tried for a folded stem: keeps many equal names from being counted anew each time. */
  readonly #counters = new Map<string, number>()

  /** The unique path for a safe path (safe-path.ts) of at least one part, its last one a file. */
  add(path: readonly string[]): string[] {
    const unique: string[] = []
    let parent = ''
    for (const [index, name] of path.entries()) {
      const last = index === path.length - 1
      const given = last ? this.#file(parent, name) : this.#folder(parent, name)
      unique.push(given)
      parent = `${parent}/${fold(given)}`
    }
    return unique
  }

  #file(parent: string, name: string): string {
    const given = this.#taken.has(`${parent}/${fold(name)}`) ? this.#another(parent, name) : name
    this.#taken.set(`${parent}/${fold(given)}`, 'file')
    return given
  }

  #folder(parent: string, name: string): string {
    const wanted = `${parent}/${fold(name)}`
    const there = this.#taken.get(wanted)
    if (there === 'folder') return name
    const given = there === undefined ? name : (this.#renamed.get(wanted) ?? this.#another(parent, name))
    if (given !== name) this.#renamed.set(wanted, given)
    this.#taken.set(`${parent}/${fold(given)}`, 'folder')
    return given
  }

  /** A name like `name` that nothing has: `stem (n).extension`. */
  #another(parent: string, name: string): string {
    const { stem, extension } = splitName(cutName(name, MAX_NAME_BYTES - SUFFIX_BYTES))
    const counter = `${parent}/${fold(stem + extension)}`
    for (let count = (this.#counters.get(counter) ?? 0) + 1; ; count++) {
      const given = `${stem} (${count})${extension}`
      if (this.#taken.has(`${parent}/${fold(given)}`)) continue
      this.#counters.set(counter, count)
      return given
    }
  }
}

/** What a file system that ignores case and composition takes a name for. */
function fold(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
