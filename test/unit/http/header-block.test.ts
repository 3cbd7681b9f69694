// Heads of answers: one text for the native side, and no way to smuggle a line in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeaderBlock, headText } from '../../../src/http/header-block.ts'

test('a head is its status and every header as a line, blocks and single ones in their order', () => {
  const block = new HeaderBlock([
    ['A', '1'],
    ['B', '2'],
  ])
  assert.equal(headText('200 OK', [block], [['C', '3'], block]), '200 OK\r\nA: 1\r\nB: 2\r\nC: 3\r\nA: 1\r\nB: 2')
})

test('a line break in a value is no header of its own', () => {
  const block = new HeaderBlock([
    ['A', 'x\r\nEvil: 1'],
    ['B', 'y\nEvil: 2\0'],
  ])
  const lines = '\r\nA: x  Evil: 1\r\nB: y Evil: 2 '
  assert.equal(block.lines, lines)
  assert.equal(
    headText(
      '',
      [],
      [
        ['A', 'x\r\nEvil: 1'],
        ['B', 'y\nEvil: 2\0'],
      ],
    ),
    lines,
  )
})
