// What is taken out of log lines, and what stays readable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutAddresses, withoutSecrets } from '../../../src/io/process/log-redaction.ts'

const salt = Buffer.from('of this run')

test('keys and passwords, wherever they stand', () => {
  const rows: [string, string][] = [
    ['{"x-api-key":"abc","n":1}', '{"x-api-key":"***","n":1}'],
    ['{"password":"a\\"b","next":"x"}', '{"password":"***","next":"x"}'],
    ['GET /events?since=1&key=abc&x=2', 'GET /events?since=1&key=***&x=2'],
    ['GET /stream/0?token=99.abc', 'GET /stream/0?token=***'],
    ['authorization: Bearer abc.def~', 'authorization: Bearer ***'],
    ['socks5://me:secret@host:1080 failed', 'socks5://***@host:1080 failed'],
    ['http://t.example/0123456789abcdef0123/announce?x', 'http://t.example/***/announce?x'],
    ['udp://t.example:80/announce', 'udp://t.example:80/announce'],
    ['http://t.example/torrents/announce', 'http://t.example/torrents/announce'],
    ['{"msg":"the key of the torrent","monkey":"x"}', '{"msg":"the key of the torrent","monkey":"x"}'],
  ]
  for (const [line, clean] of rows) assert.equal(withoutSecrets(line), clean)
})

test('addresses by which a person could be found', () => {
  const tagged = (line: string) => withoutAddresses(line, salt).replace(/address-[0-9a-f]{8}/g, '@')
  const rows: [string, string][] = [
    ['203.0.113.7', '@'],
    ['"ip":"203.0.113.7","port":1', '"ip":"@","port":1'],
    ['to 203.0.113.7:6881.', 'to @:6881.'],
    ['[2001:db8::7]:6881', '[@]:6881'],
    ['2001:db8:0:0:0:0:0:7 said', '@ said'],
    ['fe80::1234:5678%eth0', '@%eth0'],
    ['::ffff:203.0.113.7', '@'],
    ['172.15.0.1 172.16.0.1 172.31.0.1 172.32.0.1', '@ 172.16.0.1 172.31.0.1 @'],
  ]
  for (const [line, clean] of rows) assert.equal(tagged(line), clean)
})

test("what only looks like an address, and addresses that are nobody's, stay", () => {
  const rows = [
    '2026-11-21T20:15:31.123Z 20:15:31',
    'version 1.2.3 of 10.0.0.1, 127.0.0.1:80, 0.0.0.0, 192.168.1.1, 239.192.152.143:6771',
    '999.1.1.1 1.2.3.4.5 at run (file:///x/y.js:12:34) std::vector',
    '[::1]:80 [::]:0 ff15::efc0:988f ::ffff:127.0.0.1',
    '0123456789abcdef0123456789abcdef01234567 12:34:56:78',
  ]
  for (const line of rows) assert.equal(withoutAddresses(line, salt), line)
})

test('a tag is the same for one address and salt, and another for others', () => {
  const tag = (ip: string, by = salt) => withoutAddresses(ip, by)
  assert.equal(tag('203.0.113.7'), tag('203.0.113.7'))
  assert.notEqual(tag('203.0.113.7'), tag('203.0.113.8'))
  assert.notEqual(tag('203.0.113.7'), tag('203.0.113.7', Buffer.from('of another')))
})

test('long lines take no long time', () => {
  const began = performance.now()
  for (const part of ['1.', '1:', 'a:', '::', '"key":"', 'key=&', '//a@', '/a', 'Bearer ']) {
    const line = part.repeat(200_000 / part.length)
    withoutSecrets(line)
    withoutAddresses(line, salt)
  }
  assert.ok(performance.now() - began < 5000)
})
