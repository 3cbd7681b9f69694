// No export without a user: what no other file imports, and its own does not use, is dead. Compilers do not say so of
// exports.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { projectRoot } from '../kit/project-root.ts'
import { takenOut } from '../kit/taken-out.ts'
import { sourceFiles } from './source-tree.ts'

/** What others than our files take: the build tool, the pool of threads, a script that runs when it is asked for. */
const TAKEN_BY_OTHERS = new Set([
  'src/web/vite.config.ts default',
  'src/build/later-script.ts openLater',
  'workers/piece.ts runBatch',
  'src/chapters/overlay/workers/seal.ts runBatch',
])

/** Translations are found by their names (src/web/language/german.ts). */
const TRANSLATION = /\/texts\/.+\.de\.ts german$/

function isTakenByOthers(name: string): boolean {
  return TAKEN_BY_OTHERS.has(name) || TRANSLATION.test(name)
}

interface Names {
  /** Exported here, with the name it has inside; null for what is passed on from another file. */
  readonly exported: readonly { readonly name: string; readonly local: string | null }[]
  /** `file name` of what is imported or passed on; `file *` where all of it may be. */
  readonly used: readonly string[]
}

/** The kinds are an enum of declarations alone, which nothing can be compared with. */
function kindOf({ kind }: { readonly kind: string }): string {
  return kind
}

function read(path: string, known: ReadonlySet<string>): Names {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const { module } = parseSync(path, text)
  const fileOf = (specifier: string): string | null => {
    const at = normalize(join(dirname(path), specifier))
    return known.has(at) ? at : null
  }
  const use = (specifier: string, name: string | null | undefined): string[] => {
    const file = fileOf(specifier)
    return file === null ? [] : [`${file} ${name ?? '*'}`]
  }
  const entries = module.staticExports.flatMap(one => one.entries)
  const dynamic = [...text.matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g)].flatMap(([, at = '']) => use(at, null))
  return {
    exported: entries.flatMap(({ exportName, localName, moduleRequest }) => {
      if (kindOf(exportName) === 'None') return []
      const name = kindOf(exportName) === 'Default' ? 'default' : (exportName.name ?? '')
      return [{ name, local: moduleRequest === null ? localName.name : null }]
    }),
    used: [
      ...entries.flatMap(({ moduleRequest: from, importName }) => (from ? use(from.value, importName.name) : [])),
      ...module.staticImports.flatMap(one =>
        one.entries.flatMap(({ importName }) =>
          use(one.moduleRequest.value, kindOf(importName) === 'Default' ? 'default' : importName.name),
        ),
      ),
      ...dynamic,
    ],
  }
}

/** Times that a word stands in a text. */
function timesIn(text: string, word: string): number {
  return [...text.matchAll(new RegExp(`\\b${word}\\b`, 'g'))].length
}

// What only a chapter uses has no user when that is taken out.
const skip = takenOut.length > 0

test('what is exported is used by another file, or by its own', { skip }, () => {
  const all = sourceFiles('src', 'workers', 'bench', 'test')
  const known = new Set(all.map(({ path }) => path))
  const names = new Map(all.map(({ path }) => [path, read(path, known)]))
  const used = new Set([...names.values()].flatMap(one => one.used))
  const dead = all
    .filter(({ path }) => /^(src|workers)\//.test(path) && !used.has(`${path} *`))
    .flatMap(({ path, text }) =>
      (names.get(path)?.exported ?? [])
        .filter(({ name, local }) => {
          const id = `${path} ${name}`
          return !used.has(id) && !isTakenByOthers(id) && (local === null || timesIn(text, local) < 2)
        })
        .map(({ name }) => `${path} ${name}`),
    )
  assert.ok(used.size > 3000, `${used.size} names are used`)
  assert.deepEqual(dead, [])
})
