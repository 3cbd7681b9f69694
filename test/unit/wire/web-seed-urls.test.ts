// Web seeds in torrents and magnets (BEP 19), the urls of files, and the header fields around ranges.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BencodeInput, encodeBencode } from '../../../src/wire/bencode.ts'
import { formatContentRange, parseContentRange, parseRetryAfter, rangeField } from '../../../src/wire/net/http-range.ts'
import { formatMagnet, parseMagnet } from '../../../src/wire/metainfo/magnet.ts'
import { decodeMetainfo, encodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import {
  cleanWebSeed,
  cleanWebSeeds,
  MAX_WEB_SEEDS,
  oddUrlPaths,
  safeUrlPath,
  webSeedFileUrl,
} from '../../../src/wire/metainfo/web-seed-urls.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'

const XT = 'magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a'

function withUrlList(list: BencodeInput): Uint8Array {
  const { torrent } = makeTorrent()
  // `url-list` sorts behind `info`.
  return Buffer.concat([torrent.subarray(0, -1), Buffer.from('8:url-list'), encodeBencode(list), Buffer.from('e')])
}

test('what can be fetched is kept, spaces escaped, everything else is dropped', () => {
  assert.equal(cleanWebSeed(' http://a.test/my file.iso '), 'http://a.test/my%20file.iso')
  assert.equal(cleanWebSeed('HTTPS://a.test/ä?x=1'), 'HTTPS://a.test/ä?x=1')
  for (const bad of [
    '',
    'ftp://a.test/x',
    'udp://a.test:1',
    'http://',
    'http:///x',
    'http://a.test/\nx',
    'http://a.test:99999/',
    'javascript:alert(1)',
    '//a.test/x',
    `http://a.test/${'x'.repeat(2048)}`,
    'http://a.test/\ud800',
  ])
    assert.equal(cleanWebSeed(bad), null, bad.slice(0, 40))
  const many = Array.from({ length: 200 }, (_, index) => `http://a.test/${index}`)
  assert.deepEqual(cleanWebSeeds([...many, ...many]), many.slice(0, MAX_WEB_SEEDS))
})

test('torrents: a list, one url, an empty text, and nonsense', () => {
  assert.deepEqual(decodeMetainfo(withUrlList(['http://a.test/x', 'http://b.test/'])).webSeeds, [
    'http://a.test/x',
    'http://b.test/',
  ])
  assert.deepEqual(decodeMetainfo(withUrlList('http://a.test/x')).webSeeds, ['http://a.test/x'])
  for (const none of ['', [], 5, ['', 7, ['http://a.test/']], [Buffer.from([0xff])]])
    assert.equal('webSeeds' in decodeMetainfo(withUrlList(none)), false)
  assert.equal('webSeeds' in decodeMetainfo(makeTorrent().torrent), false)
})

test('a written torrent has its web seeds behind the info dictionary', () => {
  const made = makeTorrent()
  const webSeeds = ['http://a.test/x', 'http://b.test/']
  const bytes = encodeMetainfo({ infoBytes: made.info, announceTiers: [['http://t.test/announce']], webSeeds })
  const read = decodeMetainfo(bytes)
  assert.deepEqual(read.webSeeds, webSeeds)
  assert.equal(read.infoHash, made.infoHash)
  const text = Buffer.from(bytes).toString('latin1')
  assert.ok(text.indexOf('4:info') < text.indexOf('8:url-list'))
  const without = encodeMetainfo({ infoBytes: made.info, announceTiers: [], webSeeds: [] })
  assert.deepEqual(Buffer.from(without), Buffer.concat([Buffer.from('d4:info'), made.info, Buffer.from('e')]))
})

test('magnets carry them as ws', () => {
  const uri = `${XT}&ws=http%3A%2F%2Fa.test%2Fx&ws.1=http://b.test/&ws=ftp://c.test/`
  const magnet = parseMagnet(uri)
  assert.deepEqual(magnet.webSeeds, ['http://a.test/x', 'http://b.test/'])
  assert.deepEqual(parseMagnet(formatMagnet(magnet)), magnet)
  assert.equal('webSeeds' in parseMagnet(XT), false)
})

test('urls of files: a slash at the end asks for the name, several files always do', () => {
  assert.equal(webSeedFileUrl('http://a.test/x.iso', false, 'name'), 'http://a.test/x.iso')
  assert.equal(webSeedFileUrl('http://a.test/x.iso#frag', false, 'name'), 'http://a.test/x.iso')
  assert.equal(webSeedFileUrl('http://a.test/d/', false, 'name'), 'http://a.test/d/name')
  assert.equal(webSeedFileUrl('http://a.test/d/', true, 'set/a'), 'http://a.test/d/set/a')
  assert.equal(webSeedFileUrl('http://a.test/d', true, 'set/a'), 'http://a.test/d/set/a')
  assert.equal(webSeedFileUrl('http://a.test/get?p=/', true, 'set/a'), 'http://a.test/get?p=/set/a')
})

test('only names that had to be changed are remembered', () => {
  const made = makeTorrent({
    name: 'set',
    files: [
      { path: 'plain ä', length: 5 },
      { path: ['a/b'], length: 5 },
      { path: ['nul.txt'], length: 5 },
      { path: ['..'], length: 5 },
      { path: ['.', 'x'], length: 5 },
    ],
  })
  const { files, infoBytes } = decodeMetainfo(made.torrent)
  const odd = runSteps(oddUrlPaths(infoBytes, files))
  assert.deepEqual(
    [...odd],
    [
      [1, 'set/a%2Fb'],
      [2, 'set/nul.txt'],
    ],
  )
  assert.equal(safeUrlPath(files[0] ?? assert.fail()), 'set/plain%20%C3%A4')
  const single = decodeMetainfo(makeTorrent({ name: 'con' }).torrent)
  assert.deepEqual([...runSteps(oddUrlPaths(single.infoBytes, single.files))], [[0, 'con']])
})

test('ranges as they are asked for and told', () => {
  assert.equal(rangeField(0, 1), 'bytes=0-0')
  assert.equal(rangeField(100, 50), 'bytes=100-149')
  assert.deepEqual(parseContentRange('bytes 0-99/1000'), { first: 0, last: 99, total: 1000 })
  assert.deepEqual(parseContentRange(' Bytes 5-5/* '), { first: 5, last: 5, total: null })
  for (const bad of ['', 'bytes */1000', 'bytes 5-4/10', 'bytes 0-10/10', 'items 0-1/2', 'bytes 0-1', 'bytes -1-2/3'])
    assert.equal(parseContentRange(bad), null, bad)
  const range = { first: 1, last: 2, total: 3 }
  assert.deepEqual(parseContentRange(formatContentRange(range)), range)
})

test('how long to wait: seconds or a date', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  assert.equal(parseRetryAfter('120', nowMs), 120_000)
  assert.equal(parseRetryAfter(' 0 ', nowMs), 0)
  assert.equal(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', nowMs), 30_000)
  assert.equal(parseRetryAfter('999999999', nowMs), 24 * 60 * 60_000)
  for (const bad of ['', '-1', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '1e9', '12.5'])
    assert.equal(parseRetryAfter(bad, nowMs), null, bad)
})
