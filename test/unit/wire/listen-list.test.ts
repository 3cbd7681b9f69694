// The text of libtorrent.interface: every form, its canonical text, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { decodeListenList, encodeListenList, MAX_LISTEN_ENTRIES } from '../../../src/wire/net/listen-list.ts'

test('addresses and devices, with ports and without', () => {
  assert.deepEqual(decodeListenList(''), [])
  assert.deepEqual(decodeListenList('  '), [])
  assert.deepEqual(decodeListenList('192.0.2.7'), [{ kind: 'address', name: '192.0.2.7', port: null }])
  assert.deepEqual(decodeListenList('2001:DB8:0::7'), [{ kind: 'address', name: '2001:db8::7', port: null }])
  assert.deepEqual(decodeListenList('tun0, [2001:db8::7]:6881 ,192.0.2.7:1,eth0.7:65535,[::]'), [
    { kind: 'device', name: 'tun0', port: null },
    { kind: 'address', name: '2001:db8::7', port: 6881 },
    { kind: 'address', name: '192.0.2.7', port: 1 },
    { kind: 'device', name: 'eth0.7', port: 65_535 },
    { kind: 'address', name: '::', port: null },
  ])
})

test('equal entries count once', () => {
  assert.equal(decodeListenList('tun0,tun0,[::1],::1,tun0:1').length, 3)
})

test('the canonical text says the same', () => {
  const text = 'tun0,[2001:db8::7]:6881,2001:db8::8,192.0.2.7:1'
  assert.equal(encodeListenList(decodeListenList(text)), text)
})

test('what is no address and no device is refused', () => {
  for (const text of [
    ',',
    'tun0,',
    'tun0:0',
    'tun0:65536',
    'tun0:x',
    'a name',
    '1.2.3',
    '1.2.3.4.5',
    '12345',
    '[tun0]:1',
    '[::1',
    'much-too-long-name',
    'a/b',
    ':1',
    'tun0:1:2',
    Array.from({ length: MAX_LISTEN_ENTRIES + 1 }, (_, n) => `d${n}`).join(','),
    'x'.repeat(2000),
  ]) {
    assert.throws(() => decodeListenList(text), DecodeError, text)
  }
})
