// Announces of many suspended torrents: they go out together (decision 0482), none before its time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trackerDefaults } from '../../../src/tracker/announcer.ts'
import { reply, TrackerWorld } from './tracker-kit.ts'

const COUNT = 40
const APART_MS = 500

test('suspended torrents announce together, at most five seconds late and never before the interval', async () => {
  const world = new TrackerWorld({ togetherMs: trackerDefaults.togetherMs })
  const askedMs = new Map<string, number[]>()
  world.http.trackers.set('a', query => {
    const infoHash = query.get('info_hash') ?? ''
    askedMs.set(infoHash, [...(askedMs.get(infoHash) ?? []), world.clock.now()])
    return reply({ interval: 1_800 })
  })
  const torrents = Array.from({ length: COUNT }, () => world.create([['http://a/announce']]))
  for (const torrent of torrents) {
    torrent.start()
    await world.clock.advance(APART_MS)
  }
  await world.clock.advance(1_800_000 + 5_000)
  const times = [...askedMs.values()]
  assert.equal(times.length, COUNT)
  for (const [first = 0, second = 0] of times) {
    const lateMs = second - first - 1_800_000
    assert.ok(lateMs >= 0 && lateMs < 5_000, `${lateMs} ms late`)
  }
  const moments = new Set(times.map(([, second]) => second))
  assert.ok(moments.size <= (COUNT * APART_MS) / 5_000 + 1, `${moments.size} moments`)
  await Promise.all(torrents.map(torrent => torrent.stop(1_000)))
})
