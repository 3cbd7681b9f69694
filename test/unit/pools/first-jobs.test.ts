// FirstJobs: what is done without a thread, what goes to the pool, and when a thread is worth its start.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { DiskLanes } from '../../../src/io/files/disk-lanes.ts'
import { FirstJobs } from '../../../src/pools/first-jobs.ts'
import { JobFailed } from '../../../src/pools/pool.ts'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const MIB = 2 ** 20

function rig(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-first-'))
  const arena = new SharedArrayBuffer(4 * MIB)
  const bytes = new Uint8Array(arena)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7 + (i >> 10)) & 0xff
  const hash = createHash('sha1')
    .update(bytes.subarray(0, 3 * MIB))
    .digest()
  const path = join(folder, 'x')
  const fd = openSync(path, 'w+')
  t.after(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  const pool = {
    cold: true,
    warmed: 0,
    names: [] as string[],
    warm(): void {
      pool.warmed++
    },
    run(name: string): Promise<never> {
      pool.names.push(name)
      return Promise.reject(new Error('in the pool'))
    },
  }
  const lanes = new DiskLanes(3)
  const clock = { us: 5_000_000 }
  const first = new FirstJobs({ pool, arenas: [arena, arena], turn: call => lanes.run(call), nowUs: () => clock.us })
  // Two runs that do not lie one behind the other.
  const segments = [0, MIB + 5, MIB + 5, 2 * MIB - 5]
  const request = { arena: 0, segments, hash, tree: null, spans: [{ fd, position: 10, length: 3 * MIB }] } as const
  return { pool, lanes, clock, first, request, bytes, fd, path }
}

test('a store commits its first pieces without a thread', async t => {
  const store = new StoreRig(t)
  const torrent = makeRigTorrent(store.folder, [{ path: 'one.bin', length: 128 * 1024 }], 64 * 1024)
  const files = store.stores.open(torrent.layout)
  await files.prepare()
  for (const piece of [1, 0]) assert.equal(await store.withBlocks(torrent, piece, b => files.commit(piece, b)), 'ok')
  assert.equal(store.stores.stats().threads, 0)
  assert.deepEqual(readFileSync(join(store.folder, 'one.bin')), Buffer.from(torrent.content))
  // Checks of what is on disk are work for threads; from then on pieces are too.
  assert.equal(await files.verify(0), 'ok')
  assert.equal(store.stores.stats().threads, 1)
  assert.equal(await store.withBlocks(torrent, 1, b => files.commit(1, b)), 'ok')
  assert.equal(store.stores.stats().jobs['piece.commit']?.count, 1)
})

test('hash first, then the write; a wrong hash writes nothing', async t => {
  const { first, request, bytes, path } = rig(t)
  const wrong = { ...request, hash: new Uint8Array(20) }
  assert.deepEqual(await first.run('piece.commit', wrong), { verdict: 'bad-hash' })
  assert.equal(readFileSync(path).length, 0)
  assert.deepEqual(await first.run('piece.commit', request), { verdict: 'ok' })
  assert.deepEqual(readFileSync(path).subarray(10), Buffer.from(bytes.subarray(0, 3 * MIB)))
})

test('a thread is started when there is work for one, and then has it', async t => {
  const { first, request, pool } = rig(t)
  for (let i = 0; i < 2; i++) await first.run('piece.commit', request)
  assert.equal(pool.warmed, 0)
  await first.run('piece.commit', request)
  assert.equal(pool.warmed, 1)
  pool.cold = false
  await assert.rejects(first.run('piece.commit', request), /in the pool/)
  assert.deepEqual(pool.names, ['piece.commit'])
})

test('work that is spread over seconds starts no thread', async t => {
  const { first, request, pool, clock } = rig(t)
  for (let second = 0; second < 4; second++) {
    for (let i = 0; i < 2; i++) await first.run('piece.commit', request)
    clock.us += 1_000_001
  }
  assert.equal(pool.warmed, 0)
})

test('the loop turns after each MiB that is hashed', async t => {
  const { first, request } = rig(t)
  let [turns, done] = [0, false]
  const count = (): void => {
    turns += 1
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  // A wrong hash is not followed by a write, which would turn the loop as well.
  await first.run('piece.commit', { ...request, hash: new Uint8Array(20) })
  done = true
  assert.ok(turns >= 2, `${turns} turns for 3 MiB`)
})

test('a disk that stands still: four jobs wait here, on one lane, the next goes to a thread', async t => {
  const { first, request, pool, lanes } = rig(t)
  const held: (() => void)[] = []
  for (let i = 0; i < 3; i++) void lanes.run(() => new Promise<void>(resolve => held.push(resolve)))
  const write = { arena: request.arena, segments: request.segments, spans: request.spans }
  const waiting = Array.from({ length: 4 }, () => first.run('blocks.write', write))
  await assert.rejects(first.run('blocks.write', write), /in the pool/)
  assert.deepEqual(pool.names, ['blocks.write'])
  assert.equal(lanes.waiting, 1)
  for (const release of held) release()
  for (const { written } of await Promise.all(waiting)) assert.equal(written, 3 * MIB)
  await first.idle()
})

test('a failed write names its code and descriptor, as a worker does', async t => {
  const { first, request, path } = rig(t)
  const readOnly = openSync(path, 'r')
  const spans = [{ fd: readOnly, position: 0, length: 3 * MIB }]
  await assert.rejects(first.run('piece.commit', { ...request, spans }), (error: unknown) => {
    assert.ok(error instanceof JobFailed)
    assert.deepEqual({ ...error.data, text: '' }, { code: 'EBADF', text: '', fd: readOnly })
    return true
  })
  rmSync(path)
  const gone = (error: unknown): boolean => error instanceof JobFailed && error.data.code === 'GONE'
  await assert.rejects(first.run('piece.commit', request), gone)
  closeSync(readOnly)
})
