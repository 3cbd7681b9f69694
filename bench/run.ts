// All flows in one run, one table at the end: run [--level quick|standard|all] [--flows leech,list] [--out FILE] and
// the options of the flows. Ends with 1 when a flow failed or bytes differed; a target that was not reached is no
// failure.

import { writeFileSync } from 'node:fs'
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
import { printResults, resultsJson } from './lib/results.ts'

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

async function runFlow(flow: Flow, options: FlowOptions): Promise<FlowResult> {
  const begin = performance.now()
  try {
    return await flow.run(options)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { title: flow.name, cases: [], notes: [`FAILED ${flow.name}: ${text}`] }
  } finally {
    process.stderr.write(`${flow.name}: ${Math.round((performance.now() - begin) / 1000)} s\n`)
  }
}

async function main(): Promise<void> {
  const given = commandLine()
  const options = optionsFor(given.options)
  const wanted = flows.filter(
    flow => given.flows?.includes(flow.name) ?? (options.level !== 'quick' || quick.has(flow.name)),
  )
  const results: FlowResult[] = []
  for (const flow of wanted) {
    results.push(await runFlow(flow, options))
    // After each flow: what an hour of work measured is not lost with the last one.
    if (given.out !== null) writeFileSync(given.out, resultsJson(results, options))
  }
  const failed = printResults(results)
  process.exit(failed ? 1 : 0)
}

await main()
