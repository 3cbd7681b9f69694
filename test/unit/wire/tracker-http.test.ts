// HTTP tracker URLs and answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { announceUrl, decodeAnnounce, decodeScrape, scrapeUrl } from '../../../src/wire/tracker/tracker-http.ts'
import type { AnnounceReply, AnnounceRequest } from '../../../src/wire/tracker/tracker-types.ts'
import { encodeCompactPeer } from '../../../src/wire/net/compact-address.ts'

const request: AnnounceRequest = {
  infoHash: Buffer.from('00ff7f206161616161616161616161616161617e', 'hex'),
  peerId: Buffer.from('-TB0100-abcdefghijkl'),
  port: 6_881,
  uploaded: 1,
  downloaded: 2,
  left: 3,
  event: null,
  numWant: 50,
  key: 0xab,
  trackerId: null,
}

function ok(text: string | Buffer): AnnounceReply {
  const reply = decodeAnnounce(Buffer.from(text))
  assert.ok(!('reason' in reply), 'refused')
  return reply
}

test('an announce URL has every field once, binary values percent-encoded byte by byte', () => {
  assert.equal(
    announceUrl('http://t/announce', request),
    'http://t/announce?info_hash=%00%ff%7f%20aaaaaaaaaaaaaaa~&peer_id=-TB0100-abcdefghijkl&port=6881&uploaded=1' +
      '&downloaded=2&left=3&compact=1&numwant=50&key=000000ab',
  )
  const url = announceUrl('http://t/a?pass=1#top', { ...request, event: 'started', trackerId: 'a&b' })
  assert.match(url, /^http:\/\/t\/a\?pass=1&info_hash=.*&event=started&trackerid=a%26b$/)
})

test('the scrape URL follows BEP 48', () => {
  const hash = Buffer.alloc(20, 0x61)
  const asked = 'info_hash=aaaaaaaaaaaaaaaaaaaa'
  assert.equal(scrapeUrl('http://t/announce', [hash]), `http://t/scrape?${asked}`)
  assert.equal(scrapeUrl('http://t/x/announce.php?p=/announce', [hash]), `http://t/x/scrape.php?p=/announce&${asked}`)
  assert.equal(
    scrapeUrl('http://t/announce?key=1', [hash, Buffer.alloc(20)]),
    `http://t/scrape?key=1&${asked}&info_hash=${'%00'.repeat(20)}`,
  )
  assert.equal(scrapeUrl('http://t/a', [hash]), null)
  assert.equal(scrapeUrl('http://t/announce/x', [hash]), null)
  assert.equal(scrapeUrl('http://t/x?announce', [hash]), null)
})

test('an answer with everything', () => {
  const peers6 = Buffer.from(encodeCompactPeer({ ip: '2001:db8::1', port: 80 })).toString('latin1')
  const text =
    'd8:completei5e11:external ip4:\x01\x02\x03\x0410:incompletei6e8:intervali1800e12:min intervali60e' +
    `5:peers6:\x0a\0\0\x01\x1a\xe16:peers618:${peers6}10:tracker id2:\xff\x0115:warning message4:careE`
  const reply = ok(Buffer.from(text.replace('careE', 'caree'), 'latin1'))
  assert.deepEqual(reply, {
    intervalSec: 1_800,
    minIntervalSec: 60,
    peers: [
      { ip: '10.0.0.1', port: 6_881 },
      { ip: '2001:db8::1', port: 80 },
    ],
    seeders: 5,
    leechers: 6,
    warning: 'care',
    trackerId: '\xff\x01',
    externalIp: '1.2.3.4',
  })
})

