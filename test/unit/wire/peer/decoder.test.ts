// The stream decoder: every message, any chunking, block payload straight to its target, bounds, and little garbage.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { type BlockSink, type MessageSink, messageLimit, PeerDecoder } from '../../../../src/wire/peer/decoder.ts'
import {
  encodeAllowedFast,
  encodeBitfield,
  encodeCancel,
  encodeExtended,
  encodeHashes,
  encodeHashReject,
  encodeHashRequest,
  encodeHave,
  encodeKeepAlive,
  encodePieceHead,
  encodePlain,
  encodePort,
  encodeReject,
  encodeRequest,
  encodeSuggest,
  type PeerMessage,
} from '../../../../src/wire/peer/messages.ts'
import { seededBytes } from '../../../kit/content/make-torrent.ts'

type Seen = PeerMessage | { type: 'block'; piece: number; begin: number; data: Uint8Array | null }

/** Records everything, copying views; stores blocks unless `skip`. */
class Recorder implements MessageSink, BlockSink {
  readonly seen: Seen[] = []
  skip = false
  #target: Uint8Array | null = null

  message(message: PeerMessage): void {
    if (message.type === 'bitfield') this.seen.push({ ...message, bits: new Uint8Array(message.bits) })
    else if (message.type === 'extended') this.seen.push({ ...message, payload: new Uint8Array(message.payload) })
    else if ('root' in message) {
      const root = new Uint8Array(message.root)
      if (message.type === 'hashes') this.seen.push({ ...message, root, hashes: new Uint8Array(message.hashes) })
      else this.seen.push({ ...message, root })
    } else this.seen.push(message)
  }

  blockStart(_piece: number, _begin: number, length: number): Uint8Array | null {
    this.#target = this.skip ? null : new Uint8Array(length)
    return this.#target
  }

