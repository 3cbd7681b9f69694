// Runs the test files named by the arguments, two at a time. Some of them hold a real clock against a machine of two
// busy cores, so a few files that failed beside others are tried once more, each alone: what fails twice fails the run,
// and so does a run with more failures than chance explains. The end of the output names each failure, of both tries,
// and counts the second tries, with those of earlier whole runs (`--whole=NAME` in front; retry-record.ts).
// `--together=FOLDER` after it: many files of that folder run in one process.

import { relative, sep } from 'node:path'
import type { Failure } from './failure-list.ts'
import { projectRoot } from '../project-root.ts'
import { retryLines, wholeRun } from './retry-record.ts'
import { both, canRunTogether, type Run, runFiles, runTogether } from './test-run.ts'

/** More files than these do not fail by chance. */
const MAX_TRIED_AGAIN = 4

/** Their tests wait for half of the time, and hardly ever hold a real clock against the machine. */
const GROUPS_AT_A_TIME = 3
/** In front of the files: those below this folder of the tests run many in a process, where Node can. */
const TOGETHER = /^--together=(.+)$/

function print(title: string, failures: readonly Failure[]): void {
  for (const { file, name, error } of failures) {
    process.stdout.write(`# ${title}: ${relative(projectRoot, file)}: ${name}\n`)
    process.stdout.write(`#   ${error.split('\n').slice(0, 3).join('\n#   ')}\n`)
  }
}

/** All files once; those below `together` in groups. */
async function firstTry(files: readonly string[], together: string | undefined): Promise<Run> {
  const isGrouped = (file: string): boolean =>
    together !== undefined && canRunTogether && file.split(sep).includes(together)
  const runs: Run[] = []
  const grouped = files.filter(isGrouped)
  if (grouped.length > 0) runs.push(await runTogether(grouped, GROUPS_AT_A_TIME))
  const alone = files.filter(file => !isGrouped(file))
  if (alone.length > 0) runs.push(await runFiles(alone, 2))
  return both(...runs)
}

/** True when all files passed, some of them perhaps at their second try, which are added to `retried`. */
async function run(files: readonly string[], together: string | undefined, retried: string[]): Promise<boolean> {
  const first = await firstTry(files, together)
  if (first.passed) return true
  // What was started: where the tests stand there may be none to start.
  const suspects = first.red
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

const { name, files: given } = wholeRun(process.argv.slice(2))
const together = TOGETHER.exec(given[0] ?? '')?.[1]
const files = together === undefined ? given : given.slice(1)
const retried: string[] = []
if (files.length === 0 || !(await run(files, together, retried))) process.exitCode = 1
for (const line of retryLines(name, retried)) process.stdout.write(`${line}\n`)
