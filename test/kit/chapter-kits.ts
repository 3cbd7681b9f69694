// What chapters give to tests of the core: files of one name in the kits of those chapters that are there. A chapter
// that is taken out takes its own with it.

import { existsSync, readdirSync } from 'node:fs'

const chapters = new URL('../chapters/', import.meta.url)

/** The modules `kit/<name>` of all chapters that have one, in the order of the chapters' names. */
export async function chapterKits(name: string): Promise<readonly object[]> {
  const names = existsSync(chapters) ? readdirSync(chapters).toSorted() : []
  const files = names.map(chapter => new URL(`${chapter}/kit/${name}.js`, chapters)).filter(file => existsSync(file))
  return Promise.all(files.map(file => import(file.href) as Promise<object>))
}
