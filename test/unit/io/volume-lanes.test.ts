// VolumeLanes on a clock of its own: who gets a turn in libuv's threads while volumes answer, stall and answer again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Mount } from '../../../src/io/files/mounts.ts'
import { libuvThreads, VolumeLanes } from '../../../src/io/files/volume-lanes.ts'
import type { VolumeChange } from '../../../src/ports/volumes.ts'
import { settle, VirtualClock } from '../../kit/sim/virtual-clock.ts'

const mount = (point: string, device: string): Mount => ({ point, type: 'ext4', readOnly: false, device })
const MOUNTS = [mount('/', '8:1'), mount('/a', '0:40'), mount('/b', '0:41'), mount('/c', '0:42')]

interface Out {
  readonly path: string
  answer(): void
}

function rig(threads = 4) {
  const clock = new VirtualClock()
  const out: Out[] = []
  const changes: VolumeChange[] = []
  const failed: unknown[] = []
  const call = (path: string) => () => new Promise<void>(resolve => out.push({ path, answer: resolve }))
  const table = { mounts: MOUNTS as readonly Mount[], reads: 0 }
  const lanes = new VolumeLanes(
    { threads, statePath: '/var/lib/node' },
    {
      clock,
      mounts: MOUNTS,
      readMounts: () => {
        table.reads++
        return Promise.resolve(table.mounts)
      },
      probe: path => call(`probe ${path}`)(),
    },
  )
  lanes.onChange(change => changes.push(change))
  return {
    clock,
    lanes,
    changes,
    failed,
    table,
    /** Calls that are in a thread on `path`. */
    out: (path: string) => out.filter(one => one.path === path).length,
    threads: () => out.length,
    ask(path: string, count = 1, flush = false): void {
      for (let i = 0; i < count; i++) void lanes.run(path, call(path), flush)
    },
    askInTime(path: string): void {
      lanes.runInTime(path, call(path)).catch((error: unknown) => failed.push(error))
    },
    async answer(path: string, count = 1): Promise<void> {
      for (let i = 0; i < count; i++) {
        const at = out.findIndex(one => one.path === path)
        assert.notEqual(at, -1, `a call on ${path} is out`)
        out.splice(at, 1)[0]?.answer()
        await settle()
      }
    },
  }
}

test('the first call of a volume goes alone; its answers let more go, up to half of the threads', async () => {
  const { ask, answer, out } = rig(8)
  ask('/a/film', 20)
  await settle()
  assert.equal(out('/a/film'), 1)
  await answer('/a/film')
  assert.equal(out('/a/film'), 2)
  await answer('/a/film')
  assert.equal(out('/a/film'), 4)
  await answer('/a/film', 3)
  assert.equal(out('/a/film'), 4, 'and no more')
})

test('the volume of the state directory is not held back, and never stalled', async () => {
  const { ask, out, clock, changes, lanes } = rig()
  ask('/home/film', 9)
  await settle()
  assert.equal(out('/home/film'), 3)
  await clock.advance(60_000)
  assert.deepEqual(changes, [])
  assert.deepEqual([lanes.stalledAt('/home/film'), lanes.isOwn('/home/film'), lanes.isOwn('/a/x')], [null, true, false])
  assert.deepEqual(
    lanes.facts().map(({ mount: at, stateDirectory }) => [at, stateDirectory]),
    [
      ['/', true],
      ['/a', false],
    ],
  )
})

test('volumes that do not answer hold half of the threads, however many calls and volumes there are', async () => {
  const { ask, clock, threads, out } = rig(8)
  for (const path of ['/a/1', '/b/1']) ask(path, 50)
  for (let second = 0; second < 20; second++) await clock.advance(1000)
  assert.equal(threads(), 4, 'half')
  ask('/c/1', 50)
  await settle()
  assert.equal(out('/c/1'), 1, 'one that may be well has a turn')
})

test('calls on one that answers go on beside one that does not', async () => {
  const { ask, answer, clock, out } = rig()
  ask('/a/1', 9)
  await clock.advance(6000)
  ask('/b/1', 100)
  await settle()
  for (let left = 100; left > 0; left--) await answer('/b/1')
  assert.equal(out('/b/1'), 0)
  ask('/home/film')
  await settle()
  assert.equal(out('/home/film'), 1)
})

test('after five seconds it is stalled, until everything that was late is answered', async () => {
  const { ask, answer, clock, out, changes, lanes } = rig()
  ask('/a/1', 9)
  await clock.advance(4750)
  assert.deepEqual([changes, lanes.stalledAt('/a/x')], [[], null])
  await clock.advance(500)
  assert.equal(lanes.stalledAt('/a/other'), '/a')
  assert.deepEqual(
    changes.map(({ mount: at, stalled }) => [at, stalled]),
    [['/a', true]],
  )
  const held = out('/a/1')
  await clock.advance(60_000)
  assert.equal(out('/a/1'), held, 'nothing more is sent after them')
  await answer('/a/1', held)
  assert.deepEqual(changes.map(({ mount: at, stalled }) => [at, stalled]).at(-1), ['/a', false])
  assert.ok((changes.at(-1)?.silentMs ?? 0) > 60_000)
  await answer('/a/1', 9 - held)
  assert.equal(lanes.waiting, 0)
})

