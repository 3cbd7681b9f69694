// What a flow is, and how one runs by itself: options from the command line, tables and one JSON line at the end.

import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { hasFailed, resultsJson, resultsText, writeResults } from './results.ts'
import type { FlowOptions, FlowResult } from './flow-result.ts'

export interface Flow {
  readonly name: string
  run(options: FlowOptions): Promise<FlowResult>
}

const flags = {
  level: { type: 'string', default: 'standard' },
  rounds: { type: 'string' },
  everyone: { type: 'boolean' },
  seconds: { type: 'string' },
  mib: { type: 'string' },
  counts: { type: 'string' },
  only: { type: 'string' },
  flows: { type: 'string' },
  out: { type: 'string' },
  join: { type: 'string' },
} as const

export interface CommandLine {
  readonly options: FlowOptions
  /** Names of flows; null = those of the level. */
  readonly flows: readonly string[] | null
  /** File for the JSON; the tables go to one beside it. */
  readonly out: string | null
  /** Files of earlier runs, whose flows stand in the tables too where they are not measured again. */
  readonly join: readonly string[]
}

function levelOf(text: string): FlowOptions['level'] {
  if (text === 'quick' || text === 'standard' || text === 'all') return text
  throw new Error('--level quick, standard or all')
}

/** Reads the options of `process.argv`. Throws on what it does not know. */
export function commandLine(): CommandLine {
  const { values } = parseArgs({ options: flags })
  const level = levelOf(values.level)
  const number = (text: string | undefined) => (text === undefined ? null : Number(text))
  const list = (text: string | undefined) => text?.split(',') ?? null
  const options = {
    level,
    rounds: number(values.rounds) ?? { quick: 3, standard: 5, all: 3 }[level],
    everyone: values.everyone ?? level === 'all',
    seconds: number(values.seconds) ?? { quick: 2, standard: 2, all: 3 }[level],
    mib: number(values.mib),
    counts: list(values.counts)?.map(Number) ?? null,
    only: list(values.only),
  }
  return { options, flows: list(values.flows), out: values.out ?? null, join: list(values.join) ?? [] }
}

/** Runs `flow` when its file is the program that was started. */
export async function runAlone(flow: Flow, moduleUrl: string): Promise<void> {
  if (moduleUrl !== pathToFileURL(process.argv[1] ?? '').href) return
  const { options, out } = commandLine()
  const result = { ...(await flow.run(options)), name: flow.name }
  console.log(resultsText([result]))
  if (out === null) console.log(resultsJson([result], options))
  else writeResults(out, [result], options)
  process.exit(hasFailed([result]) ? 1 : 0)
}
