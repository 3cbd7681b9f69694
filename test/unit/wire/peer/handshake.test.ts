// The 68 bytes that open a connection, and this node's peer id in them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { parseInfoHash } from '../../../../src/base/ids.ts'
import {
  decodeHandshake,
  encodeHandshake,
  HANDSHAKE_BYTES,
  startsLikeHandshake,
} from '../../../../src/wire/peer/handshake.ts'

const infoHash = parseInfoHash('c12fe1c06bba254a9dc9f519b335aa7c1367a88a')
assert.ok(infoHash)
const peerId = Buffer.from('-TB0100-abcdefghijkl')

test('spells the handshake as the BEPs do', () => {
  const bytes = encodeHandshake({ infoHash, peerId, extensions: { fast: true, extended: true, dht: true } })
  const expected = `13${Buffer.from('BitTorrent protocol').toString('hex')}0000000000100005${infoHash}${peerId.toString('hex')}`
  assert.equal(Buffer.from(bytes).toString('hex'), expected)
})

test('reads back each extension alone', () => {
  for (const extensions of [
    { fast: false, extended: false, dht: false, v2: false },
    { fast: true, extended: false, dht: false, v2: false },
    { fast: false, extended: true, dht: false, v2: false },
    { fast: false, extended: false, dht: true, v2: false },
    { fast: false, extended: false, dht: false, v2: true },
  ]) {
    const bytes = encodeHandshake({ infoHash, peerId, extensions })
    const { peerId: id, ...rest } = decodeHandshake(bytes)
    bytes.fill(0)
    assert.deepEqual(rest, { infoHash, extensions })
    assert.deepEqual(Buffer.from(id), peerId, 'the id is a copy')
  }
})

test('the bit of v2 is the fourth most significant of the last byte (BEP 52)', () => {
  const extensions = { fast: false, extended: false, dht: false, v2: true }
  const bytes = encodeHandshake({ infoHash, peerId, extensions })
  assert.equal(Buffer.from(bytes.subarray(20, 28)).toString('hex'), '0000000000000010')
})

test('refuses other protocols, as soon as they show', () => {
  const bytes = encodeHandshake({ infoHash, peerId, extensions: { fast: true, extended: true, dht: false } })
  assert.equal(bytes.length, HANDSHAKE_BYTES)
  assert.throws(() => decodeHandshake(bytes.subarray(1)), DecodeError)
  const other = new Uint8Array(bytes)
  other[19] = 0x6d
  assert.throws(() => decodeHandshake(other), DecodeError)
  assert.equal(startsLikeHandshake(bytes.subarray(0, 5)), true)
  assert.equal(startsLikeHandshake(new Uint8Array(0)), true)
  assert.equal(startsLikeHandshake(Buffer.from('GET /')), false)
})

test('a peer id of another length is a bug', () => {
  const extensions = { fast: true, extended: true, dht: false }
  assert.throws(() => encodeHandshake({ infoHash, peerId: peerId.subarray(1), extensions }), RangeError)
})
