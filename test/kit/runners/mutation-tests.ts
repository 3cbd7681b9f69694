// Which tests reach a module, nearest first: by imports, by the worker files that are named, and by the program that
// tests start.

import { dirname, join, normalize, sep } from 'node:path'
import { sourceFiles } from '../../arch/source-tree.ts'

/** Kinds of tests and what they cost, as imports further away; the rest needs networks, browsers or other clients. */
const COST: Readonly<Record<string, number>> = { unit: 0, contract: 1, sim: 2, fuzz: 2, issues: 4, fault: 4, e2e: 6 }
/** The name of a built file beside the one that starts it. */
const BUILT_URL = /new URL\(\s*'(\.[^']+)\.js',\s*import\.meta\.url\s*\)/g
/** The name of a worker beside the one that starts it. */
const WORKER = /\bworkerUrl\('([a-z]+)'\)/g

/** The kind of a test: its folder below `test`, or below its chapter. */
function kindOf(test: string): string {
  const parts = test.split('/')
  return parts[parts[1] === 'chapters' ? 3 : 1] ?? ''
}

/** Test files by what they reach. */
export class TestReach {
  /** Importers of a module, from the project's top. */
  readonly #importers = new Map<string, Set<string>>()

  constructor() {
    for (const { path, text, imports } of sourceFiles('src', 'workers', 'test')) {
      const urls = [...text.matchAll(BUILT_URL)].map(([, name]) => join(dirname(path), `${name}.ts`))
      const workers = [...text.matchAll(WORKER)].map(([, name]) => `workers/${name}.ts`)
      for (const target of [...imports, ...workers, ...urls.map(url => normalize(url).split(sep).join('/'))]) {
        const importers = this.#importers.get(target) ?? new Set()
        this.#importers.set(target, importers.add(path))
      }
    }
  }

  /** Test files that run code of `path`, those with the fewest imports between first. */
  testsOf(path: string): string[] {
    const distance = new Map([[path, 0]])
    for (const [module, away] of distance) {
      for (const importer of this.#importers.get(module) ?? []) {
        if (!distance.has(importer)) distance.set(importer, away + 1)
      }
    }
    const cost = (test: string): number => COST[kindOf(test)] ?? Number.POSITIVE_INFINITY
    return [...distance]
      .filter(([test]) => test.endsWith('.test.ts') && cost(test) < Number.POSITIVE_INFINITY)
      .sort(([a, near], [b, far]) => near + cost(a) - far - cost(b) || a.localeCompare(b))
      .map(([test]) => test)
  }
}
