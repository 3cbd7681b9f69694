// Magnet links: every spelling of BEP 9 and 53 that clients use, and hostile ones. The magnet-uri package is the
// oracle.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { parseInfoHash } from '../../../src/base/ids.ts'
import { MAX_FILES } from '../../../src/wire/metainfo/info-files.ts'
import { formatMagnet, type Magnet, MAX_MAGNET_CHARS, parseMagnet } from '../../../src/wire/metainfo/magnet.ts'

const HEX = 'c12fe1c06bba254a9dc9f519b335aa7c1367a88a'
const HEX_V2 = 'd8dd32ac93357c368556af3ac1d95c9d76bd0dff6fa9833ecdac3d53134efabb'
const XT = `magnet:?xt=urn:btih:${HEX}`

test('reads hexadecimal and base32 hashes in any case', () => {
  assert.equal(parseMagnet(XT).infoHash, HEX)
  assert.equal(parseMagnet(XT.toUpperCase()).infoHash, HEX)
  assert.equal(parseMagnet('magnet:?xt=urn:btih:YEX6DQDLXISUVHOJ6UM3GNNKPQJWPKEK').infoHash, HEX)
  assert.equal(parseMagnet('magnet:?xt=urn:btih:yex6dqdlxisuvhoj6um3gnnkpqjwpkek').infoHash, HEX)
  assert.equal(parseMagnet(`magnet:?xt.1=urn:sha1:ABC&xt.2=urn:btih:${HEX}`).infoHash, HEX)
})

test('reads name, trackers, peers and selection', () => {
  const magnet = parseMagnet(
    `${XT}&dn=A+film%3A+%C3%A9%0A&tr=http%3A%2F%2Fa.example%2Fannounce&tr.1=udp%3A%2F%2Fb%3A1&tr=http%3A%2F%2Fa.example%2Fannounce&tr=wss%3A%2F%2Fc` +
      '&x.pe=1.2.3.4:6881&x.pe=%5B2001:DB8::0:1%5D:1&x.pe=host.example:1&x.pe=1.2.3.4:0&x.pe=1.2.3.256:1&x.pe=1.2.3.4:6881&so=4-6,0,2,5&ws=http://x',
  )
  assert.deepEqual(magnet, {
    infoHash: HEX,
    infoHashV2: null,
    name: 'A film: é',
    trackers: ['http://a.example/announce', 'udp://b:1'],
    peers: [
      { ip: '1.2.3.4', port: 6881 },
      { ip: '2001:db8::1', port: 1 },
    ],
    selectedFiles: [0, 2, 4, 5, 6],
    webSeeds: ['http://x'],
  })
})

test('what is absent is null or empty', () => {
  const bare = { infoHash: HEX, infoHashV2: null, name: null, trackers: [], peers: [], selectedFiles: null }
  assert.deepEqual(parseMagnet(XT), bare)
})

test('links copied out of pages work', () => {
  assert.equal(parseMagnet(` ${XT}&amp;dn=x\n`).name, 'x')
  assert.equal(parseMagnet(`${XT}&dn=%FF%zz`).name, null)
  assert.equal(parseMagnet(`${XT}&__proto__=1&constructor=2&&=&dn`).name, null)
})

test('refuses what names no torrent', () => {
  const bad = [
    '',
    'magnet:',
    'magnet:?',
    'magnet:?dn=x',
    'http://x/?xt=urn:btih:',
    'magnet:?xt=urn:btih:',
    `magnet:?xt=urn:btih:${HEX}0`,
  ]
  bad.push('magnet:?xt=urn:btih:zzzz', 'magnet:?xt=urn:btih:1EX6DQDLXISUVHOJ6UM3GNNKPQJWPKEK')
  for (const uri of bad) assert.throws(() => parseMagnet(uri), DecodeError, uri)
  assert.throws(() => parseMagnet(`magnet:?xt=urn:btmh:1114${'ab'.repeat(20)}`), /kind this node does not know/)
  for (const digits of ['', 'ab'.repeat(31), `${'ab'.repeat(32)}0`, 'zz'.repeat(32)]) {
    assert.throws(() => parseMagnet(`magnet:?xt=urn:btmh:1220${digits}`), /64 hexadecimal digits/)
    assert.throws(() => parseMagnet(`${XT}&xt=urn:btmh:1220${digits}`), /64 hexadecimal digits/)
  }
})

