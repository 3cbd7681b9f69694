// The program as src/build/launcher.ts runs it, but without kept code, and with an answer to one message: the path to
// which everything V8 has compiled by then is written; the answer is why that failed, or ''. Only trained-code.ts starts it.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const main = new URL('../cli/main.js', import.meta.url)
const filename = fileURLToPath(new URL('../bundle/program.cjs', import.meta.url))
const script = new Script(readFileSync(filename, 'latin1'), { filename })
const program = script.runInThisContext() as (...args: unknown[]) => void
program(createRequire(main), (name: string) => import(name), main.href)

process.on('message', path => {
  let failure = ''
  try {
    writeFileSync(String(path), script.createCachedData())
  } catch (error) {
    failure = String(error)
  }
  process.send?.(failure)
})
// The message must not keep a stopped node alive.
process.channel?.unref()
