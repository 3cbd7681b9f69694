// Reads that never wait: what they answer with and without the library, and that they are byte for byte right.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CachedReads } from '../../../src/io/files/cached-read.ts'
import { waitFor } from '../../kit/wait-for.ts'

function makeFile(t: TestContext, content: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-cached-'))
  writeFileSync(join(folder, 'f'), content)
  const fd = openSync(join(folder, 'f'), 'r')
  t.after(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  return fd
}

test('without the library nothing is at hand, and it is asked for once', async t => {
  const fd = makeFile(t, randomBytes(1000))
  let asked = 0
  const reads = new CachedReads(() => {
    asked += 1
    return Promise.reject(new Error('not installed'))
  })
  for (let i = 0; i < 3; i++) {
    assert.equal(reads.read({ fd, atOnce: 'cached' }, 0, 100, new Uint8Array(100)), 0)
    await new Promise(resolve => setImmediate(resolve))
  }
  assert.equal(asked, 1)
  assert.equal(reads.ready, false)
})

test('a failing read is nothing at hand; two targets do not mix', async t => {
  const fd = makeFile(t, randomBytes(1000))
  const calls: { flags: number; address: bigint }[] = []
  const preadv2 = (_fd: number, vector: BigUint64Array, _count: number, _at: number, flags: number) => {
    calls.push({ flags, address: vector[0] ?? 0n })
    return -1
  }
  const koffi = { load: () => ({ func: () => preadv2 }), address: (view: Uint8Array) => BigInt(view.length) }
  const reads = new CachedReads(() => Promise.resolve(koffi))
  reads.read({ fd, atOnce: 'cached' }, 0, 1, new Uint8Array(64))
  await waitFor('the library', () => reads.ready)
  for (const length of [100, 200, 100]) {
    assert.equal(reads.read({ fd, atOnce: 'cached' }, 0, 50, new Uint8Array(length)), 0)
  }
  assert.deepEqual(
    calls,
    [100n, 200n, 100n].map(address => ({ flags: 8, address })),
  )
  assert.equal(reads.read({ fd, atOnce: 'none' }, 0, 50, new Uint8Array(100)), 0)
  assert.equal(calls.length, 3, 'a read that may write the time of access is never tried')
})

test('a file in memory, and one in the page cache, are read byte for byte', async t => {
  const content = randomBytes(300_000)
  const fd = makeFile(t, content)
  const into = new Uint8Array(200_000)
  const reads = new CachedReads()
  for (const [position, length] of [
    [0, 200_000],
    [123_457, 1000],
    [250_000, 200_000],
  ] as const) {
    const count = reads.read({ fd, atOnce: 'all' }, position, length, into)
    assert.equal(count, Math.min(length, content.length - position))
    assert.ok(content.subarray(position, position + count).equals(into.subarray(0, count)))
  }
  reads.read({ fd, atOnce: 'cached' }, 0, 1, into)
  const here = await waitFor('the library', () => reads.ready || null, 2000).catch(() => false)
  if (here === false) return t.skip('koffi is not installed')
  for (const [position, length] of [
    [0, 200_000],
    [123_457, 1000],
    [250_000, 200_000],
  ] as const) {
    const count = reads.read({ fd, atOnce: 'cached' }, position, length, into)
    // 0: a file system that knows no such reads, or the page went.
    if (count > 0) assert.ok(content.subarray(position, position + count).equals(into.subarray(0, count)))
  }
})

test('parts are filled in order, with gaps left alone, from memory and from the page cache', async t => {
  const content = randomBytes(100_000)
  const fd = makeFile(t, content)
  const reads = new CachedReads()
  reads.read({ fd, atOnce: 'cached' }, 0, 1, new Uint8Array(64))
  await waitFor('the library', () => reads.ready || null, 2000).catch(() => false)
  for (const atOnce of ['all', 'cached'] as const) {
    const bytes = new Uint8Array(new SharedArrayBuffer(40_000)).subarray(1000)
    const parts = [bytes.subarray(13, 16_397), bytes.subarray(16_410, 32_794)]
    const whole = reads.readParts({ fd, atOnce }, 5000, parts)
    // 0: no library, a file system that knows no such reads, or the page went.
    if (atOnce === 'cached' && whole === 0) continue
    assert.equal(whole, 32_768)
    assert.ok(content.subarray(5000, 21_384).equals(parts[0] ?? bytes))
    assert.ok(content.subarray(21_384, 37_768).equals(parts[1] ?? bytes))
    assert.ok(bytes.subarray(0, 13).every(byte => byte === 0))
    assert.ok(bytes.subarray(16_397, 16_410).every(byte => byte === 0))
    assert.equal(reads.readParts({ fd, atOnce }, 90_000, parts), 10_000)
  }
  assert.equal(reads.readParts({ fd, atOnce: 'none' }, 0, [new Uint8Array(64)]), 0)
})
