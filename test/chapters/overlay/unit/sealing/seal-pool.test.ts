// The overlays' cryptography at a worker: the same answers as on the main thread, in shared memory that is zeroed,
// within bounds.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { SystemRandom } from '../../../../../src/io/random.ts'
import { CellBatches, WORTH_A_WORKER } from '../../../../../src/chapters/overlay/sealing/cell-batches.ts'
import { SharedArena } from '../../../../../src/pools/arena.ts'
import { BATCH_BYTES, partsOf, putParts } from '../../../../../src/chapters/overlay/sealing/seal-slot.ts'
import { SealPool, type SealPoolOptions, sealSlots } from '../../../../../src/chapters/overlay/sealing/seal-pool.ts'
import type { LayerKey, OverlayCrypto } from '../../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { CellText } from '../../../../../src/chapters/overlay/ports/overlay-crypto-pool.ts'
import { parsePublicKey } from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { cryptoOver, curves, opened, sealed } from '../../kit/overlay-crypto-makers.ts'
import { hex, overlayVectors, unhex } from '../../../../kit/doubles/overlay-vectors.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'

const crypto: OverlayCrypto = cryptoOver(curves[0] as (typeof curves)[0])
const MATERIAL = Uint8Array.from({ length: 72 }, (_, i) => i)

/** A pool that does nothing on the main thread unless `options` say so. */
function poolOf(t: TestContext, options: SealPoolOptions = {}, nowUs?: () => number): SealPool {
  const deps = { crypto, random: new SystemRandom(), log: silentLog, ...(nowUs === undefined ? {} : { nowUs }) }
  const pool = new SealPool({ hereUs: 0, ...options }, deps)
  t.after(() => pool.stop())
  return pool
}

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code
/** A cell's text of `length` bytes with room for `layers`. */
function cellOf(length: number, layers: number, fill = length): CellText {
  const bytes = new Uint8Array(length + 24 * layers + 6).fill(0xee)
  const start = 3 + 8 * layers
  bytes.fill(fill & 0xff, start, start + length)
  return { bytes, start, end: start + length }
}

test('parts of a slot', () => {
  const slot = new Uint8Array(20)
  assert.ok(putParts(slot, [Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)]))
  assert.deepEqual(partsOf(slot).map(hex), ['01', '', '0203'])
  assert.ok(putParts(slot, [new Uint8Array(17).fill(9)]))
  assert.ok(!putParts(slot, [new Uint8Array(18)]))
  assert.deepEqual(
    partsOf(slot).map(part => part.length),
    [17],
  )
})

test('signatures are made and judged at a worker', async t => {
  const pool = poolOf(t)
  const own = crypto.generate()
  const message = new Uint8Array(300).fill(7)
  const signature = await pool.sign(own, message)
  assert.equal(hex(signature), hex(own.sign(message)))
  const key = parsePublicKey(own.publicKey)
  assert.equal(await pool.verify(key, message, signature), true)
  assert.equal(await pool.verify(key, message.subarray(1), signature), false)
  assert.equal(await pool.verify(key, message, signature.subarray(1)), false)
  const { keys } = overlayVectors('legacy_keys') as {
    readonly keys: readonly { readonly public_bin: string; readonly message: string; readonly signature: string }[]
  }
  for (const old of keys)
    assert.ok(await pool.verify(parsePublicKey(unhex(old.public_bin)), unhex(old.message), unhex(old.signature)))
  assert.deepEqual([pool.stats().here, pool.stats().slotsInUse, pool.stats().threads], [0, 0, 1])
  // Larger than a slot: done here.
  assert.ok(await pool.verify(key, new Uint8Array(3000), own.sign(new Uint8Array(3000))))
  assert.equal(pool.stats().here, 1)
})

