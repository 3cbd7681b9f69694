// What one peer is sent of what it asked for: runs at hand in one write, the rest in the background; a peer that does
// not read holds one slot, a choke takes back what is queued, and many peers share a turn of the loop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedArena } from '../../../src/pools/arena.ts'
import type { PieceStore } from '../../../src/ports/piece-store.ts'
import type { TcpStream } from '../../../src/ports/tcp.ts'
import { PeerLink } from '../../../src/torrent/peers/peer-link.ts'
import { PeerUploads } from '../../../src/torrent/peers/peer-uploads.ts'
import type { UploadRequest } from '../../../src/base/request-queue.ts'
import { RateLimiter } from '../../../src/base/rate-limiter.ts'
import { TurnEnd } from '../../../src/base/turn-end.ts'
import { UploadSlots } from '../../../src/torrent/peers/upload-slots.ts'
import { encodePieceHead } from '../../../src/wire/peer/messages.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const BLOCK = 16 * 1024
const PIECE_LENGTH = 2 ** 20
const content = (offset: number): number => (offset * 31 + (offset >> 12)) & 255

/** A stream whose kernel takes everything at once while `takes`, and nothing otherwise. */
class FakeStream implements TcpStream {
  readonly remote = { ip: '10.0.0.1', port: 1 }
  readonly incoming = true
  takes = true
  readonly writes: Uint8Array[] = []
  bufferedBytes = 0
  readonly #held: (() => void)[] = []

  write(bytes: Uint8Array, sent?: () => void): boolean {
    const at = this.writes.push(this.takes ? bytes.slice() : bytes) - 1
    if (this.takes) process.nextTick(() => sent?.())
    else {
      this.bufferedBytes += bytes.length
      // What goes out is what lies there then.
      this.#held.push(() => {
        this.writes[at] = bytes.slice()
        sent?.()
      })
    }
    return this.takes
  }

  /** The kernel takes what it was given. */
  take(): void {
    this.bufferedBytes = 0
    for (const sent of this.#held.splice(0)) sent()
  }

  cork(): void {}
  uncork(): void {}
  pause(): void {}
  resume(): void {}
  destroy(): void {}
}

/** A disk of which `cached` bytes from the start lie in memory. */
class FakeStore {
  cached = Number.POSITIVE_INFINITY
  readsInBackground = 0

  readPartsNow(offset: number, parts: readonly Uint8Array[]): number {
    let at = offset
    for (const part of parts) for (let i = 0; i < part.length && at < this.cached; i += 1) part[i] = content(at++)
    return at - offset
  }

  async read(offset: number, length: number, _arena: unknown, slot: { bytes: Uint8Array }): Promise<number> {
    this.readsInBackground += 1
    for (let i = 0; i < length; i += 1) slot.bytes[i] = content(offset + i)
    return length
  }
}

class Rig {
  readonly clock = new VirtualClock()
  readonly arena = new SharedArena({ id: 'range', bytes: 8 * 2 ** 20 })
  readonly slots: UploadSlots
  readonly store = new FakeStore()
  readonly limiter: RateLimiter
  readonly turnEnd = new TurnEnd(error => assert.fail(String(error)))
  uploaded = 0
  /** What the work of this turn has taken, beside the clock's time. */
  spentMs = 0

  constructor(options: { readonly slots?: number; readonly rate?: number } = {}) {
    const clock = {
      now: () => this.clock.now() + this.spentMs,
      after: (ms: number, run: () => void) => this.clock.after(ms, run),
    }
    this.slots = new UploadSlots(this.arena, options.slots ?? 8, this.turnEnd, clock)
    this.limiter = new RateLimiter(options.rate ?? 0)
  }

  peer(rate = 1e9): { uploads: PeerUploads; stream: FakeStream } {
    const stream = new FakeStream()
    const nobody = { opened: () => undefined, handshake: () => null, failed: () => undefined }
    const deps = { turnEnd: this.turnEnd, now: () => this.clock.now(), defect: assert.fail }
    const uploads = new PeerUploads(new PeerLink(nobody, deps).attach(stream), true)
    uploads.setSource({
      slots: this.slots,
      limiter: this.limiter,
      pieceLength: PIECE_LENGTH,
      store: this.store as unknown as PieceStore,
      now: () => this.clock.now(),
      rate: () => rate,
      uploaded: bytes => (this.uploaded += bytes),
      storeFailed: error => assert.fail(String(error)),
    })
    return { uploads, stream }
  }
}

const blocks = (count: number, from = 0): UploadRequest[] =>
  Array.from({ length: count }, (_, i) => {
    const offset = (from + i) * BLOCK
    return { piece: Math.floor(offset / PIECE_LENGTH), begin: offset % PIECE_LENGTH, length: BLOCK }
  })

const onTheWire = (requests: readonly UploadRequest[]): Buffer =>
  Buffer.concat(
    requests.flatMap(({ piece, begin, length }) => [
      encodePieceHead(piece, begin, length),
      Uint8Array.from({ length }, (_, i) => content(piece * PIECE_LENGTH + begin + i)),
    ]),
  )

