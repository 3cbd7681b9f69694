// Commands for downloads whose volume does not answer, on a virtual clock: which calls fail, what is done later, what
// is not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import { VolumeLanes } from '../../../src/io/files/volume-lanes.ts'
import { KeyedQueue } from '../../../src/services/keyed-queue.ts'
import { StalledDownloads } from '../../../src/services/downloads/stalled-downloads.ts'
import { settle, VirtualClock } from '../../kit/sim/virtual-clock.ts'

const mount = (point: string, device: string) => ({ point, type: 'ext4', readOnly: false, device })
const PLACES = { destination: '/a/films', movingTo: null, movedFrom: null }
const STALLED = { code: 'VolumeStalled' }

function rig() {
  const clock = new VirtualClock()
  const mounts = [mount('/', '8:1'), mount('/a', '0:40'), mount('/b', '0:41')]
  const lanes = new VolumeLanes(
    { threads: 4, statePath: '/state' },
    { clock, mounts, readMounts: () => Promise.resolve(mounts) },
  )
  const queue = new KeyedQueue<string>()
  /** A call that the volume does not answer until it is released. */
  const stuck = (path = '/a/films') => {
    const answer = makeDeferred<void>()
    const done = lanes.run(path, () => answer.promise)
    return { answer: () => answer.resolve(), done }
  }
  const stalled = new StalledDownloads(lanes)
  const inTurn = <T>(task: () => Promise<T>, held = false): Promise<T> =>
    stalled.inTurn(PLACES, work => queue.run('one', work), task, held)
  return { clock, lanes, queue, stuck, stalled, inTurn }
}

test('a caller that waits for a turn that does not come gets its error in time, and what was asked is not done later', async () => {
  const { clock, stuck, inTurn } = rig()
  const disk = stuck()
  const first = inTurn(() => disk.done, true)
  let done = 0
  const second = inTurn(() => Promise.resolve(done++))
  await Promise.all([assert.rejects(first, STALLED), assert.rejects(second, STALLED), clock.advance(6000)])
  disk.answer()
  await settle()
  assert.equal(done, 0)
  assert.equal(await inTurn(() => Promise.resolve('again')), 'again')
})

test('what is held goes on when it was begun, and nothing of the download overtakes it', async () => {
  const { clock, stuck, inTurn } = rig()
  const disk = stuck()
  const order: string[] = []
  const first = inTurn(() => disk.done.then(() => order.push('first')), true)
  await Promise.all([assert.rejects(first, STALLED), clock.advance(6000)])
  const second = inTurn(() => Promise.resolve(order.push('second')))
  await settle()
  assert.deepEqual(order, [])
  disk.answer()
  await second
  assert.deepEqual(order, ['first', 'second'])
})

test('what is in the store is no failure, but another error is', async () => {
  const { clock, stuck, stalled } = rig()
  const disk = stuck()
  const waited = stalled.settled(PLACES, disk.done)
  await clock.advance(6000)
  assert.equal(await waited, false)
  await assert.rejects(stalled.settled(PLACES, Promise.reject(new RangeError('no'))), RangeError)
  disk.answer()
  assert.equal(await stalled.settled(PLACES, disk.done), true)
})

test('a volume that is known to be stalled is asked for nothing, wherever files of the download are', async () => {
  const { clock, stuck, stalled } = rig()
  stalled.check(PLACES)
  const disk = stuck('/b/x')
  await clock.advance(6000)
  stalled.check(PLACES)
  assert.throws(() => stalled.check({ ...PLACES, movingTo: '/b/new' }), { ...STALLED, message: /mounted at \/b / })
  assert.throws(() => stalled.check({ ...PLACES, movedFrom: '/b/old' }), STALLED)
  disk.answer()
  await disk.done
  stalled.check({ ...PLACES, movingTo: '/b/new' })
})

test('a removed download keeps its name until the engine has let go of it', async () => {
  const { clock, stuck, stalled } = rig()
  const infoHash = 'a'.repeat(40) as InfoHash
  const disk = stuck()
  const left = stalled.leave(infoHash, PLACES, disk.done)
  await clock.advance(6000)
  assert.equal(await left, null)
  const adds = [stalled.gone(infoHash), stalled.gone('b'.repeat(40) as InfoHash)] as const
  await adds[1]
  await Promise.all([assert.rejects(adds[0], STALLED), clock.advance(6000)])
  const third = stalled.gone(infoHash)
  disk.answer()
  await third
  await stalled.gone(infoHash)
})

test('without volumes everything is waited for', async () => {
  const stalled = new StalledDownloads(undefined)
  stalled.check(PLACES)
  assert.equal(
    await stalled.inTurn(
      PLACES,
      task => task(),
      () => Promise.resolve(7),
      true,
    ),
    7,
  )
  assert.equal(await stalled.settled(PLACES, Promise.resolve()), true)
})
