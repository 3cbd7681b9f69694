// A file whose bytes were changed while its length and time stayed: no look sees that, a scrub does. And which download
// is scrubbed when.

import assert from 'node:assert/strict'
import { openSync, closeSync, statSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DownloadEntry } from '../../../src/services/downloads/download-entry.ts'
import type { DownloadSet } from '../../../src/services/downloads/download-set.ts'
import { Scrubs } from '../../../src/services/downloads/scrubs.ts'
import { countBits } from '../../../src/base/piece-set.ts'
import { LoopbackNode } from '../../kit/nodes/loopback-node.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { StandingClock } from '../../kit/doubles/store-rig.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { awake } from '../../kit/sim/awake.ts'

const PIECE = 32 * 1024

test('a scrub finds what keeps length and time, in a torrent that runs and in one that is stopped', async t => {
  const node = await new LoopbackNode().start()
  t.after(() => node.close())
  const made = makeTorrent({ name: 'rot.bin', length: 20 * PIECE, pieceLength: PIECE, seed: 66 })
  await node.put(made)
  const torrent = node.add(made, { running: true, resume: null })
  await waitFor('it seeds', () => torrent.snapshot().status === 'seeding')
  const never = new AbortController().signal
  const rot = (piece: number) => {
    const path = join(node.folder, 'rot.bin')
    const { atime, mtime } = statSync(path)
    const fd = openSync(path, 'r+')
    writeSync(fd, 'rot', piece * PIECE)
    closeSync(fd)
    utimesSync(path, atime, mtime)
  }
  assert.equal(await awake(torrent).scrub(never), true)
  assert.equal(torrent.snapshot().status, 'seeding')
  rot(7)
  const given = new AbortController()
  const begun = awake(torrent).scrub(given.signal)
  given.abort()
  assert.equal(await begun, false, 'given up')
  await awake(torrent).scrub(never)
  await waitFor('the piece is lost', () => countBits(torrent.haveBits()) === 19)
  assert.equal(torrent.snapshot().status, 'downloading')
  await awake(torrent).stop()
  assert.equal(await awake(torrent).scrub(never), true, 'of a stopped one')
  rot(3)
  assert.equal(await awake(torrent).scrub(never), false, 'one that found something is to be begun again')
})

function entryOf(infoHash: string, finishedAtMs: number, scrubbed: string[], status = 'seeding'): DownloadEntry {
  const scrub = () => Promise.resolve(scrubbed.push(infoHash) > 0 && infoHash !== 'file gone')
  const torrent = {
    snapshot: () => ({ status, progress: 1 }),
    wake: () => Promise.resolve({ scrub }),
  }
  return { loaded: true, stored: { infoHash, finishedAtMs, addedAtMs: 0 }, torrent } as unknown as DownloadEntry
}

/** Of these entries; what is noted of them lands in them. */
function setOf(entries: ReadonlyMap<string, DownloadEntry>): DownloadSet {
  const set = {
    entries,
    queue: { run: (_key: string, work: () => Promise<void>) => work() },
    update: async (entry: DownloadEntry, change: object) => void Object.assign(entry.stored, change),
  }
  return set as unknown as DownloadSet
}

test('one at a time, who waited longest first, and not again before its days are over', async () => {
  const dayMs = 86_400_000
  const clock = new StandingClock()
  clock.nowMs = 100 * dayMs
  const scrubbed: string[] = []
  const entries = new Map(
    [
      entryOf('new', 95 * dayMs, scrubbed),
      entryOf('old', 60 * dayMs, scrubbed),
      entryOf('older', 50 * dayMs, scrubbed),
      entryOf('broken', 10 * dayMs, scrubbed, 'error'),
    ].map(entry => [entry.stored.infoHash, entry]),
  )
  let scrubDays = 0
  const scrubs = new Scrubs(setOf(entries), { clock, log: silentLog, settings: () => ({ scrubDays }) })
  await scrubs.look()
  assert.deepEqual(scrubbed, [], 'off')
  scrubDays = 30
  await Promise.all([scrubs.look(), scrubs.look()])
  assert.deepEqual(scrubbed, ['older', 'old'])
  await scrubs.look()
  assert.deepEqual(scrubbed, ['older', 'old'])
  assert.equal(entries.get('old' as never)?.stored.scrubbedAtMs, 100 * dayMs)
  clock.nowMs += 26 * dayMs
  await scrubs.look()
  await scrubs.look()
  assert.deepEqual(scrubbed, ['older', 'old', 'new'])
  clock.nowMs += 5 * dayMs
  await scrubs.look()
  assert.equal(scrubbed.length, 5)
  clock.nowMs += 100 * dayMs
  await scrubs.stop()
  await scrubs.look()
  assert.equal(scrubbed.length, 5, 'stopped')
})

test('one that cannot be brought to its end keeps the others from nothing', async () => {
  const dayMs = 86_400_000
  const clock = new StandingClock()
  clock.nowMs = 100 * dayMs
  const scrubbed: string[] = []
  const names = ['file gone', 'second', 'third']
  const entries = new Map(names.map((name, at) => [name, entryOf(name, (at + 1) * dayMs, scrubbed)]))
  const scrubs = new Scrubs(setOf(entries), { clock, log: silentLog, settings: () => ({ scrubDays: 30 }) })
  await scrubs.look()
  assert.deepEqual(scrubbed, names)
  await scrubs.look()
  assert.deepEqual(scrubbed, [...names, 'file gone'])
  await scrubs.stop()
})

test('after a start what is due is found by the clock, within a minute', async () => {
  const clock = new VirtualClock()
  const scrubbed: string[] = []
  const entry = entryOf('due', clock.wallMs() - 3 * 86_400_000, scrubbed)
  const entries = new Map([['due', entry]])
  const scrubs = new Scrubs(setOf(entries), { clock, log: silentLog, settings: () => ({ scrubDays: 2 }) })
  scrubs.start()
  await clock.advance(60_000)
  assert.deepEqual(scrubbed, ['due'])
  await clock.advance(600_000)
  assert.equal(scrubbed.length, 1)
  await scrubs.stop()
  assert.equal(clock.pending, 0)
})
