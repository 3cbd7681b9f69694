// Update links (BEP 46): what is read, what is refused, and the items they lead to, with the test vectors of the BEP.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { parseInfoHash } from '../../../src/base/ids.ts'
import { MAX_MAGNET_CHARS } from '../../../src/wire/metainfo/magnet.ts'
import { mutableTarget } from '../../../src/wire/dht/dht-item.ts'
import { decodeUpdateItem, encodeUpdateItem } from '../../../src/wire/update-item.ts'
import { formatUpdateLink, parseUpdateLink } from '../../../src/wire/update-link.ts'

const KEY = '8543d3e6115f0f98c944077a4493dcd543e49c739fd998550a1f614ab36ed63e'
const HASH = 'c12fe1c06bba254a9dc9f519b335aa7c1367a88a'

const targetOf = (uri: string): string => {
  const link = parseUpdateLink(uri)
  assert.ok(link !== null)
  const bytes = mutableTarget(Buffer.from(link.publicKey, 'hex'), Buffer.from(link.salt, 'hex'))
  return Buffer.from(bytes).toString('hex')
}

test('key and salt lead to the targets that the BEP gives', () => {
  assert.equal(targetOf(`magnet:?xs=urn:btpk:${KEY}`), 'cc3f9d90b572172053626f9980ce261a850d050b')
  assert.equal(targetOf(`magnet:?xs=urn:btpk:${KEY}&s=6e`), '59ee7c2cb9b4f7eb1986ee2d18fd2fdb8a56554f')
})

test('case does not matter, and everything else a magnet link may say is read too', () => {
  const link = parseUpdateLink(
    `MAGNET:?XS=URN:BTPK:${KEY.toUpperCase()}&S=6E&xt=urn:btih:${HASH}&dn=a+b&tr=udp://t.example:1&x.pe=1.2.3.4:5&so=1`,
  )
  assert.deepEqual(link, {
    publicKey: KEY,
    salt: '6e',
    first: { infoHash: parseInfoHash(HASH), infoHashV2: null },
    name: 'a b',
    trackers: ['udp://t.example:1'],
    peers: [{ ip: '1.2.3.4', port: 5 }],
    selectedFiles: [1],
  })
  assert.deepEqual(parseUpdateLink(formatUpdateLink(link)), link)
})

test('what names no key is another link', () => {
  assert.equal(parseUpdateLink(`magnet:?xt=urn:btih:${HASH}`), null)
  assert.equal(parseUpdateLink(`magnet:?xt=urn:btih:${HASH}&xs=http://a.example/x`), null)
  assert.equal(parseUpdateLink('/srv/a.torrent'), null)
  assert.equal(parseUpdateLink(`https://a.example/?xs=urn:btpk:${KEY}`), null)
})

for (const [what, uri] of [
  ['a short key', `magnet:?xs=urn:btpk:${KEY.slice(2)}`],
  ['a key that is no number', `magnet:?xs=urn:btpk:${'g'.repeat(64)}`],
  ['half a byte of salt', `magnet:?xs=urn:btpk:${KEY}&s=abc`],
  ['a long salt', `magnet:?xs=urn:btpk:${KEY}&s=${'00'.repeat(65)}`],
  ['a broken info hash', `magnet:?xs=urn:btpk:${KEY}&xt=urn:btih:xyz`],
  ['a long link', `magnet:?xs=urn:btpk:${KEY}&dn=${'x'.repeat(MAX_MAGNET_CHARS)}`],
] as const) {
  test(`refused: ${what}`, () => {
    assert.throws(() => parseUpdateLink(uri), DecodeError)
  })
}

test('an item names an info hash of 20 bytes; what else it says is left alone', () => {
  const infoHash = parseInfoHash(HASH)
  assert.ok(infoHash !== null)
  assert.deepEqual(
    Buffer.from(encodeUpdateItem(infoHash)),
    Buffer.concat([Buffer.from('d2:ih20:'), Buffer.from(HASH, 'hex'), Buffer.from('e')]),
  )
  const more = Buffer.concat([Buffer.from('d2:ih20:'), Buffer.from(HASH, 'hex'), Buffer.from('2:vei7ee')])
  assert.equal(decodeUpdateItem(more), infoHash)
  for (const bad of ['de', 'd2:ih3:abce', 'd2:ihi5ee', 'le', '20:aaaaaaaaaaaaaaaaaaaa', '', 'd2:ih20:short'])
    assert.throws(() => decodeUpdateItem(Buffer.from(bad)), DecodeError, bad)
})
