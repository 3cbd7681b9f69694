// Prints the results of flows: a table for each case, what is missing, and the targets with what was reached.

import type { FlowOptions, FlowResult } from './flow-result.ts'
import { machineRecord, markdownTable } from './report.ts'
import { medians, tableOf } from './samples.ts'
import { judge } from './targets.ts'

/** Prints everything; true when something failed (a target that was not reached is no failure). */
export function printResults(flows: readonly FlowResult[]): boolean {
  for (const flow of flows) {
    console.log(`\n# ${flow.title}`)
    for (const found of flow.cases) {
      console.log(`\n## ${found.id}\n`)
      console.log(markdownTable(tableOf(found)))
    }
    if (flow.notes.length > 0) console.log('')
    for (const note of flow.notes) console.log(`- ${note}`)
  }
  const verdicts = judge(flows.flatMap(flow => flow.cases)).filter(each => each.reached !== 'not measured')
  if (verdicts.length > 0) console.log('\n# Targets\n')
  if (verdicts.length > 0) console.log(markdownTable(verdicts.map(each => ({ ...each }))))
  return flows.some(flow => flow.notes.some(note => note.startsWith('FAILED')))
}

/** Everything that was measured, run by run, with medians and verdicts. */
export function resultsJson(flows: readonly FlowResult[], options: FlowOptions): string {
  const cases = flows.flatMap(flow => flow.cases)
  const told = flows.map(flow => ({
    ...flow,
    cases: flow.cases.map(found => ({
      ...found,
      results: found.results.map(each => ({ ...each, medians: medians(each) })),
    })),
  }))
  return JSON.stringify({
    at: new Date().toISOString(),
    machine: machineRecord(),
    options,
    flows: told,
    targets: judge(cases),
  })
}
