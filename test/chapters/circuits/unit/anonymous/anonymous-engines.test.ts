// The engines over circuits, made at first use and each once; which calls they get when settings and filters change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { AddressPolicy } from '../../../../../src/io/net/address-policy.ts'
import { NodeAnonymousEngines } from '../../../../../src/chapters/circuits/anonymous/anonymous-engines.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { ANONYMOUS_DEFAULTS } from '../../kit/anonymous-node.ts'
import { makeTorrent, specOf } from '../../../../kit/content/make-torrent.ts'
import { circuitsOf, MemoryCircuits } from '../../kit/memory-circuits.ts'
import { MemoryJournal, MemoryMetadata } from '../../../../kit/doubles/memory-journal.ts'
import { MemoryPieceStores } from '../../../../kit/doubles/memory-piece-store.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

function rig() {
  const clock = new VirtualClock()
  const world = new MemoryCircuits(clock)
  let opened = 0
  const blockArena = new SharedArena({ id: 'block', bytes: 1024 * 1024 })
  const engines = new NodeAnonymousEngines({
    clock,
    log: silentLog,
    options: () => ANONYMOUS_DEFAULTS,
    loadResume: async () => null,
    circuits: {
      check: () => undefined,
      open: async () => {
        opened += 1
        return circuitsOf(world)
      },
    },
    parts: {
      random: new SeededRandom(3),
      policy: new AddressPolicy([]),
      stores: new MemoryPieceStores(clock),
      journal: new MemoryJournal(),
      metadata: new MemoryMetadata(),
      blockArena,
      rangeArena: blockArena,
      events: {
        metadata: async () => undefined,
        finished: () => undefined,
        failed: () => undefined,
        statusChanged: () => undefined,
      },
    },
  })
  return { clock, world, engines, opened: () => opened }
}

test('one engine a hop count; the overlay starts with the first torrent that runs', async () => {
  const { clock, world, engines, opened } = rig()
  assert.deepEqual(engines.facts(2), { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null })
  const [one, again, other] = await Promise.all([engines.engine(2), engines.engine(2), engines.engine(3)])
  assert.ok(one === again && one !== other)
  assert.deepEqual([opened(), engines.figures().length], [0, 2])
  one.add({ ...specOf(makeTorrent()), running: false })
  await clock.advance(10_000)
  assert.equal(opened(), 0, 'a stopped download needs no circuits')
  other.add(specOf(makeTorrent({ seed: 2 })))
  await clock.advance(1000)
  assert.deepEqual([opened(), world.lanes.map(lane => [lane.hops, lane.demand])], [1, [[3, 1]]])
  assert.equal(engines.facts(3).ready, 1)
  assert.equal(engines.facts(3), engines.facts(3))
  let stopped = false
  void engines.stop(1000).then(() => {
    stopped = true
  })
  await clock.until('stopped', () => stopped, 10_000)
  assert.equal(world.lanes[0]?.demand, 0)
  await assert.rejects(engines.engine(1), (error: unknown) => error instanceof AppError && error.code === 'Aborted')
})

test('a source is fetched through circuits, without any download', async () => {
  const { clock, world, engines } = rig()
  world.servers.set('x.example:80', async () => Buffer.from('HTTP/1.1 200 OK\r\n\r\nd3:fooe'))
  const fetched = engines.sources(1).fetch('http://x.example/t')
  await clock.until('asked', () => world.lanes[0]?.exchanged.length === 1, 10_000)
  assert.deepEqual(await fetched, { kind: 'bytes', bytes: Buffer.from('d3:fooe') })
  assert.equal(world.lanes[0]?.demand, 0)
  let stopped = false
  void engines.stop(1000).then(() => {
    stopped = true
  })
  await clock.until('stopped', () => stopped, 10_000)
})
