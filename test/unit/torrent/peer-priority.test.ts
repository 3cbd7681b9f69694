// Canonical peer priority: the vectors of BEP 40, the masks of both families, symmetry.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_PRIORITY, peerPriority, priorityFrom } from '../../../src/torrent/peers/peer-priority.ts'
import { crc32c } from '../../../src/wire/dht/crc32c.ts'

const at = (ip: string, port = 0) => ({ ip, port })
const hashed = (hex: string): number => crc32c(Buffer.from(hex, 'hex'))

test('the examples of BEP 40', () => {
  assert.equal(peerPriority(at('123.213.32.10'), at('98.76.54.32')), 0xec2d7224)
  assert.equal(peerPriority(at('123.213.32.10'), at('123.213.32.234')), 0x99568189)
})

test('the mask follows the network both are in', () => {
  assert.equal(peerPriority(at('230.120.23.1'), at('230.12.123.3')), hashed('e60c5101e6781501'))
  assert.equal(peerPriority(at('230.12.23.1'), at('230.12.123.3')), hashed('e60c1701e60c7b01'))
  assert.equal(peerPriority(at('230.12.123.1'), at('230.12.123.3')), hashed('e60c7b01e60c7b03'))
  assert.equal(peerPriority(at('230.12.123.3', 0x4d2), at('230.12.123.3', 0x12c)), hashed('012c04d2'))
})

test('IPv6 as libtorrent has it', () => {
  const low = '0000000000000001'
  const priority = (one: string, other: string): number => peerPriority(at(one, 0x4d2), at(other, 0x12c))
  assert.equal(priority('ffff:ffff:ffff:ffff::1', 'ffff:ffff:ffff:ffff::1'), hashed('012c04d2'))
  assert.equal(
    priority('ffff:ffff:ffff:ffff::1', 'ffff:0fff:ffff:ffff::1'),
    hashed(`ffff0fff55555555${low}ffffffff55555555${low}`),
  )
  assert.equal(
    priority('ffff:ffff:ffff:ffff::1', 'ffff:ffff:0fff:ffff::1'),
    hashed(`ffffffff0fff5555${low}ffffffffffff5555${low}`),
  )
  assert.equal(
    priority('ffff:ffff:ffff:ffff::1', 'ffff:ffff:ffff:0fff::1'),
    hashed(`ffffffffffff0fff${low}ffffffffffffffff${low}`),
  )
})

test('both sides come to the same number', () => {
  for (const [one, other] of [
    ['1.2.3.4', '200.100.50.25'],
    ['1.2.3.4', '1.2.200.1'],
    ['2001:db8::1', '2a00:1450::5'],
  ] as const) {
    assert.equal(peerPriority(at(one, 1), at(other, 2)), peerPriority(at(other, 2), at(one, 1)))
  }
})

test('without an address of the same family there is none', () => {
  assert.equal(peerPriority(at('1.2.3.4'), at('2001:db8::1')), NO_PRIORITY)
  assert.equal(peerPriority(at('1.2.3.4'), at('nonsense')), NO_PRIORITY)
  const priorityOf = priorityFrom(family => (family === 4 ? at('123.213.32.10', 6881) : null))
  assert.equal(priorityOf(at('98.76.54.32', 6881)), 0xec2d7224)
  assert.equal(priorityOf(at('2001:db8::1', 6881)), NO_PRIORITY)
})
