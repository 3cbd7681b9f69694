// Facts of films as small files in the state directory, a file each: read and written whole. What is lost or damaged is
// read from the film once more, so nothing here ever fails. Bounded in number and bytes; the oldest go first.

import { stat } from 'node:fs/promises'
import { errorText } from '../../../base/errors.ts'
import { OwnerFolder } from '../../../io/files/owner-folder.ts'
import type { Log } from '../../../ports/log.ts'
import type { FilmFacts } from '../core/film-facts.ts'
import type { FilmStore } from '../ports/film-store.ts'

/** Of another version they are not read: it may have known less, or wrong. */
const VERSION = 3
const ENDING = '.json'
/** The info hash, which tags begin with. */
const INFO_HASH_CHARS = 40
/** Those of a film of two hours have 30 KB; of the longest table that is made (16,384 key frames) some 400 KB. */
const MAX_FILE_BYTES = 1024 * 1024

/** How much is kept. */
export interface FactsFolderLimits {
  readonly films: number
  readonly bytes: number
}

const LIMITS: FactsFolderLimits = { films: 2000, bytes: 64 * 1024 * 1024 }

interface Kept {
  readonly version: number
  readonly facts: FilmFacts
}

/** What it is made with. */
export interface FactsFolderOptions {
  readonly folder: string
  readonly log: Log
  /** Says of an info hash whether its facts are still of use; others are deleted at the first use. */
  readonly isWanted: (infoHash: string) => boolean
  readonly limits?: FactsFolderLimits
}

/** A folder of facts. */
export class FactsFolder implements FilmStore {
  readonly #folder: OwnerFolder
  readonly #options: FactsFolderOptions
  readonly #limits: FactsFolderLimits
  /** Name -> bytes, the least lately used first; null before the first use. */
  #known: Promise<Map<string, number>> | null = null

  constructor(options: FactsFolderOptions) {
    this.#options = options
    this.#limits = options.limits ?? LIMITS
    this.#folder = new OwnerFolder(options.folder, 'facts of films', MAX_FILE_BYTES)
  }

  async get(tag: string): Promise<FilmFacts | null> {
    const name = `${tag}${ENDING}`
    const known = await this.#open()
    const bytes = known.get(name)
    if (bytes === undefined) return null
    // The newest now; it stays while it is read, for others ask meanwhile.
    known.delete(name)
    known.set(name, bytes)
    try {
      const kept = JSON.parse((await this.#folder.read(name)) ?? 'null') as Kept | null
      if (kept?.version === VERSION) return kept.facts
    } catch (error) {
      this.#options.log.warn('facts of a film are read again', { tag, error: errorText(error) })
    }
    // Unless others have written it again or removed it meanwhile.
    if (known.get(name) === bytes) {
      known.delete(name)
      await this.#remove(name)
    }
    return null
  }

  async put(tag: string, facts: FilmFacts): Promise<void> {
    const name = `${tag}${ENDING}`
    const kept: Kept = { version: VERSION, facts }
    const text = JSON.stringify(kept)
    const known = await this.#open()
    try {
      await this.#folder.write(name, text)
      known.delete(name)
      known.set(name, text.length)
      await this.#shrink(known)
    } catch (error) {
      this.#options.log.warn('facts of a film could not be kept', { tag, error: errorText(error) })
    }
  }

  #open(): Promise<Map<string, number>> {
    return (this.#known ??= this.#look())
  }

  /** What is there, the oldest first; what belongs to no download goes. */
  async #look(): Promise<Map<string, number>> {
    const found: { name: string; bytes: number; mtimeMs: number }[] = []
    try {
      for (const name of await this.#folder.list('')) {
        // One that cannot be looked at is unknown, and all others are not.
        const stats = await stat(this.#folder.path(name)).catch(() => null)
        if (!this.#options.isWanted(name.slice(0, INFO_HASH_CHARS))) await this.#remove(name)
        else if (stats !== null) found.push({ name, bytes: stats.size, mtimeMs: stats.mtimeMs })
      }
    } catch (error) {
      this.#options.log.warn('kept facts of films cannot be listed', { error: errorText(error) })
    }
    const known = new Map(found.sort((a, b) => a.mtimeMs - b.mtimeMs).map(({ name, bytes }) => [name, bytes]))
    await this.#shrink(known)
    return known
  }

  async #shrink(known: Map<string, number>): Promise<void> {
    let bytes = [...known.values()].reduce((sum, one) => sum + one, 0)
    for (const [name, its] of known) {
      if (known.size <= this.#limits.films && bytes <= this.#limits.bytes) return
      known.delete(name)
      bytes -= its
      await this.#remove(name)
    }
  }

  async #remove(name: string): Promise<void> {
    try {
      await this.#folder.remove(name)
    } catch (error) {
      this.#options.log.warn('facts of a film could not be deleted', { name, error: errorText(error) })
    }
  }
}