test('handshakes at a worker agree with those here, and refuse what those refuse', async t => {
  const slots = sealSlots()
  const pool = poolOf(t, { slots })
  const own = crypto.generate()
  const start = crypto.begin()
  const done = await pool.respond(own, start.ephemeral)
  assert.ok(done)
  const offer = sealed(done.keys.forward, Uint8Array.of(5))
  const mine = await pool.finish(start, own.publicKey, done, offer)
  assert.deepEqual(mine?.text, Uint8Array.of(5))
  assert.ok(mine)
  assert.deepEqual(opened(done.keys.forward, sealed(mine.keys.forward, Uint8Array.of(6))), Uint8Array.of(6))
  assert.deepEqual(opened(mine.keys.backward, sealed(done.keys.backward, Uint8Array.of(8))), Uint8Array.of(8))
  assert.ok(start.finish(own.publicKey, done, offer))
  assert.equal(await pool.respond(own, new Uint8Array(32)), null)
  assert.equal(await pool.respond(own, new Uint8Array(31)), null)
  assert.equal(await pool.finish(start, crypto.generate().publicKey, done, offer), null)
  assert.equal(await pool.finish(start, own.publicKey, { ...done, auth: new Uint8Array(32) }, offer), null)
  assert.equal(await pool.finish(start, own.publicKey, { ...done, auth: new Uint8Array(3) }, offer), null)
  start.wipe()
  assert.equal(await pool.finish(start, own.publicKey, done, offer), null)
  own.wipe()
  await assert.rejects(pool.sign(own, new Uint8Array(1)), /wiped/)
  assert.equal(pool.stats().slotsInUse, 0)
  assert.ok(pool.stats().sent > 5)
  assert.ok(
    new Uint8Array(slots.buffer).every(byte => byte === 0),
    'no secret is left in memory that is shared',
  )
})

test('the main thread does what comes until a fifth of its time is spent', async t => {
  let now = 0
  let step = 0
  const pool = poolOf(t, { hereUs: 2000 }, () => (now += step))
  const own = crypto.generate()
  const sign = (): Promise<Uint8Array> => pool.sign(own, new Uint8Array(10))
  for (let i = 0; i < 10; i++) await sign()
  assert.deepEqual([pool.stats().here, pool.stats().threads], [10, 0])
  step = 700
  for (let i = 0; i < 5; i++) await sign()
  // 700 us each: the third reaches 2,000; the rest goes to a worker until the window is over.
  assert.deepEqual([pool.stats().here, pool.stats().sent], [13, 2])
  now += 10_000
  await sign()
  assert.equal(pool.stats().here, 14)
})

test('what finds no memory is refused, and nothing is lost of what found some', async t => {
  const pool = poolOf(t)
  const own = crypto.generate()
  const key = parsePublicKey(own.publicKey)
  const [message, signature] = [new Uint8Array(20), own.sign(new Uint8Array(20))]
  const asked = await Promise.allSettled(Array.from({ length: 300 }, () => pool.verify(key, message, signature)))
  const right = asked.filter(each => each.status === 'fulfilled' && each.value)
  const refused = asked.filter(each => each.status === 'rejected' && hasCode('PoolBusy')(each.reason))
  assert.deepEqual([right.length, refused.length], [256, 44])
  assert.deepEqual([pool.stats().refused, pool.stats().slotsInUse], [44, 0])
  assert.equal(await pool.verify(key, message, signature), true)
})

test('layers of many cells, on and off, as if one after the other', async t => {
  const pool = poolOf(t)
  const session = (n: number): LayerKey =>
    crypto.session(
      MATERIAL.map(byte => byte + n),
      'hop',
    ).forward
  const [there, here, away] = [[1, 2, 3].map(session), [1, 2, 3].map(session), [1, 2, 3].map(session)]
  const lengths = Array.from({ length: 100 }, (_, i) => (i * 37) % 1300)
  const [cells, same] = [lengths.map(n => cellOf(n, 3)), lengths.map(n => cellOf(n, 3))]
  assert.ok((await pool.sealAll(there, cells)).every(fine => fine))
  for (const { bytes, start, end } of same)
    for (const [i, key] of here.entries()) assert.ok(key.seal(bytes, start - 8 * i, end + 16 * i))
  for (const [i, { bytes }] of cells.entries())
    assert.equal(hex(bytes), hex(same[i]?.bytes ?? bytes.subarray(1)), `${i}`)
  assert.equal(pool.stats().threads, 1)
  // Counters have gone on behind what the worker used.
  const one = there.map(key => hex(sealed(key, Uint8Array.of(1))))
  assert.deepEqual(
    one,
    here.map(key => hex(sealed(key, Uint8Array.of(1)))),
  )
  const texts = cells.map(({ bytes, start, end }) => ({ bytes, start: start - 24, end: end + 48 }))
  const broken = texts[5] as CellText
  broken.bytes[broken.end - 1] = (broken.bytes[broken.end - 1] as number) ^ 1
  const verdicts = await pool.openAll(away.reverse(), texts)
  assert.deepEqual(
    verdicts.flatMap((fine, i) => (fine ? [] : [i])),
    [5],
  )
  for (const [i, { bytes, start, end }] of cells.entries())
    if (i !== 5)
      assert.ok(
        bytes.subarray(start, end).every(byte => byte === ((lengths[i] ?? 0) & 0xff)),
        `${i}`,
      )
})

