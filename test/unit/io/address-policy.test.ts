// Which addresses are public, private or refused, in every spelling.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'

const expected = {
  public: ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '11.0.0.1', '192.169.0.1'],
  private: [
    '127.0.0.1',
    '127.255.255.255',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:10.0.0.1',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::808:808',
    '2002:7f00:1::1',
    '2002:808:808::1',
    '2001:0:4136:e378:8000:63bf:f7f7:f7f7',
  ],
  refused: [
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '239.255.255.250',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.9',
    '::',
    'ff02::1',
    '2001:db8::1',
    '::ffff:0.0.0.0',
    '::ffff:224.0.0.1',
    '64:ff9b::e000:1',
    '2002:e000:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    'name',
    '',
    '0x7f.1',
    '2130706433',
  ],
} as const

test('the class of each address', () => {
  const policy = new AddressPolicy()
  for (const [name, ips] of Object.entries(expected)) {
    for (const ip of ips) assert.equal(policy.classify(ip), name, ip)
  }
})

test('allowed networks are public, their neighbours are not', () => {
  const policy = new AddressPolicy(['192.168.7.0/24', '127.0.0.1', 'fd00::/16', '64:ff9b::/96', '224.0.0.0/4'])
  for (const ip of ['192.168.7.9', '127.0.0.1', '::ffff:127.0.0.1', 'fd00::5', '64:ff9b::808:808', '64:ff9b::7f00:1']) {
    assert.equal(policy.classify(ip), 'public', ip)
  }
  for (const ip of ['192.168.8.9', '127.0.0.2', 'fd01::5', '64:ff9b::a00:1']) {
    assert.equal(policy.classify(ip), 'private', ip)
  }
  assert.equal(policy.classify('224.0.0.1'), 'refused')
  policy.setAllowed([])
  assert.equal(policy.classify('127.0.0.1'), 'private')
})

test('what is no network is refused, and the old list stays', () => {
  const policy = new AddressPolicy(['10.0.0.0/8'])
  for (const text of ['10.0.0.0/33', '10.0.0/8', 'host', '::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1', '']) {
    assert.throws(() => policy.setAllowed([text]), AppError, text)
  }
  assert.equal(policy.classify('10.0.0.1'), 'public')
})