const settled = () => new Promise(resolve => setImmediate(resolve))

test('neighbouring blocks at hand go out in one write a slot, heads and all', () => {
  const rig = new Rig()
  const { uploads, stream } = rig.peer()
  const asked = [...blocks(40), ...blocks(1, 100)]
  for (const request of asked) assert.ok(uploads.add(request))
  uploads.uploadGoOn()
  assert.ok(Buffer.concat(stream.writes).equals(onTheWire(asked)))
  assert.deepEqual(
    stream.writes.map(bytes => bytes.length / (BLOCK + 13)),
    [15, 15, 10, 1],
  )
  assert.equal(rig.store.readsInBackground, 0)
  assert.equal(rig.slots.leased, 0)
  assert.equal(rig.uploaded, 41 * BLOCK)
})

test('what is at hand goes out, the rest is read in the background, each block once', async () => {
  const rig = new Rig()
  rig.store.cached = 5 * BLOCK + 100
  const { uploads, stream } = rig.peer()
  for (const request of blocks(12)) uploads.add(request)
  uploads.uploadGoOn()
  assert.ok(Buffer.concat(stream.writes).equals(onTheWire(blocks(5))))
  await settled()
  assert.ok(Buffer.concat(stream.writes).equals(onTheWire(blocks(12))))
  assert.equal(rig.store.readsInBackground, 1)
  await settled()
  assert.equal(rig.slots.leased, 0)
})

test('a peer that does not read holds one slot, whatever it asks for, and goes on when it reads', () => {
  const rig = new Rig()
  const { uploads, stream } = rig.peer()
  stream.takes = false
  for (const request of blocks(60)) uploads.add(request)
  for (let i = 0; i < 5; i += 1) uploads.uploadGoOn()
  assert.equal(rig.slots.leased, 1)
  assert.equal(stream.writes.length, 1)
  stream.take()
  assert.equal(stream.writes.length, 2)
  assert.equal(rig.slots.leased, 1)
  stream.takes = true
  stream.take()
  assert.ok(Buffer.concat(stream.writes).equals(onTheWire(blocks(60))))
})

test('a choke takes back what is queued, and what was handed over is not answered twice', () => {
  const rig = new Rig()
  const { uploads, stream } = rig.peer()
  stream.takes = false
  for (const request of blocks(40)) uploads.add(request)
  uploads.uploadGoOn()
  uploads.clear(() => false)
  assert.equal(uploads.length, 0)
  stream.take()
  assert.equal(stream.writes.length, 1)
  assert.equal(rig.slots.leased, 0)
})

test('more peers than slots: each is served in the end', async () => {
  const rig = new Rig({ slots: 2 })
  const peers = Array.from({ length: 8 }, () => rig.peer())
  for (const { uploads, stream } of peers) {
    stream.takes = false
    for (const request of blocks(64)) uploads.add(request)
    uploads.uploadGoOn()
  }
  assert.equal(rig.slots.leased, 2)
  for (let i = 0; i < 200 && peers.some(({ uploads }) => uploads.length > 0); i += 1) {
    for (const { stream } of peers) stream.take()
    await settled()
    await rig.clock.advance(1)
  }
  for (const { stream } of peers) {
    stream.take()
    assert.ok(Buffer.concat(stream.writes).equals(onTheWire(blocks(64))))
  }
  assert.equal(rig.slots.leased, 0)
})

test('a turn of the loop sends a bounded number of bytes, and nobody is passed over', async () => {
  const rig = new Rig()
  const peers = Array.from({ length: 4 }, () => rig.peer())
  for (const { uploads } of peers) {
    for (const request of blocks(300)) uploads.add(request)
    uploads.uploadGoOn()
  }
  const sent = () => peers.map(({ uploads }) => 300 - uploads.length)
  const total = () => sent().reduce((sum, count) => sum + count, 0)
  assert.ok(total() * BLOCK < 2.5 * 2 ** 20, `${total()} blocks in one turn`)
  assert.equal(sent()[1], 0)
  for (let turn = 1; turn < 4; turn += 1) await rig.clock.advance(1)
  assert.ok(
    sent().every(count => count > 0),
    `after four turns: ${sent().join()}`,
  )
  while (total() < 1200) await rig.clock.advance(1)
  assert.equal(rig.slots.leased, 0)
})

test('a turn that takes long ends at half the bytes', () => {
  for (const [ms, most] of [
    [0, 2],
    [1, 1],
  ] as const) {
    const rig = new Rig()
    const read = rig.store.readPartsNow.bind(rig.store)
    rig.store.readPartsNow = (offset, parts) => {
      rig.spentMs += ms
      return read(offset, parts)
    }
    const { uploads } = rig.peer()
    for (const request of blocks(400)) uploads.add(request)
    uploads.uploadGoOn()
    const sent = (400 - uploads.length) * BLOCK
    assert.ok(sent >= most * 2 ** 20 - 15 * BLOCK && sent < most * 2 ** 20 + 15 * BLOCK, `${sent} bytes in ${ms} ms`)
  }
})

