// Which scripts the program is made of, and what is loaded from each by import(): the first is what a start runs, each
// other one is read when the first of its modules is asked for. Lists of the core and of chapters are `later.json`
// files: names of scripts with modules, by their paths from the folder of the list (the core's: from src/); so are
// `first-use.json` files, of modules that are imported as ever.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the script that a start runs. */
export const PROGRAM = 'program'

/** A script that is read when it is needed. */
export interface LaterScript {
  readonly name: string
  /** Modules that others load by import(); paths from the project's root. */
  readonly roots: readonly string[]
  /** Modules that others import as ever, and use only when something happens: one name used loads them. */
  readonly atFirstUse: readonly string[]
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
  const roots = new Map<string, string[]>()
  addList(roots, join(root, 'src/build/later.json'), 'src')
  for (const folder of chapterFolders(root)) addList(roots, join(root, folder, 'later.json'), folder)
  const atFirstUse = new Map<string, string[]>()
  addList(atFirstUse, join(root, 'src/build/first-use.json'), 'src')
  for (const folder of chapterFolders(root)) addList(atFirstUse, join(root, folder, 'first-use.json'), folder)
  const names = [...new Set([...roots.keys(), ...atFirstUse.keys()])]
  return names.map(name => ({ name, roots: roots.get(name) ?? [], atFirstUse: atFirstUse.get(name) ?? [] }))
}

function addList(found: Map<string, string[]>, path: string, base: string): void {
  if (!existsSync(path)) return
  const list = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, readonly string[]>>
  for (const [name, modules] of Object.entries(list))
    found.set(name, [...(found.get(name) ?? []), ...modules.map(module => `${base}/${module}`)])
}
