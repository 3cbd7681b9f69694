// Blocks of headers: one call for the native side, and no way to smuggle a line in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeaderBlock } from '../../../src/http/header-block.ts'

test('a block is its first name, and the rest as lines', () => {
  const block = new HeaderBlock([
    ['A', '1'],
    ['B', '2'],
  ])
  assert.deepEqual([block.name, block.text], ['A', '1\r\nB: 2'])
})

test('a line break in a value is no header of its own', () => {
  const block = new HeaderBlock([
    ['A', 'x\r\nEvil: 1'],
    ['B', 'y\nEvil: 2\0'],
  ])
  assert.equal(block.text, 'x  Evil: 1\r\nB: y Evil: 2 ')
})

test('a block without a header is refused', () => {
  assert.throws(() => new HeaderBlock([]), RangeError)
})
