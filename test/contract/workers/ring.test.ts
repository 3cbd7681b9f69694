// Batches in shared memory, through real threads: what fits goes in the ring, what does not goes as a message, and a
// thread that dies leaves the ring as it was.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type CommitRequest, jobs } from '../../../src/pools/contract/jobs.ts'
import { type PoolOptions, WorkerPool } from '../../../src/pools/pool.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'

const echoWorker = new URL('./echo-worker.js', import.meta.url)
const faultyWorker = new URL('./faulty-worker.js', import.meta.url)
const leafWorker = new URL('./leaf-worker.js', import.meta.url)
const harmless = jobs['piece.commit'].sample.request
const lethal: CommitRequest = { ...harmless, hash: new Uint8Array(20).fill(0xff) }

function makePool(t: TestContext, worker: URL, options: Partial<PoolOptions> = {}): WorkerPool {
  const workerData = (ring: SharedArrayBuffer): unknown => ({ ring })
  const pool = new WorkerPool({ threads: 1, worker, workerData, ...options }, { log: silentLog })
  t.after(() => pool.stop())
  return pool
}

const commits = (pool: WorkerPool, count: number): Promise<readonly { readonly verdict: string }[]> =>
  Promise.all(Array.from({ length: count }, () => pool.run('piece.commit', harmless)))

const ringOf = (pool: WorkerPool): readonly number[] => [pool.stats().ringEntries, pool.stats().outsideRing]

test('batches and their results lie in the ring, and their places are free afterwards', async t => {
  const pool = makePool(t, echoWorker)
  await commits(pool, 1)
  const many = commits(pool, 400)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.ok(pool.stats().ringEntries >= 1, 'nothing lies in the ring')
  assert.equal((await many).length, 400)
  assert.deepEqual(ringOf(pool), [0, 0])
})

test('a ring without room: batches go as messages, and come back as well', async t => {
  const pool = makePool(t, echoWorker, { ringBytes: 64 })
  for (const { verdict } of await commits(pool, 200)) assert.equal(verdict, 'ok')
  const [entries, outside] = ringOf(pool)
  assert.equal(entries, 0)
  assert.ok((outside ?? 0) > 0)
})

test('results that are longer than their batch come as messages, and the place is free', async t => {
  const pool = makePool(t, leafWorker)
  for (const count of [1, 100_000, 2]) {
    const spans = [{ fd: 3, position: 0, length: count }]
    const { leaves } = await pool.run('piece.leaves', { spans })
    assert.equal(leaves.length, count)
    assert.ok(leaves.every((byte, at) => byte === (at & 0xff)))
  }
  assert.deepEqual(ringOf(pool), [0, 0])
})

test('the thread dies with a batch: its place is free, and the next batches lie in a ring', async t => {
  const pool = makePool(t, faultyWorker)
  for (let death = 0; death < 5; death++) {
    await assert.rejects(pool.run('piece.commit', lethal), { code: 'WorkerLost' })
    assert.deepEqual(ringOf(pool), [0, 0])
    await commits(pool, 10)
  }
  assert.deepEqual(ringOf(pool), [0, 0])
})
