// What flows come to: a table for each case, what is missing, and the targets with what was reached; as text, and as
// JSON with every run.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FlowOptions, FlowResult } from './flow-result.ts'
import { machineRecord, markdownTable } from './report.ts'
import { medians, tableOf } from './samples.ts'
import { judge } from './targets.ts'

/** Everything as text. */
export function resultsText(flows: readonly FlowResult[]): string {
  const lines = flows.flatMap(flow => [
    `\n# ${flow.title}`,
    ...flow.cases.flatMap(found => [`\n## ${found.id}\n`, markdownTable(tableOf(found))]),
    ...(flow.notes.length > 0 ? [''] : []),
    ...flow.notes.map(note => `- ${note}`),
  ])
  const verdicts = judge(flows.flatMap(flow => flow.cases)).filter(each => each.reached !== 'not measured')
  if (verdicts.length > 0) lines.push('\n# Targets\n', markdownTable(verdicts.map(each => ({ ...each }))))
  return lines.join('\n')
}

/** Whether something failed; a target that was not reached is no failure. */
export function hasFailed(flows: readonly FlowResult[]): boolean {
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

/** Writes the JSON to `file` and the text beside it, as `.txt`; a file is never there by half. */
export function writeResults(file: string, flows: readonly FlowResult[], options: FlowOptions): void {
  mkdirSync(dirname(file), { recursive: true })
  const texts = [
    [file, resultsJson(flows, options)],
    [`${file.replace(/\.json$/, '')}.txt`, resultsText(flows)],
  ] as const
  for (const [name, text] of texts) {
    writeFileSync(`${name}.new`, `${text}\n`)
    renameSync(`${name}.new`, name)
  }
}

/** The flows of a file that writeResults wrote; each says when it was measured. Throws on any other file. */
export function readResults(file: string): FlowResult[] {
  const { at, flows } = JSON.parse(readFileSync(file, 'utf8')) as { at?: string; flows?: FlowResult[] }
  if (at === undefined || !Array.isArray(flows)) throw new Error(`${file} has no results of a benchmark`)
  const told = (notes: readonly string[]) => notes.filter(note => !note.startsWith('measured until '))
  return flows.map(flow => ({ ...flow, notes: [...told(flow.notes), measuredAt(flow, at)] }))
}

function measuredAt({ notes }: FlowResult, at: string): string {
  return notes.find(note => note.startsWith('measured until ')) ?? `measured until ${at}`
}