test('layers of few cells come off here, and leave the text that was sealed', async () => {
  const session = (n: number): LayerKey =>
    crypto.session(
      MATERIAL.map(byte => byte + n),
      'hop',
    ).forward
  const arena = new SharedArena({ id: 'seal', slotBytes: BATCH_BYTES, bytes: BATCH_BYTES })
  const batches = new CellBatches(arena, { run: () => Promise.reject(new Error('asked')) })
  const cell = cellOf(20, 3)
  const text = hex(cell.bytes.subarray(cell.start, cell.end))
  assert.deepEqual(await batches.run([1, 2, 3].map(session), [cell], false), [true])
  const sealedCell = { bytes: cell.bytes, start: cell.start - 24, end: cell.end + 48 }
  assert.deepEqual(await batches.run([3, 2, 1].map(session), [sealedCell], true), [true])
  assert.equal(hex(cell.bytes.subarray(cell.start, cell.end)), text)
})

test('few cells, and cells that a worker has no memory for, stay here', async t => {
  const keys = (): LayerKey[] => [1, 2, 3].map(() => crypto.session(MATERIAL, 'hop').forward)
  const worth = WORTH_A_WORKER / 3
  const arena = new SharedArena({ id: 'seal', slotBytes: BATCH_BYTES, bytes: BATCH_BYTES })
  let asked = 0
  const pool = { run: () => Promise.reject(new Error(`asked ${++asked}`)) }
  const batches = new CellBatches(arena, pool)
  const many = (count: number, length = 10): CellText[] => Array.from({ length: count }, () => cellOf(length, 3))
  assert.ok((await batches.run(keys(), many(worth - 1), false)).every(fine => fine))
  assert.ok((await batches.run(keys(), many(worth, 1990), false)).every(fine => fine))
  const slot = arena.lease()
  assert.ok(slot)
  assert.ok((await batches.run(keys(), many(worth), false)).every(fine => fine))
  arena.release(slot)
  assert.equal(asked, 0)
  await assert.rejects(batches.run(keys(), many(worth), false), /asked 1/)
  assert.equal(arena.freeCount, 1)
  const close = many(worth).map(({ bytes, end }) => ({ bytes, start: 23, end }))
  await assert.rejects(batches.run(keys(), close, false), RangeError)
  const wiped = keys()
  for (const key of wiped) key.wipe()
  assert.ok((await batches.run(wiped, many(worth), false)).every(fine => !fine))
  assert.ok((await batches.run(wiped, many(1), false)).every(fine => !fine))
  await t.test('and their keys do not stay in memory', () => {
    const memory = new Uint8Array(arena.buffer, 0, 512)
    assert.ok(memory.every(byte => byte === 0))
  })
})

test('a dead worker ends what it had; the memory is free again', async t => {
  const pool = poolOf(t, { worker: new URL('./no-such-worker.js', import.meta.url) })
  await assert.rejects(pool.sign(crypto.generate(), new Uint8Array(1)), hasCode('WorkerLost'))
  assert.equal(pool.stats().slotsInUse, 0)
  await pool.stop()
  await assert.rejects(pool.sign(crypto.generate(), new Uint8Array(1)), hasCode('Aborted'))
})
