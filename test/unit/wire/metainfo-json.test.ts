// The JSON of /torrentinfo: text where it is text, hexadecimal where it is not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { encodeBencode } from '../../../src/wire/bencode.ts'
import { metainfoJson } from '../../../src/wire/metainfo-json.ts'

test('text, numbers, lists and binary', () => {
  const bytes = encodeBencode({
    announce: 'http://é/',
    info: { name: Buffer.from([0xff, 0x00]), pieces: 'text by chance', length: 3n, files: [{ path: ['a'] }] },
    big: 2n ** 70n,
    'piece layers': new Map([['ab', Buffer.from('cd')]]),
  })
  assert.deepEqual(metainfoJson(bytes), {
    announce: 'http://é/',
    big: '1180591620717411303424',
    info: { files: [{ path: ['a'] }], length: 3, name: 'ff00', pieces: Buffer.from('text by chance').toString('hex') },
    'piece layers': { '6162': '6364' },
  })
})

test('magic and binary keys are members like any other', () => {
  const json = metainfoJson(Buffer.from('d9:__proto__d1:ai1ee2:\xff\xfei2ee', 'latin1'))
  assert.equal(JSON.stringify(json), '{"__proto__":{"a":1},"fffe":2}')
})

test('bytes that are no bencode', () => {
  assert.throws(() => metainfoJson(Buffer.from('<html>')), DecodeError)
})
