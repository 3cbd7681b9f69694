// Announces of local discovery: the form of BEP 14, what others write, bounds, nonsense.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../../src/base/ids.ts'
import {
  decodeLsdAnnounce,
  encodeLsdAnnounce,
  MAX_LSD_BYTES,
  MAX_LSD_COOKIE,
  MAX_LSD_HASHES,
} from '../../../src/wire/net/lsd.ts'

const hash = (index: number): InfoHash => parseInfoHash((index + 1).toString(16).padStart(40, '0')) as InfoHash
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const read = (lines: string): unknown => decodeLsdAnnounce(Buffer.from(lines, 'latin1'))

test('an announce is spelled as BEP 14 has it', () => {
  const announce = { port: 6881, infoHashes: [hash(0), hash(1)], cookie: 'c00c1e' }
  assert.equal(
    text(encodeLsdAnnounce(4, announce)),
    'BT-SEARCH * HTTP/1.1\r\nHost: 239.192.152.143:6771\r\nPort: 6881\r\n' +
      `Infohash: ${hash(0)}\r\nInfohash: ${hash(1)}\r\ncookie: c00c1e\r\n\r\n\r\n`,
  )
  const six = text(encodeLsdAnnounce(6, { ...announce, cookie: null }))
  assert.match(six, /\r\nHost: \[ff15::efc0:988f\]:6771\r\n/)
  assert.doesNotMatch(six, /cookie/)
  assert.deepEqual(decodeLsdAnnounce(encodeLsdAnnounce(4, announce)), announce)
})

test('what other clients write is read: any case, any order, unknown headers, upper-case hashes', () => {
  const upper = 'ABCDEF0123456789ABCDEF0123456789ABCDEF01'
  const lines = [
    'bt-search * HTTP/1.1',
    'INFOHASH:  ' + upper,
    'X-Thing: 1: 2',
    'port:51413',
    'no colon here',
    `Infohash: ${upper.toLowerCase()}`,
    'Infohash: not a hash',
    `Infohash: ${'0'.repeat(40)}`,
    'Cookie: name=value',
    '',
    '',
  ]
  const expected = { port: 51413, infoHashes: [upper.toLowerCase()], cookie: 'name=value' }
  assert.deepEqual(read(lines.join('\r\n')), expected)
  assert.deepEqual(read(lines.join('\n')), expected)
})

test('the fullest announce fits a datagram, one more does not', () => {
  const infoHashes = Array.from({ length: MAX_LSD_HASHES }, (_, index) => hash(index))
  const announce = { port: 65535, infoHashes, cookie: 'x'.repeat(MAX_LSD_COOKIE) }
  for (const family of [4, 6] as const) {
    const bytes = encodeLsdAnnounce(family, announce)
    assert.ok(bytes.length <= MAX_LSD_BYTES, `${bytes.length}`)
    assert.deepEqual(decodeLsdAnnounce(bytes), announce)
  }
  assert.throws(
    () => encodeLsdAnnounce(4, { ...announce, infoHashes: [...infoHashes, hash(99), hash(98)] }),
    RangeError,
  )
})

test('a foreign cookie that is too long is as none', () => {
  const head = `BT-SEARCH * HTTP/1.1\r\nPort: 1\r\nInfohash: ${hash(0)}\r\n`
  assert.deepEqual(read(`${head}cookie: ${'y'.repeat(17)}\r\n\r\n`), { port: 1, infoHashes: [hash(0)], cookie: null })
  assert.deepEqual(read(`${head}cookie: \r\n\r\n`), { port: 1, infoHashes: [hash(0)], cookie: null })
})

test('refuses what is no announce', () => {
  const good = `BT-SEARCH * HTTP/1.1\r\nPort: 1\r\nInfohash: ${hash(0)}\r\n\r\n`
  read(good)
  const bad = [
    '',
    '\r\n\r\n',
    good.slice(0, -4),
    good.replace('BT-SEARCH', 'M-SEARCH'),
    good.replace('Port: 1', 'Port: 0'),
    good.replace('Port: 1', 'Port: 65536'),
    good.replace('Port: 1', 'Port: 1x'),
    good.replace('Port', 'Ports'),
    good.replace(hash(0), 'x'),
    `BT-SEARCH * HTTP/1.1\r\nPort: 1\r\nInfohash: ${hash(0)}\r\n${'x'.repeat(1500)}: 1\r\n\r\n`,
  ]
  for (const lines of bad) assert.throws(() => read(lines), DecodeError, lines.slice(0, 60))
})
