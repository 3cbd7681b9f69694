// Parts of a long measurement: what hangs or fails is ended, named, and does not keep the others.

import { test } from 'node:test'
import assert from 'node:assert/strict'
import { Parts, type Stoppable } from '../../../bench/lib/parts.ts'

function recorded(): { readonly lines: string[]; readonly parts: Parts } {
  const lines: string[] = []
  return { lines, parts: new Parts(line => lines.push(line)) }
}

class Started implements Stoppable {
  stopped = 0
  stop(): Promise<void> {
    this.stopped++
    return Promise.resolve()
  }
}

test('a part that hangs is ended after its limit and named; what it started is stopped; the next one runs', async () => {
  const { lines, parts } = recorded()
  const started = new Started()
  const hangs = await parts.run('hangs', 20, async keep => {
    await keep(Promise.resolve(started))
    return new Promise<number>(() => undefined)
  })
  assert.equal(hangs, null)
  assert.equal(started.stopped, 1)
  assert.equal(await parts.run('goes on', 1_000, () => Promise.resolve(7)), 7)
  assert.deepEqual(parts.failures, ['FAILED hangs: not over after 0.02 s'])
  assert.match(lines.join('\n'), /^\d\d:\d\d:\d\d FAILED hangs: not over after 0\.02 s$/)
})

test('a part that fails is named, also when what it started never came up', async () => {
  const { parts } = recorded()
  const fails = (): Promise<Started> => Promise.reject(new Error('no port'))
  assert.equal(await parts.run('fails', 1_000, keep => keep(fails())), null)
  assert.deepEqual(parts.failures, ['FAILED fails: no port'])
})

test('when the time of all parts is over the next ones are named and not begun', async () => {
  const parts = new Parts(() => undefined, 20)
  await parts.run('long', 1_000, () => new Promise<never>(() => undefined))
  let begun = false
  await parts.run('next', 1_000, () => {
    begun = true
    return Promise.resolve()
  })
  assert.equal(begun, false)
  assert.match(parts.failures.join('\n'), /^FAILED long: not over after 0\.0\d+ s\nFAILED next: not begun: .*$/)
})
