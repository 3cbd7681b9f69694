// The range writer on a socket that takes exactly what a test allows: slots, order, and the short rest of a blocked
// answer, which must never go into the native buffer (the answer would count as complete and be cut after 10 s).

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { HttpResponse } from '../../../../src/http/uws/native.ts'
import { RequestMeter } from '../../../../src/http/request-meter.ts'
import { RangeWriter } from '../../../../src/http/uws/range-writer.ts'
import { Reply, ReplyShare } from '../../../../src/http/uws/reply.ts'
import { Scratch } from '../../../../src/http/uws/scratch.ts'
import { SlowReaders } from '../../../../src/http/uws/slow-readers.ts'
import { StreamSchedule } from '../../../../src/http/uws/stream-schedule.ts'
import { type StreamPlan, StreamedFile, planStream } from '../../../../src/http/stream-plan.ts'
import type { StreamableFile, StreamReader } from '../../../../src/services/api.ts'
import { CountingArena, realClock, until } from '../../../contract/http/harness.ts'

const CORK_BYTES = 16 * 1024

/**
 * The native response as measured: corked short chunks are always taken, everything else only as far as there is room.
 */
class FakeSocket {
  room: number
  corked = false
  bufferedWhileFull = false
  done = false
  rearmed = 0
  /** Calls that write. */
  writes: string[] = []
  offset = 0
  readonly taken: Buffer[] = []
  onWritable: (offset: number) => boolean = () => true
  onAborted: () => void = () => {}

  constructor(room: number) {
    this.room = room
  }

  tryEnd(chunk: Uint8Array, total: number): [boolean, boolean] {
    this.writes.push('tryEnd')
    assert.equal(this.done, false, 'a complete answer was touched')
    const short = this.corked && chunk.length <= CORK_BYTES
    if (short && chunk.length > this.room) this.bufferedWhileFull = true
    const count = short ? chunk.length : Math.min(this.room, chunk.length)
    this.taken.push(Buffer.from(chunk.subarray(0, count)))
    this.offset += count
    this.room = Math.max(0, this.room - count)
    this.done = this.offset === total
    return [count === chunk.length, this.done]
  }

  writable(room: number): void {
    this.room = room
    this.onWritable(this.offset)
  }

  asNative(): HttpResponse {
    const native = {
      onAborted: (run: () => void) => {
        this.onAborted = run
      },
      onWritable: (run: (offset: number) => boolean) => {
        this.onWritable = run
      },
      cork: (run: () => void) => {
        this.corked = true
        run()
        this.corked = false
      },
      writeStatus: (text: string) => {
        this.writes.push(text)
        return native
      },
      writeHeader: (name: string) => {
        this.writes.push(name)
        return native
      },
      getWriteOffset: () => this.offset,
      tryEnd: (chunk: Uint8Array, total: number) => this.tryEnd(chunk, total),
      pause: () => {},
      resume: () => {
        this.rearmed += 1
      },
      close: () => this.onAborted(),
    }
    return native as unknown as HttpResponse
  }
}

/** `cached`: bytes from the start of the file that can be read without waiting; `others`: slots that others have. */
function rig(
  size: number,
  room: number,
  range = '',
  cached = 0,
  schedule = new StreamSchedule(realClock, 60_000),
  others = 0,
) {
  const content = randomBytes(size)
  const socket = new FakeSocket(room)
  const arena = new CountingArena(2)
  const lent = Array.from({ length: others }, () => arena.lease() ?? assert.fail('no slot'))
  let [closed, reads, atHand] = [0, 0, cached]
  const reader: StreamReader = {
    waitFor: position => size - position,
    read: async (position, length, slot) => {
      reads += 1
      const part = content.subarray(position, position + length)
      slot.bytes.set(part)
      return part.length
    },
    close: () => {
      closed += 1
    },
  }
  let opened = 0
  const file: StreamableFile = {
    name: 'x',
    size,
    tag: 't',
    readNow: (position, length, into) => {
      const count = Math.max(0, Math.min(length, into.length, atHand - position))
      into.set(content.subarray(position, position + count))
      return count
    },
    openReader: () => {
      opened += 1
      return reader
    },
  }
  const streamed = new StreamedFile({ size, tag: 't', contentType: 'x/y' })
  const request = { head: false, ifRange: '', ifNoneMatch: '', boundary: () => 'b' }
  const plan: StreamPlan = planStream({ ...request, range, file: streamed })
  const parts = { slow: new SlowReaders(schedule, realClock), meter: new RequestMeter({ now: () => 0 }) }
  const share = new ReplyShare(assert.ifError, () => undefined, parts)
  const reply = new Reply(socket.asNative(), share, false, [])
  reply.leaveHandler()
  const writer = new RangeWriter(reply, plan, file, { arena, schedule, scratch: new Scratch(new Uint8Array(200_000)) })
  const counts = { opened: () => opened, closed: () => closed, reads: () => reads }
  const cache = (bytes: number): void => void (atHand = bytes)
  return { content, socket, arena, lent, writer, plan, cache, ended: writer.run(), ...counts }
}

