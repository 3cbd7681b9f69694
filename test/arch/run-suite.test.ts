// What the runner of `make suite` makes of failures: one by chance is tried again and passes, one that stays does not,
// and a run with many is red without a second look.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { projectRoot } from '../kit/project-root.ts'
import { canRunTogether } from '../kit/runners/test-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-run-suite-'))
after(() => rmSync(folder, { recursive: true }))

function testFile(name: string, body: string): string {
  const path = join(folder, `${name}.test.mjs`)
  writeFileSync(
    path,
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs'\nimport { test } from 'node:test'\n${body}\n`,
  )
  return path
}

const record = join(folder, 'retries.json')

/** `lastLine` is the one before the second tries, which come after it. */
function runSuite(files: readonly string[]): {
  status: number | null
  lastLine: string
  tries: string[]
  said: string
} {
  // The runner of this file tells its children that they are inside of a run.
  const { NODE_TEST_CONTEXT: _inside, ...env } = process.env
  const runner = join(projectRoot, 'dist/test/kit/runners/run-suite.js')
  const { status, stdout } = spawnSync(process.execPath, [runner, ...files], {
    encoding: 'utf8',
    env: { ...env, RETRY_RECORD: record },
  })
  const lines = stdout.trimEnd().split('\n')
  const at = lines.findLastIndex(line => line.startsWith('# second tries'))
  return { status, lastLine: lines[at - 1] ?? '', tries: lines.slice(at), said: stdout }
}

const passing = testFile('passing', "test('passes', () => {})")
const broken = testFile('broken', "test('is broken', () => { throw new Error('broken for good') })")
const ends = testFile('ends', 'process.exit(3)')