test('a v2 hash alone, beside a v1 hash, and beside hashes of other kinds', () => {
  const v2 = HEX_V2
  const link = `magnet:?xt=urn:btmh:1220${v2}`
  for (const uri of [link, link.toUpperCase(), `magnet:?xt=urn:btmh:1114${'ab'.repeat(20)}&xt=urn:btmh:1220${v2}`]) {
    const magnet = parseMagnet(uri)
    assert.deepEqual([magnet.infoHash, magnet.infoHashV2], [v2.slice(0, 40), v2])
  }
  for (const uri of [`${XT}&xt=urn:btmh:1220${v2}`, `${link}&xt=urn:btih:${HEX}`]) {
    const magnet = parseMagnet(uri)
    assert.deepEqual([magnet.infoHash, magnet.infoHashV2], [HEX, v2])
    assert.equal(formatMagnet(magnet), `${XT}&xt=urn:btmh:1220${v2}`)
  }
  assert.equal(parseMagnet(`${XT}&xt=urn:btmh:1114${'ab'.repeat(20)}`).infoHashV2, null)
  assert.deepEqual(parseMagnet(`${link}&so=1,3-4`).selectedFiles, [1, 3, 4])
  assert.equal(formatMagnet(parseMagnet(link)), link)
})

test('lists are bounded before they are built', () => {
  assert.throws(() => parseMagnet(`${XT}&so=0-4294967295`), DecodeError)
  assert.throws(() => parseMagnet(`${XT}&so=${MAX_FILES}`), DecodeError)
  for (const so of ['x', '3-1', '-1', '1-', '1.5', '1e3', '99999999999']) {
    assert.throws(() => parseMagnet(`${XT}&so=${so}`), DecodeError, so)
  }
  const repeated = Array.from({ length: 1000 }, () => `0-${MAX_FILES - 1}`).join(',')
  assert.throws(() => parseMagnet(`${XT}&so=${repeated}`), DecodeError)
  assert.throws(() => parseMagnet(`${XT}&dn=${'x'.repeat(MAX_MAGNET_CHARS)}`), /longer/)
  const trackers = Array.from({ length: 900 }, (_, index) => `&tr=http://t${index}/`).join('')
  assert.equal(parseMagnet(XT + trackers).trackers.length, 200)
  const peers = Array.from({ length: 900 }, (_, index) => `&x.pe=1.2.3.4:${index + 1}`).join('')
  assert.equal(parseMagnet(XT + peers).peers.length, 100)
})

test('what is written is read back', () => {
  const infoHash = parseInfoHash(HEX)
  assert.ok(infoHash)
  const magnet: Magnet = {
    infoHash,
    infoHashV2: null,
    name: 'a & b + c = 100 % é',
    trackers: ['http://a/announce?key=1&x=2', 'udp://b:1'],
    peers: [
      { ip: '1.2.3.4', port: 1 },
      { ip: '2001:db8::1', port: 65535 },
    ],
    selectedFiles: [0, 1, 2, 7],
  }
  assert.deepEqual(parseMagnet(formatMagnet(magnet)), magnet)
  assert.match(formatMagnet(magnet), /so=0-2,7$/)
  assert.equal(formatMagnet({ infoHash }), XT)
})

test('agrees with the magnet-uri package on an ordinary link', async () => {
  const uri = `${XT}&dn=Leaves+of+Grass&tr=udp%3A%2F%2Ftracker.example%3A80&so=0,2,4-6&x.pe=10.0.0.1:6881`
  const oracle = (await import('magnet-uri')).decode(uri)
  const magnet = parseMagnet(uri)
  assert.equal(magnet.infoHash, oracle.infoHash)
  assert.equal(magnet.name, oracle.dn)
  assert.deepEqual(magnet.trackers, oracle.announce)
  assert.deepEqual(magnet.selectedFiles, oracle.so)
})
