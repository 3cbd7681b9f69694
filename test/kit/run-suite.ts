// Runs the test files named by the arguments, two at a time. Some of them hold a real clock against a machine of two busy
// cores, so a few files that failed beside others are tried once more, each alone: what fails twice fails the run, and so does
// a run with more failures than chance explains. The end of the output names each failure, of both tries, and counts the
// second tries, with those of earlier whole runs (`--whole=NAME` in front; retry-record.ts).

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Failure } from './failure-list.ts'
import { projectRoot } from './project-root.ts'
import { retryLines, wholeRun } from './retry-record.ts'

/** A file that takes longer hangs, and is ended and named: it must not take the whole run with it. */
const FILE_LIMIT_MS = 600_000
/** More files than these do not fail by chance. */
const MAX_TRIED_AGAIN = 4

/** What one run of some files came to. */
interface Run {
  readonly passed: boolean
  readonly failures: readonly Failure[]
}

function runFiles(files: readonly string[], atATime: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-suite-'))
  const list = join(folder, 'failures')
  const reporters = ['--test-reporter=tap', '--test-reporter-destination=stdout']
  const reporter = pathToFileURL(join(projectRoot, 'dist/test/kit/failure-list.js')).href
  reporters.push(`--test-reporter=${reporter}`, `--test-reporter-destination=${list}`)
  const limits = [`--test-concurrency=${atATime}`, `--test-timeout=${FILE_LIMIT_MS}`]
  const child = spawn(process.execPath, ['--test', ...limits, ...reporters, ...files], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean)
      rmSync(folder, { recursive: true })
      resolve({ passed: code === 0, failures: lines.map(line => JSON.parse(line) as Failure) })
    })
  })
}

/** The files that failed, each once. */
function filesOf({ failures }: Run): string[] {
  return [...new Set(failures.map(({ file }) => file))]
}

function print(title: string, failures: readonly Failure[]): void {
  for (const { file, name, error } of failures) {
    process.stdout.write(`# ${title}: ${relative(projectRoot, file)}: ${name}\n`)
    process.stdout.write(`#   ${error.split('\n').slice(0, 3).join('\n#   ')}\n`)
  }
}

/** True when all files passed, some of them perhaps at their second try, which are added to `retried`. */
async function run(files: readonly string[], retried: string[]): Promise<boolean> {
  const first = await runFiles(files, 2)
  if (first.passed) return true
  const suspects = filesOf(first)
  // A run that names no failure and is red all the same is no chance either.
  const again = suspects.length > MAX_TRIED_AGAIN ? [] : suspects
  const second: Run[] = []
  for (const file of again) second.push(await runFiles([file], 1))
  retried.push(...again.map(file => relative(projectRoot, file)))
  print('failed beside others', first.failures)
  print(
    'failed alone',
    second.flatMap(({ failures }) => failures),
  )
  const failed = again.length === 0 ? Math.max(1, suspects.length) : second.filter(({ passed }) => !passed).length
  process.stdout.write(`# ${files.length} files, ${again.length} tried twice, ${failed} failed\n`)
  return failed === 0
}

const { name, files } = wholeRun(process.argv.slice(2))
const retried: string[] = []
if (files.length === 0 || !(await run(files, retried))) process.exitCode = 1
for (const line of retryLines(name, retried)) process.stdout.write(`${line}\n`)
