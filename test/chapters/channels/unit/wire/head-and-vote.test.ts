// Heads and votes of channels: both ways, signatures, what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DecodeError } from '../../../../../src/base/errors.ts'
import { parseInfoHash } from '../../../../../src/base/ids.ts'
import { encodeBencode } from '../../../../../src/wire/bencode.ts'
import {
  decodeHead,
  encodeHead,
  headFromBytes,
  headToBytes,
  verifyHead,
} from '../../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdOf } from '../../../../../src/chapters/channels/wire/ids.ts'
import { decodeVote, encodeVote, verifyVote } from '../../../../../src/chapters/channels/wire/vote-codec.ts'
import { mutableTarget, signedBytes } from '../../../../../src/wire/dht/dht-item.ts'
import { decodeUpdateItem } from '../../../../../src/wire/update-item.ts'
import { signingKey, verifySignature } from '../../../../kit/doubles/signing-key.ts'

const owner = signingKey(1)
const { publicKey } = owner
const channel = channelIdOf(publicKey)
const pack = parseInfoHash('cd'.repeat(20))
const root = new Uint8Array(32).fill(3)
const head = encodeHead({ publicKey, sequence: 7, records: 5, root, timeS: 1_800_000_000, pack }, owner.sign)

test('a head is a mutable item of the DHT under the id of its channel', () => {
  assert.equal(Buffer.from(mutableTarget(publicKey, new Uint8Array(0))).toString('hex'), channel)
  assert.ok(verifySignature(publicKey, signedBytes(new Uint8Array(0), 7n, head.value), head.signature))
  assert.equal(decodeUpdateItem(head.value), pack)
  assert.ok(verifyHead(head, verifySignature))
})

test('a head is read as it was written, with a pack and without', () => {
  assert.deepEqual(headFromBytes(headToBytes(head)), head)
  const bare = encodeHead({ ...head, pack: null }, owner.sign)
  assert.equal(headFromBytes(headToBytes(bare)).pack, null)
})

test('a head with another sequence, value or key is not signed', () => {
  assert.equal(verifyHead(decodeHead({ ...head, sequence: 8 }), verifySignature), false)
  assert.equal(verifyHead(decodeHead({ ...head, publicKey: signingKey(2).publicKey }), verifySignature), false)
  const other = encodeHead({ ...head, records: 6 }, owner.sign)
  assert.equal(verifyHead(decodeHead({ ...head, value: other.value }), verifySignature), false)
})

test('values that are no heads are refused', () => {
  const good = { ih: new Uint8Array(20), n: 1, r: root, t: 1 }
  const values = [
    { ...good, ih: new Uint8Array(19) },
    { ...good, n: -1 },
    { ...good, n: 1_000_001 },
    { ...good, r: new Uint8Array(31) },
    { ...good, t: -1 },
    { ...good, t: undefined },
    { ...good, extra: 'x'.repeat(1000) },
  ].map(value => encodeBencode(value))
  values.push(Buffer.from('le'), Buffer.from('d1:ni01ee'), Buffer.alloc(0))
  for (const value of values) assert.throws(() => decodeHead({ ...head, value }), DecodeError)
  for (const sequence of [0, -1, 2 ** 53]) assert.throws(() => decodeHead({ ...head, sequence }), DecodeError)
  const known = decodeHead({ ...head, value: encodeBencode({ ...good, zz: 'later' }) })
  assert.equal(known.records, 1)
})

test('a value that is not in order is refused: other nodes would store other bytes', () => {
  const text = Buffer.from(encodeBencode({ n: 1, r: root, t: 1 })).toString('latin1')
  const swapped = Buffer.from(`d1:ti1e${text.slice(1).replace('1:ti1e', '')}`, 'latin1')
  assert.throws(() => decodeHead({ ...head, value: swapped }), DecodeError)
})

test('votes are read as they were written; changed ones are not signed', () => {
  for (const value of [1, 0, -1] as const) {
    const vote = encodeVote({ channel, voter: publicKey, value, timeS: 9 }, owner.sign)
    const read = decodeVote(vote.bytes)
    assert.deepEqual(read, vote)
    assert.equal(read.value, value)
    assert.ok(verifyVote(read, verifySignature))
    const changed = Uint8Array.from(vote.bytes)
    changed[1] = (changed[1] as number) ^ 1
    assert.equal(verifyVote(decodeVote(changed), verifySignature), false)
    changed[53] = 3
    assert.throws(() => decodeVote(changed), DecodeError)
    assert.throws(() => decodeVote(vote.bytes.subarray(1)), DecodeError)
  }
})
