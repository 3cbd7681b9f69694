// Slower answers to wrong keys, on virtual time: how slow, for which addresses, and that nothing grows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { WrongKeys } from '../../../src/http/wrong-keys.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const ipv4 = (last: number, third = 0): Uint8Array => new Uint8Array([192, 0, third, last])
const ipv6 = (...bytes: number[]): Uint8Array => new Uint8Array(16).map((_, at) => bytes[at] ?? 9)
const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'TooManyRequests'

/** One wrong key after the other, each when the one before was answered; how long each answer took, ms. */
async function delays(wrong: WrongKeys, clock: VirtualClock, address: Uint8Array, count: number): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < count; n++) {
    let answered = false
    wrong.note(address, () => {
      answered = true
    })
    taken.push(await clock.until('answered', () => answered))
  }
  return taken
}

test('each further wrong key of an address is answered later, up to eight seconds', async () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  assert.deepEqual(await delays(wrong, clock, ipv4(1), 11), [0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000])
  assert.deepEqual(await delays(wrong, clock, ipv4(2), 2), [0, 0], 'others are not slowed')
  await clock.advance(16 * 60 * 1000)
  assert.deepEqual(await delays(wrong, clock, ipv4(1), 1), [0], 'it is forgotten after a while')
  assert.equal(clock.pending, 0)
})

test('a network of 64 bits is one address, and an IPv4 address is the same in IPv6 form', async () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  for (let n = 0; n < 4; n++) wrong.note(ipv6(1, 2, 3, 4, 5, 6, 7, 8, n), () => undefined)
  assert.equal(wrong.waiting, 1)
  wrong.note(ipv6(1, 2, 3, 4, 5, 6, 7, 9), () => undefined)
  assert.equal(wrong.known, 2)
  const mapped = new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 0, 1])
  wrong.note(mapped, () => undefined)
  wrong.note(ipv4(1), () => undefined)
  assert.equal(wrong.known, 3)
  wrong.stop()
  assert.equal(clock.pending, 0)
})

test('who asks in parallel is refused without a look at the key, and only there', async () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  let answered = 0
  for (let n = 0; n < 11; n++) wrong.note(ipv4(1), () => answered++)
  assert.equal(wrong.waiting, 8)
  assert.throws(() => wrong.checkRoom(() => ipv4(1), null), refused)
  wrong.checkRoom(() => ipv4(2), null)
  await clock.advance(10_000)
  assert.equal(answered, 11)
  wrong.checkRoom(() => ipv4(1), null)
})

test('nothing grows: addresses, answers that wait, timers', async () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  let answered = 0
  let refusals = 0
  for (let n = 0; n < 20_000; n++) {
    try {
      wrong.note(ipv4((n >> 3) % 256, n >> 11), () => answered++)
    } catch (error) {
      assert.ok(refused(error))
      refusals++
    }
  }
  assert.equal(wrong.waiting, 256)
  assert.ok(wrong.known <= 1024)
  assert.ok(clock.pending <= 1, `${clock.pending} timers`)
  assert.equal(answered + refusals + 256, 20_000)
  await clock.advance(60_000)
  assert.equal(wrong.waiting, 0)
  assert.equal(clock.pending, 0)
})

test('stop answers what waits', () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  let answered = 0
  for (let n = 0; n < 6; n++) wrong.note(ipv4(1), () => answered++)
  wrong.stop()
  assert.deepEqual([answered, wrong.waiting, clock.pending], [6, 0, 0])
})

test('a key that was right from there before passes; one that was not, or elsewhere, waits; so many are remembered', async () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  wrong.checkRoom(() => ipv4(1), 'first')
  wrong.checkRoom(() => ipv4(2), 'second')
  for (let n = 0; n < 11; n++) wrong.note(ipv4(1), () => undefined)
  for (const holder of ['first', 'first']) wrong.checkRoom(() => ipv4(1), holder)
  assert.throws(() => wrong.checkRoom(() => ipv4(1), 'second'), refused)
  assert.throws(() => wrong.checkRoom(() => ipv4(1), 'second'), refused, 'what was refused is not remembered')
  for (let n = 0; n < 2000; n++) wrong.checkRoom(() => ipv4(n % 250, 1 + Math.trunc(n / 250)), 'first')
  assert.equal(wrong.rightOnes, 1024)
  assert.throws(() => wrong.checkRoom(() => ipv4(1), 'first'), refused, 'the oldest is forgotten')
  wrong.stop()
})

test('while nobody waits, of many right keys a second some are looked at, of few all', async () => {
  const clock = new VirtualClock()
  const wrong = new WrongKeys(clock)
  let looks = 0
  const from = (last: number) => () => {
    looks += 1
    return ipv4(last)
  }
  for (let n = 0; n < 6500; n++) wrong.checkRoom(from(1), 'flood')
  assert.equal(looks, 100 + 200)
  for (let n = 0; n < 64; n++) wrong.checkRoom(from(2), 'beside it')
  assert.equal(looks, 302)
  await clock.advance(1000)
  for (let n = 0; n < 50; n++) wrong.checkRoom(from(3), 'slow')
  assert.equal(looks, 352)
  assert.equal(wrong.rightOnes, 3)
})
