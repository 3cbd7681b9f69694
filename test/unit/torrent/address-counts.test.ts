// Counts of connections by address: what is one owner's, what is not counted, and that nothing stays.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressCounts } from '../../../src/torrent/peers/address-counts.ts'

test('an IPv4 address counts in both its spellings, an IPv6 network as one', () => {
  const counts = new AddressCounts()
  counts.add('9.1.0.1')
  counts.add('::ffff:9.1.0.1')
  counts.add('2a00:1:2:3::1')
  counts.add('2a00:1:2:3:ffff::1')
  assert.equal(counts.of('9.1.0.1'), 2)
  assert.equal(counts.of('2a00:1:2:3::9'), 2)
  assert.equal(counts.of('9.1.0.2'), 0)
  assert.equal(counts.of('2a00:1:2:4::1'), 0)
  for (const ip of ['9.1.0.1', '9.1.0.1', '2a00:1:2:3::1', '2a00:1:2:3::1']) counts.remove(ip)
  assert.equal(counts.of('9.1.0.1'), 0)
  assert.equal(counts.of('2a00:1:2:3::9'), 0)
  counts.remove('9.1.0.1')
  counts.add('9.1.0.1')
  assert.equal(counts.of('9.1.0.1'), 1, 'never below nothing')
})

test('local addresses and what is no address are not counted', () => {
  const counts = new AddressCounts()
  for (const ip of ['127.0.0.1', '10.1.2.3', '192.168.1.1', '::1', 'fe80::1', '::ffff:127.0.0.1', 'example.org', '']) {
    counts.add(ip)
    assert.equal(counts.of(ip), 0, ip)
  }
})
