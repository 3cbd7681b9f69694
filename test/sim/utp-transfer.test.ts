// uTP from end to end over bad lines, on virtual time: whatever the network does, the bytes come whole and in order,
// and a good line is used well. Hosts, loss and damage by seed: test/kit/sim/utp-link.ts.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Random } from '../../src/ports/random.ts'
import { connectHosts, type LinkLine, sendContent, someBytes, UtpLink } from '../kit/sim/utp-link.ts'
import { VirtualClock } from '../kit/sim/virtual-clock.ts'

const MIB = 1024 * 1024
const LIMIT_MS = 24 * 3600 * 1000

/** Every number is the same: sequence numbers and ids begin where the test wants. */
class FixedRandom implements Random {
  readonly #number: number
  constructor(number: number) {
    this.#number = number
  }
  bytes(count: number): Uint8Array {
    return new Uint8Array(count)
  }
  below(below: number): number {
    return this.#number % below
  }
}

interface Transfer {
  readonly bytes: number
  readonly line: Partial<LinkLine>
  readonly seed?: number
  readonly random?: Random
  readonly clock?: VirtualClock
}

/** Sends from one host to the other and closes; bytes a second of virtual time. */
async function transfer(context: TestContext, what: Transfer): Promise<number> {
  const clock = what.clock ?? new VirtualClock()
  const link = new UtpLink(clock, what.seed ?? 11, what.line)
  const a = link.host('10.0.0.1', {}, {}, what.random)
  const b = link.host('10.0.0.2', {}, {}, what.random)
  const content = someBytes(what.bytes, 5)
  const { here, there } = await connectHosts(a, b)
  there.expected = content
  const startMs = clock.now()
  sendContent(here, content)
  await clock.until(`${what.bytes} bytes`, () => there.received === content.length, LIMIT_MS)
  const ms = clock.now() - startMs
  here.stream?.destroy()
  await clock.until('both ends', () => here.closes === 1 && there.closes === 1, LIMIT_MS)
  assert.equal(here.error, null)
  await clock.until('nothing left', () => a.utp.connections + b.utp.connections === 0, LIMIT_MS)
  assert.deepEqual(
    [a.utp.packetsInUse, b.utp.packetsInUse],
    [
      { sending: 0, unread: 0 },
      { sending: 0, unread: 0 },
    ],
  )
  link.close()
  const rate = Math.round((what.bytes * 1000) / ms)
  context.diagnostic(`${(rate / 1000).toFixed(0)} kB/s, ${b.lost} lost, ${b.overflowed} over the queue, ${a.sent} sent`)
  return rate
}

test('64 MiB over a good line, which is used', async context => {
  const rate = await transfer(context, { bytes: 64 * MIB, line: { bytesPerSecond: 5_000_000, queueBytes: 2 * MIB } })
  assert.ok(rate > 0.7 * 5_000_000, `${rate} bytes/s`)
})

test('a line without limit is bound by the window of 1 MiB in a round trip', async context => {
  const rate = await transfer(context, { bytes: 64 * MIB, line: { delayMs: 50 } })
  assert.ok(rate > 0.5 * 10 * MIB, `${rate} bytes/s`)
})

test('a slow line with a long queue: it is not filled, and not left empty', async context => {
  const rate = await transfer(context, { bytes: 4 * MIB, line: { bytesPerSecond: 100_000, queueBytes: 400_000 } })
  assert.ok(rate > 0.7 * 100_000, `${rate} bytes/s`)
})

test('a queue much shorter than the target delay', async context => {
  const rate = await transfer(context, { bytes: 16 * MIB, line: { bytesPerSecond: 2_000_000, queueBytes: 40_000 } })
  assert.ok(rate > 0.4 * 2_000_000, `${rate} bytes/s`)
})

for (const [loss, mib, least] of [
  [0.02, 64, 80_000],
  [0.1, 8, 10_000],
  [0.2, 4, 2_000],
] as const) {
  test(`${loss * 100} % loss in both directions, 50 ms each way`, async context => {
    const rate = await transfer(context, { bytes: mib * MIB, line: { loss, delayMs: 50 } })
    assert.ok(rate > least, `${rate} bytes/s`)
  })
}

test('20 % loss, 10 % out of order, 10 % twice, and senders that are read late', async context => {
  for (const seed of [1, 2, 3]) {
    const line = { loss: 0.2, reorder: 0.1, reorderMs: 30, duplicate: 0.1, lateMs: 3, delayMs: 10 }
    await transfer(context, { bytes: MIB, line, seed })
  }
})

test('packets out of order and twice, without loss', async context => {
  const line = { reorder: 0.2, reorderMs: 3, duplicate: 0.2 }
  await transfer(context, { bytes: 16 * MIB, line })
})

test('sequence numbers and ids go round', async context => {
  for (const number of [65_500, 65_535, 0, 32_760]) {
    const line = { loss: 0.01, reorder: 0.02, duplicate: 0.02 }
    await transfer(context, { bytes: 2 * MIB, line, random: new FixedRandom(number) })
  }
})

test('timestamps go round in the middle of a transfer', async context => {
  const clock = new VirtualClock()
  // 2^32 microseconds of the clock that begins at 1,000 s.
  await clock.advance(2 ** 32 / 1000 - 1_000_000 - 3000)
  const line = { bytesPerSecond: 1_000_000, queueBytes: MIB }
  const rate = await transfer(context, { bytes: 8 * MIB, line, clock })
  assert.ok(rate > 0.6 * 1_000_000, `${rate} bytes/s`)
})

test('a path for small packets only: probes are lost, bytes are not', async context => {
  const rate = await transfer(context, { bytes: 4 * MIB, line: { mtuBytes: 1000, bytesPerSecond: 1_000_000 } })
  assert.ok(rate > 0.5 * 1_000_000, `${rate} bytes/s`)
  await transfer(context, { bytes: MIB, line: { mtuBytes: 548, loss: 0.01 } })
})

test('both directions at once', async context => {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 3, { loss: 0.01, reorder: 0.01, bytesPerSecond: 2_000_000 })
  const { here, there } = await connectHosts(link.host('10.0.0.1'), link.host('10.0.0.2'))
  const up = someBytes(4 * MIB, 8)
  const down = someBytes(4 * MIB, 9)
  here.expected = down
  there.expected = up
  sendContent(here, up, 16_391)
  await clock.until('the stream on the other side', () => there.stream !== null)
  sendContent(there, down, 5000)
  const ms = await clock.until('both', () => here.received === down.length && there.received === up.length, LIMIT_MS)
  context.diagnostic(`${ms} ms`)
  link.close()
})
