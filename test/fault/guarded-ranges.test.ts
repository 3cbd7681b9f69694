// Ranges over real sockets: what is taken from servers and what is not, back-pressure, redirects, addresses that are
// refused, servers that hang, cut, flood or lie.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { GuardedRanges } from '../../src/io/net/guarded-ranges.ts'
import { NetTcpNetwork } from '../../src/io/net/tcp-net.ts'
import type { RangeOutcome } from '../../src/ports/http-ranges.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { waitFor } from '../kit/wait-for.ts'
import { endless, type HostileServer, loopbackWorld, serve } from './hostile-http.ts'

const FILE = seededBytes(3_000_000, 5)
const never = new AbortController().signal
let server: HostileServer
let local: HostileServer
let ranges: GuardedRanges

function sendRange(request: IncomingMessage, reply: ServerResponse): void {
  const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const first = Number(match?.[1])
  const last = Number(match?.[2])
  reply.writeHead(206, {
    'content-range': `bytes ${first}-${last}/${FILE.length}`,
    'content-length': String(last - first + 1),
  })
  reply.end(FILE.subarray(first, last + 1))
}

const heads: Record<string, (request: IncomingMessage, reply: ServerResponse) => void> = {
  '/file': sendRange,
  '/whole': (_, reply) => void reply.writeHead(200, { 'content-length': String(FILE.length) }).end(FILE),
  '/page': (_, reply) => void reply.end('<html>not found, but 200</html>'),
  '/404': (_, reply) => void reply.writeHead(404).end('gone'),
  '/416': (_, reply) => void reply.writeHead(416, { 'content-range': 'bytes */5' }).end(),
  '/503': (_, reply) => void reply.writeHead(503, { 'retry-after': '17' }).end(),
  '/429': (_, reply) => void reply.writeHead(429).end(),
  '/gzip': (_, reply) =>
    void reply
      .writeHead(206, { 'content-range': `bytes 0-999/${FILE.length}`, 'content-encoding': 'gzip' })
      .end('x'.repeat(1000)),
  '/other-range': (_, reply) =>
    void reply.writeHead(206, { 'content-range': `bytes 1-1000/${FILE.length}` }).end('x'.repeat(1000)),
  '/other-length': (_, reply) =>
    void reply.writeHead(206, { 'content-range': 'bytes 0-999/4000000' }).end('x'.repeat(1000)),
  '/no-range': (_, reply) => void reply.writeHead(206).end('x'.repeat(1000)),
  '/short': (_, reply) =>
    void reply.writeHead(206, { 'content-range': `bytes 0-999/${FILE.length}` }).end('x'.repeat(500)),
  '/flood': (_, reply) => {
    reply.writeHead(206, { 'content-range': `bytes 0-999/${FILE.length}` })
    endless(reply)
  },
  '/cut': (request, reply) => {
    reply.writeHead(206, { 'content-range': `bytes 0-999/${FILE.length}`, 'content-length': '1000' })
    reply.write('x'.repeat(300), () => request.socket.destroy())
  },
  '/stall': (_, reply) => {
    reply.writeHead(206, { 'content-range': `bytes 0-999/${FILE.length}`, 'content-length': '1000' })
    reply.write('x'.repeat(300))
  },
  '/silent': () => undefined,
  '/moved': (_, reply) => void reply.writeHead(302, { location: '/file' }).end(),
  '/circle': (_, reply) => void reply.writeHead(302, { location: '/circle' }).end(),
  '/to-local': (_, reply) => void reply.writeHead(302, { location: local.url('/file') }).end(),
  '/to-ftp': (_, reply) => void reply.writeHead(302, { location: 'ftp://a.test/file' }).end(),
}

before(async () => {
  server = await serve((request, reply) => heads[(request.url ?? '').split('?')[0] ?? '']?.(request, reply))
  local = await serve((request, reply) => {
    if (request.url !== '/on-with-query') return sendRange(request, reply)
    reply.writeHead(302, { location: '/file?reboot=1' }).end()
  }, '127.0.0.2')
  ranges = new GuardedRanges(
    { userAgent: 'Tributary/test', localIp: null, headTimeoutMs: 400, idleTimeoutMs: 400 },
    { ...loopbackWorld(), tcp: new NetTcpNetwork() },
  )
})

after(async () => {
  await ranges.close()
  await server.stop()
  await local.stop()
})

/** Asks for `length` bytes from `offset` on; what came, and how it ended. */
async function get(url: string, offset = 0, length = 1000): Promise<{ bytes: Buffer; outcome: RangeOutcome }> {
  const chunks: Buffer[] = []
  const sink = (chunk: Uint8Array): undefined => {
    chunks.push(Buffer.from(chunk))
    return undefined
  }
  const outcome = await ranges.get(url, { offset, length, total: FILE.length }, sink, never)
  return { bytes: Buffer.concat(chunks), outcome }
}

test('a range comes whole, and connections are used again', async () => {
  for (const [offset, length] of [
    [0, 1],
    [5, 1000],
    [FILE.length - 7, 7],
    [100_000, 2_000_000],
  ] as const) {
    const { bytes, outcome } = await get(server.url('/file'), offset, length)
    assert.deepEqual(outcome, { kind: 'done' })
    assert.ok(bytes.equals(FILE.subarray(offset, offset + length)))
  }
  assert.equal(server.opened, 1)
  const head = server.requests[0]?.headers
  assert.equal(head?.range, 'bytes=0-0')
  assert.equal(head?.['accept-encoding'], 'identity')
  assert.equal(head?.['user-agent'], 'Tributary/test')
})

