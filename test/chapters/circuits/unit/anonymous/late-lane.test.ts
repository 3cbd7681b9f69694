// A lane that comes late: what was asked of it before, what is tried again, who waits for a circuit and for how long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { parseInfoHash, type InfoHash } from '../../../../../src/base/ids.ts'
import { LateLane } from '../../../../../src/chapters/circuits/anonymous/late-lane.ts'
import type { CircuitLane } from '../../../../../src/chapters/circuits/ports/circuits.ts'
import { MemoryCircuits } from '../../kit/memory-circuits.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const infoHash = parseInfoHash('ab'.repeat(20)) as InfoHash
const request = { host: 'x.example', port: 80, request: Buffer.from('GET'), maxBytes: 100, timeoutMs: 5000 }

function rig(open?: () => Promise<CircuitLane>) {
  const clock = new VirtualClock()
  const world = new MemoryCircuits(clock)
  const real = world.lane(2, 0)
  let opened = 0
  const lane = new LateLane(2, {
    clock,
    log: silentLog,
    open: () => {
      opened += 1
      return open?.() ?? Promise.resolve(real)
    },
  })
  return { clock, world, real, lane, opened: () => opened }
}

test('the overlay is not started before somebody needs circuits', async () => {
  const { clock, lane, real, opened } = rig()
  const got: string[] = []
  const socket = await lane.udp.bind(
    { family: 4, ip: null, port: 0 },
    bytes => void got.push(Buffer.from(bytes).toString()),
  )
  const swarm = lane.join(infoHash, () => undefined)
  swarm.setSeeding(true)
  socket.send(Buffer.from('lost'), { ip: '198.51.100.7', port: 5 })
  await clock.advance(60_000)
  assert.equal(opened(), 0)
  lane.setDemand(2)
  await clock.advance(1)
  assert.deepEqual([opened(), real.demand, real.sent.length], [1, 2, 0])
  assert.deepEqual(
    [...real.swarms].map(one => [one.infoHash, one.seeding]),
    [[infoHash, true]],
  )
  socket.send(Buffer.from('sent'), { ip: '198.51.100.7', port: 5 })
  assert.equal(real.sent.length, 1)
  await lane.close()
  assert.deepEqual([real.demand, real.swarms.size], [0, 0])
  assert.equal(clock.pending, 0)
})

test('no IPv6', async () => {
  const { lane } = rig()
  await assert.rejects(
    lane.udp.bind({ family: 6, ip: null, port: 0 }, () => undefined),
    (error: unknown) => error instanceof AppError && error.code === 'SourceFailed',
  )
})

test('what cannot start is tried again, and its reason is shown meanwhile', async () => {
  let fails = 3
  const clock = new VirtualClock()
  const real = new MemoryCircuits(clock).lane(1, 0)
  let opened = 0
  const lane = new LateLane(1, {
    clock,
    log: silentLog,
    open: () => {
      opened += 1
      return fails-- > 0
        ? Promise.reject(new AppError('CircuitsUnavailable', 'its port is taken'))
        : Promise.resolve(real)
    },
  })
  let changes = 0
  lane.watch(() => (changes += 1))
  lane.setDemand(1)
  await clock.advance(1)
  assert.deepEqual([opened, changes, lane.facts().lastFailure], [1, 1, 'its port is taken'])
  await clock.advance(120_000)
  assert.deepEqual([opened, real.demand, lane.facts().lastFailure], [4, 1, null])
  const before = lane.facts()
  assert.equal(lane.facts(), before, 'the same object until something changes')
  real.setFacts({ exits: 9 })
  assert.notEqual(lane.facts(), before)
  assert.equal(lane.facts().exits, 9)
  await lane.close()
  assert.equal(clock.pending, 0)
})

test('nobody needs circuits any more: it is not tried again', async () => {
  const { clock, lane, opened } = rig(() => Promise.reject(new AppError('CircuitsUnavailable')))
  lane.setDemand(1)
  await clock.advance(1)
  lane.setDemand(0)
  await clock.advance(300_000)
  assert.equal(opened(), 1)
  await lane.close()
})

test('an exchange waits for a circuit as long as it may take, and counts as demand', async () => {
  const { clock, world, real, lane } = rig()
  world.servers.set('x.example:80', async ({ timeoutMs }) => Buffer.from(`left ${timeoutMs}`))
  const answer = lane.exchange(request)
  await clock.advance(2000)
  assert.deepEqual([real.demand, real.exchanged.length], [1, 0])
  real.setFacts({ ready: 1 })
  assert.equal(Buffer.from(await answer).toString(), 'left 3000')
  assert.equal(real.demand, 0)
  real.setFacts({ ready: 0, candidates: 4, lastFailure: 'no answer of a hop' })
  const late = assert.rejects(
    lane.exchange(request),
    /no circuit was ready in time \(4 candidates, 0 exits known\): no answer of a hop/,
  )
  await clock.advance(6000)
  await late
  const abort = new AbortController()
  const given = assert.rejects(
    lane.exchange({ ...request, signal: abort.signal }),
    (error: unknown) => error instanceof AppError && error.code === 'Aborted',
  )
  abort.abort()
  await given
  assert.equal(real.demand, 0)
  await lane.close()
  assert.equal(clock.pending, 0)
})

test('between starts that fail it waits twice as long each time, and never over a minute', async () => {
  const { clock, lane, opened } = rig(() => Promise.reject(new AppError('CircuitsUnavailable')))
  lane.setDemand(1)
  await clock.advance(1)
  let starts = 1
  await clock.advance(1_998)
  assert.equal(opened(), starts)
  await clock.advance(1)
  assert.equal(opened(), ++starts)
  for (const waitMs of [4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    await clock.advance(waitMs - 1)
    assert.equal(opened(), starts, `the next start comes before ${waitMs} ms`)
    await clock.advance(1)
    assert.equal(opened(), ++starts, `no start after ${waitMs} ms`)
  }
  await lane.close()
})
