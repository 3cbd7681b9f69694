// Which test files needed a second try, in this run and in the whole runs before it: a test that is red now and then
// hides what it should tell. Runs are remembered beside the built code's machine, in the folder for temporary files,
// and in no commit.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whole runs that are looked at, the present one among them. */
const RUNS = 5
/** Runs with a second try of one file among these that are too many. */
const TOO_OFTEN = 2

/** The files of each run that needed a second try, the newest run last. */
type Runs = readonly (readonly string[])[]

function recordPath(): string {
  return process.env['RETRY_RECORD'] ?? join(tmpdir(), 'tributary-retries.json')
}

/** By the name of the run; nothing where it cannot be read. */
function readRuns(path: string): Record<string, Runs> {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof read === 'object' && read !== null ? (read as Record<string, Runs>) : {}
  } catch {
    return {}
  }
}

/**
 * Notes the files of this run that needed a second try and answers the lines that end its output. `name`: of the whole
 * run, as make calls it; '' = some files only, which is not remembered.
 */
export function retryLines(name: string, retried: readonly string[]): string[] {
  const path = recordPath()
  const all = readRuns(path)
  const before = Array.isArray(all[name]) ? all[name] : []
  const runs = name === '' ? [retried] : [...before, retried].slice(-RUNS)
  if (name !== '') {
    // Two runs at once must not leave half a file.
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, JSON.stringify({ ...all, [name]: runs }))
    renameSync(fresh, path)
  }
  const times = (file: string): number => runs.filter(files => files.includes(file)).length
  const mend = [...new Set(runs.flat())].filter(file => times(file) >= TOO_OFTEN)
  const of = name === '' ? 'not a whole run' : `${runs.length} whole runs of ${name} are remembered`
  return [
    `# second tries: ${retried.length} (${of})`,
    ...retried.map(file => `#   ${file}`),
    ...mend.map(file => `# to be mended: ${file} needed a second try in ${times(file)} of ${runs.length} runs`),
  ]
}

/** The arguments of a runner: `--whole=NAME` in front says that the files are all there are of that name. */
export function wholeRun(args: readonly string[]): { name: string; files: readonly string[] } {
  const name = /^--whole=(.+)$/.exec(args[0] ?? '')?.[1]
  return name === undefined ? { name: '', files: args } : { name, files: args.slice(1) }
}
