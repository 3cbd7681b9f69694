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
    const last = path.length - 1
    let parent = ''
    for (let index = 0; index < last; index++) {
      const given = this.#folder(parent, path[index] as string)
      unique.push(given)
      parent += `/${fold(given)}`
    }
    unique.push(this.#file(parent, path[last] as string))
    return unique
  }

  #file(parent: string, name: string): string {
    const wanted = `${parent}/${fold(name)}`
    if (!this.#taken.has(wanted)) {
      this.#taken.set(wanted, 'file')
      return name
    }
    const given = this.#another(parent, name)
    this.#taken.set(`${parent}/${fold(given)}`, 'file')
    return given
  }

  #folder(parent: string, name: string): string {
    const wanted = `${parent}/${fold(name)}`
    const there = this.#taken.get(wanted)
    if (there === 'folder') return name
    if (there === undefined) {
      this.#taken.set(wanted, 'folder')
      return name
    }
    const given = this.#renamed.get(wanted) ?? this.#another(parent, name)
    this.#renamed.set(wanted, given)
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
  // Most names are ASCII, where lower case is all there is to it.
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase()
  return name.toUpperCase().toLowerCase().normalize('NFC')
}
