// Answers whose key is taken back: cut at the next look, and nothing runs while there is nothing to watch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { type KeyHolder, NOBODY, OWNER } from '../../../src/http/auth.ts'
import { KeyWatch } from '../../../src/http/key-watch.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

class Answer {
  alive = true
  cuts = 0
  cut(): void {
    this.alive = false
    this.cuts++
  }
}

test('an answer is cut when its key does not open it any more', async () => {
  const clock = new VirtualClock()
  const watch = new KeyWatch(clock)
  const scopes = new Set(['read', 'stream'])
  const holder: KeyHolder = { ...NOBODY, stillMay: scope => scopes.has(scope) }
  const [events, stream, ended] = [new Answer(), new Answer(), new Answer()]
  watch.watch(events, holder, 'read')
  watch.watch(stream, holder, 'stream')
  watch.watch(ended, holder, 'read')
  ended.alive = false
  await clock.advance(60_000)
  assert.deepEqual([events.cuts, stream.cuts, watch.size], [0, 0, 2])
  scopes.delete('stream')
  await clock.advance(2_000)
  assert.deepEqual([events.cuts, stream.cuts, watch.size], [0, 1, 1])
  scopes.clear()
  await clock.advance(2_000)
  assert.deepEqual([events.cuts, stream.cuts, watch.size], [1, 1, 0])
  assert.equal(clock.pending, 0, 'a timer without answers')
})

test('keys that cannot be taken back are not watched; stop() forgets the others', () => {
  const clock = new VirtualClock()
  const watch = new KeyWatch(clock)
  for (const holder of [OWNER, NOBODY]) watch.watch(new Answer(), holder, 'read')
  assert.deepEqual([watch.size, clock.pending], [0, 0])
  watch.watch(new Answer(), { ...NOBODY, stillMay: () => true }, 'read')
  watch.stop()
  assert.deepEqual([watch.size, clock.pending], [0, 0])
})

test('a key that is bound to a label has a share of answers open, and no more', () => {
  const watch = new KeyWatch(new VirtualClock())
  const anna: KeyHolder = { ...NOBODY, id: 'anna', label: 'anna', stillMay: () => true }
  const open = (holder: KeyHolder): Answer => {
    const answer = new Answer()
    watch.watch(answer, holder, 'read')
    return answer
  }
  const [first] = Array.from({ length: 32 }, () => open(anna))
  const isRefused = (error: unknown) => error instanceof AppError && error.code === 'TooManyRequests'
  assert.throws(() => open(anna), isRefused)
  for (let i = 0; i < 40; i++) open({ ...anna, id: 'tv', label: null })
  open({ ...anna, id: 'ben', label: 'ben' })
  assert.ok(first !== undefined)
  first.alive = false
  open(anna)
  assert.throws(() => open(anna), isRefused)
  watch.stop()
})
