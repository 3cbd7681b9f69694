// Files that the build puts beside the program (the dashboard), read whole at first use and kept. For small static
// files only. Invariant: only plain names, in the folder or in one below it, are looked up, so nothing outside is ever
// read.

import { readFile } from 'node:fs/promises'
import type { StaticFiles } from '../../ports/static-files.ts'

const PLAIN_NAME = /^(?:[a-z]{1,32}\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** The files of one folder. */
export class BuiltFiles implements StaticFiles {
  readonly #folder: URL
  readonly #kept = new Map<string, Uint8Array>()

  /** `folder`: a file URL that ends in `/`; it need not be there. */
  constructor(folder: URL) {
    this.#folder = folder
  }

  async read(name: string): Promise<Uint8Array | null> {
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    if (!PLAIN_NAME.test(name)) return null
    try {
      const bytes = await readFile(new URL(name, this.#folder))
      this.#kept.set(name, bytes)
      return bytes
    } catch {
      return null
    }
  }
}
