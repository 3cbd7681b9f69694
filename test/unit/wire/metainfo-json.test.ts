// The JSON of /torrentinfo: text where it is text, hexadecimal where it is not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { encodeBencode } from '../../../src/wire/bencode.ts'
import { metainfoJson } from '../../../src/wire/metainfo/metainfo-json.ts'
import { runSteps } from '../../../src/wire/steps.ts'

const textOf = (bytes: Uint8Array): string => Buffer.concat(runSteps(metainfoJson(bytes))).toString()

test('text, numbers, lists and binary', () => {
  const bytes = encodeBencode({
    announce: 'http://é/',
    info: { name: Buffer.from([0xff, 0x00]), pieces: 'text by chance', length: 3n, files: [{ path: ['a'] }] },
    big: 2n ** 70n,
    'piece layers': new Map([['ab', Buffer.from('cd')]]),
  })
  assert.deepEqual(JSON.parse(textOf(bytes)), {
    announce: 'http://é/',
    big: '1180591620717411303424',
    info: { files: [{ path: ['a'] }], length: 3, name: 'ff00', pieces: Buffer.from('text by chance').toString('hex') },
    'piece layers': { '6162': '6364' },
  })
})

test('magic and binary keys are members like any other', () => {
  const text = textOf(Buffer.from('d9:__proto__d1:ai1ee2:\xff\xfei2ee', 'latin1'))
  assert.equal(text, '{"__proto__":{"a":1},"fffe":2}')
})

test('bytes that are no bencode', () => {
  for (const bad of ['<html>', 'l', 'd1:a', `${'l'.repeat(65)}${'e'.repeat(65)}`])
    assert.throws(() => textOf(Buffer.from(bad)), DecodeError, bad)
})

test('long texts and hashes are the same as in one go, and made in steps', () => {
  const text = '"é€\\ 🐞'.repeat(50_000)
  const bytes = encodeBencode({ comment: text, info: { pieces: new Uint8Array(1_000_000).fill(0xab) } })
  assert.deepEqual(JSON.parse(textOf(bytes)), { comment: text, info: { pieces: 'ab'.repeat(1_000_000) } })
  assert.ok([...metainfoJson(bytes)].length > 15)
})

test('more values than one decode may build', () => {
  const many = Array.from({ length: 200_000 }, (_, i) => i)
  assert.deepEqual(JSON.parse(textOf(encodeBencode({ many }))), { many })
})
