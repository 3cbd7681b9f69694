// LoadingMarks as a small file of the state directory. It is not flushed: a process that ends takes nothing of it
// along.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { type InfoHash, parseInfoHash } from '../../base/ids.ts'
import type { LoadingMarks } from '../../ports/loading-marks.ts'

/** LoadingMarks as a small file of the state directory. */
export class LoadingMarksFile implements LoadingMarks {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<Map<InfoHash, number>> {
    const marks = new Map<InfoHash, number>()
    const text = await readFile(this.#path, 'utf8').catch(() => '{}')
    for (const [name, count] of Object.entries(parsed(text))) {
      const infoHash = parseInfoHash(name)
      if (infoHash !== null && typeof count === 'number') marks.set(infoHash, count)
    }
    return marks
  }

  async write(marks: ReadonlyMap<InfoHash, number>): Promise<void> {
    await writeFile(`${this.#path}.new`, JSON.stringify(Object.fromEntries(marks)), { mode: 0o600 })
    await rename(`${this.#path}.new`, this.#path)
  }
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
