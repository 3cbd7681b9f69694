// Node ids: distance, depths, and the ids of BEP 42 by its own vectors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIp } from '../../../src/wire/net/compact-address.ts'
import {
  compareDistance,
  ID_BYTES,
  idAtDepth,
  idFitsAddress,
  idForAddress,
  idFromKey,
  idKey,
  isExemptAddress,
  sharedBits,
} from '../../../src/wire/dht/dht-id.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const id = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.padEnd(40, '0'), 'hex'))

/** Address, last byte of the id, id (BEP 42). */
const VECTORS = [
  ['124.31.75.21', 1, '5fbfbff10c5d6a4ec8a88e4c6ab4c28b95eee401'],
  ['21.75.31.124', 86, '5a3ce9c14e7a08645677bbd1cfe7d8f956d53256'],
  ['65.23.51.170', 22, 'a5d43220bc8f112a3d426c84764f8c2a1150e616'],
  ['84.124.73.14', 65, '1b0321dd1bb1fe518101ceef99462b947a01ff41'],
  ['43.213.53.83', 90, 'e56f6cbf5b7c4be0237986d5243b87aa6d51305a'],
] as const

test('the vectors of BEP 42 fit their addresses, and no other id does', () => {
  for (const [ip, last, hex] of VECTORS) {
    const vector = id(hex)
    assert.ok(idFitsAddress(vector, ip), ip)
    for (const bit of [0, 7, 8, 15, 16, 20]) {
      const other = Uint8Array.from(vector)
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7))
      assert.ok(!idFitsAddress(other, ip), `${ip} with bit ${bit} changed`)
    }
    const free = Uint8Array.from(vector)
    free[2] = (free[2] ?? 0) ^ 0x07
    free[10] = (free[10] ?? 0) ^ 0xff
    assert.ok(idFitsAddress(free, ip), 'the bits after the 21st are free')
    const random = new Uint8Array(ID_BYTES).fill(0x55)
    random[ID_BYTES - 1] = last
    const made = idForAddress(parseIp(ip) ?? new Uint8Array(4), random)
    assert.ok(sharedBits(made, vector) >= 21, ip)
    assert.equal(made[ID_BYTES - 1], last)
  }
})

test('ids for IPv6 fit their /64, and a local address takes any id', () => {
  const random = new SeededRandom(7)
  const made = idForAddress(parseIp('2001:470:1:2::3') ?? new Uint8Array(16), random.bytes(ID_BYTES))
  assert.ok(idFitsAddress(made, '2001:470:1:2::3'))
  assert.ok(idFitsAddress(made, '2001:470:1:2:ffff::1'), 'only the upper 64 bits count')
  assert.ok(!idFitsAddress(made, '2001:471:1:2::3'))
  for (const ip of [
    '10.1.2.3',
    '127.0.0.1',
    '172.16.0.1',
    '172.31.9.9',
    '192.168.1.1',
    '169.254.0.9',
    '::1',
    'fd00::1',
  ])
    assert.ok(idFitsAddress(made, ip), ip)
  for (const ip of ['11.0.0.1', '172.32.0.1', '192.169.0.1', '2001:4860::1'])
    assert.ok(!isExemptAddress(parseIp(ip) ?? new Uint8Array(4)), ip)
  assert.ok(!idFitsAddress(made, 'not an address'))
})

test('distance is XOR, compared as a number', () => {
  const target = id('80')
  assert.ok(compareDistance(target, id('81'), id('00')) < 0)
  assert.ok(compareDistance(target, id('00'), id('81')) > 0)
  assert.equal(compareDistance(target, id('12'), id('12')), 0)
  assert.ok(compareDistance(id('00'), id('0000ff'), id('000100')) < 0)
})

test('shared bits, keys, and ids at a depth', () => {
  const random = new SeededRandom(3)
  const own = Uint8Array.from(random.bytes(ID_BYTES))
  assert.equal(sharedBits(own, own), 160)
  assert.equal(sharedBits(id('80'), id('00')), 0)
  assert.equal(sharedBits(id('0001'), id('0000')), 15)
  for (const depth of [0, 1, 7, 8, 63, 159])
    assert.equal(sharedBits(own, idAtDepth(own, depth, random.bytes(ID_BYTES))), depth)
  assert.deepEqual(idFromKey(idKey(own)), own)
  assert.equal(idFromKey('abc'), null)
})
