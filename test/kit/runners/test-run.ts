// Runs test files with node:test: each in a process of its own, some at a time; or, where Node can (22), many in one
// process, which saves the start of a process and the loading of modules for each. What failed is read from a list that
// a reporter writes.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { END_LINE, type Failure, type RedEnd } from './failure-list.ts'
import { projectRoot } from '../project-root.ts'

/** A file that takes longer hangs, and is ended and named: it must not take the whole run with it. */
const FILE_LIMIT_MS = 600_000
/** Files of one process: what one of them breaks for the others stays among these. */
const GROUP_FILES = 40

/** What one run of some files came to. */
export interface Run {
  readonly passed: boolean
  readonly failures: readonly Failure[]
  /** The files that were started and are red, each once: a failure's own file may be one that several share. */
  readonly red: readonly string[]
}

/** What the list of a run says, `list` without its last line. */
function heard(files: readonly string[], list: readonly string[]): Pick<Run, 'failures' | 'red'> {
  const read = list.map(line => JSON.parse(line) as Failure | RedEnd)
  const failures = read.filter(each => 'error' in each)
  const ended = new Set(read.flatMap(each => ('ended' in each ? [resolve(each.ended)] : [])))
  const red = files.filter(file => ended.has(resolve(file)))
  if (red.length > 0 || failures.length === 0) return { failures, red }
  // Of many in one process a test has nothing but the place where it stands.
  const places = new Set(failures.map(({ file }) => resolve(file)))
  const stand = files.filter(file => places.delete(resolve(file)))
  return { failures, red: places.size === 0 ? stand : files }
}

/** Whether many files can run in one process (node --test --experimental-test-isolation, 22.8). */
export const canRunTogether = Number(process.versions.node.split('.')[0]) >= 22

function run(files: readonly string[], how: readonly string[], stdout: 'inherit' | 'pipe'): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-suite-'))
  const list = join(folder, 'failures')
  const reporters = ['--test-reporter=tap', '--test-reporter-destination=stdout']
  const reporter = pathToFileURL(join(projectRoot, 'dist/test/kit/runners/failure-list.js')).href
  reporters.push(`--test-reporter=${reporter}`, `--test-reporter-destination=${list}`)
  const args = ['--test', ...how, `--test-timeout=${FILE_LIMIT_MS}`, ...reporters, ...files]
  const child = spawn(process.execPath, args, { stdio: ['inherit', stdout, 'inherit'] })
  const said: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => said.push(chunk))
  return new Promise((settle, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      // In one piece: several talk at once.
      process.stdout.write(Buffer.concat(said))
      const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean)
      rmSync(folder, { recursive: true })
      const { failures, red } = heard(
        files,
        lines.filter(line => line !== END_LINE),
      )
      if (lines.at(-1) === END_LINE) return settle({ passed: code === 0, failures, red })
      // Cut off: nobody knows which of them ran.
      const cut = files.map(file => ({ file, name: file, error: `the process of this file ended early (${code})` }))
      settle({ passed: false, failures: [...failures, ...cut], red: files })
    })
  })
}

/**
 * Each file in a process of its own, `atATime` of them at once. `said`: what they print is printed as it comes, or in
 * one piece at the end (`pipe`), where other files run beside.
 */
export function runFiles(
  files: readonly string[],
  atATime: number,
  said: 'inherit' | 'pipe' = 'inherit',
): Promise<Run> {
  return run(files, [`--test-concurrency=${atATime}`], said)
}

/** The files in groups, each group one process, `atATime` of them at once. */
export async function runTogether(files: readonly string[], atATime: number): Promise<Run> {
  const count = Math.ceil(files.length / GROUP_FILES)
  // Dealt out like cards: slow files lie side by side in a folder.
  const left = Array.from({ length: count }, (_, group) => files.filter((_file, at) => at % count === group))
  const runs: Run[] = []
  const lane = async (): Promise<void> => {
    for (let group = left.shift(); group !== undefined; group = left.shift()) {
      runs.push(await run(group, ['--experimental-test-isolation=none'], 'pipe'))
    }
  }
  await Promise.all(Array.from({ length: atATime }, lane))
  return both(...runs)
}

/** The runs as one. */
export function both(...runs: readonly Run[]): Run {
  return {
    passed: runs.every(({ passed }) => passed),
    failures: runs.flatMap(({ failures }) => failures),
    red: runs.flatMap(({ red }) => red),
  }
}
