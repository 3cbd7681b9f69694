// All flows in one run, one table at the end: run [--level quick|standard|all] [--flows leech,list] [--join FILE,...]
// [--out FILE] and the options of the flows. Ends with 1 when a flow failed or bytes differed; a target that was not
// reached is no failure.

import { create } from './flow/create.ts'
import { firstByte } from './flow/first-byte.ts'
import { leech } from './flow/leech.ts'
import { list } from './flow/list.ts'
import { magnet } from './flow/magnet.ts'
import { ranges } from './flow/ranges.ts'
import { readers } from './flow/readers.ts'
import { recheck } from './flow/recheck.ts'
import { seed } from './flow/seed.ts'
import { start } from './flow/start.ts'
import { webSeeds } from './flow/web-seeds.ts'
import { written } from './flow/written.ts'
import { commandLine, type Flow } from './lib/flow.ts'
import type { FlowOptions, FlowResult } from './lib/flow-result.ts'
import { hasFailed, readResults, resultsText, writeResults } from './lib/results.ts'
import { FlowResults } from './lib/run-flows.ts'

const flows: readonly Flow[] = [
  leech,
  seed,
  recheck,
  create,
  ranges,
  readers,
  firstByte,
  magnet,
  webSeeds,
  written,
  list,
  start,
]
const quick = new Set(['leech', 'ranges', 'list', 'start'])

/** At `quick` the rivals that the targets name, so that it ends within five minutes. */
const QUICK_RIVALS = ['libtorrent', 'aria2', 'transmission']

function optionsFor(given: FlowOptions): FlowOptions {
  return given.level === 'quick' && given.only === null ? { ...given, only: QUICK_RIVALS } : given
}

/** Those asked for; `--flows none` prints what was joined. Throws on a name that no flow has. */
function wantedFlows(names: readonly string[] | null, level: FlowOptions['level']): readonly Flow[] {
  if (names === null) return flows.filter(flow => level !== 'quick' || quick.has(flow.name))
  const unknown = names.find(name => name !== 'none' && flows.every(flow => flow.name !== name))
  if (unknown !== undefined) throw new Error(`there is no flow ${unknown}: ${flows.map(({ name }) => name).join(', ')}`)
  return flows.filter(flow => names.includes(flow.name))
}

async function main(): Promise<void> {
  const given = commandLine()
  const options = optionsFor(given.options)
  const { out } = given
  const wanted = wantedFlows(given.flows, options.level)
  // After each round: what an hour of work measured is not lost with the last flow, nor when the run is stopped.
  const save = (found: readonly FlowResult[]) => {
    if (out !== null) writeResults(out, found, options)
  }
  const results = new FlowResults(save, given.join.flatMap(readResults))
  const tell = () => console.log(resultsText(results.all()))
  process.once('exit', tell)
  for (const flow of wanted) {
    const begin = performance.now()
    await results.run(flow, options)
    process.stderr.write(`${flow.name}: ${Math.round((performance.now() - begin) / 1000)} s\n`)
  }
  save(results.all())
  process.exit(hasFailed(results.all()) ? 1 : 0)
}

await main()
