// Files of an installed npm package, read whole and kept. For small static assets only.
// Invariant: only names without a path separator are looked up, so nothing outside the package is ever read.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { StaticFiles } from '../ports/static-files.ts'

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** The top-level files of one npm package, as installed beside this program. */
export class PackageFiles implements StaticFiles {
  readonly #packageName: string
  readonly #kept = new Map<string, Uint8Array>()

  /** `packageName`: an installed package, for example `swagger-ui-dist`. */
  constructor(packageName: string) {
    this.#packageName = packageName
  }

  async read(name: string): Promise<Uint8Array | null> {
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    if (!PLAIN_NAME.test(name)) return null
    try {
      const manifest = createRequire(import.meta.url).resolve(`${this.#packageName}/package.json`)
      const bytes = await readFile(join(dirname(manifest), name))
      this.#kept.set(name, bytes)
      return bytes
    } catch {
      return null
    }
  }
}
