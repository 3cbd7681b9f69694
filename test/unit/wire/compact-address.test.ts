// Addresses as text and bytes, and compact peer lists.

import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import {
  canonicalIp,
  decodeCompactPeers,
  encodeCompactPeer,
  formatIp,
  isPeerIp,
  parseIp,
} from '../../../src/wire/net/compact-address.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

test('text of addresses is canonical (RFC 5952)', () => {
  const cases: Record<string, string> = {
    '127.0.0.1': '127.0.0.1',
    '2001:0DB8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    '2001:db8:0:1:1:1:1:1': '2001:db8:0:1:1:1:1:1',
    '0:0:0:0:0:0:0:0': '::',
    '::1': '::1',
    'fe80::': 'fe80::',
    '::ffff:10.1.2.3': '10.1.2.3',
    '64:ff9b::1.2.3.4': '64:ff9b::102:304',
    '1::2:3:4:5:6:7': '1:0:2:3:4:5:6:7',
  }
  for (const [text, canonical] of Object.entries(cases)) assert.equal(canonicalIp(text), canonical, text)
})

test('what is no plain literal is none', () => {
  const wrong = [
    '',
    'a',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4 ',
    ':',
    ':::',
    '1:2',
    '1::2::3',
  ]
  const wrong6 = [
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '12345::',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    'fe80::1%eth0',
  ]
  for (const text of [...wrong, ...wrong6]) assert.equal(parseIp(text), null, text)
})

test('random addresses survive bytes -> text -> bytes, and the platform reads the text', () => {
  const random = new SeededRandom(11)
  for (let i = 0; i < 2_000; i++) {
    const bytes = random.bytes(i % 2 === 0 ? 4 : 16)
    for (let k = 0; k < bytes.length; k++) if (random.below(2) === 0) bytes[k] = 0
    const text = formatIp(bytes)
    assert.notEqual(isIP(text), 0, text)
    if (isIP(text) === (bytes.length === 4 ? 4 : 6)) assert.deepEqual(parseIp(text), bytes, text)
  }
})

test('compact lists: v4, v6, doubles, what cannot be a peer, the limit, wrong lengths', () => {
  const one = encodeCompactPeer({ ip: '10.0.0.1', port: 6_881 })
  const six = encodeCompactPeer({ ip: '2001:db8::5', port: 1 })
  assert.deepEqual(decodeCompactPeers(one, 4, 10), [{ ip: '10.0.0.1', port: 6_881 }])
  assert.deepEqual(decodeCompactPeers(six, 16, 10), [{ ip: '2001:db8::5', port: 1 }])
  const mapped = Buffer.concat([Buffer.from('00000000000000000000ffff0a000002', 'hex'), Buffer.from([0, 9])])
  assert.deepEqual(decodeCompactPeers(mapped, 16, 10), [{ ip: '10.0.0.2', port: 9 }])
  const useless = ['0.0.0.0', '224.0.0.1', '255.255.255.255'].map(ip => encodeCompactPeer({ ip, port: 5 }))
  useless.push(encodeCompactPeer({ ip: '10.0.0.9', port: 0 }))
  assert.deepEqual(decodeCompactPeers(Buffer.concat([one, ...useless, one]), 4, 10), [{ ip: '10.0.0.1', port: 6_881 }])
  for (const ip of ['::', 'ff02::1', 'fe80::1']) assert.equal(isPeerIp(parseIp(ip) ?? one), false, ip)
  const many = Buffer.concat(Array.from({ length: 300 }, (_, i) => Buffer.from([10, 0, i >> 8, i & 255, 1, 1])))
  assert.equal(decodeCompactPeers(many, 4, 100).length, 100)
  assert.throws(() => decodeCompactPeers(one.subarray(1), 4, 10), DecodeError)
  assert.throws(() => encodeCompactPeer({ ip: 'name', port: 1 }), RangeError)
})