  blockEnd(piece: number, begin: number, length: number, stored: boolean): void {
    assert.equal(stored, this.#target !== null)
    if (this.#target) assert.equal(this.#target.length, length)
    this.seen.push({ type: 'block', piece, begin, data: this.#target })
  }
}

const BLOCK = seededBytes(16384)

const RANGE = { root: seededBytes(32), baseLayer: 2, index: 0xfffffe00, count: 2, proofLayers: 30 }
const HASHES = seededBytes(96, 2)

const STREAM = Buffer.concat([
  encodeHashRequest(RANGE),
  encodeHashes(RANGE, HASHES),
  encodeHashes(RANGE, new Uint8Array(0)),
  encodeHashReject(RANGE),
  encodeKeepAlive(),
  ...(['choke', 'unchoke', 'interested', 'not-interested', 'have-all', 'have-none'] as const).map(encodePlain),
  encodeHave(0xfffffffe),
  encodeBitfield(Uint8Array.of(0xf0, 0x01)),
  encodeRequest(1, 16384, 16383),
  encodePieceHead(3, 32768, BLOCK.length),
  BLOCK,
  encodeCancel(1, 2, 3),
  encodePieceHead(4, 0, 0),
  encodePort(6881),
  encodeSuggest(7),
  encodeReject(4, 5, 6),
  encodeAllowedFast(8),
  encodeExtended(1, Buffer.from('de')),
  Buffer.from([0, 0, 0, 3, 99, 1, 2]),
  encodePieceHead(5, 1, 3),
  Buffer.from('abc'),
])

const EXPECTED: Seen[] = [
  { type: 'hash-request', ...RANGE },
  { type: 'hashes', ...RANGE, hashes: HASHES },
  { type: 'hashes', ...RANGE, hashes: new Uint8Array(0) },
  { type: 'hash-reject', ...RANGE },
  { type: 'keep-alive' },
  { type: 'choke' },
  { type: 'unchoke' },
  { type: 'interested' },
  { type: 'not-interested' },
  { type: 'have-all' },
  { type: 'have-none' },
  { type: 'have', piece: 0xfffffffe },
  { type: 'bitfield', bits: Uint8Array.of(0xf0, 0x01) },
  { type: 'request', piece: 1, begin: 16384, length: 16383 },
  { type: 'block', piece: 3, begin: 32768, data: BLOCK },
  { type: 'cancel', piece: 1, begin: 2, length: 3 },
  { type: 'block', piece: 4, begin: 0, data: new Uint8Array(0) },
  { type: 'port', port: 6881 },
  { type: 'suggest', piece: 7 },
  { type: 'reject', piece: 4, begin: 5, length: 6 },
  { type: 'allowed-fast', piece: 8 },
  { type: 'extended', id: 1, payload: new Uint8Array(Buffer.from('de')) },
  { type: 'unknown', id: 99 },
  { type: 'block', piece: 5, begin: 1, data: new Uint8Array(Buffer.from('abc')) },
]

function decoder(sink: MessageSink & BlockSink, maxMessageBytes = 65536): PeerDecoder {
  return new PeerDecoder(sink, sink, { maxMessageBytes })
}

test('the spelling on the wire is that of the BEPs', () => {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
  assert.equal(hex(encodeKeepAlive()), '00000000')
  assert.equal(hex(encodePlain('interested')), '0000000102')
  assert.equal(hex(encodeHave(5)), '000000050400000005')
  assert.equal(hex(encodeRequest(1, 0x4000, 0x4000)), '0000000d06000000010000400000004000')
  assert.equal(hex(encodePieceHead(1, 0x4000, 0x4000)), '00004009070000000100004000')
  assert.equal(hex(encodeCancel(1, 0, 1)), '0000000d08000000010000000000000001')
  assert.equal(hex(encodePort(6881)), '00000003091ae1')
  assert.equal(hex(encodePlain('have-all')), '000000010e')
  assert.equal(hex(encodePlain('have-none')), '000000010f')
  assert.equal(hex(encodeSuggest(1)), '000000050d00000001')
  assert.equal(hex(encodeReject(1, 0, 1)), '0000000d10000000010000000000000001')
  assert.equal(hex(encodeAllowedFast(1)), '000000051100000001')
  assert.equal(hex(encodeExtended(3, Buffer.from('de'))), '0000000414036465')
  const range = { root: new Uint8Array(32).fill(0xab), baseLayer: 1, index: 2, count: 3, proofLayers: 4 }
  const named = `${'ab'.repeat(32)}00000001000000020000000300000004`
  assert.equal(hex(encodeHashRequest(range)), `0000003115${named}`)
  assert.equal(hex(encodeHashes(range, new Uint8Array(32).fill(0xcd))), `0000005116${named}${'cd'.repeat(32)}`)
  assert.equal(hex(encodeHashReject(range)), `0000003117${named}`)
  assert.throws(() => encodeHashRequest({ ...range, root: new Uint8Array(20) }), RangeError)
})

test('messages on hashes must have the length of their kind', () => {
  const request = encodeHashRequest(RANGE).subarray(4)
  for (const [id, good] of [
    [21, 49],
    [22, 49],
    [22, 81],
    [23, 49],
  ] as const) {
    for (const length of [good - 1, good, good + 1]) {
      const body = new Uint8Array(length)
      body.set(request.subarray(0, length))
      body[0] = id
      const frame = Buffer.concat([Buffer.of(0, 0, 0, length), body])
      const push = () => decoder(new Recorder()).push(frame)
      if (length === good) assert.doesNotThrow(push)
      else assert.throws(push, DecodeError, `${id} of ${length} bytes`)
    }
  }
})

test('reads every message out of one chunk', () => {
  const sink = new Recorder()
  decoder(sink).push(STREAM)
  assert.deepEqual(sink.seen, EXPECTED)
})

test('reads the same whatever the chunks are', () => {
  for (const size of [1, 2, 3, 5, 7, 13, 17, 1000, 16384, 16397]) {
    const sink = new Recorder()
    const peer = decoder(sink)
    // One memory for all chunks, as a socket's: nothing may be kept from an earlier one.
    const chunk = new Uint8Array(size)
    for (let at = 0; at < STREAM.length; at += size) {
      const part = STREAM.subarray(at, at + size)
      chunk.set(part)
      peer.push(chunk.subarray(0, part.length))
      chunk.fill(0xee)
    }
    assert.deepEqual(sink.seen, EXPECTED, `chunks of ${size}`)
  }
})

test('blocks nobody wants are passed over', () => {
  const sink = new Recorder()
  sink.skip = true
  decoder(sink).push(STREAM)
  assert.deepEqual(
    sink.seen,
    EXPECTED.map(seen => (seen.type === 'block' ? { ...seen, data: null } : seen)),
  )
})

test('tells of the block that is coming in, and can drop it', () => {
  const target = new Uint8Array(16384)
  const ends: boolean[] = []
  const peer = decoder({ message() {}, blockStart: () => target, blockEnd: (_p, _b, _l, stored) => ends.push(stored) })
  const message = Buffer.concat([encodePieceHead(9, 16384, 16384), BLOCK])
  assert.equal(peer.blockInProgress, null)
  peer.push(message.subarray(0, 13))
  assert.deepEqual(peer.blockInProgress, { piece: 9, begin: 16384, length: 16384, received: 0 })
  peer.push(message.subarray(13, 1013))
  assert.deepEqual(peer.blockInProgress, { piece: 9, begin: 16384, length: 16384, received: 1000 })
  peer.dropBlock()
  peer.push(message.subarray(1013))
  assert.equal(peer.blockInProgress, null)
  assert.deepEqual(ends, [false])
  assert.deepEqual(target.subarray(1000), new Uint8Array(15384), 'nothing written after the drop')
  peer.push(message)
  assert.deepEqual(ends, [false, true])
  assert.deepEqual(target, BLOCK)
})

test('garbage and over-long messages end decoding', () => {
  const bad: Record<string, Uint8Array> = {
    'over the limit': Buffer.from([0, 1, 0, 1, 20]),
    'block over the limit': encodePieceHead(0, 0, 65536),
    http: Buffer.from('GET / HTTP/1.1'),
    'piece without head': Buffer.from([0, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0]),
    'long choke': Buffer.from([0, 0, 0, 2, 0, 0]),
    'short have': Buffer.from([0, 0, 0, 4, 4, 0, 0, 0]),
    'long have': Buffer.from([0, 0, 0, 6, 4, 0, 0, 0, 0, 0]),
    'short request': Buffer.from([0, 0, 0, 5, 6, 0, 0, 0, 0]),
    'short port': Buffer.from([0, 0, 0, 2, 9, 0]),
    'extended without id': Buffer.from([0, 0, 0, 1, 20]),
  }
  for (const [what, bytes] of Object.entries(bad)) {
    for (const size of [1, bytes.length]) {
      const sink = new Recorder()
      const peer = decoder(sink)
      const push = (): void => {
        for (let at = 0; at < bytes.length; at += size) peer.push(bytes.subarray(at, at + size))
      }
      assert.throws(push, DecodeError, what)
      peer.push(encodeHave(1))
      assert.deepEqual(sink.seen, [], `${what}: nothing after the error`)
    }
  }
})

test('the sink may stop decoding in the middle of a chunk', () => {
  let calls = 0
  const peer: PeerDecoder = decoder({ message: () => (++calls, peer.stop()), blockStart: () => null, blockEnd() {} })
  peer.push(Buffer.concat([encodeHave(1), encodeHave(2)]))
  peer.push(encodeHave(3))
  assert.equal(calls, 1)
})

test('a stop while a block begins ends it unheard', () => {
  const peer: PeerDecoder = decoder({
    message: () => assert.fail(),
    blockStart: () => (peer.stop(), null),
    blockEnd: () => assert.fail(),
  })
  peer.push(Buffer.concat([encodePieceHead(0, 0, 3), Buffer.from('abc'), encodeHave(1)]))
})

test('limits leave room for the bitfield', () => {
  assert.equal(messageLimit(10), 65536)
  assert.equal(messageLimit(800_000), 100_001)
  assert.ok(messageLimit(null) >= 104_858)
})

test('an announced length costs no memory before its bytes come', () => {
  const before = process.memoryUsage().arrayBuffers
  const peers = Array.from({ length: 1000 }, () => {
    const peer = decoder(new Recorder(), 1 << 20)
    peer.push(Buffer.from([0, 0x0f, 0xff, 0xff, 20, 1]))
    return peer
  })
  assert.ok(process.memoryUsage().arrayBuffers - before < 4 << 20)
  assert.equal(peers.length, 1000)
})

test('a chunk of 64 KiB with four blocks makes next to no garbage', () => {
  const target = new Uint8Array(16384)
  const sink: MessageSink & BlockSink = { message() {}, blockStart: () => target, blockEnd() {} }
  const peer = decoder(sink)
  const chunk = Buffer.concat(
    Array.from({ length: 4 }, (_, index) => [encodePieceHead(1, index * 16384, 16384), BLOCK]).flat(),
  )
  for (let warm = 0; warm < 2000; warm++) peer.push(chunk)
  const before = process.memoryUsage().heapUsed
  for (let round = 0; round < 500; round++) peer.push(chunk)
  const perBlock = (process.memoryUsage().heapUsed - before) / 2000
  assert.ok(perBlock < 1000, `${perBlock} bytes of garbage a block`)
})
