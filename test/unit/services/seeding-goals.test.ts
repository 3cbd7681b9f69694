// Seeding that ends: by ratio, by time, by the settings or by its own goals; counted over restarts; resumed by hand.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PatchDownload } from '../../../src/services/api.ts'
import { NO_CONTROLS } from '../../../src/services/downloads/download-controls.ts'
import { seedingGoal, type SeedingMode, shareRatio } from '../../../src/services/downloads/seeding-goals.ts'
import type { TorrentSnapshot } from '../../../src/torrent/types.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type DownloadsBench, FakeTorrent, MemoryRecords, startDownloads } from './service-doubles.ts'

const made = makeTorrent({ length: 100_000 })
const { infoHash } = made
const MINUTE_MS = 60_000

interface Bench extends DownloadsBench {
  readonly torrent: FakeTorrent
  readonly patch: (change: PatchDownload) => Promise<unknown>
  /** Lets time go on in looks of ten seconds. */
  readonly later: (ms: number) => Promise<void>
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
}

async function seeding(records?: MemoryRecords): Promise<Bench> {
  const bench = await startDownloads(records)
  if (records === undefined) await bench.downloads.addFile(made.torrent, {})
  const torrent = bench.engine.torrents.get(infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  torrent.status = 'seeding'
  torrent.stopped = () => bench.downloads.engineEvents.statusChanged(infoHash, 'stopped')
  bench.downloads.engineEvents.statusChanged(infoHash, 'seeding')
  const later = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 10_000) {
      bench.clock.advance(Math.min(10_000, ms - at))
      await settle()
    }
  }
  return { ...bench, torrent, later, patch: change => bench.downloads.patch(infoHash, change) }
}

test('goals: those of the settings by mode, its own before them', () => {
  const goal = (seedingMode: SeedingMode, own: Partial<typeof NO_CONTROLS> = {}) => {
    const { ratio, seconds } = seedingGoal(
      { ...NO_CONTROLS, ...own },
      { seedingMode, seedingRatio: 2, seedingMinutes: 10 },
    )
    return [ratio, seconds]
  }
  assert.deepEqual(goal('forever'), [null, null])
  assert.deepEqual(goal('never'), [0, null])
  assert.deepEqual(goal('ratio'), [2, null])
  assert.deepEqual(goal('time'), [null, 600])
  assert.deepEqual(goal('either'), [2, 600])
  assert.deepEqual(goal('either', { seedingRatio: -1 }), [null, 600])
  assert.deepEqual(goal('never', { seedingRatio: -1 }), [null, null])
  assert.deepEqual(goal('forever', { seedingRatio: 0.5, seedingMinutes: 0 }), [0.5, 0])
})

test('the ratio is of the size where the data was there before', () => {
  const ratio = (totalUp: number, totalDown: number, sizeBytes: number) =>
    shareRatio({ totalUp, totalDown, sizeBytes } as TorrentSnapshot)
  assert.equal(ratio(50, 100, 100), 0.5)
  assert.equal(ratio(5000, 0, 10_000), 0.5)
  assert.equal(ratio(5000, 99, 10_000), 0.5)
  assert.equal(ratio(5000, 100, 10_000), 50)
  assert.equal(ratio(5000, 0, 0), 0)
})

test('it stops at its ratio, durably, and says so', async () => {
  const { torrent, records, downloads, emitted, settings, later } = await seeding()
  settings.seedingMode = 'ratio'
  torrent.totalDown = 100_000
  torrent.totalUp = 199_999
  await later(20_000)
  assert.equal(torrent.status, 'seeding')
  torrent.totalUp = 200_000
  await later(10_000)
  assert.equal(torrent.status, 'stopped')
  assert.equal(records.rows.get(infoHash)?.userStopped, true)
  assert.equal(records.rows.get(infoHash)?.goalReached, true)
  assert.deepEqual(emitted.at(-1), ['seeding_goal_reached', { infohash: infoHash, name: 'file.bin', goal: 'ratio' }])
  downloads.engineEvents.statusChanged(infoHash, 'stopped')
  await later(60_000)
  assert.equal(emitted.filter(([type]) => type === 'seeding_goal_reached').length, 1)
})

