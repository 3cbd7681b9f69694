// What an upload costs beside the bytes: nothing behind a run is moved, and no views are made for it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedArena } from '../../../src/pools/arena.ts'
import { readFramed } from '../../../src/wire/peer/framed-blocks.ts'
import { RequestQueue, type UploadRequest } from '../../../src/base/request-queue.ts'

const BLOCK = 16 * 1024
const asked = (count: number, length = BLOCK): UploadRequest[] =>
  Array.from({ length: count }, (_, index) => ({ piece: 0, begin: index * length, length }))

/** How many members `work` makes arrays move or copy. */
function moved(work: () => void): number {
  const { splice, slice, shift, filter } = Array.prototype
  let members = 0
  const counting = (real: (...args: never[]) => unknown) =>
    function count(this: unknown[], ...args: never[]): unknown {
      members += this.length
      return real.apply(this, args)
    }
  const counted = [splice, slice, shift, filter].map(real => [real.name, counting(real)] as const)
  Object.assign(Array.prototype, Object.fromEntries(counted))
  try {
    work()
  } finally {
    Object.assign(Array.prototype, { splice, slice, shift, filter })
  }
  return members
}

test('what is behind a run is not moved when the run goes out', () => {
  const queue = new RequestQueue()
  const all = asked(2000)
  for (const request of all) queue.push(request)
  const order: UploadRequest[] = []
  const count = moved(() => {
    while (queue.length > 0) {
      const run = Math.min(15, queue.length)
      for (let at = 0; at < run; at++) order.push(queue.at(at))
      queue.drop(run)
    }
  })
  assert.deepEqual(order, all)
  assert.ok(count <= 2 * all.length, `${count} moved for ${all.length}`)
})

test('a queue keeps its order, whatever is taken out of it', () => {
  const queue = new RequestQueue()
  const [all, model] = [asked(3000), asked(3000)]
  for (const request of all) queue.push(request)
  const same = (): void => {
    assert.equal(queue.length, model.length)
    for (const at of [0, 1, model.length - 1]) assert.deepEqual(queue.at(at), model[at])
  }
  for (let step = 0; model.length > 20; step++) {
    const count = 1 + ((step * 7) % 19)
    queue.drop(count)
    const gone = model.splice(0, count)[0]
    // One that went out is not taken back.
    assert.equal(queue.remove(gone as UploadRequest), false)
    assert.equal(queue.remove(model[3] as UploadRequest), true)
    model.splice(3, 1)
    same()
  }
  const keep = ({ begin }: UploadRequest): boolean => (begin / BLOCK) % 2 === 0
  assert.deepEqual(
    queue.keepOnly(keep),
    model.filter(request => !keep(request)),
  )
  assert.equal(queue.length, model.filter(keep).length)
})

test('whole blocks are read into views that are made once for each slot', () => {
  const arena = new SharedArena({ id: 'range', bytes: 2 ** 20 })
  const seen: Uint8Array[] = []
  const readParts = (_offset: number, parts: readonly Uint8Array[]): number => {
    seen.push(...parts)
    return parts.reduce((sum, part) => sum + part.length, 0)
  }
  const read = (run: readonly UploadRequest[]): number => {
    const slot = arena.lease(0)
    assert.ok(slot !== null)
    try {
      return readFramed(readParts, 2 ** 20, run, slot.bytes)
    } finally {
      arena.release(slot)
    }
  }
  for (let times = 0; times < 4; times++) assert.equal(read(asked(15)), 15)
  assert.equal(read(asked(4)), 4)
  assert.equal(seen.length, 64)
  assert.equal(new Set(seen).size, 15)
  seen.length = 0
  // Others have their own places.
  assert.equal(read(asked(3, 1000)), 3)
  assert.deepEqual(
    seen.map(part => [part.byteOffset, part.length]),
    [
      [13, 1000],
      [1026, 1000],
      [2039, 1000],
    ],
  )
})
