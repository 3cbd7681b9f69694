// Of typebox the program takes the types that its schemas are made of. The package's own entry has all of them as
// members of one object, of which esbuild can leave none out: a tenth of the compiled code that a start would read
// (decision 0521).

import type { Plugin } from 'esbuild'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the package's entry lies, from the project's folder. */
const FOLDER = 'node_modules/@sinclair/typebox/build/esm'

/** The names after `Type.` in the sources of the program. */
function namesInUse(root: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const folder of ['src', 'workers'])
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts')) continue
      for (const [, name = ''] of readFileSync(join(root, folder, path), 'utf8').matchAll(/\bType\.([A-Z]\w*)/g))
        names.add(name)
    }
  return names
}

/** Throws where a name is none of the package's. */
function entryOf(root: string): string {
  const list = readFileSync(join(root, FOLDER, 'type/type/type.mjs'), 'utf8')
  const modules = new Map<string, string>()
  for (const [, names = '', path = ''] of list.matchAll(/^export \{ (.+) \} from '\.\.\/(.+)';$/gm))
    for (const name of names.split(', ')) modules.set(name, path)
  const used = [...namesInUse(root)].toSorted()
  const imports = used.map(name => {
    const path = modules.get(name)
    if (path === undefined) throw new Error(`typebox has no Type.${name}`)
    return `import { ${name} as of${name} } from './type/${path}'`
  })
  const members = used.map(name => `${name}: of${name}`).join()
  return [...imports, `export { Kind } from './type/symbols/index.mjs'`, `export const Type = { ${members} }`].join(
    '\n',
  )
}

/** In the place of the package's entry: the types in use, and `Kind`. `root`: the project's folder. */
export function typeboxInUse(root: string): Plugin {
  return {
    name: 'typebox in use',
    setup(setup) {
      const entry = join(root, FOLDER, 'index.mjs')
      setup.onLoad({ filter: /typebox.build.esm.index\.mjs$/ }, ({ path }) =>
        path === entry ? { contents: entryOf(root) } : null,
      )
    },
  }
}
