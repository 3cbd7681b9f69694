#!/usr/bin/env node
// What src/build/bundle.ts puts in the place of the command line: it runs the program from its scripts, with the code
// that V8 compiled when the program was built. A cache made by another version of Node is left aside by V8.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

type ImportPackage = (name: string) => Promise<unknown>
/** A script as a function: what it requires, how it imports packages, where it lies, and what each kind is given. */
type Part = (require: NodeJS.Require, importPackage: ImportPackage, moduleUrl: string, ...given: unknown[]) => unknown

const folder = fileURLToPath(new URL('../bundle/', import.meta.url))
const require = createRequire(import.meta.url)

function runScript(name: string, ...given: unknown[]): unknown {
  const path = `${folder}${name}.cjs`
  const cache = `${path}.cache`
  // The scripts are ASCII: as Latin-1 they take a byte a character. V8 keeps the name with the code: one that tells
  // nothing of the machine that built it, and is true wherever it runs.
  const script = new Script(readFileSync(path, 'latin1'), {
    filename: `tributary/${name}.cjs`,
    ...(existsSync(cache) && { cachedData: readFileSync(cache) }),
  })
  return (script.runInThisContext() as Part)(require, wanted => import(wanted), import.meta.url, ...given)
}

runScript('program', runScript)
