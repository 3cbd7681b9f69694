// Files of an npm package, read whole and kept: the copies that the build made of them, else those of the installed
// package (the plain modules of tsc have no copies). For small static assets only.
// Invariant: only names without a path separator are looked up, so nothing outside the package is ever read.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { StaticFiles } from '../../ports/static-files.ts'

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** The top-level files of one npm package, as installed beside this program. */
export class PackageFiles implements StaticFiles {
  readonly #packageName: string
  readonly #copies: URL | undefined
  readonly #kept = new Map<string, Uint8Array>()

  /**
   * `packageName`: a package, for example `swagger-ui-dist`; `copies`: a file URL that ends in `/`, looked in first.
   */
  constructor(packageName: string, copies?: URL) {
    this.#packageName = packageName
    this.#copies = copies
  }

  async read(name: string): Promise<Uint8Array | null> {
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    if (!PLAIN_NAME.test(name)) return null
    const bytes = (await this.#readCopy(name)) ?? (await this.#readInstalled(name))
    if (bytes !== null) this.#kept.set(name, bytes)
    return bytes
  }

  async #readCopy(name: string): Promise<Uint8Array | null> {
    if (this.#copies === undefined) return null
    return await readFile(new URL(name, this.#copies)).catch(() => null)
  }

  async #readInstalled(name: string): Promise<Uint8Array | null> {
    try {
      const manifest = createRequire(import.meta.url).resolve(`${this.#packageName}/package.json`)
      return await readFile(join(dirname(manifest), name))
    } catch {
      return null
    }
  }
}
