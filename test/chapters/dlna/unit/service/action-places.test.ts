// Actions of players: how many are answered, wait and are refused, in all and of one address.

import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { ActionPlaces } from '../../../../../src/chapters/dlna/service/action-places.ts'

test('one address has a part of the places, and others find theirs', async () => {
  const places = new ActionPlaces({ atATime: 2, waiting: 4, ofAddress: 3 })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const act = (ip: string): Promise<void> =>
    places.run(ip, () => {
      begun.push(ip)
      return new Promise(resolve => void ends.push(resolve))
    })
  const greedy = [act('a'), act('a'), act('a')]
  await assert.rejects(act('a'), { code: 'TooManyRequests' })
  const others = [act('b'), act('c'), act('d')]
  await assert.rejects(act('e'), { code: 'TooManyRequests' }, 'two are answered and four wait')
  await setImmediate()
  assert.deepEqual(begun, ['a', 'a'])
  assert.equal(places.addresses, 4)
  for (let ended = 0; ended < 6; ended += 1) {
    ends[ended]?.()
    await setImmediate()
  }
  await Promise.all([...greedy, ...others])
  assert.deepEqual(begun, ['a', 'a', 'a', 'b', 'c', 'd'])
  assert.equal(places.addresses, 0)
})

test('what fails gives its place back', async () => {
  const places = new ActionPlaces({ atATime: 1, waiting: 1, ofAddress: 1 })
  for (let time = 0; time < 3; time += 1)
    await assert.rejects(
      places.run('a', () => Promise.reject(new Error('no'))),
      /no/,
    )
  assert.equal(await places.run('a', async () => 7), 7)
  assert.equal(places.addresses, 0)
})
