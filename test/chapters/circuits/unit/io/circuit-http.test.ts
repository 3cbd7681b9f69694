// HTTP over circuits: whole answers in every framing, redirects, what is refused before anything is asked, bounds,
// ranges.

import assert from 'node:assert/strict'
import { gzipSync, deflateSync } from 'node:zlib'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../../src/base/errors.ts'
import { AddressPolicy } from '../../../../../src/io/net/address-policy.ts'
import { CircuitFetch } from '../../../../../src/chapters/circuits/io/circuit-fetch.ts'
import { CircuitHttp } from '../../../../../src/chapters/circuits/io/circuit-http.ts'
import { CircuitRanges } from '../../../../../src/chapters/circuits/io/circuit-ranges.ts'
import { NO_ANSWER_OF_EXIT } from '../../../../../src/chapters/circuits/ports/circuits.ts'
import { readWholeAnswer } from '../../../../../src/io/net/whole-answer.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const refuses =
  (code: ErrorCode, text = /./) =>
  (error: unknown) =>
    error instanceof AppError && error.code === code && text.test(error.message)

type Answer = string | Uint8Array | Error

/** `answers` by `host:port path`. */
function rig(answers: Record<string, Answer | ((text: string) => Answer)>) {
  const asked: string[] = []
  const exchange = async (order: { host: string; port: number; request: Uint8Array; maxBytes: number }) => {
    const text = Buffer.from(order.request).toString('latin1')
    const key = `${order.host}:${order.port} ${text.split(' ')[1] ?? ''}`
    asked.push(text)
    const known = answers[key]
    const answer = typeof known === 'function' ? known(text) : known
    if (answer === undefined) throw new AppError('SourceFailed', `nobody answers for ${key}`)
    if (answer instanceof Error) throw answer
    const bytes = typeof answer === 'string' ? Buffer.from(answer, 'latin1') : answer
    if (bytes.length > order.maxBytes) throw new AppError('SourceFailed', 'too long')
    return bytes
  }
  const deps = { lane: { exchange }, policy: new AddressPolicy([]), clock: new VirtualClock() }
  return { asked, clock: deps.clock, http: new CircuitHttp(deps), ranges: new CircuitRanges(deps) }
}

const order = (url: string, maxBytes = 1000) =>
  ({ url, maxBytes, timeoutMs: 10_000, privateRule: 'tracker-paths' }) as const
const ok = (body: string, fields = '') => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

test('bodies with a length, without one, in chunks, packed, behind 100 Continue', async () => {
  const packed = (coding: string, bytes: Buffer) =>
    Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n\r\n`), bytes])
  const { http } = rig({
    'a.example:80 /length': ok('hello and more', 'content-length: 5\r\n'),
    'a.example:80 /open': ok('hello'),
    'a.example:80 /chunks': ok('3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 'transfer-encoding: chunked\r\n'),
    'a.example:80 /gzip': packed('gzip', gzipSync('hello')),
    'a.example:80 /deflate': packed('deflate', deflateSync('hello')),
    'a.example:80 /continue': `HTTP/1.1 100 Continue\r\n\r\n${ok('hello')}`,
  })
  for (const path of ['length', 'open', 'chunks', 'gzip', 'deflate', 'continue']) {
    const answer = await http.get(order(`http://a.example/${path}`))
    assert.deepEqual([answer.status, text(answer.body), answer.remoteIp], [200, 'hello', null], path)
  }
})

