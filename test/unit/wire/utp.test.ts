// The codec of uTP packets: layout by BEP 29, extensions, what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import {
  decodeUtpPacket,
  encodeUtpPacket,
  isUtp,
  MIN_PADDING_BYTES,
  putPadding,
  putUtpHead,
  readUtpHeader,
  stampUtp,
  UTP_EXTENSION,
  UTP_HEADER_BYTES,
  UTP_TYPE,
  UtpHeader,
  type UtpPacket,
} from '../../../src/wire/net/utp.ts'

const PACKET: UtpPacket = {
  type: UTP_TYPE.data,
  connectionId: 0x1234,
  timestamp: 0xfedcba98,
  difference: 0x01020304,
  window: 0x00100000,
  seq: 0xffff,
  ack: 0x0001,
  extensions: [],
  payload: Buffer.from('hello'),
}

test('a packet has the layout of BEP 29', () => {
  assert.equal(
    Buffer.from(encodeUtpPacket(PACKET)).toString('hex'),
    `01001234fedcba980102030400100000ffff0001${Buffer.from('hello').toString('hex')}`,
  )
  const syn = encodeUtpPacket({ ...PACKET, type: UTP_TYPE.syn, payload: new Uint8Array(0) })
  assert.equal(syn[0], 0x41)
  assert.equal(syn.length, UTP_HEADER_BYTES)
})

test('header and extensions are read where they lie', () => {
  const sack = { type: UTP_EXTENSION.selectiveAck, bytes: Uint8Array.of(1, 2, 3, 4) }
  const reason = { type: UTP_EXTENSION.closeReason, bytes: Uint8Array.of(0, 0, 1, 7) }
  const unknown = { type: 9, bytes: Uint8Array.of(5) }
  const bytes = encodeUtpPacket({ ...PACKET, type: UTP_TYPE.state, extensions: [unknown, sack, reason] })
  const header = new UtpHeader()
  readUtpHeader(bytes, header)
  assert.equal(header.type, UTP_TYPE.state)
  assert.equal(header.connectionId, 0x1234)
  assert.equal(header.timestamp, 0xfedcba98)
  assert.equal(header.difference, 0x01020304)
  assert.equal(header.window, 0x00100000)
  assert.equal(header.seq, 0xffff)
  assert.equal(header.ack, 1)
  assert.equal(header.sackBytes, 4)
  assert.deepEqual([...bytes.subarray(header.sackAt, header.sackAt + 4)], [1, 2, 3, 4])
  assert.equal(header.closeReason, 0x0107)
  assert.equal(Buffer.from(bytes.subarray(header.payloadAt)).toString(), 'hello')
  // Nothing of one packet is left for the next.
  readUtpHeader(encodeUtpPacket(PACKET), header)
  assert.deepEqual([header.sackBytes, header.closeReason, header.payloadAt], [0, 0, UTP_HEADER_BYTES])
})

test('a selective acknowledgement may have any length: libtorrent sends odd ones', () => {
  for (const length of [1, 3, 5, 255]) {
    const extensions = [{ type: UTP_EXTENSION.selectiveAck, bytes: new Uint8Array(length) }]
    const header = new UtpHeader()
    readUtpHeader(encodeUtpPacket({ ...PACKET, extensions }), header)
    assert.equal(header.sackBytes, length)
  }
})

test('what is no uTP packet is recognised by its first byte and length', () => {
  assert.ok(isUtp(encodeUtpPacket(PACKET)))
  assert.ok(!isUtp(encodeUtpPacket(PACKET).subarray(0, UTP_HEADER_BYTES - 1)))
  assert.ok(!isUtp(Buffer.from('d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe')), 'a message of the DHT')
  assert.ok(!isUtp(Buffer.alloc(100)), 'an answer of a tracker')
  assert.ok(!isUtp(Buffer.alloc(100, 0x51)), 'a type that is none')
  assert.ok(!isUtp(Buffer.alloc(100, 0x02)), 'another version')
  assert.ok(!isUtp(new Uint8Array(0)))
})

test('extensions that do not lie within the packet are refused', () => {
  const header = new UtpHeader()
  const cut = Buffer.alloc(UTP_HEADER_BYTES)
  cut[0] = 0x21
  cut[1] = 1
  assert.throws(() => readUtpHeader(cut, header), DecodeError)
  const long = Buffer.concat([cut, Buffer.from([0, 5, 1, 2, 3, 4])])
  assert.throws(() => readUtpHeader(long, header), DecodeError)
  assert.doesNotThrow(() => readUtpHeader(Buffer.concat([long, Buffer.from([5])]), header))
  // A chain that goes on for ever in empty extensions.
  const chain = Buffer.concat([cut, Buffer.from(Array.from({ length: 600 }, (_, at) => (at % 2 === 0 ? 7 : 0)))])
  assert.throws(() => readUtpHeader(chain, header), DecodeError)
})

test('decode undoes encode', () => {
  const extensions = [
    { type: UTP_EXTENSION.padding, bytes: new Uint8Array(255) },
    { type: 2, bytes: new Uint8Array(0) },
    { type: UTP_EXTENSION.selectiveAck, bytes: Uint8Array.of(0xff, 0, 0xff, 0) },
  ]
  const bytes = encodeUtpPacket({ ...PACKET, extensions })
  const again = decodeUtpPacket(bytes)
  assert.deepEqual(
    again.extensions.map(({ type }) => type),
    [0xf0, 2, 1],
  )
  assert.deepEqual(encodeUtpPacket(again), bytes)
})

test('extensions that cannot be written are refused', () => {
  const one = { type: 1, bytes: new Uint8Array(4) }
  assert.throws(() => encodeUtpPacket({ ...PACKET, extensions: [{ type: 0, bytes: new Uint8Array(1) }] }), RangeError)
  assert.throws(() => encodeUtpPacket({ ...PACKET, extensions: [{ type: 1, bytes: new Uint8Array(256) }] }), RangeError)
  assert.throws(() => encodeUtpPacket({ ...PACKET, extensions: Array.from({ length: 17 }, () => one) }), RangeError)
})

test('padding of every size is a chain of extensions that ends where it should', () => {
  const header = new UtpHeader()
  for (let count = MIN_PADDING_BYTES; count <= 1400; count++) {
    const bytes = new Uint8Array(UTP_HEADER_BYTES + count + 3).fill(0xaa)
    putUtpHead(bytes, UTP_TYPE.data, UTP_EXTENSION.bits, 1, 2)
    stampUtp(bytes, 3, 4, 5, 6)
    putPadding(bytes, UTP_HEADER_BYTES, count)
    readUtpHeader(bytes, header)
    assert.equal(header.payloadAt, UTP_HEADER_BYTES + count, `padding of ${count}`)
    // libutp demands it so of extension 2, and takes no other one than 1 and 2 as the first.
    assert.equal(bytes[UTP_HEADER_BYTES + 1], 8)
    assert.deepEqual([header.seq, header.timestamp, header.difference, header.window, header.ack], [2, 3, 4, 5, 6])
  }
})