test('the rate holds for blocks at hand too', async () => {
  const rig = new Rig({ rate: 100 * 1024 })
  const { uploads } = rig.peer()
  for (const request of blocks(100)) uploads.add(request)
  uploads.uploadGoOn()
  for (let i = 0; i < 40; i += 1) {
    await rig.clock.advance(100)
    rig.slots.tick()
  }
  const most = 100 * 1024 * 4.5 + BLOCK
  assert.ok(rig.uploaded > most * 0.7 && rig.uploaded <= most, `${rig.uploaded} bytes in four seconds`)
})

test('slow peers that do not read hold no slot, at hand or read in the background: others are served', async () => {
  for (const cached of [Number.POSITIVE_INFINITY, 0]) {
    const rig = new Rig({ slots: 2 })
    rig.store.cached = cached
    const slow = Array.from({ length: 8 }, () => rig.peer(0))
    for (const { uploads, stream } of slow) {
      stream.takes = false
      for (const request of blocks(4)) uploads.add(request)
      uploads.uploadGoOn()
      await settled()
    }
    assert.equal(rig.slots.leased, 0)
    const { uploads, stream } = rig.peer()
    for (const request of blocks(2)) uploads.add(request)
    uploads.uploadGoOn()
    await settled()
    assert.deepEqual(Buffer.concat(stream.writes), onTheWire(blocks(2)))
    // What they were sent is theirs alone, whoever used the slot since; the rest comes when they read.
    for (const one of slow) {
      one.stream.takes = true
      one.stream.take()
      await settled()
      assert.deepEqual(Buffer.concat(one.stream.writes), onTheWire(blocks(4)))
    }
  }
})

test('copies for slow peers are bounded: what is beyond stays in its slot', async () => {
  const rig = new Rig({ slots: 8 })
  const stall = () => {
    const peer = rig.peer(0)
    peer.stream.takes = false
    for (const request of blocks(1)) peer.uploads.add(request)
    peer.uploads.uploadGoOn()
    return peer
  }
  // 4 MiB, in blocks with their heads; the loop turns after each.
  const copied = Math.floor((4 * 2 ** 20) / (BLOCK + 13))
  const peers = []
  for (let i = 0; i < copied; i += 1) {
    peers.push(stall())
    await rig.clock.advance(1)
  }
  assert.equal(rig.slots.leased, 0)
  stall()
  assert.equal(rig.slots.leased, 1)
  for (const { stream } of peers) stream.take()
  stall()
  assert.equal(rig.slots.leased, 1)
})

test('a copy whose bytes were taken is used again, one that is on its way is not', () => {
  const { slots } = new Rig()
  const outgoing = (length: number) => {
    const slot = slots.lease({ uploadGoOn: () => undefined })
    assert.ok(slot)
    return slots.outgoing(slot, length, true)
  }
  const first = outgoing(BLOCK)
  const second = outgoing(BLOCK)
  assert.notEqual(second.bytes.buffer, first.bytes.buffer)
  first.sent()
  const third = outgoing(BLOCK / 2)
  assert.equal(third.bytes.buffer, first.bytes.buffer)
  assert.equal(third.bytes.length, BLOCK / 2)
  third.sent()
  // Too short for this one.
  assert.notEqual(outgoing(2 * BLOCK).bytes.buffer, first.bytes.buffer)
})

test('who had no turn goes before who had one: peers that could fill every turn alone are served in rotation', async () => {
  const rig = new Rig()
  const peers = Array.from({ length: 3 }, () => rig.peer())
  for (const { uploads } of peers) {
    for (const request of blocks(512)) uploads.add(request)
    uploads.uploadGoOn()
  }
  const [first, , last] = peers.map(({ stream }) => stream)
  assert.ok(first !== undefined && last !== undefined)
  let before = Number.POSITIVE_INFINITY
  const write = last.write.bind(last)
  last.write = (bytes, sent) => {
    before = Math.min(before, first.writes.length)
    return write(bytes, sent)
  }
  await rig.clock.advance(1)
  // Nine runs fill a turn, and the first was first in the line too.
  assert.ok(before <= 18, `${before} runs of the first before the last had one`)
})

test('the rate pays for what goes out and no more: not for what is not at hand, nor for who finds no slot', async () => {
  const rig = new Rig({ slots: 1 })
  let paid = 0
  rig.limiter.takeAll = (_now, bytes) => {
    paid += bytes
    return true
  }
  rig.limiter.giveBack = bytes => {
    paid -= bytes
  }
  rig.store.cached = BLOCK
  const first = rig.peer()
  for (const request of blocks(4)) first.uploads.add(request)
  first.uploads.uploadGoOn()
  await settled()
  assert.equal(rig.uploaded, 4 * BLOCK)
  assert.equal(paid, rig.uploaded)
  // This one keeps the only slot.
  first.stream.takes = false
  first.uploads.add({ piece: 0, begin: 0, length: BLOCK })
  first.uploads.uploadGoOn()
  const second = rig.peer()
  second.uploads.add({ piece: 0, begin: 0, length: BLOCK })
  second.uploads.uploadGoOn()
  assert.equal(rig.slots.leased, 1)
  assert.equal(paid, rig.uploaded)
})
