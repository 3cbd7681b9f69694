// One attempt at metadata: who is asked for what, silence, refusals, staleness.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetadataAttempt } from '../../../src/torrent/metadata/metadata-attempt.ts'

const SIZE = 6 * 16_384

test('rtorrent is asked for one piece at a time, libtorrent for several', () => {
  const idOf = (text: string) => Buffer.from(text.padEnd(20, '0')).toString('hex')
  const attempt = new MetadataAttempt(6 * 16_384, null, 0)
  assert.deepEqual(attempt.next('a', 0, idOf('-lt0D80-')), [0])
  assert.deepEqual(attempt.next('a', 0, idOf('-lt0D80-')), [])
  assert.deepEqual(attempt.next('b', 0, idOf('-LT2080-')), [1, 2, 3, 4])
  attempt.receive('a', '10.0.0.1', 0, 0)
  assert.deepEqual(attempt.next('a', 0, idOf('-lt0D80-')), [5])
})

test('pieces are shared among peers, and each is asked of one', () => {
  const attempt = new MetadataAttempt(SIZE, null, 0)
  assert.deepEqual(attempt.next('a', 0), [0, 1, 2, 3])
  assert.deepEqual(attempt.next('b', 0), [4, 5])
  assert.deepEqual(attempt.next('a', 0), [])
  assert.equal(attempt.receive('b', 'ip-b', 0, 0), false, 'not asked of b')
  for (const piece of [0, 1, 2, 3]) assert.ok(attempt.receive('a', 'ip-a', piece, 0))
  assert.equal(attempt.receive('a', 'ip-a', 0, 0), false, 'not twice')
  attempt.release('b', 4)
  assert.deepEqual(attempt.next('a', 0), [4])
  assert.ok(attempt.receive('a', 'ip-a', 4, 0))
  assert.ok(attempt.receive('b', 'ip-b', 5, 0))
  assert.ok(attempt.complete)
  assert.deepEqual([...attempt.senders], ['ip-a', 'ip-b'])
})

test('the silent lose their pieces, those that leave too', () => {
  const attempt = new MetadataAttempt(SIZE, null, 0)
  attempt.next('a', 0)
  attempt.next('b', 5000)
  assert.deepEqual([...attempt.expire(10_000)], ['a'])
  assert.deepEqual(attempt.next('c', 10_000), [0, 1, 2, 3])
  attempt.release('b', null)
  assert.deepEqual(attempt.next('d', 10_000), [4, 5])
})

test('an attempt is idle before anything came, and again when nothing comes for a while', () => {
  const attempt = new MetadataAttempt(SIZE, null, 0)
  assert.ok(attempt.idle(0))
  attempt.next('a', 0)
  assert.ok(!attempt.idle(0))
  attempt.receive('a', 'ip', 0, 1000)
  attempt.release('a', null)
  assert.ok(!attempt.idle(10_000))
  assert.ok(attempt.idle(21_000))
})

test('alone, one peer is asked for everything', () => {
  const attempt = new MetadataAttempt(SIZE, 'a', 0)
  assert.deepEqual(attempt.next('b', 0), [])
  assert.deepEqual(attempt.next('a', 0), [0, 1, 2, 3])
})
