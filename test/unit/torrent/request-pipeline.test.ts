// The pipeline against a modelled link: requests answered after a delay, blocks spaced by a rate.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestPipeline } from '../../../src/torrent/peers/request-pipeline.ts'

const BLOCK = 16_384

/** Runs a link of `rate` bytes/s and `rttMs` for `ms`; answers bytes got in the last second. */
function run(pipeline: RequestPipeline, rate: number, rttMs: number, ms: number, startMs = 0): number {
  const queue: { at: number; sent: number }[] = []
  let lineFreeMs = startMs
  let last = 0
  for (let now = startMs; now < startMs + ms; now++) {
    while (queue.length > 0 && (queue[0]?.at ?? 0) <= now) {
      const block = queue.shift()
      pipeline.received(now, BLOCK, block?.sent ?? now, queue.length)
      if (now >= startMs + ms - 1000) last += BLOCK
    }
    let sent = 0
    for (let room = pipeline.room(queue.length); room > 0; room--) {
      lineFreeMs = Math.max(lineFreeMs, now + rttMs) + (BLOCK * 1000) / rate
      queue.push({ at: lineFreeMs, sent: now })
      sent++
    }
    if (sent > 0) pipeline.requested(now, queue.length)
    if (now % 1000 === 0) pipeline.tick(now)
  }
  return last
}

test('a fast far link is filled: the queue grows to rate x delay and beyond a fixed queue', () => {
  const pipeline = new RequestPipeline()
  pipeline.setPeerQueue(500)
  const got = run(pipeline, 5_000_000, 100, 10_000)
  assert.ok(got > 4_500_000, `${got}`)
  assert.ok(pipeline.target > 30, `${pipeline.target}`)
})

test('a slow link keeps a short queue, so that a seek does not wait', () => {
  const pipeline = new RequestPipeline()
  run(pipeline, 100_000, 50, 20_000)
  assert.ok(pipeline.target >= 4 && pipeline.target <= 12, `${pipeline.target}`)
})

test('while streaming the queue is shorter than for a bulk transfer', () => {
  const bulk = new RequestPipeline()
  const stream = new RequestPipeline()
  stream.setStreaming(true)
  run(bulk, 2_000_000, 20, 20_000)
  run(stream, 2_000_000, 20, 20_000)
  assert.ok(stream.target * 2 < bulk.target, `${stream.target} ${bulk.target}`)
})

test('it follows a link that becomes faster', () => {
  const pipeline = new RequestPipeline()
  pipeline.setPeerQueue(500)
  run(pipeline, 200_000, 50, 10_000)
  const before = pipeline.target
  const got = run(pipeline, 4_000_000, 50, 20_000, 10_000)
  assert.ok(pipeline.target > before * 3)
  assert.ok(got > 3_500_000, `${got}`)
})

test('the peer queue and the hard bound are respected', () => {
  const polite = new RequestPipeline()
  polite.setPeerQueue(10)
  run(polite, 50_000_000, 100, 5000)
  assert.equal(polite.target, 10)
  const greedy = new RequestPipeline()
  greedy.setPeerQueue(1_000_000)
  run(greedy, 500_000_000, 100, 5000)
  assert.equal(greedy.target, 1000)
})

test('a peer that sends nothing for 60 s is snubbed with one request, until a block comes', () => {
  const pipeline = new RequestPipeline()
  run(pipeline, 1_000_000, 20, 5000)
  pipeline.requested(5000, 10)
  assert.equal(pipeline.tick(64_000), false)
  assert.equal(pipeline.snubbed, false)
  assert.equal(pipeline.tick(66_000), true)
  assert.equal(pipeline.target, 1)
  assert.equal(pipeline.tick(67_000), false)
  pipeline.received(70_000, BLOCK, 66_000, 0)
  assert.equal(pipeline.snubbed, false)
  assert.ok(pipeline.target >= 4)
})

test('nobody is snubbed for blocks that were not asked for, or after a choke', () => {
  const pipeline = new RequestPipeline()
  assert.equal(pipeline.tick(1_000_000), false)
  pipeline.requested(1_000_000, 4)
  pipeline.cleared()
  assert.equal(pipeline.tick(2_000_000), false)
})

test('requests time out after several latencies, within 5 to 60 s', () => {
  const pipeline = new RequestPipeline()
  assert.equal(pipeline.timeoutMs, 60_000)
  run(pipeline, 5_000_000, 20, 5000)
  assert.ok(pipeline.timeoutMs >= 5000 && pipeline.timeoutMs < 15_000, `${pipeline.timeoutMs}`)
})

test('requests go out in lots of an eighth of the target, one by one for a reader or a short queue', () => {
  const pipeline = new RequestPipeline()
  assert.equal(pipeline.room(3), 1)
  pipeline.setPeerQueue(500)
  for (let now = 0; pipeline.target < 400; now++) pipeline.received(now / 100, BLOCK, 0, 1)
  const { target } = pipeline
  assert.equal(pipeline.room(target), 0)
  assert.equal(pipeline.room(target + 5), 0)
  assert.equal(pipeline.room(target - 49), 0)
  assert.equal(pipeline.room(target - 50), 50)
  assert.equal(pipeline.room(0), target)
  pipeline.setStreaming(true)
  assert.equal(pipeline.room(pipeline.target - 1), 1)
})

test('how long it takes to answer one more: what is before it and itself, by its rate', () => {
  const pipeline = new RequestPipeline()
  assert.equal(pipeline.takesMs(3), 0, 'not known')
  run(pipeline, 4 * BLOCK, 20, 5000)
  assert.ok(Math.abs(pipeline.takesMs(3) - 1000) < 100, `${pipeline.takesMs(3)} ms`)
})

test('a near peer can be asked for a whole MiB at once while someone streams, others can not', () => {
  const near = new RequestPipeline(true)
  assert.equal(near.mayTakeWhole, false, 'nobody waits')
  near.setStreaming(true)
  assert.equal(near.room(0), 4)
  assert.equal(near.mayTakeWhole, true)
  near.takeWhole(0)
  assert.equal(near.room(0), 64)
  const far = new RequestPipeline()
  far.setStreaming(true)
  assert.equal(far.mayTakeWhole, false)
  // What it gives decides from the first measurement on.
  run(near, 100_000, 5, 3000)
  assert.ok(near.target <= 12, `${near.target}`)
  near.setStreaming(false)
  near.setStreaming(true)
  assert.ok(near.target <= 12, `${near.target}`)
  assert.equal(near.mayTakeWhole, false, 'it is known')
})

test('a near peer that was asked for a whole MiB and gives nothing keeps four requests after 3 s', () => {
  const near = new RequestPipeline(true)
  near.setStreaming(true)
  near.takeWhole(0)
  near.requested(0, 64)
  for (let now = 0; now < 3000; now += 1000) {
    near.tick(now)
    assert.equal(near.wholeIsOver(now), false)
  }
  assert.equal(near.target, 64)
  near.tick(3000)
  assert.equal(near.wholeIsOver(3000), true)
  assert.equal(near.target, 4)
  assert.equal(near.wholeIsOver(4000), false, 'once')
})
