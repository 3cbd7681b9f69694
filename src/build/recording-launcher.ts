// The program as src/build/launcher.ts runs it, but without kept code, and with an answer to messages, which name a
// folder: what V8 has compiled by then of each script that has run is written there. Only trained-code.ts starts it:
// the package leaves this folder out, and without the starter's channel it refuses.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

/** The answer to a message. */
export interface WrittenCode {
  /** Names of scripts. */
  readonly scripts: readonly string[]
  /** Why it failed, or ''. */
  readonly failure: string
}

if (process.channel === undefined) throw new Error('part of the build; the program is dist/src/cli/main.js')
const main = new URL('../cli/main.js', import.meta.url)
const folder = fileURLToPath(new URL('../bundle/', import.meta.url))
const require = createRequire(main)
const scripts = new Map<string, Script>()

function runScript(name: string, ...given: unknown[]): unknown {
  const script = new Script(readFileSync(`${folder}${name}.cjs`, 'latin1'), { filename: `tributary/${name}.cjs` })
  scripts.set(name, script)
  const part = script.runInThisContext() as (...all: unknown[]) => unknown
  return part(require, (wanted: string) => import(wanted), main.href, ...given)
}

runScript('program', runScript)

process.on('message', folderForCode => {
  let failure = ''
  try {
    for (const [name, script] of scripts)
      writeFileSync(`${String(folderForCode)}/${name}.cjs.cache`, script.createCachedData())
  } catch (error) {
    failure = String(error)
  }
  process.send?.({ scripts: [...scripts.keys()], failure } satisfies WrittenCode)
})
// A build that was killed leaves no node behind; a node that was stopped is not kept alive by the channel.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel.unref()
