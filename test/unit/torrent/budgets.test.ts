// The dealers of memory and permission: block budget, holders that clog it, upload slots, check permits, end of turn.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedArena } from '../../../src/pools/arena.ts'
import { BlockBudget } from '../../../src/torrent/pieces/block-budget.ts'
import { Permits } from '../../../src/torrent/session/permits.ts'
import { SlotHolders } from '../../../src/torrent/pieces/slot-holders.ts'
import { TurnEnd } from '../../../src/base/turn-end.ts'
import { UploadSlots } from '../../../src/torrent/peers/upload-slots.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const turns = () =>
  new TurnEnd(error => {
    throw error
  })
const arena = (slots: number) => new SharedArena({ id: 'block', bytes: slots * 16_384 })
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('a credit is a promise of a slot, and there are never more than slots', () => {
  const slots = arena(16)
  const budget = new BlockBudget(slots, 4, turns())
  let taken = 0
  while (budget.take()) taken += 1
  assert.equal(taken, 12)
  const held = Array.from({ length: 12 }, () => budget.lease())
  assert.ok(held.every(slot => slot !== null))
  assert.equal(budget.take(), false)
  for (const slot of held) if (slot !== null) budget.release(slot)
  assert.equal(budget.free, 12)
  assert.equal(slots.freeCount, 16)
  assert.throws(() => budget.giveBack(), RangeError)
})

test('who waits for credits is woken once, those with readers first', async () => {
  const budget = new BlockBudget(arena(16), 0, turns())
  while (budget.take());
  const woken: string[] = []
  const waiter = (name: string, urgent: boolean) => ({ urgent, creditsFree: () => woken.push(name) })
  budget.wait(waiter('bulk', false))
  budget.wait(waiter('player', true))
  const forgotten = waiter('stopped', true)
  budget.wait(forgotten)
  budget.forget(forgotten)
  budget.giveBack(1)
  await turn()
  assert.deepEqual(woken, [], 'not for a single credit')
  budget.giveBack(9)
  await turn()
  budget.giveBack(6)
  await turn()
  assert.deepEqual(woken, ['player', 'bulk'])
})

test('a clogged arena spills the stalest pieces, an arena that is only busy does not', () => {
  const budget = new BlockBudget(arena(100), 0, turns())
  const holders = new SlotHolders(budget)
  const spilled: number[] = []
  let pieces = [40, 20, 10].map((heldSlots, index) => ({
    heldSlots,
    lastBlockMs: index,
    spill: () => spilled.push(index),
  }))
  holders.add({
    get heldSlots() {
      return pieces.reduce((sum, piece) => sum + piece.heldSlots, 0)
    },
    heldPieces: () => pieces,
  })
  holders.relieve()
  assert.deepEqual(spilled, [0, 1])
  spilled.length = 0
  pieces = pieces.slice(1)
  holders.relieve()
  assert.deepEqual(spilled, [])
})

test('uploads have their own bound and wake in order', async () => {
  const slots = arena(10)
  const uploads = new UploadSlots(slots, 2, turns(), new VirtualClock())
  const woken: string[] = []
  const waiter = (name: string) => ({ uploadGoOn: () => woken.push(name) })
  const held = [uploads.lease(waiter('a')), uploads.lease(waiter('a'))]
  assert.equal(uploads.lease(waiter('b')), null)
  assert.equal(slots.freeCount, 8)
  const c = waiter('c')
  uploads.throttle(c)
  uploads.tick()
  assert.deepEqual(woken, ['c'])
  uploads.throttle(c)
  uploads.forget(c)
  for (const slot of held) if (slot !== null) uploads.release(slot)
  await turn()
  uploads.tick()
  assert.deepEqual(woken, ['c', 'b'])
  assert.equal(slots.freeCount, 10)
})

test('permits: first come first served, given back once, given up on abort', async () => {
  const permits = new Permits(1)
  const first = permits.tryTake()
  assert.ok(first)
  assert.equal(permits.tryTake(), null)
  const abort = new AbortController()
  const second = permits.take(abort.signal)
  const third = permits.take(new AbortController().signal)
  abort.abort()
  await assert.rejects(second, { name: 'Aborted' })
  first.release()
  first.release()
  const held = await third
  assert.equal(permits.tryTake(), null)
  held.release()
  assert.ok(permits.tryTake())
  await assert.rejects(permits.take(AbortSignal.abort()), { name: 'Aborted' })
})

test('permits: another count lets those who wait go on at once, or gives out no more until enough came back', async () => {
  const permits = new Permits(1)
  const held = [permits.tryTake()]
  const waiting = [1, 2].map(() => permits.take(new AbortController().signal))
  permits.setCount(-1)
  held.push(...(await Promise.all(waiting)))
  held.push(permits.tryTake())
  assert.ok(held.every(permit => permit !== null))
  permits.setCount(2)
  for (const permit of held.slice(0, 2)) permit?.release()
  assert.equal(permits.tryTake(), null)
  held[2]?.release()
  assert.ok(permits.tryTake())
  assert.equal(permits.tryTake(), null)
})

test('a job runs once a turn, jobs asked for by jobs in the same turn, a failing one hurts nobody', async () => {
  const ran: string[] = []
  const errors: unknown[] = []
  const end = new TurnEnd(error => errors.push(error))
  const last = { queued: false, run: () => ran.push('last') }
  const bad = {
    queued: false,
    run: () => {
      throw new Error('bad')
    },
  }
  const first = {
    queued: false,
    run: () => {
      ran.push('first')
      end.later(last)
    },
  }
  end.later(bad)
  end.later(first)
  end.later(first)
  assert.deepEqual(ran, [])
  await Promise.resolve()
  assert.deepEqual(ran, ['first', 'last'])
  assert.equal(errors.length, 1)
  end.later(first)
  await Promise.resolve()
  assert.equal(ran.length, 4)
})
