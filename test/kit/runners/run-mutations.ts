// `make mutations`: draws changes over src by SEED, makes each in a copy of the built modules and runs the tests that
// reach it until one is red (decision 0485). Prints a line for each, and at the end how many were found. Fails below 9
// in 10. COUNT mutations; ONLY=3,7 plays those of the draw again; LANES at a time; LIMIT_S seconds for each.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { sourceFiles } from '../../arch/source-tree.ts'
import { mutated, type Mutation, mutationSites } from './mutation-sites.ts'
import { TestReach } from './mutation-tests.ts'
import { projectRoot } from '../project-root.ts'
import { SeededRandom } from '../sim/seeded-random.ts'

const environment = process.env
const SEED = Number(environment['SEED'] ?? '1')
const COUNT = Number(environment['COUNT'] ?? '60')
const ONLY = new Set((environment['ONLY'] ?? '').split(',').filter(Boolean).map(Number))
const LANES = Number(environment['LANES'] ?? '1')
const LIMIT_MS = Number(environment['LIMIT_S'] ?? '180') * 1_000
/** A test that takes longer hangs. */
const TEST_LIMIT_MS = 90_000
/** Pages and programs of the build are not what tests of the node hold. */
const LEFT_OUT = /^src\/(?:(?:chapters\/[a-z]+\/)?web|docs|build|deploy|decisions)\//
/** Of those drawn, so many in ten must be found. */
const FOUND_IN_TEN = 9

/** What came of one mutation; `by`: the test that was red, '' = none was. */
interface Outcome {
  readonly number: number
  readonly mutation: Mutation
  readonly by: string
  readonly ran: number
  readonly of: number
}

/** COUNT different changes, each as likely as any other. */
function draw(): Mutation[] {
  const sites = sourceFiles('src')
    .filter(({ path }) => !LEFT_OUT.test(path) && path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort((a, b) => a.path.localeCompare(b.path))
    .flatMap(({ path, text }) => mutationSites(path, text))
  const random = new SeededRandom(SEED)
  process.stdout.write(`# SEED=${SEED}: ${COUNT} of ${sites.length} changes\n`)
  return Array.from({ length: COUNT }, () => sites.splice(random.below(sites.length), 1)[0] as Mutation)
}

/** Plain modules in a folder of their own: a bundle would hold the code a second time. */
function buildPlain(folder: string): string {
  const tsc = join(projectRoot, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', join(projectRoot, 'tsconfig.json'), '--outDir', join(folder, 'dist')], { stdio: 'inherit' })
  cpSync(join(projectRoot, 'dist/src/web/page'), join(folder, 'dist/src/web/page'), { recursive: true })
  linkRest(folder)
  return folder
}

function copyOf(plain: string, folder: string): string {
  execFileSync('cp', ['-al', join(plain, 'dist'), folder])
  linkRest(folder)
  return folder
}

/** Tests read sources, vectors and packages beside dist. */
function linkRest(folder: string): void {
  for (const name of readdirSync(projectRoot)) {
    if (!['dist', '.git', '.ci'].includes(name)) symlinkSync(join(projectRoot, name), join(folder, name))
  }
}

/** True when the test passes in the copy; what it started ends with it. */
function passes(copy: string, test: string, limitMs: number): Promise<boolean> {
  const file = join(copy, 'dist', test.replace(/ts$/, 'js'))
  const child = spawn(process.execPath, [file], { stdio: 'ignore', detached: true, cwd: copy })
  const end = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {
      // Nothing of it is left.
    }
  }
  const late = setTimeout(end, limitMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => {
      clearTimeout(late)
      end()
      resolve(code === 0)
    })
  })
}

/** The change as the copy's module; false when it cannot be written as one. */
function put(copy: string, mutation: Mutation): () => void {
  const built = join(copy, 'dist', mutation.path.replace(/ts$/, 'js'))
  const before = readFileSync(built)
  const source = mutated(readFileSync(join(projectRoot, mutation.path), 'utf8'), mutation)
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
  const { code } = transformSync(source, { loader: 'ts', format: 'esm', target: 'node20', tsconfigRaw })
  // Hard-linked: the file of the other copies must stay.
  const write = (text: string | Buffer): void => {
    unlinkSync(built)
    writeFileSync(built, text)
  }
  write(code.replaceAll(/((?:from|import)\s*\(?\s*["']\.[^"']*)\.ts(["'])/g, '$1.js$2'))
  return () => write(before)
}

/** Plays mutations in one copy; `sound` knows which tests are green without any. */
async function play(
  copy: string,
  number: number,
  mutation: Mutation,
  tests: readonly string[],
  sound: (test: string) => Promise<boolean>,
): Promise<Outcome> {
  const restore = put(copy, mutation)
  const begin = performance.now()
  let ran = 0
  let by = ''
  try {
    for (const test of tests) {
      if (performance.now() - begin > LIMIT_MS) break
      ran += 1
      if ((await passes(copy, test, TEST_LIMIT_MS)) || !(await sound(test))) continue
      by = test
      break
    }
  } finally {
    restore()
  }
  return { number, mutation, by, ran, of: tests.length }
}

function print({ number, mutation, by, ran, of }: Outcome): void {
  const { path, line, what } = mutation
  const result = by === '' ? `SURVIVED ${ran} of ${of} tests` : `red by ${by}`
  process.stdout.write(`${number}  ${path}:${line}  ${what}  ${result}\n`)
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-mutations-'))
  try {
    const wanted = draw().map((mutation, index) => ({ number: index + 1, mutation }))
    const left = wanted.filter(({ number }) => ONLY.size === 0 || ONLY.has(number))
    const count = left.length
    const reach = new TestReach()
    const plain = buildPlain(mkdtempSync(join(folder, 'plain-')))
    const known = new Map<string, Promise<boolean>>()
    const sound = (test: string): Promise<boolean> => {
      const result = known.get(test) ?? passes(plain, test, TEST_LIMIT_MS)
      known.set(test, result)
      return result
    }
    let found = 0
    const lane = async (): Promise<void> => {
      const copy = copyOf(plain, mkdtempSync(join(folder, 'copy-')))
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const outcome = await play(copy, next.number, next.mutation, reach.testsOf(next.mutation.path), sound)
        print(outcome)
        if (outcome.by !== '') found += 1
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    process.stdout.write(`# ${found} of ${count} were found, by SEED=${SEED}\n`)
    if (found * 10 < count * FOUND_IN_TEN) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