test('a server without ranges is good for the beginning and for whole files', async () => {
  const whole = await get(server.url('/whole'), 0, FILE.length)
  assert.deepEqual(whole.outcome, { kind: 'done' })
  assert.ok(whole.bytes.equals(FILE))
  const beginning = await get(server.url('/whole'), 0, 70_000)
  assert.deepEqual(beginning.outcome, { kind: 'done' })
  assert.ok(beginning.bytes.equals(FILE.subarray(0, 70_000)))
  assert.equal((await get(server.url('/whole'), 1, 10)).outcome.kind, 'wrong')
})

test('answers that are something else end without a byte too many', async () => {
  const kinds: Record<string, string> = {
    '/page': 'wrong',
    '/404': 'missing',
    '/416': 'wrong',
    '/503': 'busy',
    '/429': 'busy',
    '/gzip': 'wrong',
    '/other-range': 'wrong',
    '/other-length': 'wrong',
    '/no-range': 'wrong',
    '/short': 'wrong',
    '/cut': 'failed',
    '/stall': 'failed',
    '/silent': 'failed',
    '/circle': 'failed',
    '/to-ftp': 'refused',
    '/to-local': 'refused',
  }
  for (const [path, kind] of Object.entries(kinds)) {
    const { outcome, bytes } = await get(server.url(path))
    assert.equal(outcome.kind, kind, `${path}: ${JSON.stringify(outcome)}`)
    assert.ok(bytes.length <= 1000)
  }
  const busy = (await get(server.url('/503'))).outcome
  assert.equal(busy.kind === 'busy' && busy.retryAfterMs, 17_000)
  assert.equal(local.requests.length, 0, 'the private server was never asked')
})

test('a flood is cut at the end of the range', async () => {
  const { outcome, bytes } = await get(server.url('/flood'))
  assert.deepEqual(outcome, { kind: 'done' })
  assert.equal(bytes.length, 1000)
})

test('redirects are followed; refused and unknown addresses are not asked, private ones only without a query', async () => {
  const { outcome, bytes } = await get(server.url('/moved'), 10, 20)
  assert.deepEqual(outcome, { kind: 'done' })
  assert.ok(bytes.equals(FILE.subarray(10, 30)))
  for (const place of [local.url('/file'), `http://priv.test:${local.port}/file`]) {
    assert.equal((await get(place)).outcome.kind, 'done')
    const asked = local.requests.length
    assert.equal((await get(`${place}?reboot=1`)).outcome.kind, 'refused')
    assert.equal(local.requests.length, asked)
  }
  assert.equal((await get(local.url('/on-with-query'))).outcome.kind, 'refused')
  assert.equal((await get('http://224.0.0.1/file')).outcome.kind, 'refused')
  assert.equal((await get('http://0.0.0.0/file')).outcome.kind, 'refused')
  assert.equal((await get('file:///etc/passwd')).outcome.kind, 'refused')
  assert.equal((await get('http://nowhere.test/file')).outcome.kind, 'failed')
  assert.equal((await get(`http://pub.test:${server.port}/file`)).outcome.kind, 'done')
})

test('user and password go to the server that was named, and to no other', async () => {
  const before = server.requests.length
  await get(`http://me:p%40ss@127.0.0.1:${server.port}/moved`)
  const [first, second] = server.requests.slice(before)
  assert.equal(first?.headers.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  assert.equal(second?.headers.authorization, undefined)
})

test('nothing is read while the sink waits', async () => {
  let go: () => void = () => undefined
  let got = 0
  const sink = (chunk: Uint8Array): Promise<void> => {
    got += chunk.length
    return new Promise(resolve => {
      go = resolve
    })
  }
  const range = { offset: 0, length: FILE.length, total: FILE.length }
  const done = ranges.get(server.url('/file'), range, sink, never)
  await waitFor('the first chunk', () => got > 0)
  const held = got
  // A request that ends for want of bytes takes as long as one may be without: not so one whose sink waits.
  assert.equal((await get(server.url('/stall'))).outcome.kind, 'failed')
  assert.equal(got, held)
  let over = false
  const outcome = done.finally(() => {
    over = true
  })
  await waitFor('the rest', () => {
    go()
    return over
  })
  assert.deepEqual(await outcome, { kind: 'done' })
  assert.equal(got, FILE.length)
})

test('what is given up ends at once, and the sink hears nothing more', async () => {
  const abort = new AbortController()
  let got = 0
  const sink = (chunk: Uint8Array): undefined => {
    got += chunk.length
    abort.abort()
    return undefined
  }
  const range = { offset: 0, length: FILE.length, total: FILE.length }
  assert.equal((await ranges.get(server.url('/file'), range, sink, abort.signal)).kind, 'aborted')
  const held = got
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(got, held)
  assert.equal((await ranges.get(server.url('/file'), range, sink, abort.signal)).kind, 'aborted')
  const early = new AbortController()
  const silent = ranges.get(server.url('/silent'), range, sink, early.signal)
  early.abort()
  assert.equal((await silent).kind, 'aborted')
})

test('a sink that throws ends the request', async () => {
  const sink = (): undefined => {
    throw new Error('no room')
  }
  const outcome = await ranges.get(server.url('/file'), { offset: 0, length: 10, total: FILE.length }, sink, never)
  assert.deepEqual(outcome, { kind: 'failed', text: 'no room', retryAfterMs: null })
})

test('after close nothing is asked', async () => {
  const closed = new GuardedRanges({ userAgent: 'x', localIp: null }, loopbackWorld())
  await closed.close()
  const before = server.requests.length
  const outcome = await closed.get(server.url('/file'), { offset: 0, length: 10, total: 10 }, () => undefined, never)
  assert.equal(outcome.kind, 'failed')
  assert.equal(server.requests.length, before)
})
