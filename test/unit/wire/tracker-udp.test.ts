// UDP tracker packets, byte by byte as BEP 15 and 41 draw them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import type { AnnounceRequest } from '../../../src/wire/tracker/tracker-types.ts'
import {
  decodeUdpAnswer,
  encodeUdpAnnounce,
  encodeUdpConnect,
  encodeUdpScrape,
  udpTransactionId,
} from '../../../src/wire/tracker/tracker-udp.ts'

const request: AnnounceRequest = {
  infoHash: Buffer.alloc(20, 0xaa),
  peerId: Buffer.alloc(20, 0xbb),
  port: 0x1ae1,
  uploaded: 3,
  downloaded: 2 ** 40,
  left: 1,
  event: 'started',
  numWant: 50,
  key: 0xdeadbeef,
  trackerId: null,
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

test('connect', () => {
  assert.equal(hex(encodeUdpConnect(0xfffefdfc)), `000004172710198000000000fffefdfc`)
})

test('announce, with URL data in pieces of at most 255 bytes', () => {
  const plain = encodeUdpAnnounce(0x0102030405060708n, 9, request, '')
  const fields = ['0102030405060708', '00000001', '00000009', 'aa'.repeat(20), 'bb'.repeat(20)]
  const counters = ['0000010000000000', '0000000000000001', '0000000000000003', '00000002', '00000000']
  assert.equal(hex(plain), [...fields, ...counters, 'deadbeef', '00000032', '1ae1'].join(''))
  const withUrl = encodeUdpAnnounce(1n, 9, request, `/announce?${'x'.repeat(290)}`)
  assert.equal(withUrl.length, 98 + 2 + 255 + 2 + 45 + 1)
  assert.equal(hex(withUrl.subarray(98, 100)), '02ff')
  assert.equal(hex(withUrl.subarray(98 + 257, 98 + 259)), '022d')
  assert.equal(withUrl.at(-1), 0)
  const events = (['completed', 'started', 'stopped', null] as const).map(
    event => encodeUdpAnnounce(1n, 1, { ...request, event }, '')[83],
  )
  assert.deepEqual(events, [1, 2, 3, 0])
})

test('scrape', () => {
  const packet = encodeUdpScrape(1n, 2, [Buffer.alloc(20, 1), Buffer.alloc(20, 2)])
  assert.equal(hex(packet), `00000000000000010000000200000002${'01'.repeat(20)}${'02'.repeat(20)}`)
  assert.throws(
    () =>
      encodeUdpScrape(
        1n,
        2,
        Array.from({ length: 75 }, () => Buffer.alloc(20)),
      ),
    RangeError,
  )
})

test('answers', () => {
  const read = (text: string, ipBytes: 4 | 16 = 4): unknown => decodeUdpAnswer(Buffer.from(text, 'hex'), ipBytes)
  assert.deepEqual(read('00000000fffffffe0102030405060708'), {
    action: 'connect',
    transactionId: 0xfffffffe,
    connectionId: 0x0102030405060708n,
  })
  const head = '0000000100000005000007080000000200000003'
  const counts = { action: 'announce', transactionId: 5, intervalSec: 1_800, leechers: 2, seeders: 3 }
  assert.deepEqual(read(`${head}0a0000011ae1`), { ...counts, peers: [{ ip: '10.0.0.1', port: 6_881 }] })
  assert.deepEqual(read(`${head}20010db80000000000000000000000010050`, 16), {
    ...counts,
    peers: [{ ip: '2001:db8::1', port: 80 }],
  })
  assert.deepEqual(read('0000000200000005000000010000000200000003'), {
    action: 'scrape',
    transactionId: 5,
    counts: [{ seeders: 1, completed: 2, leechers: 3 }],
  })
  assert.deepEqual(read(`0000000300000005${hex(Buffer.from('no\n'))}`), {
    action: 'error',
    transactionId: 5,
    message: 'no',
  })
  assert.equal(udpTransactionId(Buffer.from('0000000300000005', 'hex')), 5)
  assert.equal(udpTransactionId(Buffer.alloc(7)), null)
})

test('cut-off and unknown answers are refused', () => {
  const wrong = [
    '',
    '00000000',
    '0000000000000001',
    '000000010000000500000708',
    `${'0000000100000005'.padEnd(40, '0')}ff`,
  ]
  for (const text of [...wrong, '0000000200000005aa', '0000000400000005', 'ffffffffffffffff']) {
    assert.throws(() => decodeUdpAnswer(Buffer.from(text, 'hex'), 4), DecodeError, text)
  }
})