test('answers that are none, cut or too long', async () => {
  const { http } = rig({
    'a.example:80 /cut': ok('hel', 'content-length: 5\r\n'),
    'a.example:80 /cut-chunk': ok('5\r\nhel', 'transfer-encoding: chunked\r\n'),
    'a.example:80 /no-end': ok('3\r\nhel\r\n', 'transfer-encoding: chunked\r\n'),
    'a.example:80 /other-coding': ok('hello', 'transfer-encoding: gzip, chunked\r\n'),
    'a.example:80 /two-lengths': ok('hello', 'content-length: 5\r\ncontent-length: 4\r\n'),
    'a.example:80 /nothing': '',
    'a.example:80 /no-http': 'd8:intervali1e5:peers0:e',
    'a.example:80 /broken-gzip': ok('hello', 'content-encoding: gzip\r\n'),
    'a.example:80 /brotli': ok('hello', 'content-encoding: br\r\n'),
    'a.example:80 /bomb': Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n'),
      gzipSync(Buffer.alloc(1_000_000)),
    ]),
    'a.example:80 /long': ok('x'.repeat(2000)),
  })
  const paths = [
    'cut',
    'cut-chunk',
    'no-end',
    'other-coding',
    'two-lengths',
    'nothing',
    'no-http',
    'broken-gzip',
    'brotli',
  ]
  for (const path of [...paths, 'bomb', 'long'])
    await assert.rejects(http.get(order(`http://a.example/${path}`, 1500)), refuses('SourceFailed'), path)
  assert.equal(readWholeAnswer(Buffer.from(`HTTP/1.1 103 Hints\r\n\r\n`.repeat(20) + ok('x'))), null)
})

test('https, local names and local addresses are refused before anything is asked', async () => {
  const { http, asked, ranges } = rig({})
  await assert.rejects(http.get(order('https://a.example/')), refuses('BadScheme', /no https/))
  await assert.rejects(http.get(order('ftp://a.example/')), refuses('BadScheme'))
  for (const url of ['http://localhost/announce', 'http://router.lan/announce', 'http://10.0.0.1/announce'])
    await assert.rejects(http.get(order(url)), refuses('AddressRefused'), url)
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://[::ffff:192.168.0.1]/', 'http://0x7f.1/'])
    await assert.rejects(http.get(order(url)), refuses('AddressRefused'), url)
  const outcome = await ranges.get('https://a.example/f', range(0, 5, 5), () => undefined, new AbortController().signal)
  assert.equal(outcome.kind, 'refused')
  assert.deepEqual(asked, [])
})

test('redirects are followed, judged and bounded; credentials stay at home', async () => {
  const moved = (to: string) => `HTTP/1.1 302 Found\r\nlocation: ${to}\r\n\r\n`
  const { http, asked, clock } = rig({
    'a.example:80 /one': moved('/two'),
    'a.example:80 /two': moved('http://b.example:8080/three?x=1'),
    'b.example:8080 /three?x=1': ok('found'),
    'a.example:80 /secure': moved('https://a.example/secure'),
    'a.example:80 /inside': moved('http://192.168.0.1/'),
    'a.example:80 /circle': moved('/circle'),
    ...Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map(n => [`a.example:80 /n${n}`, moved(`/n${n + 1}`)])),
    'a.example:80 /magnet': moved('magnet:?xt=urn:btih:x'),
  })
  assert.equal(text((await http.get(order('http://user:p%40ss@a.example/one'))).body), 'found')
  assert.deepEqual(
    asked.map(request => /authorization: Basic (.*)\r\n/.exec(request)?.[1] ?? ''),
    [Buffer.from('user:p@ss').toString('base64'), '', ''],
  )
  await assert.rejects(http.get(order('http://a.example/secure')), refuses('SourceFailed', /no https/))
  await assert.rejects(http.get(order('http://a.example/inside')), refuses('AddressRefused'))
  await assert.rejects(http.get(order('http://a.example/circle')), refuses('SourceFailed', /circle/))
  await assert.rejects(http.get(order('http://a.example/n0')), refuses('SourceFailed', /more than 5/))
  const source = new CircuitFetch(http, clock)
  assert.deepEqual(await source.fetch('http://a.example/magnet'), { kind: 'magnet', uri: 'magnet:?xt=urn:btih:x' })
})

