// Keeping the routing table: saved while the node runs and at its end, read at the next start, never in the way of one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SavedDht } from '../../../src/dht/types.ts'
import { DhtKeeper } from '../../../src/node/engine/dht-keeper.ts'
import type { NodeValues } from '../../../src/ports/records.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const MINUTE = 60_000
const table = (port: number): SavedDht => {
  return { 4: { id: 'ab'.repeat(20), nodes: [{ id: 'cd'.repeat(20), ip: '9.8.7.6', port }] }, 6: null }
}

class MemoryValues implements NodeValues {
  readonly rows = new Map<string, Uint8Array>()
  writes = 0
  failing = false
  /** Writes that never end. */
  stuck = false

  async get(key: string): Promise<Uint8Array | null> {
    if (this.failing) throw new Error('no disk')
    return this.rows.get(key) ?? null
  }

  async set(key: string, value: Uint8Array): Promise<void> {
    if (this.stuck) await new Promise(() => undefined)
    if (this.failing) throw new Error('no disk')
    this.writes += 1
    this.rows.set(key, value)
  }

  async getOrSet(_key: string, value: Uint8Array): Promise<Uint8Array> {
    return value
  }
}

function keeperOf(values: MemoryValues): { keeper: DhtKeeper; clock: VirtualClock } {
  const clock = new VirtualClock()
  return { keeper: new DhtKeeper({ clock, log: silentLog, values }), clock }
}

test('the table is saved every few minutes and at the end, and read at the next start', async () => {
  const values = new MemoryValues()
  const { keeper, clock } = keeperOf(values)
  assert.equal(await keeper.load(), null)
  let now = table(1)
  keeper.start(() => now)
  await clock.advance(MINUTE)
  assert.deepEqual(await keeperOf(values).keeper.load(), table(1))
  now = table(2)
  await clock.advance(5 * MINUTE)
  assert.deepEqual(await keeperOf(values).keeper.load(), table(2))
  now = table(3)
  await keeper.stop(1000)
  assert.deepEqual(await keeperOf(values).keeper.load(), table(3))
  const { writes } = values
  await clock.advance(20 * MINUTE)
  assert.equal(values.writes, writes)
})

test('an empty table does not take the place of one with nodes', async () => {
  const values = new MemoryValues()
  const { keeper } = keeperOf(values)
  keeper.start(() => table(1))
  await keeper.save()
  keeper.start(() => ({ 4: { id: 'ab'.repeat(20), nodes: [] }, 6: null }))
  await keeper.stop(1000)
  assert.deepEqual(await keeper.load(), table(1))
})

test('a table that cannot be read is ignored, and a disk that fails or hangs holds nothing up', async () => {
  const values = new MemoryValues()
  values.rows.set('dht', Buffer.from('rubbish'))
  const { keeper, clock } = keeperOf(values)
  assert.equal(await keeper.load(), null)
  values.failing = true
  assert.equal(await keeper.load(), null)
  keeper.start(() => table(1))
  await keeper.save()
  values.failing = false
  await keeper.save()
  assert.equal(values.writes, 1)
  values.stuck = true
  const stopped = keeper.stop(1000)
  await clock.advance(2000)
  await stopped
})
