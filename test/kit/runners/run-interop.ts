// Runs the interop tests named by the arguments (paths, or names alone, the core's or a chapter's), each in a network
// namespace of its own, the slowest first: two at a time, and one more of those that wait for nearly all of their time.
// Other clients keep to timers of their own and two cores are soon busy, so what failed beside others is tried once
// more, alone: only a file that fails twice fails the run. Prints what each file said, and at the end its seconds and
// tries, and the second tries of earlier whole runs (`--whole=NAME` in front; retry-record.ts).

import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { projectRoot } from '../project-root.ts'
import { retryLines, wholeRun } from './retry-record.ts'

/** Files at a time: they mostly wait for other clients. */
const AT_A_TIME = 2
/** Their processes work for less than a third of their time: one more file of these at a time. */
const WAITING = ['channels-dht', 'proxies', 'kill-switch', 'updates']
/** A file that takes longer hangs. */
const LIMIT_MS = 10 * 60_000
/**
 * Known to be slow, for they wait for other clients' timers: begun first, so that none of them is the last one running.
 */
const SLOW = [
  'transfer',
  'anonymous',
  ...WAITING,
  'dht-alone',
  'wire-exchange',
  'pex-alone',
  'holepunch',
  'made-torrents',
  'lsd-alone',
]

/** How one try of a file went. */
interface Try {
  readonly file: string
  readonly passed: boolean
  readonly seconds: number
}

function runFile(file: string): Promise<Try> {
  const begin = performance.now()
  const script = join(projectRoot, 'test/kit/netns')
  const args = [script, process.execPath, '--test', '--test-reporter=tap', file]
  const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS, killSignal: 'SIGKILL' })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      const seconds = (performance.now() - begin) / 1000
      process.stdout.write(`\n# File: ${basename(file)}, ${seconds.toFixed(0)} s\n`)
      process.stdout.write(Buffer.concat(said))
      resolve({ file, passed: code === 0, seconds })
    })
  })
}

/** Takes the next one out of a list: of those that `isOwn`, or of all when there are none. */
function next(left: string[], isOwn: (file: string) => boolean): string | undefined {
  const own = left.findIndex(isOwn)
  return left.splice(own < 0 ? 0 : own, 1)[0]
}

const waits = (file: string): boolean => WAITING.includes(basename(file, '.test.js'))

async function runBesideEachOther(files: readonly string[]): Promise<Try[]> {
  const left = [...files]
  const tries: Try[] = []
  const lane = async (): Promise<void> => {
    for (let file = next(left, one => !waits(one)); file !== undefined; file = next(left, one => !waits(one)))
      tries.push(await runFile(file))
  }
  const waitingLane = async (): Promise<void> => {
    while (left.some(waits)) tries.push(await runFile(next(left, waits) ?? ''))
  }
  await Promise.all([waitingLane(), ...Array.from({ length: AT_A_TIME }, lane)])
  return tries
}

async function runAlone(files: readonly string[]): Promise<Try[]> {
  const tries: Try[] = []
  for (const file of files) tries.push(await runFile(file))
  return tries
}

/** The built test of a name: of the core or of a chapter. */
function fileOf(name: string): string {
  if (name.includes('/')) return name
  const tests = join(projectRoot, 'dist/test')
  const chapters = readdirSync(join(tests, 'chapters')).map(chapter => join(tests, 'chapters', chapter))
  const found = [tests, ...chapters].map(folder => join(folder, 'interop', `${name}.test.js`)).find(existsSync)
  if (found === undefined) throw new Error(`there is no test of interop named ${name}`)
  return found
}

/** Place in the order of beginning. */
function rank(file: string): number {
  const place = SLOW.indexOf(basename(file, '.test.js'))
  return place < 0 ? SLOW.length : place
}

async function main(): Promise<void> {
  const { name, files: given } = wholeRun(process.argv.slice(2))
  const files = given.map(fileOf).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  const first = await runBesideEachOther(files)
  const again = await runAlone(first.filter(each => !each.passed).map(each => each.file))
  process.stdout.write('\n# seconds  file\n')
  for (const { file, seconds, passed } of [...first, ...again]) {
    process.stdout.write(`# ${seconds.toFixed(0).padStart(7)}  ${basename(file)}${passed ? '' : '  FAILED'}\n`)
  }
  const failed = again.filter(each => !each.passed)
  process.stdout.write(`# ${files.length} files, ${again.length} tried twice, ${failed.length} failed\n`)
  if (failed.length > 0 || files.length === 0) process.exitCode = 1
  const retried = again.map(({ file }) => relative(projectRoot, resolve(file)))
  for (const line of retryLines(name, retried)) process.stdout.write(`${line}\n`)
}

await main()
