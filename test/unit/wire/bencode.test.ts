// bencode: values, strictness, limits, canonical round trips, slices.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import {
  decodeBencode,
  decodeBencodePrefix,
  dictSlices,
  encodeBencode,
  getBytes,
  getDict,
  getInt,
  getList,
  getText,
  MAX_DEPTH,
  MAX_VALUES,
  visitList,
} from '../../../src/wire/bencode.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const text = (value: Uint8Array): string => Buffer.from(value).toString('latin1')

test('decodes the examples of BEP 3', () => {
  assert.deepEqual(decodeBencode(bytes('4:spam')), bytes('spam'))
  assert.equal(decodeBencode(bytes('i3e')), 3)
  assert.equal(decodeBencode(bytes('i-3e')), -3)
  assert.equal(decodeBencode(bytes('i0e')), 0)
  assert.deepEqual(decodeBencode(bytes('l4:spam4:eggse')), [bytes('spam'), bytes('eggs')])
  const dict = new Map([
    ['cow', bytes('moo')],
    ['spam', bytes('eggs')],
  ])
  assert.deepEqual(decodeBencode(bytes('d3:cow3:moo4:spam4:eggse')), dict)
})

test('refuses what has two spellings or no end', () => {
  const bad = [
    '',
    'i-0e',
    'i03e',
    'i-03e',
    'i00e',
    'ie',
    'i-e',
    'i3',
    'i 3e',
    'i+3e',
    'i3.0e',
    '03:abc',
    '-3:abc',
    'l-3:',
  ]
  bad.push(
    '3:ab',
    '3',
    '3abc',
    ':',
    'l',
    'li1e',
    'd',
    'd3:cow',
    'd3:cowe',
    'di1ei2ee',
    'd1:ai1e1:ai2ee',
    'e',
    'x',
    'i1ei2e',
  )
  bad.push('99999999999:a', '9999999999:a', `i${'1'.repeat(65)}e`)
  for (const input of bad) assert.throws(() => decodeBencode(bytes(input)), DecodeError, JSON.stringify(input))
})

test('integers beyond 2^53 - 1 keep their value', () => {
  assert.equal(decodeBencode(bytes('i9007199254740991e')), 9007199254740991)
  assert.equal(decodeBencode(bytes('i9007199254740993e')), 9007199254740993n)
  assert.equal(decodeBencode(bytes('i-18446744073709551616e')), -18446744073709551616n)
})

test('nesting stops at the limit, in decoding and in skipping', () => {
  const nested = (depth: number): Buffer => bytes('l'.repeat(depth) + 'e'.repeat(depth))
  assert.ok(decodeBencode(nested(MAX_DEPTH)))
  assert.throws(() => decodeBencode(nested(MAX_DEPTH + 1)), DecodeError)
  const deep = bytes(`${'d1:a'.repeat(10_000)}i1e${'e'.repeat(10_000)}`)
  assert.throws(() => decodeBencode(deep), /too deep/)
  assert.throws(() => dictSlices(bytes(`d1:a${'l'.repeat(10_000)}`)), /too deep/)
  assert.throws(() => decodeBencode(bytes('l'.repeat(10_000))), /too deep/)
})

test('the number of values is bounded', () => {
  assert.throws(() => decodeBencode(bytes(`l${'0:'.repeat(MAX_VALUES)}e`)), /too many values/)
})

test('keys are bytes: binary ones survive, magic ones are harmless', () => {
  const input = bytes('d2:\xff\x00i1e9:__proto__d1:ai1ee11:constructor0:e')
  const dict = decodeBencode(input)
  assert.ok(dict instanceof Map)
  assert.deepEqual([...dict.keys()], ['\xff\x00', '__proto__', 'constructor'])
  assert.equal(({} as Record<string, unknown>)['a'], undefined)
  const sorted = bytes('d9:__proto__i1e2:\xff\x00i2ee')
  assert.equal(text(encodeBencode(decodeBencode(sorted))), text(sorted))
})

test('unsorted keys are read, and written sorted by bytes', () => {
  assert.equal(text(encodeBencode(decodeBencode(bytes('d1:bi1e1:\xe9i2e1:ai3ee')))), 'd1:ai3e1:bi1e1:\xe9i2ee')
})

test('strings are views of the input', () => {
  const input = bytes('4:spam')
  const value = decodeBencode(input)
  input[2] = 0x53
  assert.deepEqual(value, bytes('Spam'))
})

test('prefixes end where the value ends; trailing bytes only on request', () => {
  assert.deepEqual(decodeBencodePrefix(bytes('d1:ai1eeRAW')), { value: new Map([['a', 1]]), end: 8 })
  assert.throws(() => decodeBencodePrefix(bytes('l3:abe')), DecodeError)
  assert.throws(() => decodeBencode(bytes('9:ab'), { allowTrailing: true }), DecodeError)
  assert.throws(() => decodeBencode(bytes('i1e\n')), DecodeError)
  assert.equal(decodeBencode(bytes('i1e\n'), { allowTrailing: true }), 1)
})

test('slices are the raw bytes of the values', () => {
  const input = bytes('d1:ad1:zi1e1:bi2ee1:cl1:xee')
  const slices = [...dictSlices(input)].map(([key, raw]) => [key, text(raw)])
  assert.deepEqual(slices, [
    ['a', 'd1:zi1e1:bi2ee'],
    ['c', 'l1:xe'],
  ])
  for (const bad of ['i1e', 'd1:ai1e1:ai2ee', 'd1:ai1ee ', 'd1:a', 'd1:ad1:bee', 'd1:ali1ee']) {
    assert.throws(() => dictSlices(bytes(bad)), DecodeError, bad)
  }
})

test('visits the items of a list in order', () => {
  const seen: unknown[] = []
  visitList(bytes('li5ed1:ai1ee2:xye'), (item, index) => seen.push([index, item]))
  assert.deepEqual(seen, [
    [0, 5],
    [1, new Map([['a', 1]])],
    [2, bytes('xy')],
  ])
  assert.throws(() => visitList(bytes('li1e'), () => {}), DecodeError)
  assert.throws(() => visitList(bytes('lee'), () => {}), DecodeError)
})

test('getters answer null for what is absent or of another type', () => {
  const dict = decodeBencode(bytes('d1:ai1e1:bi9007199254740993e1:s2:\xc3\xa91:x1:\xff1:ll0:e1:dd0:0:ee'))
  assert.ok(dict instanceof Map)
  assert.equal(getInt(dict, 'a'), 1)
  assert.equal(getInt(dict, 'b'), null)
  assert.equal(getInt(dict, 's'), null)
  assert.equal(getText(dict, 's'), 'é')
  assert.equal(getText(dict, 'x'), null)
  assert.deepEqual(getBytes(dict, 'x'), bytes('\xff'))
  assert.equal(getBytes(dict, 'none'), null)
  assert.equal(getList(dict, 'l')?.length, 1)
  assert.equal(getList(dict, 'd'), null)
  assert.equal(getDict(dict, 'd')?.size, 1)
  assert.equal(getDict(dict, 'l'), null)
})

test('encodes text as UTF-8 and leaves undefined members out', () => {
  assert.equal(text(encodeBencode({ b: 'é', a: [1, 2n, -0], c: undefined })), 'd1:ali1ei2ei0ee1:b2:\xc3\xa9e')
})

test('what has no encoding is a bug and throws TypeError', () => {
  assert.throws(() => encodeBencode(1.5), TypeError)
  assert.throws(() => encodeBencode(2 ** 53), TypeError)
  assert.throws(() => encodeBencode(new Map([['\u0100', 1]])), TypeError)
})
