// Links and items of torrents that are updated: any bytes give a value or a DecodeError; what is read can be written
// and read again.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { decodeUpdateItem, encodeUpdateItem } from '../../src/wire/update-item.ts'
import { formatUpdateLink, parseUpdateLink } from '../../src/wire/update-link.ts'
import { fuzz } from '../kit/sim/fuzz.ts'

const KEY = '8543d3e6115f0f98c944077a4493dcd543e49c739fd998550a1f614ab36ed63e'
const HASH = 'c12fe1c06bba254a9dc9f519b335aa7c1367a88a'
const LINKS = [
  `magnet:?xs=urn:btpk:${KEY}&s=6e`,
  `magnet:?xs=urn:btpk:${KEY.toUpperCase()}`,
  `magnet:?xt=urn:btih:${HASH}&xs=urn:btpk:${KEY}&s=${'ab'.repeat(64)}&dn=a+b&tr=udp://a:1&x.pe=1.2.3.4:5&so=0-2`,
  `magnet:?xs=http://a.example/x&xs.1=urn:btpk:${KEY}&s=00`,
]

/** What `read` gives, or undefined for a DecodeError. */
function decoded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

fuzz('any text gives an update link, none or a DecodeError', 1, source => {
  const bytes = Buffer.from(source.mutate(Buffer.from(source.pick(LINKS))))
  const text = bytes.toString(source.pick(['utf8', 'latin1', 'utf16le'] as const))
  const link = decoded(() => parseUpdateLink(text))
  if (link === undefined || link === null) return
  assert.match(link.publicKey, /^[0-9a-f]{64}$/)
  assert.match(link.salt, /^(?:[0-9a-f]{2}){0,64}$/)
  assert.deepEqual(parseUpdateLink(formatUpdateLink(link)), link)
})

fuzz('any bytes give an info hash or a DecodeError', 2, source => {
  const item = Buffer.from(`d2:ih20:${'h'.repeat(20)}1:xli1e2:yyee`, 'latin1')
  const infoHash = decoded(() => decodeUpdateItem(source.mutate(item)))
  if (infoHash !== undefined) assert.equal(decodeUpdateItem(encodeUpdateItem(infoHash)), infoHash)
})
