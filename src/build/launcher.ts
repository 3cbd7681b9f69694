#!/usr/bin/env node
// What src/build/bundle.ts puts in the place of the command line: it runs the whole program from one script, with the
// code that V8 compiled when the program was built. A cache made by another version of Node is left aside by V8.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** The program as a function: what it requires, how it imports packages, and where it lies. */
type Program = (require: NodeJS.Require, importPackage: (name: string) => Promise<unknown>, moduleUrl: string) => void

const filename = fileURLToPath(new URL('../bundle/program.cjs', import.meta.url))
const cache = `${filename}.cache`
// V8 keeps the name with the code: one that tells nothing of the machine that built it, and is true wherever it runs.
const NAME = 'tributary/program.cjs'
// The program is ASCII: as Latin-1 it takes a byte a character.
const script = new Script(readFileSync(filename, 'latin1'), {
  filename: NAME,
  ...(existsSync(cache) && { cachedData: readFileSync(cache) }),
})
const program = script.runInThisContext() as Program
program(createRequire(import.meta.url), name => import(name), import.meta.url)
