// Trackers in tiers as users set them, and what a row says of each: tier, counts, when it is asked next.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reply, TrackerWorld } from './tracker-kit.ts'

const url = (host: string): string => `http://${host}/announce`

test('a row says the tier, the counts of the tracker and when it is due; nothing is due once it has stopped', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ interval: 1_800 }))
  world.http.trackers.set('b', () => 'down')
  const torrent = world.create([[url('b')], [url('a')], [url('c')]])
  assert.deepEqual(
    torrent.rows().map(({ tier, nextSec }) => [tier, nextSec]),
    [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
  )
  torrent.start()
  await world.clock.advance(0)
  const [failed, works, idle] = torrent.rows()
  const nowSec = world.clock.wallMs() / 1_000
  assert.equal(works?.nextSec, nowSec + 1_800)
  const waitSec = (failed?.nextSec ?? 0) - nowSec
  assert.ok(waitSec >= 15 && waitSec <= 20, `${waitSec} s after a failure`)
  assert.equal(idle?.nextSec, 0, 'not asked while another answers')
  const stopped = torrent.stop(1_000)
  await world.clock.advance(1_000)
  await stopped
  assert.deepEqual(
    torrent.rows().map(({ nextSec }) => nextSec),
    [0, 0, 0],
  )
})

test('set tiers stand as they were given; who goes hears stopped, who comes is asked, who stays is not asked early', async () => {
  const world = new TrackerWorld()
  for (const host of ['a', 'b', 'c']) world.http.trackers.set(host, () => reply({ interval: 1_800, min: 300 }))
  const torrent = world.create([[url('a')], [url('b')]])
  torrent.start()
  await world.clock.advance(0)
  const { revision } = torrent
  torrent.setTiers([[url('c')], [url('b'), url('b')], [url('c')]])
  assert.ok(torrent.revision > revision)
  assert.deepEqual(torrent.tiers(), [[url('c')], [url('b')]])
  await world.clock.advance(1_000)
  assert.deepEqual(world.http.events('a'), ['started', 'stopped'])
  assert.deepEqual(world.http.events('c'), ['started'])
  assert.deepEqual(world.http.events('b'), [])
  for (let turn = 0; turn < 20; turn += 1) {
    const order = turn % 2 === 0 ? [[url('b')], [url('c')]] : [[url('c'), url('b')]]
    torrent.setTiers(order)
    assert.deepEqual(torrent.tiers(), order)
    await world.clock.advance(1_000)
  }
  assert.equal(world.http.announces('c').length, 1, 'moving it is no reason to ask it again')
  assert.ok(world.http.announces('b').length <= 1)
  const before = torrent.revision
  torrent.setTiers([[url('b')], [url('c')]])
  assert.ok(torrent.revision > before, 'lists see that only its tier is another')
})

test('at most 256 trackers are set, and no over-long one', () => {
  const world = new TrackerWorld()
  const torrent = world.create([])
  torrent.setTiers([[`http://x/${'y'.repeat(3_000)}`], ...Array.from({ length: 300 }, (_, n) => [url(`t${n}`)]), []])
  assert.equal(torrent.tiers().length, 256)
  assert.equal(torrent.rows().at(-1)?.tier, 255)
})
