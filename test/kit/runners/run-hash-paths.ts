// The tests that kill the node, break its disk, take its power and lie to it, by each path of the hash that this
// processor has, node:crypto among them. `HASH_PATHS=node,avx2` runs some.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { hashChoicesHere } from '../hash-path.ts'
import { projectRoot } from '../project-root.ts'

/** The metrics say which path hashes: the first shows that the others run by it. */
const SUITE = [
  'e2e/metrics',
  'fault/node-kill',
  'fault/power-loss',
  'fault/stalled-disk',
  'fault/piece-store-disk',
  'fault/piece-store-links',
  'fault/killed-workers',
  'fault/hash-trees',
]
const INTEROP = ['hostile-swarm', 'lost-pieces']

async function passes(runner: string, args: readonly string[], hash: string): Promise<boolean> {
  const script = join(projectRoot, `dist/test/kit/runners/${runner}.js`)
  const env = { ...process.env, TEST_HASH: hash }
  const [code] = (await once(spawn(process.execPath, [script, ...args], { stdio: 'inherit', env }), 'close')) as [
    number,
  ]
  return code === 0
}

const wanted = process.env['HASH_PATHS']?.split(',') ?? hashChoicesHere()
const rows: string[] = []
let failed = false
for (const hash of wanted) {
  const begin = performance.now()
  const suite = await passes(
    'run-suite',
    SUITE.map(name => join(projectRoot, `dist/test/${name}.test.js`)),
    hash,
  )
  const interop = await passes('run-interop', INTEROP, hash)
  failed ||= !suite || !interop
  const told = (passed: boolean) => (passed ? 'passed' : 'FAILED')
  const seconds = Math.round((performance.now() - begin) / 1000)
  rows.push(`# hash by ${hash}: kill, disk and power ${told(suite)}, swarms ${told(interop)}, ${seconds} s`)
}
console.log(rows.join('\n'))
process.exit(failed ? 1 : 0)
