// Which addresses are local: the borders of each range, and other spellings of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLocalIp } from '../../../src/wire/net/local-address.ts'

test('ranges end where they end', () => {
  const local = [
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '169.254.9.9',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    '::ffff:10.0.0.1',
  ]
  const foreign = [
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.0.0.1',
    '169.253.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.0.1',
    '192.169.0.1',
    '8.8.8.8',
    '::2',
    '::',
    '2001:db8::1',
    'fe00::1',
    '::ffff:8.8.8.8',
    'not an address',
  ]
  for (const ip of local) assert.equal(isLocalIp(ip), true, ip)
  for (const ip of foreign) assert.equal(isLocalIp(ip), false, ip)
})