test('peers as dictionaries: literal addresses only', () => {
  const peer = (ip: string, port: string): string => `d2:ip${ip.length}:${ip}7:peer id1:x4:port${port}e`
  const list = [
    peer('10.0.0.1', 'i1e'),
    peer('::ffff:10.0.0.2', 'i2e'),
    peer('evil.example', 'i3e'),
    peer('10.0.0.3', 'i0e'),
  ]
  const more = [peer('10.0.0.4', 'i65536e'), peer('10.0.0.5', '1:5'), 'i5e', 'de', peer('10.0.0.1', 'i1e')]
  assert.deepEqual(ok(`d8:intervali5e5:peersl${[...list, ...more].join('')}ee`).peers, [
    { ip: '10.0.0.1', port: 1 },
    { ip: '10.0.0.2', port: 2 },
  ])
})

test('no answer gives more than 2,000 peers', () => {
  const compact = Buffer.concat(Array.from({ length: 5_000 }, (_, i) => Buffer.from([10, 0, i >> 8, i & 255, 1, 1])))
  const body = Buffer.concat([Buffer.from(`d5:peers${compact.length}:`), compact, Buffer.from('e')])
  assert.equal(ok(body).peers.length, 2_000)
  const dicts = Array.from(
    { length: 5_000 },
    (_, i) => `d2:ip${`10.1.${i >> 8}.${i & 255}`.length}:10.1.${i >> 8}.${i & 255}4:porti9ee`,
  )
  assert.equal(ok(`d5:peersl${dicts.join('')}ee`).peers.length, 2_000)
})

test('refusals, with the time to wait', () => {
  assert.deepEqual(decodeAnnounce(Buffer.from('d14:failure reason4:nopee')), { reason: 'nope', retryInSec: null })
  assert.deepEqual(decodeAnnounce(Buffer.from('d14:failure reason4:nope8:retry ini5ee')), {
    reason: 'nope',
    retryInSec: 300,
  })
  const long = `d14:failure reason1000:${'\x1b[31mA\u202e'.padEnd(998, 'b')}e`
  const refusal = decodeAnnounce(Buffer.from(long))
  assert.ok('reason' in refusal && refusal.reason.length <= 200)
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  assert.doesNotMatch(refusal.reason, /[\u0000-\u001f\u202e]/)
})

test('answers that are none say what they are', () => {
  const cases: Record<string, RegExp> = {
    '<!DOCTYPE html>': /web page/,
    '  \n<html>': /web page/,
    '': /nothing/,
    le: /cannot be read/,
    'd8:interval': /cannot be read/,
    de: /neither peers nor an interval/,
    'd5:peers5:abcdee': /compact peer list of 5 bytes/,
    'd8:intervali1e6:peers63:abce': /compact peer list of 3 bytes/,
    'd8:intervali1e8:intervali1ee': /cannot be read/,
  }
  for (const [body, text] of Object.entries(cases)) {
    assert.throws(
      () => decodeAnnounce(Buffer.from(body)),
      error => error instanceof DecodeError && text.test(error.message),
      body,
    )
  }
})

test('odd numbers do no harm', () => {
  const reply = ok('d8:completei-5e10:incomplete1:x8:intervali99999999999999999999e5:peersi5e12:min intervali-1ee')
  assert.deepEqual([reply.seeders, reply.leechers, reply.intervalSec, reply.minIntervalSec], [null, null, null, null])
  assert.deepEqual(reply.peers, [])
})

test('a scrape gives the counts of the torrents that were asked for, or nothing', () => {
  const hash = Buffer.alloc(20, 0x61)
  const other = Buffer.alloc(20, 0x63)
  const body = (name: string): Buffer =>
    Buffer.from(`d5:filesd20:${name}d8:completei1e10:downloadedi2e10:incompletei3eeee`)
  assert.deepEqual(decodeScrape(body('a'.repeat(20)), [hash, other]), [{ seeders: 1, leechers: 3, completed: 2 }, null])
  assert.deepEqual(decodeScrape(body('b'.repeat(20)), [hash]), [null])
  assert.deepEqual(decodeScrape(Buffer.from('d5:filesi1ee'), [hash]), [null])
  assert.deepEqual(decodeScrape(Buffer.from('d14:failure reason1:xe'), [hash]), [null])
})
