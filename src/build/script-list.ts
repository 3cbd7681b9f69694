// Which scripts the program is made of, and what is loaded from each by import(): the first is what a start runs, each
// other one is read when the first of its modules is asked for. Lists of the core and of chapters are `later.json`
// files: names of scripts with modules, by their paths from the folder of the list (the core's: from src/).

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the script that a start runs. */
export const PROGRAM = 'program'

/** A script that is read when it is needed. */
export interface LaterScript {
  readonly name: string
  /** Modules that others load by import(); paths from the project's root. */
  readonly roots: readonly string[]
}

/** The folders of the chapters, from the project's root: those that others need first, as src/app/chapters.ts says. */
export function chapterFolders(root: string): readonly string[] {
  const folder = join(root, 'src/chapters')
  const list = readFileSync(join(root, 'src/app/chapters.ts'), 'utf8')
  const inOrder = [...list.matchAll(/'\.\.\/chapters\/([a-z-]+)\/chapter\.ts'/g)].map(([, name = '']) => name)
  const there = existsSync(folder) ? readdirSync(folder) : []
  return inOrder.filter(name => there.includes(name)).map(name => `src/chapters/${name}`)
}

/** All but the first, in an order in which each takes what it shares from those before it. */
export function laterScripts(root: string): readonly LaterScript[] {
  const found = new Map<string, string[]>()
  const lists = [['src/build', 'src'], ...chapterFolders(root).map(folder => [folder, folder])]
  for (const [place = '', base = ''] of lists) {
    const path = join(root, place, 'later.json')
    if (!existsSync(path)) continue
    const list = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, readonly string[]>>
    for (const [name, modules] of Object.entries(list))
      found.set(name, [...(found.get(name) ?? []), ...modules.map(module => `${base}/${module}`)])
  }
  return [...found].map(([name, roots]) => ({ name, roots }))
}