test('a source whose exit fails is asked again by another one; what is plainly wrong is not', async () => {
  let fails = 2
  const { http, asked, clock } = rig({
    'a.example:80 /t': () => (fails-- > 0 ? new AppError('SourceFailed', 'the exit vanished') : ok('bytes')),
    'a.example:80 /gone': 'HTTP/1.1 404 Gone\r\n\r\n',
  })
  const source = new CircuitFetch(http, clock)
  const fetched = await source.fetch('http://a.example/t')
  assert.equal(fetched.kind === 'bytes' ? text(fetched.bytes) : '', 'bytes')
  assert.equal(asked.length, 3)
  await assert.rejects(source.fetch('http://a.example/gone'), refuses('SourceFailed', /404/))
  await assert.rejects(source.fetch('https://a.example/t'), refuses('BadScheme'))
  await assert.rejects(source.fetch('ftp://a.example/t'), refuses('BadScheme'))
  assert.equal(asked.length, 4)
  const abort = new AbortController()
  abort.abort()
  fails = 9
  await assert.rejects(source.fetch('http://a.example/t', abort.signal), refuses('SourceFailed'))
  assert.equal(asked.length, 5)
})

test('an exit that stays silent: the error names the bound of what exits carry', async () => {
  const { http, asked, clock } = rig({ 'a.example:80 /large': new AppError('SourceFailed', NO_ANSWER_OF_EXIT) })
  await assert.rejects(
    new CircuitFetch(http, clock).fetch('http://a.example/large'),
    refuses('SourceFailed', /larger than the 1 MiB that exits carry/),
  )
  assert.equal(asked.length, 4)
})

function range(offset: number, length: number, total: number) {
  return { offset, length, total }
}

test('ranges come in slices, in order, never more than was asked for', async () => {
  const file = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251))
  const part = (request: string) => {
    const [, first = '0', last = '0'] = /range: bytes=(\d+)-(\d+)/.exec(request) ?? []
    const body = file.subarray(Number(first), Number(last) + 1)
    const head = `HTTP/1.1 206 Part\r\ncontent-range: bytes ${first}-${last}/${file.length}\r\ncontent-length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  }
  const { ranges, asked } = rig({
    'a.example:80 /f': 'HTTP/1.1 301 Moved\r\nlocation: http://b.example/f\r\n\r\n',
    'b.example:80 /f': part,
    'c.example:80 /busy': 'HTTP/1.1 503 Busy\r\nretry-after: 7\r\n\r\n',
    'c.example:80 /gone': 'HTTP/1.1 404 Gone\r\n\r\n',
    'c.example:80 /other': ok('x'.repeat(20), 'content-length: 20\r\n'),
  })
  const chunks: Buffer[] = []
  const { signal } = new AbortController()
  const sink = (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk))
  assert.deepEqual(await ranges.get('http://a.example/f', range(100, 600_000, 700_000), sink, signal), { kind: 'done' })
  assert.ok(Buffer.concat(chunks).equals(file.subarray(100, 600_100)))
  assert.equal(asked.length, 4, 'the redirect is followed once, and remembered')
  const busy = await ranges.get('http://c.example/busy', range(0, 10, 10), sink, signal)
  assert.deepEqual([busy.kind, 'retryAfterMs' in busy ? busy.retryAfterMs : 0], ['busy', 7000])
  assert.equal((await ranges.get('http://c.example/gone', range(0, 10, 10), sink, signal)).kind, 'missing')
  assert.equal((await ranges.get('http://c.example/other', range(5, 10, 20), sink, signal)).kind, 'wrong')
  assert.equal((await ranges.get('http://nobody.example/', range(0, 10, 10), sink, signal)).kind, 'failed')
  const abort = new AbortController()
  const given = await ranges.get(
    'http://a.example/f',
    range(0, 600_000, 700_000),
    () => {
      abort.abort()
      return undefined
    },
    abort.signal,
  )
  assert.equal(given.kind, 'aborted')
})
