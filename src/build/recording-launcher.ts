// The program as src/build/launcher.ts runs it, but without kept code, and with an answer to one message: the path to
// which everything V8 has compiled by then is written; the answer is why that failed, or ''. Only trained-code.ts
// starts it: the package leaves this folder out, and without the starter's channel it refuses.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

if (process.channel === undefined) throw new Error('part of the build; the program is dist/src/cli/main.js')
const main = new URL('../cli/main.js', import.meta.url)
const filename = fileURLToPath(new URL('../bundle/program.cjs', import.meta.url))
const script = new Script(readFileSync(filename, 'latin1'), { filename: 'tributary/program.cjs' })
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
// A build that was killed leaves no node behind; a node that was stopped is not kept alive by the channel.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel.unref()