test('an answer that is at hand and that the socket takes is over at once, without a reader', async () => {
  const { content, socket, ended, opened } = rig(70_000, Number.POSITIVE_INFINITY, 'bytes=1000-66535', 70_000)
  assert.equal(ended, undefined)
  assert.equal(socket.done, true)
  assert.equal(opened(), 0)
  assert.ok(Buffer.concat(socket.taken).equals(content.subarray(1000, 66_536)))
})

test('an answer at hand is two calls of the native side: the whole head, and the body', () => {
  const { socket } = rig(70_000, Number.POSITIVE_INFINITY, 'bytes=1000-66535', 70_000)
  const [head = '', ...others] = socket.writes
  assert.deepEqual(others, ['tryEnd'])
  const lines = head.split('\r\n')
  assert.equal(lines[0], '206 Partial Content')
  assert.ok(lines.includes('Content-Range: bytes 1000-66535/70000') && lines.includes('ETag: "t"'), head)
})

test('the part of the shared buffer that was asked for last is kept', () => {
  const scratch = new Scratch(new Uint8Array(10))
  const part = scratch.first(4)
  assert.equal(scratch.first(4), part)
  assert.deepEqual([part.length, part.buffer, scratch.first(5).length], [4, scratch.bytes.buffer, 5])
  assert.equal(scratch.first(10).length, 10)
})

test('an answer at hand that the socket does not take has a reader from then on', async () => {
  const { content, socket, ended, opened, closed } = rig(150_000, 50_000, '', 150_000)
  assert.equal(opened(), 1)
  socket.writable(Number.POSITIVE_INFINITY)
  await ended
  assert.equal(closed(), 1)
  assert.ok(Buffer.concat(socket.taken).equals(content))
})

test('a short rest of a blocked answer goes straight to the socket when it has room', async () => {
  const { content, socket, arena, ended, closed } = rig(300_000, 295_000)
  await until(() => socket.offset === 295_000 && arena.freeCount === 2)
  socket.writable(2000)
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(socket.offset, 297_000)
  assert.equal(socket.done, false)
  socket.writable(10_000)
  await ended
  assert.equal(socket.bufferedWhileFull, false)
  assert.ok(Buffer.concat(socket.taken).equals(content))
  assert.equal(closed(), 1)
})

test('no short chunk is left for the end of a long answer', async () => {
  const { content, socket, ended } = rig(2 * 256 * 1024 + 700, Number.POSITIVE_INFINITY)
  await ended
  assert.ok(Buffer.concat(socket.taken).equals(content))
  const last = socket.taken.at(-1)
  assert.ok(last !== undefined && last.length > CORK_BYTES)
})

test('a blocked answer holds no slot and goes on where the socket stopped', async () => {
  const { content, socket, arena, ended } = rig(3_000_000, 100_000)
  while (!socket.done) {
    await until(() => socket.done || (socket.room === 0 && arena.freeCount === 2))
    if (!socket.done) socket.writable(130_001)
    await new Promise(resolve => setImmediate(resolve))
  }
  await ended
  assert.ok(Buffer.concat(socket.taken).equals(content))
})

