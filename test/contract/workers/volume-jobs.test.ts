// Jobs on files of several volumes, in real threads that are stuck: what is stuck in one volume holds up no other,
// however many volumes there are.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Mount } from '../../../src/io/files/mounts.ts'
import { VolumeLanes } from '../../../src/io/files/volume-lanes.ts'
import { jobs } from '../../../src/pools/contract/jobs.ts'
import { VolumeJobs } from '../../../src/pools/volume-jobs.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

const COUNT = 12
const mounts: Mount[] = ['/', ...Array.from({ length: COUNT }, (_, at) => `/v${at}`)].map((point, at) => ({
  point,
  type: 'ext4',
  readOnly: false,
  device: `0:${at}`,
}))

class NotedLanes extends VolumeLanes {
  readonly turns: string[] = []
  override run<T>(path: string, call: () => Promise<T>, flush?: boolean): Promise<T> {
    this.turns.push(path)
    return super.run(path, call, flush)
  }
}

function rig(t: TestContext, threadsOnly = true) {
  const gates = new SharedArrayBuffer(4 * COUNT)
  const open = (gate: number): void => {
    Atomics.store(new Int32Array(gates), gate, 1)
    Atomics.notify(new Int32Array(gates), gate)
  }
  const lanes = new NotedLanes(
    { statePath: '/state' },
    { clock: new VirtualClock(), mounts, readMounts: () => Promise.resolve(mounts) },
  )
  const arena = new SharedArrayBuffer(65_536)
  const pools = new VolumeJobs(
    {
      threads: 3,
      worker: new URL('./waiting-worker.js', import.meta.url),
      workerData: ring => ({ gates, ring }),
      threadsOnly,
    },
    { lanes, arenas: [arena, arena], log: silentLog },
  )
  t.after(async () => {
    for (let gate = 0; gate < COUNT; gate++) open(gate)
    await pools.stop()
  })
  const { request } = jobs['pieces.hash'].sample
  const hash = (path: string, gate: number) => pools.run(path, 'pieces.hash', { ...request, pieceLength: gate })
  return { lanes, pools, open, hash }
}

test('jobs that are stuck in one volume hold up no job of another, nor of the state directory', async t => {
  const { hash, open, pools, lanes } = rig(t)
  const stuck = Array.from({ length: 9 }, () => hash('/v0/film', 0))
  for (const gate of [1, 2]) open(gate)
  await hash('/v1/film', 1)
  await hash('/state/film', 2)
  await hash('/v1/film', 1)
  assert.equal(pools.stats().jobs['pieces.hash']?.count, 3, 'of the nine none')
  assert.ok(lanes.volumeOf('/v0/film').busy)
  open(0)
  await Promise.all(stuck)
  assert.equal(lanes.volumeOf('/v0/film').busy, false)
  assert.equal(pools.stats().jobs['pieces.hash']?.count, 12)
})

test('a volume has two threads at most, however much is stuck in it', async t => {
  const [one, other] = [rig(t), rig(t)]
  const stuck = Array.from({ length: 200 }, () => one.hash('/v0/film', 0))
  await waitFor('two threads', () => one.pools.stats().threads === 2)
  // That of the state directory comes to its three by the same rule, and begins later.
  stuck.push(...Array.from({ length: 200 }, () => other.hash('/state/film', 0)))
  await waitFor('three threads', () => other.pools.stats().threads === 3)
  assert.equal(one.pools.stats().threads, 2)
  for (const { open } of [one, other]) open(0)
  await Promise.all(stuck)
})

test('volumes beyond the eighth share its threads, never those of the state directory', async t => {
  const { hash, open, pools } = rig(t)
  open(1)
  // Each pool is made by its first job; the one of the state directory comes last but for those that share.
  for (let at = 0; at < 8; at++) await hash(`/v${at}/film`, 1)
  await hash('/state/film', 1)
  const stuck = [8, 9, 10, 11].map(at => hash(`/v${at}/film`, 0))
  await hash('/state/film', 1)
  await hash('/v0/film', 1)
  assert.ok(pools.stats().threads <= 8 + 1 + 1, `${pools.stats().threads} threads`)
  open(0)
  await Promise.all(stuck)
})

test('what is done without a thread has the turn of its own volume, also where the threads are shared', async t => {
  const { lanes, pools } = rig(t, false)
  const { request } = jobs['blocks.write'].sample
  const paths = Array.from({ length: COUNT }, (_, at) => `/v${at}/film`)
  // Nothing is behind the descriptor: only the turn counts.
  for (const path of paths) await pools.run(path, 'blocks.write', request).catch(() => undefined)
  assert.deepEqual(lanes.turns, paths)
})

test('drained: nothing is left, or the time is over', async t => {
  const { hash, open, pools } = rig(t)
  const stuck = hash('/v0/film', 0)
  await pools.drain(20)
  assert.equal(pools.stats().jobs['pieces.hash']?.count ?? 0, 0)
  const drained = pools.drain(20_000)
  open(0)
  await drained
  assert.equal(pools.stats().jobs['pieces.hash']?.count, 1)
  await stuck
})
