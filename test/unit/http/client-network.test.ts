// From where a client comes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork } from '../../../src/http/client-network.ts'

test('an IPv4 address, also in the shape of IPv6, or the network of an IPv6 address', () => {
  assert.equal(clientNetwork(Uint8Array.of(192, 0, 2, 7)), '192.0.2.7')
  assert.equal(clientNetwork(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 7)), '192.0.2.7')
  const network = [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0xab, 0xcd]
  assert.equal(clientNetwork(Uint8Array.of(...network, 1, 2, 3, 4, 5, 6, 7, 8)), '2001:db8:1:abcd::/64')
  assert.equal(clientNetwork(Uint8Array.of(...network, 8, 7, 6, 5, 4, 3, 2, 1)), '2001:db8:1:abcd::/64')
  assert.equal(clientNetwork(new Uint8Array(0)), '')
})
