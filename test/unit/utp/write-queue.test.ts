// What was written and waits for packets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WriteQueue } from '../../../src/utp/write-queue.ts'

function taken(queue: WriteQueue, max: number): string {
  const target = Buffer.alloc(max + 3)
  const count = queue.copyInto(target, 3, max)
  return target.toString('latin1', 3, 3 + count)
}

test('bytes come out in order, over the borders of writes', () => {
  const queue = new WriteQueue()
  queue.add(Buffer.from('abc'), undefined)
  queue.add(Buffer.from('defgh'), undefined)
  assert.equal(queue.bytes, 8)
  assert.equal(taken(queue, 2), 'ab')
  assert.equal(taken(queue, 3), 'cde')
  assert.equal(taken(queue, 100), 'fgh')
  assert.equal(taken(queue, 100), '')
  assert.equal(queue.bytes, 0)
})

test('a write is sent when its last byte was copied, and only once', () => {
  const queue = new WriteQueue()
  const sent: string[] = []
  const finish = (): void => {
    for (const done of queue.takeDone()) done()
  }
  queue.add(Buffer.from('abc'), () => sent.push('first'))
  queue.add(new Uint8Array(0), () => sent.push('empty'))
  queue.add(Buffer.from('de'), () => sent.push('second'))
  taken(queue, 2)
  finish()
  assert.equal(sent.length, 0)
  taken(queue, 1)
  finish()
  assert.equal(sent.join(' '), 'first empty')
  queue.drop()
  assert.equal(queue.bytes, 0)
  finish()
  finish()
  assert.equal(sent.join(' '), 'first empty second')
  queue.add(new Uint8Array(0), () => sent.push('at once'))
  assert.ok(queue.hasDone)
  finish()
  assert.equal(sent.at(-1), 'at once')
})

test('thousands of writes leave nothing behind', () => {
  const queue = new WriteQueue()
  let sent = 0
  for (let count = 0; count < 5000; count++) {
    queue.add(Buffer.from([count & 0xff, 1]), () => {
      sent += 1
    })
  }
  let all = ''
  while (queue.bytes > 0) all += taken(queue, 7)
  for (const done of queue.takeDone()) done()
  assert.equal(sent, 5000)
  assert.equal(all.length, 10_000)
  assert.equal(all.charCodeAt(2 * 300), 300 & 0xff)
})

test('bytes of shared memory come out right at every place, and not by set(), which is slow from there', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(64))
  for (const index of shared.keys()) shared[index] = index
  const target = new Uint8Array(80)
  // TypedArray.set moves shared memory byte by byte where the places differ modulo 8 (decision 0523).
  target.set = () => assert.fail('set() was called')
  for (let from = 0; from < 16; from += 1) {
    const queue = new WriteQueue()
    queue.add(shared.subarray(from, from + 20), undefined)
    queue.add(shared.subarray(40, 45), undefined)
    target.fill(0xff)
    assert.equal(queue.copyInto(target, 3, 22), 22)
    const expected = [...shared.subarray(from, from + 20), 40, 41]
    assert.deepEqual([...target.subarray(0, 26)], [0xff, 0xff, 0xff, ...expected, 0xff])
  }
})