test('a multipart answer is complete however the socket cuts it', async () => {
  const { content, socket, arena, plan, ended } = rig(600_000, 10, 'bytes=0-99999,300000-599999,5-5')
  while (!socket.done) {
    await until(() => socket.done || (socket.room === 0 && arena.freeCount === 2))
    if (!socket.done) socket.writable(40_000)
    await new Promise(resolve => setImmediate(resolve))
  }
  await ended
  const body = Buffer.concat(socket.taken)
  assert.equal(body.length, plan.length)
  const expected = plan.parts.map(part =>
    part.kind === 'text' ? part.bytes : content.subarray(part.range.start, part.range.end),
  )
  assert.ok(body.equals(Buffer.concat(expected)))
})

test('a client that goes while blocked ends the writer', async () => {
  const { socket, arena, ended, closed } = rig(3_000_000, 100_000)
  await until(() => socket.room === 0 && arena.freeCount === 2)
  socket.onAborted()
  await ended
  assert.equal(closed(), 1)
})

test('bytes at hand need no slot, whatever the socket takes; the rest comes through slots', async () => {
  const { content, socket, arena, ended } = rig(1_500_000, 50_000, '', 900_000)
  let slots = 0
  const lease = arena.lease.bind(arena)
  arena.lease = () => {
    slots += 1
    return lease()
  }
  while (!socket.done) {
    await until(() => socket.done || socket.room === 0)
    if (socket.offset < 850_000) assert.equal(slots, 0)
    if (!socket.done) socket.writable(60_000)
    await new Promise(resolve => setImmediate(resolve))
  }
  await ended
  assert.ok(slots > 0)
  assert.equal(socket.bufferedWhileFull, false)
  assert.ok(Buffer.concat(socket.taken).equals(content))
})

test('bytes at hand share the turns of the loop: one stream does not write more than its turn', async () => {
  const size = 12 * 1024 * 1024
  const { content, socket, ended } = rig(size, Number.POSITIVE_INFINITY, '', size)
  assert.ok(socket.offset > 0 && socket.offset < size / 2, `${socket.offset} bytes in the first turn`)
  await ended
  assert.ok(Buffer.concat(socket.taken).equals(content))
})

test('a cached part that would leave a short rest is left to the slow way', async () => {
  const { content, socket, ended } = rig(180_000, Number.POSITIVE_INFINITY, '', 175_000)
  await ended
  assert.equal(socket.taken[0]?.length, 180_000)
  assert.ok(Buffer.concat(socket.taken).equals(content))
})

test('an answer that only had to wait for its turn has no reader either', async () => {
  const size = 12 * 1024 * 1024
  const schedule = new StreamSchedule(realClock, 60_000)
  assert.equal(schedule.turn(size), undefined)
  const { content, ended, socket, opened } = rig(70_000, Number.POSITIVE_INFINITY, '', 70_000, schedule)
  assert.equal(socket.offset, 0)
  await ended
  assert.equal(opened(), 0)
  assert.ok(Buffer.concat(socket.taken).equals(content))
})

test('a client that goes before the turn of its answer leaves nothing behind', async () => {
  const schedule = new StreamSchedule(realClock, 60_000)
  assert.equal(schedule.turn(12 * 1024 * 1024), undefined)
  const { ended, socket, opened } = rig(70_000, Number.POSITIVE_INFINITY, '', 70_000, schedule)
  socket.onAborted()
  await ended
  assert.equal(opened(), 0)
  assert.equal(socket.taken.length, 0)
})

test('an answer that waited for a slot looks again whether its bytes are at hand by then', async () => {
  for (const [cached, reads] of [
    [200_000, 0],
    [0, 1],
  ] as const) {
    const room = Number.POSITIVE_INFINITY
    const at = rig(200_000, room, '', 0, new StreamSchedule(realClock, 60_000), 2)
    assert.equal(at.socket.offset, 0)
    // Another answer had the file opened, or not.
    at.cache(cached)
    for (const slot of at.lent) at.arena.release(slot)
    await at.ended
    assert.ok(Buffer.concat(at.socket.taken).equals(at.content))
    assert.equal(at.reads(), reads)
    assert.equal(at.arena.freeCount, 2)
  }
})