test('a caller that cannot wait gets its error in time, also when the call is out; one that has gone is not served any more', async () => {
  const { askInTime, answer, clock, failed, threads } = rig()
  for (let i = 0; i < 5; i++) askInTime('/a/1')
  await clock.advance(4000)
  assert.equal(failed.length, 0)
  await clock.advance(1750)
  assert.deepEqual(
    failed.map(error => (error as { code?: string }).code),
    Array.from({ length: 5 }, () => 'VolumeStalled'),
  )
  await answer('/a/1', threads())
  await settle()
  assert.equal(threads(), 0, 'the others were not done')
})

test('a flush may take its time, and is one of its volume', async () => {
  const { ask, clock, changes, out, answer, lanes } = rig(8)
  const flushed: number[] = []
  for (let i = 0; i < 3; i++) void lanes.flush('/a/1', () => Promise.resolve(flushed.push(i)))
  await settle()
  assert.deepEqual(flushed, [0, 1, 2])
  ask('/b/1', 1, true)
  await clock.advance(20_000)
  assert.deepEqual(changes, [])
  ask('/b/2')
  await settle()
  assert.equal(out('/b/2'), 1, 'readers go on')
  await answer('/b/2')
  await clock.advance(11_000)
  assert.equal(changes.length, 1)
})

test('a job of a worker that takes long makes the volume be asked, one call at a time', async () => {
  const { lanes, clock, out, changes } = rig()
  void lanes.watchJob('/a/1', new Promise(() => undefined))
  void lanes.watchJob('/home/film', new Promise(() => undefined))
  await clock.advance(900)
  assert.equal(out('probe /a/1'), 0)
  await clock.advance(30_000)
  assert.deepEqual([out('probe /a/1'), out('probe /home/film')], [1, 0])
  assert.deepEqual(
    changes.map(({ mount: at }) => at),
    ['/a'],
  )
})

test('a flush that takes long makes the volume be asked too: it is the answer to that which says that it is well', async () => {
  const { lanes, clock, out, answer, changes } = rig()
  void lanes.flush('/a/1', () => new Promise(() => undefined))
  await clock.advance(1250)
  assert.equal(out('probe /a/1'), 1)
  await answer('probe /a/1')
  await clock.advance(3000)
  assert.deepEqual([out('probe /a/1'), changes], [1, []], 'it is asked again, one call at a time')
  await clock.advance(4000)
  assert.deepEqual(
    changes.map(({ mount: at, stalled }) => [at, stalled]),
    [['/a', true]],
  )
})

test('readers hold back when nothing was answered lately; one answer lets them go', async () => {
  const { lanes, clock, ask, answer } = rig()
  const volume = lanes.storeVolume('/a/1', 1000)
  assert.equal(volume.answers, true)
  lanes.volumeOf('/a/1').readers = 8
  ask('/a/1')
  await clock.advance(60)
  assert.equal(volume.answers, false)
  let went = false
  void volume.nextAnswer().then(() => {
    went = true
  })
  await settle()
  assert.equal(went, false)
  await answer('/a/1')
  assert.deepEqual([went, volume.answers], [true, true])
  ask('/a/1')
  await clock.advance(6000)
  await assert.rejects(Promise.all([volume.nextAnswer(), clock.advance(6000)]), {
    code: 'VolumeStalled',
    message: /mounted at \/a /,
  })
})

test('what is on its way to a volume is bounded', async () => {
  const { lanes, clock, ask, answer } = rig()
  const volume = lanes.storeVolume('/a/1', 1000)
  lanes.volumeOf('/a/1').writingBytes = 1001
  assert.equal(volume.takesMore, false)
  lanes.volumeOf('/a/1').writingBytes = 1000
  assert.equal(volume.takesMore, true)
  ask('/a/1')
  await clock.advance(1250)
  assert.equal(volume.takesMore, false, 'it takes too long')
  await answer('/a/1')
  assert.equal(volume.takesMore, true)
})

test('the table of mounts is read again now and then, when somebody asks', async () => {
  const { lanes, clock, table } = rig()
  assert.equal(lanes.volumeOf('/new/film').mount, '/')
  table.mounts = [...MOUNTS, mount('/new', '0:50')]
  await clock.advance(5000)
  assert.equal(table.reads, 0)
  lanes.volumeOf('/new/film')
  await settle()
  assert.deepEqual([lanes.volumeOf('/new/film').mount, table.reads], ['/new', 1])
  await lanes.refresh()
  assert.equal(table.reads, 2)
})

test('libuv has four threads unless the environment says otherwise', () => {
  assert.deepEqual(
    [undefined, '', 'x', '8', '0', '5000'].map(text => libuvThreads({ UV_THREADPOOL_SIZE: text })),
    [4, 4, 4, 8, 1, 1024],
  )
})
