// A long body on a native response that takes what the test says: steps, turns, slow clients, clients that go.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LongBody } from '../../../../src/http/uws/long-body.ts'
import type { HttpResponse } from '../../../../src/http/uws/native.ts'

const KIB = 1024

/** A response whose client takes `room` bytes before it is full; `open` while neither side has ended it. */
class FakeResponse {
  taken = Buffer.alloc(0)
  room = Number.POSITIVE_INFINITY
  open = true
  corked = 0
  inCork = false
  /** Whether each step was written in a cork. */
  readonly corks: boolean[] = []
  readonly steps: number[] = []

  tryEnd(chunk: Uint8Array, total: number): [boolean, boolean] {
    assert.ok(this.open, 'an ended response was touched')
    this.steps.push(chunk.length)
    this.corks.push(this.inCork)
    const some = chunk.subarray(0, this.room)
    this.room -= some.length
    this.taken = Buffer.concat([this.taken, some])
    if (this.taken.length === total) this.open = false
    return [some.length === chunk.length, !this.open]
  }

  getWriteOffset(): number {
    assert.ok(this.open, 'an ended response was touched')
    return this.taken.length
  }

  cork(run: () => void): void {
    this.corked += 1
    this.inCork = true
    run()
    this.inCork = false
  }

  readonly restarts: string[] = []
  pause(): void {
    this.restarts.push('pause')
  }
  resume(): void {
    this.restarts.push('resume')
  }
}

function rig(lengths: readonly number[]) {
  const res = new FakeResponse()
  const parts = lengths.map((length, i) => Buffer.alloc(length, i + 1))
  const whole = Buffer.concat(parts)
  const state = { complete: 0, alive: true }
  /** While true, turns are given by `give`. */
  const turns = { late: false, asked: [] as number[], give: [] as (() => void)[] }
  /** What the client had taken each time it was waited for. */
  const blocks: (number | 'goes on')[] = []
  const body = new LongBody(res as unknown as HttpResponse, parts, whole.length, {
    takeTurn: bytes => {
      turns.asked.push(bytes)
      return turns.late ? new Promise<void>(resolve => turns.give.push(resolve)) : undefined
    },
    alive: () => state.alive,
    complete: () => {
      state.complete += 1
      state.alive = false
    },
    cut: () => void (state.alive = false),
    slow: {
      block: answer => blocks.push(answer.taken),
      unblock: () => blocks.push('goes on'),
    },
  })
  return { res, whole, state, turns, body, blocks }
}

const loopTurn = () => new Promise(resolve => setImmediate(resolve))

test('parts of any length go in order, in steps of at most 256 KiB, each with its turn', () => {
  const { res, whole, state, turns, body } = rig([3, 700 * KIB, 0, 256 * KIB, 1])
  assert.equal(body.write(), true)
  assert.ok(res.taken.equals(whole))
  assert.equal(state.complete, 1)
  assert.equal(Math.max(...res.steps), 256 * KIB)
  assert.deepEqual(turns.asked, res.steps)
})

test('a client that takes little gets the rest from the byte where it stopped', () => {
  const { res, whole, state, body } = rig([100 * KIB, 300 * KIB, 5])
  res.room = 130 * KIB
  assert.equal(body.write(), false)
  assert.equal(res.taken.length, 130 * KIB)
  res.room = 7
  assert.equal(body.write(), false)
  assert.equal(state.complete, 0)
  res.room = Number.POSITIVE_INFINITY
  body.write()
  assert.ok(res.taken.equals(whole))
  assert.equal(state.complete, 1)
})

test('it waits for its turn, once, and goes on corked; what the client says meanwhile changes nothing', async () => {
  const { res, whole, state, turns, body } = rig([300 * KIB])
  turns.late = true
  assert.equal(body.write(), true)
  body.write()
  body.write()
  assert.equal(turns.asked.length, 1)
  assert.equal(res.taken.length, 0)
  turns.late = false
  turns.give[0]?.()
  await loopTurn()
  assert.equal(res.corked, 1)
  assert.ok(res.taken.equals(whole))
  assert.equal(state.complete, 1)
})

test('a client that goes while it waits for its turn is not touched any more', async () => {
  const { res, state, turns, body } = rig([300 * KIB])
  turns.late = true
  body.write()
  state.alive = false
  res.open = false
  turns.give[0]?.()
  await loopTurn()
  assert.equal(res.taken.length, 0)
  assert.equal(state.complete, 0)
})

test('while its client takes nothing it is watched, and its time can be restarted until it is over', () => {
  const { res, state, body, blocks } = rig([300 * KIB])
  res.room = 100 * KIB
  assert.equal(body.write(), false)
  body.rearm()
  assert.deepEqual([blocks, res.restarts], [[100 * KIB], ['pause', 'resume']])
  res.room = Number.POSITIVE_INFINITY
  assert.equal(body.writable(), true)
  assert.deepEqual([blocks, state.complete], [[100 * KIB, 'goes on'], 1])
  body.rearm()
  assert.equal(body.writable(), true)
  assert.equal(res.restarts.length, 2, 'an answer that is over is not touched')
})

test('no short rest is left for a write of its own, and one that is left is written outside of a cork', async () => {
  const { res, whole, body, turns } = rig([256 * KIB + 100])
  res.cork(() => body.write())
  assert.ok(Math.min(...res.steps) >= 32 * KIB, res.steps.join(' '))
  assert.ok(res.taken.equals(whole))
  const rest = rig([256 * KIB])
  rest.res.room = 250 * KIB
  rest.res.cork(() => rest.body.write())
  rest.res.room = Number.POSITIVE_INFINITY
  // Whatever the others do: a turn would come in a cork.
  rest.turns.late = true
  assert.equal(rest.body.writable(), true)
  await loopTurn()
  assert.deepEqual(rest.res.corks, [true, false])
  assert.equal(rest.state.complete, 1)
  assert.equal(turns.give.length, 0)
})
