// In the built program: reads the second script (later-parts.ts) when one of its modules is asked for.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** Modules by their paths from the project's root. */
type Modules = Readonly<Record<string, () => unknown>>
type ImportPackage = (name: string) => Promise<unknown>
type Later = (
  require: NodeJS.Require,
  importPackage: ImportPackage,
  moduleUrl: string,
  given: (name: string) => unknown,
) => Modules

/** What V8 keeps the code under; the same whoever built it. */
const NAME = 'tributary/later.cjs'

/**
 * The import() of modules of the second script. `shared`: modules of the first that it needs. Rejects when the script
 * cannot be read.
 */
export function openLater(shared: Modules, importPackage: ImportPackage): (name: string) => Promise<unknown> {
  let parts: Modules | null = null
  return name =>
    Promise.resolve().then(() => {
      parts ??= runLater(shared, importPackage)
      return parts[name]?.()
    })
}

function runLater(shared: Modules, importPackage: ImportPackage): Modules {
  const filename = fileURLToPath(new URL('../bundle/later.cjs', import.meta.url))
  const cache = `${filename}.cache`
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename: NAME,
    ...(existsSync(cache) && { cachedData: readFileSync(cache) }),
  })
  const later = script.runInThisContext() as Later
  return later(createRequire(import.meta.url), importPackage, import.meta.url, name => shared[name]?.())
}
