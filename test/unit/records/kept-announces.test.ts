// When trackers may be asked again, through the real thread and file.

import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { KeptAnnounce } from '../../../src/ports/kept-announces.ts'
import type { RecordsStore } from '../../../src/records/records-store.ts'
import { hashOf, openStore, temporaryFolder } from './records-kit.ts'

const NOW_MS = 1_700_000_000_000
const PEERS = [{ ip: '192.0.2.1', port: 7 }]

const announceOf = (n: number): KeptAnnounce => ({
  infoHash: hashOf(n),
  tracker: `http://t${n}/announce`,
  mayAskAtMs: NOW_MS + n * 1000,
  mayStartAtMs: NOW_MS + n * 1000 - 500,
  minMs: 600_000,
  peers: n % 2 === 0 ? PEERS : [],
  owesCompleted: false,
})

const take = (store: RecordsStore, n: number) => store.announces.take(hashOf(n), `http://t${n}/announce`)

test('a kept announce holds until its time, by how the run before ended, and is given once', async t => {
  const options = { path: join(temporaryFolder(t), 'a.db'), now: () => NOW_MS }
  const first = await openStore(t, options)
  await first.announces.load()
  for (let n = 1; n <= 700; n += 1) void first.announces.note(announceOf(n), n === 1)
  await first.close(5000)

  const second = await openStore(t, { ...options, now: () => NOW_MS + 3_603_200 })
  await second.announces.load()
  assert.equal(take(second, 3), null, 'over for an hour')
  assert.deepEqual(take(second, 4), { untilMs: NOW_MS + 3500, minMs: 600_000, peers: PEERS, owesCompleted: false })
  assert.equal(take(second, 4), null, 'once')
  assert.deepEqual(take(second, 699), { untilMs: NOW_MS + 698_500, minMs: 600_000, peers: [], owesCompleted: false })
  assert.equal(take(second, 701), null)
  await second.close(0)
})

test('what is pressing is on the disk at once, so that a kill leaves it; then no `stopped` was told', async t => {
  const options = { path: join(temporaryFolder(t), 'a.db'), now: () => NOW_MS }
  const first = await openStore(t, options)
  await first.announces.load()
  await first.announces.note(announceOf(5), true)
  // Regular ones wait for each other from here.
  await first.announces.note(announceOf(6), false)
  // What a kill at this moment leaves.
  const left = temporaryFolder(t)
  for (const suffix of ['', '-wal']) copyFileSync(options.path + suffix, join(left, `a.db${suffix}`))

  const second = await openStore(t, { ...options, path: join(left, 'a.db') })
  await second.announces.load()
  assert.deepEqual(take(second, 5), { untilMs: NOW_MS + 5000, minMs: 600_000, peers: [], owesCompleted: false })
  assert.equal(take(second, 6), null)
})

test('a clock that was set back holds nothing for longer than a day', async t => {
  const options = { path: join(temporaryFolder(t), 'a.db'), now: () => NOW_MS }
  const first = await openStore(t, options)
  await first.announces.note(announceOf(9), true)
  await first.close(5000)
  const second = await openStore(t, { ...options, now: () => NOW_MS - 90_000_000 })
  await second.announces.load()
  assert.equal(take(second, 9), null)
})

test('a tracker that is owed `completed` is remembered for a month, and not once it is settled', async t => {
  const options = { path: join(temporaryFolder(t), 'a.db'), now: () => NOW_MS }
  const first = await openStore(t, options)
  for (const n of [1, 2]) await first.announces.note({ ...announceOf(n), minMs: 0, owesCompleted: true }, true)
  // Settled while a regular row waits to be written.
  void first.announces.note({ ...announceOf(2), owesCompleted: true }, false)
  assert.equal(await first.announces.settle({ ...announceOf(2), owesCompleted: false }), true)
  await first.close(5000)
  const days = (count: number) => ({ ...options, now: () => NOW_MS + count * 86_400_000 })
  const second = await openStore(t, days(29))
  await second.announces.load()
  assert.deepEqual(take(second, 1), { untilMs: NOW_MS + 500, minMs: 0, peers: [], owesCompleted: true })
  assert.equal(take(second, 2), null)
  await second.close(5000)
  // A clock that was set back holds nothing, and forgets nothing that is owed.
  const back = await openStore(t, days(-2))
  await back.announces.load()
  assert.equal(take(back, 1)?.owesCompleted, true)
  assert.equal(take(back, 1), null)
  await back.close(5000)
  const late = await openStore(t, days(32))
  await late.announces.load()
  assert.equal(take(late, 1), null)
})
