// Downloads that were added and removed, told in few events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InfoHash } from '../../../../src/base/ids.ts'
import { DownloadNews } from '../../../../src/services/downloads/list/download-news.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

type Told = { count: number; downloads: { infohash: string; name: string }[] }

function rig() {
  const clock = new VirtualClock()
  const told: [type: string, event: Told][] = []
  const emit = (type: string, event?: unknown): void => void told.push([type, event as Told])
  return { clock, told, news: new DownloadNews({ clock, events: { emit } }) }
}

const hashOf = (n: number) => n.toString(16).padStart(40, '0') as InfoHash

test('three thousand at once are one event: how many, and the first by name, which is cut', async () => {
  const { clock, told, news } = rig()
  for (let n = 0; n < 3000; n++) news.added(hashOf(n), `name ${n} ${'x'.repeat(4000)}`)
  assert.equal(told.length, 0)
  await clock.advance(1000)
  assert.equal(told.length, 1)
  const [type, event] = told[0] ?? assert.fail()
  assert.deepEqual([type, event.count, event.downloads.length], ['downloads_added', 3000, 20])
  assert.equal(event.downloads[7]?.infohash, hashOf(7))
  assert.ok(JSON.stringify(event).length < 8192)
  await clock.advance(60_000)
  assert.equal(told.length, 1, 'nothing is told of nothing')
})

test('those of another second, and those that were removed, are events of their own', async () => {
  const { clock, told, news } = rig()
  news.added(hashOf(1), 'one')
  await clock.advance(1000)
  news.added(hashOf(2), 'two')
  news.removed(hashOf(1), 'one')
  await clock.advance(999)
  assert.equal(told.length, 1)
  await clock.advance(1)
  assert.deepEqual(told.slice(1), [
    ['downloads_added', { count: 1, downloads: [{ infohash: hashOf(2), name: 'two' }] }],
    ['downloads_removed', { count: 1, downloads: [{ infohash: hashOf(1), name: 'one' }] }],
  ])
})

test('what was gathered is told at the end, once', async () => {
  const { clock, told, news } = rig()
  news.removed(hashOf(1), 'one')
  news.tell()
  assert.deepEqual(told, [['downloads_removed', { count: 1, downloads: [{ infohash: hashOf(1), name: 'one' }] }]])
  await clock.advance(5000)
  assert.equal(told.length, 1)
})
