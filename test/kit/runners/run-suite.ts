// Runs the test files named by the arguments, two at a time. Some of them hold a real clock against a machine of two
// busy cores, so a few files that failed beside others are tried once more, each alone: what fails twice fails the run,
// and so does a run with more failures than chance explains. The end of the output names each failure, of both tries,
// and counts the second tries, with those of earlier whole runs (`--whole=NAME` in front; retry-record.ts).
// Options after it: `--together=FOLDER`: many files of that folder run in one process; `--beside=FOLDER`: the files of
// that folder wait for most of their time, so one of them at a time runs beside the two others.

import { relative, sep } from 'node:path'
import type { Failure } from './failure-list.ts'
import { projectRoot } from '../project-root.ts'
import { retryLines, wholeRun } from './retry-record.ts'
import { both, canRunTogether, type Run, runFiles, runTogether } from './test-run.ts'

/** More files than these do not fail by chance. */
const MAX_TRIED_AGAIN = 4

/** Their tests wait for half of the time, and hardly ever hold a real clock against the machine. */
const GROUPS_AT_A_TIME = 3
/** In front of the files, each at most once. */
const OPTION = /^--(together|beside)=(.+)$/

/** How files are run that are not run as all others: a folder of the tests for each way. */
interface Ways {
  /** Many in a process, where Node can. */
  readonly together?: string
  /** One at a time, beside two others: what plays in real time leaves the processor alone. */
  readonly beside?: string
}

function print(title: string, failures: readonly Failure[]): void {
  for (const { file, name, error } of failures) {
    process.stdout.write(`# ${title}: ${relative(projectRoot, file)}: ${name}\n`)
    process.stdout.write(`#   ${error.split('\n').slice(0, 3).join('\n#   ')}\n`)
  }
}

/** Whether a file lies below a folder of the tests, `e2e/player` or `unit`. */
function isBelow(file: string, folder: string | undefined): boolean {
  return folder !== undefined && file.split(sep).join('/').includes(`/${folder}/`)
}

/** All files once, each in its way. */
async function firstTry(files: readonly string[], ways: Ways): Promise<Run> {
  const grouped = files.filter(file => canRunTogether && isBelow(file, ways.together))
  const beside = files.filter(file => !grouped.includes(file) && isBelow(file, ways.beside))
  const alone = files.filter(file => !grouped.includes(file) && !beside.includes(file))
  const first = grouped.length > 0 ? [await runTogether(grouped, GROUPS_AT_A_TIME)] : []
  const rest = [alone.length > 0 ? runFiles(alone, 2) : null, beside.length > 0 ? runFiles(beside, 1, 'pipe') : null]
  return both(...first, ...(await Promise.all(rest.flatMap(each => (each === null ? [] : [each])))))
}

/** True when all files passed, some of them perhaps at their second try, which are added to `retried`. */
async function run(files: readonly string[], ways: Ways, retried: string[]): Promise<boolean> {
  const first = await firstTry(files, ways)
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
const options = given.flatMap(each => [OPTION.exec(each)].flatMap(found => (found === null ? [] : [found])))
const ways: Ways = Object.fromEntries(options.map(([, way = '', folder = '']) => [way, folder]))
const files = given.slice(options.length)
const retried: string[] = []
if (files.length === 0 || !(await run(files, ways, retried))) process.exitCode = 1
for (const line of retryLines(name, retried)) process.stdout.write(`${line}\n`)