test('it stops after its time of seeding, counted over stops and restarts', async () => {
  const first = await seeding()
  await first.patch({ seeding_time: 30 })
  await first.later(20 * MINUTE_MS)
  first.torrent.status = 'stopped'
  first.downloads.engineEvents.statusChanged(infoHash, 'stopped')
  await settle()
  assert.equal(first.records.rows.get(infoHash)?.seededSec, 20 * 60)
  await first.later(20 * MINUTE_MS)
  assert.equal((await first.downloads.explain(infoHash)).time_seeded, 20 * 60)
  const second = await seeding(first.records)
  await second.later(9 * MINUTE_MS)
  assert.equal(second.torrent.status, 'seeding')
  await second.later(2 * MINUTE_MS)
  assert.equal(second.torrent.status, 'stopped')
})

test('a kill loses ten minutes of counting at most, a stop nothing', async () => {
  const bench = await seeding()
  await bench.later(25 * MINUTE_MS)
  assert.equal(bench.records.rows.get(infoHash)?.seededSec, 20 * 60)
  await bench.downloads.stop()
  assert.equal(bench.records.rows.get(infoHash)?.seededSec, 25 * 60)
})

test('who resumes a download that has seeded enough is not stopped again; new goals count again', async () => {
  const { torrent, records, downloads, patch, later } = await seeding()
  torrent.totalDown = 10_000
  torrent.totalUp = 100_000
  await patch({ seeding_ratio: 5 })
  await later(10_000)
  assert.equal(torrent.status, 'stopped')
  assert.equal((await downloads.explain(infoHash)).reasons[0]?.code, 'seeding_goal_reached')
  await patch({ state: 'resume' })
  torrent.status = 'seeding'
  downloads.engineEvents.statusChanged(infoHash, 'seeding')
  assert.equal(records.rows.get(infoHash)?.controls?.seedingRatio, -1)
  assert.equal(records.rows.get(infoHash)?.goalReached, false)
  await later(60_000)
  assert.equal(torrent.status, 'seeding')
  await patch({ seeding_ratio: 6 })
  await later(10_000)
  assert.equal(torrent.status, 'stopped')
})

test('a suspended one is looked at once for its ratio, and again when its goal is another one', async () => {
  const { torrent, settings, later, patch } = await seeding()
  settings.seedingMode = 'ratio'
  torrent.totalDown = 1000
  torrent.totalUp = 1500
  torrent.suspended = true
  let looks = 0
  const snapshot = torrent.snapshot.bind(torrent)
  torrent.snapshot = () => {
    looks += 1
    return snapshot()
  }
  await later(100_000)
  // Two by the goals at most; the counters of suspended torrents are not read.
  assert.ok(looks <= 2, `${looks}`)
  assert.equal(torrent.status, 'seeding')
  await patch({ seeding_ratio: 1.25 })
  await later(10_000)
  assert.equal(torrent.status, 'stopped')
})

test('how long very many have seeded is noted some at a time, at the end all at once', async () => {
  const records = new MemoryRecords()
  const bench = await startDownloads(records)
  for (let n = 0; n < 1200; n++) {
    const each = makeTorrent({ length: 100, seed: n + 1, name: `t${n}` })
    await bench.downloads.addFile(each.torrent, {})
    bench.downloads.engineEvents.statusChanged(each.infoHash, 'seeding')
  }
  const sizes: number[] = []
  const answers: (() => void)[] = []
  records.setSeeded = counted => {
    sizes.push(counted.length)
    return new Promise(resolve => answers.push(resolve))
  }
  bench.clock.advance(600_000)
  await settle()
  assert.deepEqual(sizes, [500])
  for (let answered = 0; answered < answers.length; answered++) {
    answers[answered]?.()
    await settle()
  }
  assert.deepEqual(sizes, [500, 500, 200])
  const stopped = bench.downloads.stop()
  await settle()
  assert.deepEqual(sizes.slice(3), [500, 500, 200])
  for (const answer of answers) answer()
  await stopped
})