test('what failed by chance passes alone and is named', () => {
  const mark = JSON.stringify(join(folder, 'mark'))
  const body = `if (existsSync(${mark})) return; writeFileSync(${mark}, ''); throw new Error('by chance')`
  const { status, lastLine, said } = runSuite([passing, testFile('chance', `test('once', () => { ${body} })`)])
  assert.equal(status, 0)
  assert.equal(lastLine, '# 2 files, 1 tried twice, 0 failed')
  assert.match(said, /failed beside others: .*chance\.test\.mjs: once\n#\s+Error: by chance/)
})

test('what fails twice fails the run, also a file that ends without a word', () => {
  const { status, lastLine, said } = runSuite([passing, broken, ends])
  assert.equal(status, 1)
  assert.equal(lastLine, '# 3 files, 2 tried twice, 2 failed')
  assert.match(said, /failed alone: .*broken\.test\.mjs: is broken/)
})

test('tests that files share are tried again by the file that was started', () => {
  const shared = join(folder, 'rows.mjs')
  const body = `test(name, () => { if (name === 'red') throw new Error('broken for good') })`
  writeFileSync(shared, `import { test } from 'node:test'\nexport function row(name) { ${body} }\n`)
  const file = (name: string) =>
    testFile(`rows-${name}`, `import { row } from ${JSON.stringify(shared)}\nrow('${name}')`)
  const { status, lastLine, tries, said } = runSuite([passing, file('red'), file('green')])
  assert.equal(status, 1)
  assert.equal(lastLine, '# 3 files, 1 tried twice, 1 failed')
  assert.equal(tries.at(-1), `#   ${relative(projectRoot, join(folder, 'rows-red.test.mjs'))}`)
  assert.match(said, /failed alone: .*rows\.mjs: red/)
})

test('many failures are no chance: nothing is tried again', () => {
  const many = Array.from({ length: 5 }, (_, index) =>
    testFile(`many-${index}`, "test('is broken', () => { throw new Error('broken for good') })"),
  )
  const { status, lastLine } = runSuite(many)
  assert.equal(status, 1)
  assert.equal(lastLine, '# 5 files, 0 tried twice, 5 failed')
})

test('second tries are counted last, and over whole runs: twice in five is too often', () => {
  const mark = join(folder, 'at times')
  const body = `if (existsSync(${JSON.stringify(mark)})) return; writeFileSync(${JSON.stringify(mark)}, ''); throw new Error('now and then')`
  const wavering = testFile('wavering', `test('wavers', () => { ${body} })`)
  const shown = relative(projectRoot, wavering)
  const whole = ['--whole=some', passing, wavering]
  assert.deepEqual(runSuite(whole).tries, ['# second tries: 1 (1 whole runs of some are remembered)', `#   ${shown}`])
  // It passes now.
  for (let run = 2; run <= 4; run++)
    assert.deepEqual(runSuite(whole).tries, [`# second tries: 0 (${run} whole runs of some are remembered)`])
  rmSync(mark)
  assert.deepEqual(runSuite([wavering]).tries, ['# second tries: 1 (not a whole run)', `#   ${shown}`])
  rmSync(mark)
  const { status, tries } = runSuite(whole)
  assert.equal(status, 0)
  assert.equal(tries.at(-1), `# to be mended: ${shown} needed a second try in 2 of 5 runs`)
  // The first run is the sixth from the end now.
  assert.deepEqual(runSuite(whole).tries, ['# second tries: 0 (5 whole runs of some are remembered)'])
})

test('many files in one process: passed, failed and tried alone again, and cut off', { skip: !canRunTogether }, () => {
  const at = (name: string, body: string): string => testFile(join('group', name), body)
  mkdirSync(join(folder, 'group'))
  const pid = JSON.stringify(join(folder, 'pid'))
  const one = at('one', `test('first', () => writeFileSync(${pid}, String(process.pid)))`)
  const two = at(
    'two',
    `test('same process', () => { if (readFileSync(${pid}, 'utf8') !== String(process.pid)) throw 0 })`,
  )
  const together = (...files: string[]) => runSuite(['--together=group', passing, ...files])
  assert.equal(together(one, two).status, 0)
  const fails = together(one, at('broken', "test('is broken', () => { throw new Error('broken for good') })"))
  assert.deepEqual([fails.status, fails.lastLine], [1, '# 3 files, 1 tried twice, 1 failed'])
  assert.match(fails.said, /failed alone: .*group\/broken\.test\.mjs: is broken/)
  // One that ends its process takes the others with it: all of them are tried again, alone.
  const cut = together(one, at('exits', "test('exits', () => process.exit(0))"))
  assert.deepEqual([cut.status, cut.lastLine], [0, '# 3 files, 2 tried twice, 0 failed'])
  // Where the test of one of them stands in a file that none of them is, nobody knows whose it is.
  const rows = join(folder, 'group-rows.mjs')
  writeFileSync(
    rows,
    "import { test } from 'node:test'\ntest('is shared', () => { throw new Error('broken for good') })\n",
  )
  const shared = together(one, at('shared', `import ${JSON.stringify(rows)}`))
  assert.deepEqual([shared.status, shared.lastLine], [1, '# 3 files, 2 tried twice, 1 failed'])
  assert.match(cut.said, /failed beside others: .*group\/one\.test\.mjs: .*\n#\s+the process of this file ended early/)
})

test('files that wait run beside the others, one at a time; one that fails is red and tried again', () => {
  mkdirSync(join(folder, 'slow'))
  // Each ends when the other is there: they can only run at once.
  const meets = (mine: string, other: string): string =>
    `test('meets', async () => {
      writeFileSync(${JSON.stringify(join(folder, mine))}, '')
      for (const end = Date.now() + 20_000; !existsSync(${JSON.stringify(join(folder, other))});) {
        if (Date.now() > end) throw new Error('nobody came')
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    })`
  const [one, two] = [
    testFile('one-of-two', meets('here-1', 'here-3')),
    testFile('two-of-two', meets('here-2', 'here-3')),
  ]
  const third = testFile('slow/third', meets('here-3', 'here-2'))
  assert.equal(runSuite(['--beside=slow', one, two, third]).status, 0)
  const fails = runSuite(['--beside=slow', passing, testFile('slow/broken', "test('is broken', () => { throw 0 })")])
  assert.deepEqual([fails.status, fails.lastLine], [1, '# 2 files, 1 tried twice, 1 failed'])
  assert.equal(runSuite(['--beside=slow']).status, 1)
})

test('no file at all is no success', () => {
  assert.equal(runSuite([]).status, 1)
})
