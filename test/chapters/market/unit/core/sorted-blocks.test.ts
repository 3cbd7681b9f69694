// The sorted set against a sorted array, and the heap against sorting, with anything put in and taken out. Another
// seed: SEED=number.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Heap } from '../../../../../src/chapters/market/core/heap.ts'
import { SortedBlocks } from '../../../../../src/chapters/market/core/sorted-blocks.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'

const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)

function ascending(one: number, other: number): number {
  return one - other
}

test('a sorted set is what a sorted array would be, and stays in blocks', context => {
  context.diagnostic(`SEED=${SEED}`)
  const random = new SeededRandom(SEED)
  let compared = 0
  const blocks = new SortedBlocks<number>((one, other) => {
    compared++
    return one - other
  })
  const model = new Set<number>()
  for (let step = 0; step < 30_000; step++) {
    const item = random.below(8000)
    // Grows to thousands, then shrinks to none.
    if (random.below(10) < (step < 15_000 ? 7 : 2))
      assert.equal(blocks.add(item), !model.has(item) && Boolean(model.add(item)))
    else assert.equal(blocks.remove(item), model.delete(item))
    if (step % 3000 === 0) assert.deepEqual([...blocks], [...model].toSorted(ascending))
    assert.equal(blocks.size, model.size)
  }
  assert.ok(compared < 30_000 * 30, `${compared} comparisons`)
  for (const item of model) assert.ok(blocks.remove(item))
  assert.deepEqual([[...blocks], blocks.size, blocks.remove(1)], [[], 0, false])
})

test('who goes through it while it changes sees what is still to come, once, in order', context => {
  context.diagnostic(`SEED=${SEED}`)
  const random = new SeededRandom(SEED)
  const blocks = new SortedBlocks<number>(ascending)
  for (let item = 0; item < 5000; item += 2) blocks.add(item)
  const model = new Set([...blocks])
  let last = -1
  for (const item of blocks) {
    const expected = [...model].filter(each => each > last).toSorted(ascending)[0]
    assert.equal(item, expected)
    last = item
    for (let change = random.below(6); change > 0; change--) {
      const other = Math.min(4999, Math.max(0, item - 20 + random.below(60)))
      if (random.below(3) === 0) {
        blocks.add(other)
        model.add(other)
      } else {
        blocks.remove(other)
        model.delete(other)
      }
    }
  }
  assert.ok([...model].every(each => each <= last))
})

test('a heap gives what comes first', context => {
  context.diagnostic(`SEED=${SEED}`)
  const random = new SeededRandom(SEED)
  const heap = new Heap<number>((one, other) => one < other)
  const model: number[] = []
  for (let step = 0; step < 3000; step++) {
    if (random.below(3) > 0) {
      const item = random.below(500)
      heap.push(item)
      model.push(item)
    } else assert.equal(heap.pop(), model.sort(ascending).shift())
    if (step % 1000 === 999) {
      heap.keep(item => item % 3 > 0)
      model.splice(0, model.length, ...model.filter(item => item % 3 > 0))
    }
    assert.equal(heap.size, model.length)
    assert.equal(heap.first, model.toSorted(ascending)[0])
  }
})
