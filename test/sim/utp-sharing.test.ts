// How uTP shares a line, on virtual time: with its like, and with traffic that fills the queue.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectHosts, sendContent, someBytes, type StreamEnd, UtpLink } from '../kit/sim/utp-link.ts'
import { VirtualClock } from '../kit/sim/virtual-clock.ts'

const MIB = 1024 * 1024
const SECOND_MS = 1000

/** Bytes that came during `ms`. */
async function receivedIn(clock: VirtualClock, ends: readonly StreamEnd[], ms: number): Promise<number[]> {
  const before = ends.map(end => end.received)
  await clock.advance(ms)
  return ends.map((end, index) => end.received - (before[index] ?? 0))
}

test('two flows into one line both get their share', async context => {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 21)
  // The queue holds 80 ms: both see losses and halve.
  const into = link.host('10.0.0.1', { bytesPerSecond: 1_000_000, queueBytes: 80_000 })
  const content = someBytes(64 * MIB, 2)
  const ends: StreamEnd[] = []
  for (const ip of ['10.0.0.2', '10.0.0.3']) {
    const { here, there } = await connectHosts(link.host(ip), into)
    there.expected = content
    sendContent(here, content)
    await clock.until('the stream', () => there.stream !== null)
    ends.push(there)
  }
  await clock.advance(20 * SECOND_MS)
  const [one = 0, two = 0] = await receivedIn(clock, ends, 40 * SECOND_MS)
  context.diagnostic(`${one} and ${two} bytes`)
  assert.ok(one + two > 0.6 * 40 * 1_000_000, 'together they use the line')
  assert.ok(Math.max(one, two) < 4 * Math.min(one, two), `${one} and ${two} bytes`)
  link.close()
})

test('the queue is kept near the target delay, not full', async context => {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 22)
  const rate = 500_000
  const into = link.host('10.0.0.1', { bytesPerSecond: rate, queueBytes: 4 * rate })
  const { here, there } = await connectHosts(link.host('10.0.0.2'), into)
  there.expected = someBytes(64 * MIB, 2)
  sendContent(here, there.expected)
  await clock.advance(60 * SECOND_MS)
  let worst = 0
  let sum = 0
  for (let second = 0; second < 30; second++) {
    const [bytes = 0] = await receivedIn(clock, [there], SECOND_MS)
    const queuedMs = Math.max(0, into.freeMs - clock.now())
    worst = Math.max(worst, queuedMs)
    sum += bytes
  }
  context.diagnostic(`queue of up to ${worst.toFixed(0)} ms, ${(sum / 30 / rate).toFixed(2)} of the line`)
  assert.ok(worst < 200, `a queue of ${worst} ms`)
  assert.ok(sum > 0.8 * 30 * rate)
  assert.equal(here.closes, 0)
  link.close()
})

test('when others fill the queue, uTP makes room; when they are gone, it comes back', async context => {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 23)
  const rate = 200_000
  const into = link.host('10.0.0.1', { bytesPerSecond: rate, queueBytes: 2 * rate })
  const { here, there } = await connectHosts(link.host('10.0.0.2'), into)
  there.expected = someBytes(64 * MIB, 2)
  sendContent(here, there.expected)
  await clock.advance(30 * SECOND_MS)
  const [alone = 0] = await receivedIn(clock, [there], 10 * SECOND_MS)
  // Others keep 400 ms of the queue filled, as TCP does.
  const others = clock.every(20, () => {
    into.freeMs = Math.max(into.freeMs, clock.now() + 400)
  })
  await clock.advance(40 * SECOND_MS)
  const [beside = 0] = await receivedIn(clock, [there], 10 * SECOND_MS)
  others.cancel()
  await clock.advance(60 * SECOND_MS)
  const [again = 0] = await receivedIn(clock, [there], 10 * SECOND_MS)
  context.diagnostic(`${alone}, ${beside} beside others, ${again} bytes in 10 s`)
  assert.ok(alone > 0.7 * 10 * rate)
  assert.ok(beside < 0.3 * alone, `${beside} of ${alone} bytes`)
  assert.ok(again > 0.7 * alone, `${again} of ${alone} bytes`)
  link.close()
})
