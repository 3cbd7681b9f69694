// Heads of answers: what is read of good ones, and what is none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpHead } from '../../../src/io/net/http-head.ts'

test('status, fields and length of a head', () => {
  const head = parseHttpHead('HTTP/1.1 206 Partial Content\r\nContent-Length: 17 \r\nX-A:1\r\nx-a: 2\r\n__proto__: x')
  assert.equal(head?.status, 206)
  assert.equal(head.bodyBytes, 17)
  assert.equal(head.keeps, true)
  assert.equal(head.fields['x-a'], '1')
  assert.equal(Object.getPrototypeOf(head.fields), Object.prototype)
})

test('a body without a plain length, and connections that end', () => {
  assert.equal(parseHttpHead('HTTP/1.1 200')?.bodyBytes, null)
  assert.equal(parseHttpHead('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked')?.bodyBytes, null)
  assert.equal(parseHttpHead('HTTP/1.0 200 OK\r\ncontent-length: 5')?.keeps, false)
  assert.equal(parseHttpHead('HTTP/1.1 200 OK\r\nconnection: x, Close')?.keeps, false)
})

test('what is no head', () => {
  const bad = [
    '',
    'SSH-2.0-x',
    'HTTP/2 200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6',
    'HTTP/1.1 200 OK\r\ncontent-length: -5',
    'HTTP/1.1 200 OK\r\ncontent-length: 5, 5',
    'HTTP/1.1 200 OK\r\ncontent-length: 9999999999999999',
    'HTTP/1.1 200 OK\r\nx: 1\r\n folded: 2',
    'HTTP/1.1 200 OK\r\nname : 1',
    'HTTP/1.1 200 OK\r\nno field',
  ]
  for (const text of bad) assert.equal(parseHttpHead(text), null, text)
})
