// A long run of benchmarks: what was measured stays when a flow fails or the run is stopped, and runs can be joined.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FlowOptions, FlowResult } from '../../../bench/lib/flow-result.ts'
import { hasFailed, readResults, resultsText, writeResults } from '../../../bench/lib/results.ts'
import { FlowResults } from '../../../bench/lib/run-flows.ts'
import type { CaseResult } from '../../../bench/lib/samples.ts'
import { takeTurns } from '../../../bench/lib/turns.ts'

const options: FlowOptions = {
  level: 'all',
  rounds: 2,
  everyone: true,
  seconds: 1,
  mib: null,
  counts: null,
  only: null,
}

/** A flow of one case a speed. */
function flowOf(name: string, speeds: readonly number[], fail = false) {
  const run = async (how: FlowOptions): Promise<FlowResult> => {
    const cases: CaseResult[] = []
    for (const speed of speeds) {
      const turns = [{ client: 'tributary', run: () => Promise.resolve({ 'MB/s': speed }) }]
      cases.push(await takeTurns(`${name} ${speed}`, 'MB/s', turns, how, []))
    }
    if (fail) throw new Error('no room left')
    return { title: `The ${name}`, cases, notes: [] }
  }
  return { name, run }
}

const idsOf = (flows: readonly FlowResult[]) => flows.map(({ name, cases }) => [name, ...cases.map(({ id }) => id)])

test('a flow that fails keeps its cases, and costs the others nothing', async () => {
  const saved: (readonly FlowResult[])[] = []
  const results = new FlowResults(found => saved.push(found))
  await results.run(flowOf('leech', [1, 2], true), options)
  await results.run(flowOf('seed', [3]), options)
  assert.deepEqual(idsOf(results.all()), [
    ['leech', 'leech 1', 'leech 2'],
    ['seed', 'seed 3'],
  ])
  assert.match(results.all()[0]?.notes[0] ?? '', /^FAILED leech: Error: no room left/)
  assert.equal(hasFailed(results.all()), true)
  assert.deepEqual(saved.at(-1), results.all())
})

test('stopped in the middle of a case: its rounds so far are saved, and the flow is one that failed', async () => {
  const saved: (readonly FlowResult[])[] = []
  const results = new FlowResults(found => saved.push(found))
  await results.run(flowOf('leech', [1]), options)
  const stopped = saved[0] ?? []
  assert.deepEqual(stopped[0]?.notes, ['FAILED leech: interrupted'])
  assert.equal(stopped[0]?.cases[0]?.results[0]?.runs.length, 1)
  assert.deepEqual(results.all()[0]?.notes, [])
})

test('two runs in one table: what is measured again replaces what was, the rest says when it was measured', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'results', 'first.json')
  const first = new FlowResults(found => writeResults(file, found, options))
  await first.run(flowOf('leech', [1]), options)
  await first.run(flowOf('seed', [2]), options)
  assert.deepEqual(readdirSync(join(folder, 'results')).toSorted(), ['first.json', 'first.txt'])
  assert.match(readFileSync(join(folder, 'results', 'first.txt'), 'utf8'), /## seed 2\n\n\| client /)
  const second = new FlowResults(() => undefined, readResults(file))
  await second.run(flowOf('leech', [5]), options)
  assert.deepEqual(idsOf(second.all()), [
    ['leech', 'leech 5'],
    ['seed', 'seed 2'],
  ])
  assert.match(resultsText(second.all()), /# The leech\n(.|\n)*# The seed\n(.|\n)*- measured until 20/)
  writeFileSync(file, '{"flows": {}}')
  assert.throws(() => readResults(file), /no results/)
})

test('with everyone in all rounds, who needs very long and is not among the best runs once', async () => {
  const slow = () => new Promise<{ 'MB/s': number }>(resolve => setTimeout(() => resolve({ 'MB/s': 1 }), 400))
  const quick = (speed: number) => () => Promise.resolve({ 'MB/s': speed })
  const turns = [
    { client: 'tributary', run: quick(9) },
    { client: 'libtorrent', run: quick(8) },
    { client: 'aria2', run: quick(7) },
    { client: 'webtorrent', run: quick(6) },
    { client: 'transmission', run: slow },
  ]
  const found = await takeTurns('leech', 'MB/s', turns, { rounds: 3, everyone: true }, [], 300)
  assert.deepEqual(
    found.results.map(({ runs }) => runs.length),
    [3, 3, 3, 3, 1],
  )
})
