// SeenFiles, as ports/seen-files.ts asks for them, over the database thread.

import type { SeenFile, SeenFiles } from '../ports/seen-files.ts'
import type { RecordsLink } from './records-link.ts'

/** Rows of one job. */
const PAGE_ROWS = 500

/** SeenFiles, as ports/seen-files.ts asks for them, over the database thread. */
export class DatabaseSeenFiles implements SeenFiles {
  readonly #link: RecordsLink

  constructor(link: RecordsLink) {
    this.#link = link
  }

  async list(): Promise<SeenFile[]> {
    const files: SeenFile[] = []
    for (;;) {
      const page = await this.#link.run('seen.list', files.at(-1)?.path ?? '', PAGE_ROWS)
      files.push(...page)
      if (page.length < PAGE_ROWS) return files
    }
  }

  async keep(files: readonly SeenFile[]): Promise<void> {
    for (const page of pagesOf(files)) await this.#link.run('seen.keep', page)
  }

  async drop(paths: readonly string[]): Promise<void> {
    for (const page of pagesOf(paths)) await this.#link.run('seen.drop', page)
  }
}

function* pagesOf<T>(all: readonly T[]): Generator<readonly T[], void> {
  for (let at = 0; at < all.length; at += PAGE_ROWS) yield all.slice(at, at + PAGE_ROWS)
}
