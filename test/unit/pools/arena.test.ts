// SharedArena: lending, giving back, waiting in order, and the errors that catch wrong owners.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { SharedArena } from '../../../src/pools/arena.ts'

const small = (): SharedArena => new SharedArena({ id: 'block', slotBytes: 16, bytes: 32 })

test('slots are distinct views of one shared buffer, and there is no more than the bound', () => {
  const arena = small()
  const [a, b] = [arena.lease(), arena.lease()]
  assert.ok(a && b)
  assert.equal(arena.lease(), null)
  assert.notEqual(a.offset, b.offset)
  assert.ok(a.bytes.buffer instanceof SharedArrayBuffer)
  assert.equal(a.bytes.length, 16)
  assert.equal(a.bytes.byteOffset, a.offset)
})

test('giving a slot back twice, late, or to the wrong arena throws', () => {
  const arena = small()
  const slot = arena.lease()
  assert.ok(slot)
  arena.release(slot)
  assert.throws(() => arena.release(slot), RangeError)
  const again = arena.lease()
  assert.ok(again)
  assert.equal(again.index, slot.index)
  assert.throws(() => arena.release(slot), /not lent/)
  assert.throws(() => small().release(again), RangeError)
})

test('those who wait are served in order, and lease() never overtakes them', async () => {
  const arena = small()
  const [a, b] = [arena.lease(), arena.lease()]
  assert.ok(a && b)
  const order: number[] = []
  const first = arena.leaseLater().then(slot => (order.push(1), slot))
  const second = arena.leaseLater().then(slot => (order.push(2), slot))
  assert.equal(arena.waiting, 2)
  arena.release(b)
  assert.equal(arena.lease(), null)
  arena.release(a)
  assert.equal((await first).index, b.index)
  assert.equal((await second).index, a.index)
  assert.deepEqual(order, [1, 2])
})

test('an aborted wait rejects and leaves no claim', async () => {
  const arena = new SharedArena({ id: 'range', slotBytes: 16, bytes: 16 })
  const slot = arena.lease()
  assert.ok(slot)
  const abort = new AbortController()
  const waiting = arena.leaseLater(abort.signal)
  abort.abort()
  await assert.rejects(waiting, (error: unknown) => error instanceof AppError && error.code === 'Aborted')
  arena.release(slot)
  assert.equal(arena.freeCount, 1)
  await assert.rejects(arena.leaseLater(abort.signal), AppError)
  assert.equal(arena.freeCount, 1)
})

test('waiters are bounded', async () => {
  const arena = new SharedArena({ id: 'range', slotBytes: 16, bytes: 16 })
  assert.ok(arena.lease())
  for (let i = 0; i < 10_000; i++) void arena.leaseLater()
  await assert.rejects(arena.leaseLater(), (error: unknown) => error instanceof AppError && error.code === 'PoolBusy')
})

test('a slot asked for is lent if it is free, else another; runs of free slots are found', () => {
  const arena = new SharedArena({ id: 'block', slotBytes: 16, bytes: 16 * 12 })
  assert.equal(arena.freeRun(4), 0)
  const wanted = arena.lease(5)
  assert.equal(wanted?.index, 5)
  const others = [arena.lease(5), arena.lease(99), arena.lease(-1)].map(slot => slot?.index)
  assert.equal(new Set([5, ...others]).size, 4)
  // Those whose wanted slot could not be met got slots of the first run.
  assert.equal(arena.freeRun(4), 8)
  assert.equal(arena.freeRun(8), -1)
  assert.ok(wanted)
  arena.release(wanted)
  assert.equal(arena.freeRun(4), 4)
  assert.equal(arena.lease(5)?.index, 5)
  const rest = Array.from({ length: 8 }, () => arena.lease(7)?.index)
  assert.equal(new Set([...rest, ...others, 5]).size, 12)
  assert.equal(arena.lease(7), null)
})
