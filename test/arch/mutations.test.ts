// What `make mutations` draws from: code that decides something, and nothing that is only said; and the tests that
// reach it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mutated, mutationSites } from '../kit/runners/mutation-sites.ts'
import { TestReach } from '../kit/runners/mutation-tests.ts'

const SOURCE = `import { log } from './log.ts'
type Size = 1 | 2
const LIMIT = 3
export function size(of: number, log: Log): Size {
  if (of < LIMIT && of !== 0) log.info('small', { of: 4 })
  this.count += 1
  if (of > 9n) throw new RangeError(\`too large: \${of + 5}\`)
  return of as Size
}
`

test('comparisons, conditions, constants, statements and returned values are changed; types, logs and texts are not', () => {
  const sites = mutationSites('x.ts', SOURCE)
  const shown = sites.map(({ line, start, end, text }) => `${line} ${SOURCE.slice(start, end)} -> ${text}`)
  assert.deepEqual(shown, [
    '3 3 -> 4',
    '5 of < LIMIT && of !== 0 -> !(of < LIMIT && of !== 0)',
    '5 < -> <=',
    '5 && -> ||',
    '5 !== -> ===',
    '5 0 -> 1',
    '6 this.count += 1 -> ;',
    '6 += -> -=',
    '6 1 -> 2',
    '7 of > 9n -> !(of > 9n)',
    '7 > -> >=',
    '7 9n -> 10n',
    '8 of as Size -> undefined',
  ])
  const first = sites[0]
  assert.ok(first !== undefined && mutated(SOURCE, first).includes('const LIMIT = 4\n'))
})

test('tests that reach a module: its own first, those that start the program among them', () => {
  const tests = new TestReach().testsOf('src/torrent/pieces/piece-picker.ts')
  assert.equal(tests[0], 'test/unit/torrent/piece-picker.test.ts')
  assert.ok(tests.includes('test/fault/node-kill.test.ts'))
  assert.ok(!tests.some(path => path.startsWith('test/interop/') || path.startsWith('test/arch/')))
  assert.ok(new TestReach().testsOf('src/pools/jobs/commit.ts').includes('test/contract/workers/jobs.test.ts'))
})
