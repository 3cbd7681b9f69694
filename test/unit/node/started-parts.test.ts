// Parts that do not end: what comes after them has its share of the time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartedParts } from '../../../src/node/started-parts.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'

const forever = () => new Promise<void>(() => undefined)

test('a part that does not end is left behind; the store is closed after it, in order', async () => {
  const parts = new StartedParts(silentLog)
  const ended: string[] = []
  const part = (name: string, work: () => Promise<void>) => async () => {
    await work()
    ended.push(name)
  }
  const soon = () => new Promise<void>(resolve => setTimeout(resolve, 30))
  parts.add('store', part('store', soon), 0.4)
  parts.add('hanging too', part('hanging too', forever))
  parts.add('hanging', part('hanging', forever))
  parts.add(
    'quick',
    part('quick', () => Promise.resolve()),
  )
  const inTime = await parts.stopWithin(400)
  assert.equal(inTime, false)
  assert.deepEqual(ended, ['quick', 'store'])
})

test('a part learns how long it is waited for: all but what those after it keep', async () => {
  const parts = new StartedParts(silentLog)
  const told: [number, number][] = []
  const note = (limitMs: number, mostMs: number) => Promise.resolve(void told.push([limitMs, mostMs]))
  parts.add('last', note, 0.25)
  parts.add('first', note)
  await parts.stopWithin(1000)
  assert.deepEqual([told[0]?.[0], told[1]?.[0]], [1000, 1000])
  const [first = 0, last = 0] = told.map(([, mostMs]) => mostMs)
  assert.ok(first > 700 && first <= 750, `${first} ms`)
  assert.ok(last > 950 && last <= 1000, `${last} ms`)
})

test('parts that end in time are all waited for', async () => {
  const parts = new StartedParts(silentLog)
  let ended = 0
  for (let at = 0; at < 3; at += 1) parts.add('one', async () => void (await Promise.resolve(ended++)))
  parts.add('failing', () => Promise.reject(new Error('on purpose')))
  assert.equal(await parts.stopWithin(1000), true)
  assert.equal(ended, 3)
})
