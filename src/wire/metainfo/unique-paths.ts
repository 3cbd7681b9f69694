// Makes the paths of one torrent unique, also where case or Unicode composition is ignored, and keeps a file and a
// folder from having one path. Depends on nothing but the order in which paths are added, so a torrent always gets the
// same. The names are kept in a tree, so that a path costs its own parts and not the text of every folder above it.

import { cutName, MAX_NAME_BYTES, splitName } from './safe-path.ts'

/** Room kept for ` (n)` behind a stem, bytes; n has at most six digits. */
const SUFFIX_BYTES = 9

/** The names in one folder. */
class Folder {
  /** The name under which it was given first: paths that spell it alike share the text. */
  readonly name: string
  /** Bytes of UTF-8 of the path up to here, a separator behind each part. */
  readonly pathBytes: number
  /** By folded name: a folder, or null for a file. */
  readonly taken = new Map<string, Folder | null>()
  /** Folders that had to be renamed: folded name wanted -> name given. */
  renamed: Map<string, string> | null = null
  /** Last number tried for a folded stem: keeps many equal names from being counted from 1 each time. */
  counters: Map<string, number> | null = null

  constructor(name: string, parent: Folder | null) {
    this.name = name
    this.pathBytes = parent === null ? 0 : parent.pathBytes + Buffer.byteLength(name) + 1
  }
}

/** Names that were given in one torrent. */
export class UniquePaths {
  readonly #top = new Folder('', null)
  #folders = 0
  #parts = 0
  #bytes = 0

  /** Folders that were given, those above others among them. */
  get folders(): number {
    return this.#folders
  }

  /** Parts of all paths together. */
  get parts(): number {
    return this.#parts
  }

  /** Bytes of UTF-8 of all paths together, with their separators. */
  get bytes(): number {
    return this.#bytes
  }

  /** The unique path for a safe path (safe-path.ts) of at least one part, its last one a file. */
  add(path: readonly string[]): string[] {
    const last = path.length - 1
    const unique: string[] = []
    let parent = this.#top
    for (let index = 0; index < last; index++) {
      const wanted = path[index] as string
      const folder = this.#folder(parent, wanted)
      // One spelled in another case is left so; one that was renamed is not.
      const same = folder.name === wanted || parent.taken.get(foldName(wanted)) !== folder
      unique.push(same ? folder.name : wanted)
      parent = folder
    }
    const name = file(parent, path[last] as string)
    unique.push(name)
    this.#parts += path.length
    this.#bytes += parent.pathBytes + Buffer.byteLength(name)
    return unique
  }

  #folder(parent: Folder, name: string): Folder {
    const folded = foldName(name)
    const there = parent.taken.get(folded)
    if (there instanceof Folder) return there
    if (there === undefined) return this.#make(parent, folded, name)
    parent.renamed ??= new Map()
    const given = parent.renamed.get(folded) ?? another(parent, name)
    parent.renamed.set(folded, given)
    const known = parent.taken.get(foldName(given))
    return known instanceof Folder ? known : this.#make(parent, foldName(given), given)
  }

  #make(parent: Folder, folded: string, name: string): Folder {
    const folder = new Folder(name, parent)
    parent.taken.set(folded, folder)
    this.#folders += 1
    return folder
  }
}

function file(parent: Folder, name: string): string {
  const folded = foldName(name)
  if (!parent.taken.has(folded)) {
    parent.taken.set(folded, null)
    return name
  }
  const given = another(parent, name)
  parent.taken.set(foldName(given), null)
  return given
}

/** A name like `name` that nothing has: `stem (n).extension`. */
function another(parent: Folder, name: string): string {
  const { stem, extension } = splitName(cutName(name, MAX_NAME_BYTES - SUFFIX_BYTES))
  const counter = foldName(stem + extension)
  parent.counters ??= new Map()
  for (let count = (parent.counters.get(counter) ?? 0) + 1; ; count++) {
    const given = `${stem} (${count})${extension}`
    if (parent.taken.has(foldName(given))) continue
    parent.counters.set(counter, count)
    return given
  }
}

/** What a file system that ignores case and composition takes a name for. */
export function foldName(name: string): string {
  // Most names are ASCII, where lower case is all there is to it.
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase()
  return name.toUpperCase().toLowerCase().normalize('NFC')
}
