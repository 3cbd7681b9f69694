// Feeds of servers that lie, loop, stall and flood, of 100 MB and of XML that grows, and the thread that reads them.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AppError, type ErrorCode } from '../../../../src/base/errors.ts'
import { readFeedInThread } from '../../../../src/chapters/channels/io/feed-thread.ts'
import { GuardedFeed } from '../../../../src/chapters/channels/io/guarded-feed.ts'
import type { FeedAnswer } from '../../../../src/chapters/channels/feeds/feed-source.ts'
import { endless, gzipBomb, type HostileServer, loopbackWorld, serve } from '../../../fault/hostile-http.ts'

const MIB = 1024 * 1024
const HASH = '0123456789abcdef0123456789abcdef01234567'
const NOW_MS = Date.UTC(2026, 10, 22, 12)
const { signal } = new AbortController()
let open: HostileServer
let secret: HostileServer

function rss(title: string, encoding = 'utf-8'): string {
  return `<?xml version="1.0" encoding="${encoding}"?><rss><channel><title>${title}</title><item><guid>1</guid><link>magnet:?xt=urn:btih:${HASH}</link></item></channel></rss>`
}

/** Deep in text: each entity is ten of the one before. */
function entityBomb(): string {
  const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`)
  return `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "lol">${entities.join('')}]><rss><channel><title>&e9;</title></channel></rss>`
}

/** Megabytes of the smallest elements: the costliest a feed of its size can be. */
function tiny(): string {
  return `<rss><channel>${'<a/>'.repeat(2_000_000 - 100)}</channel></rss>`
}

function conditional(request: IncomingMessage, reply: ServerResponse): void {
  const fresh = request.headers['if-none-match'] === '"v1"' && request.headers['if-modified-since'] === 'yesterday'
  if (fresh) reply.writeHead(304).end()
  else reply.writeHead(200, { etag: '"v1"', 'last-modified': 'yesterday' }).end(rss('new'))
}

const pages: Record<string, (request: IncomingMessage, reply: ServerResponse) => void> = {
  '/conditional': conditional,
  '/gzip': (_, reply) => reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(rss('packed'))),
  '/latin': (_, reply) =>
    reply
      .writeHead(200, { 'content-type': 'text/xml; charset=utf-8' })
      .end(Buffer.from(rss('Käse', 'utf-8'), 'latin1')),
  '/unknown': (_, reply) => reply.writeHead(200, { 'content-type': 'text/xml; charset=klingon' }).end(rss('Käse')),
  '/circle': (_, reply) => reply.writeHead(302, { location: '/circle' }).end(),
  '/loop': (_, reply) => reply.writeHead(302, { location: `/loop?${Math.floor(open.requests.length)}` }).end(),
  '/to-private': (_, reply) => reply.writeHead(301, { location: secret.url('/rss') }).end(),
  '/to-name': (_, reply) => reply.writeHead(301, { location: secret.url('/rss', 'priv.test') }).end(),
  '/to-file': (_, reply) => reply.writeHead(301, { location: 'file:///etc/passwd' }).end(),
  '/100mb': (_, reply) => endless(reply),
  '/says-100mb': (_, reply) => reply.writeHead(200, { 'content-length': 100 * MIB }).flushHeaders(),
  '/bomb': (_, reply) => gzipBomb(reply),
  '/entities': (_, reply) => reply.end(entityBomb()),
  '/tiny': (_, reply) => reply.end(tiny()),
  '/html': (_, reply) => reply.end('<!doctype html><html><body>Sorry</body></html>'),
  '/cut': (_, reply) => reply.end(rss('x').slice(0, -20)),
  '/slow': (_, reply) => void reply.write('<rss>'),
  '/later': (_, reply) => reply.writeHead(503, { 'retry-after': '7200' }).end(),
  '/date': (_, reply) => reply.writeHead(429, { 'retry-after': new Date(NOW_MS + 60_000).toUTCString() }).end(),
  '/nonsense': (_, reply) => reply.writeHead(429, { 'retry-after': '-5x' }).end(),
  '/gone': (_, reply) => reply.writeHead(410).end(rss('gone')),
}

before(async () => {
  secret = await serve((_, reply) => void reply.end(rss('secret')), '127.0.0.2')
  // '/silent' and all that is not here: nothing is ever sent.
  open = await serve((request, reply) => pages[(request.url ?? '').split('?')[0] ?? '']?.(request, reply))
})

after(async () => {
  await open.stop()
  await secret.stop()
})

function makeSource(timeoutMs = 20_000): GuardedFeed {
  const read = (...[document, end]: Parameters<typeof readFeedInThread>) => readFeedInThread(document, end)
  return new GuardedFeed(
    { userAgent: 'Tributary/test', timeoutMs },
    { ...loopbackWorld(), read, hidden: () => null, wallMs: () => NOW_MS },
  )
}

async function look(path: string, timeoutMs?: number): Promise<FeedAnswer> {
  const source = makeSource(timeoutMs)
  try {
    return await source.look({ url: open.url(path), etag: null, lastModified: null }, signal)
  } finally {
    await source.close()
  }
}

async function titleAt(path: string): Promise<string> {
  const answer = await look(path)
  return answer.kind === 'feed' ? answer.feed.title : answer.kind
}

test('a private address is refused at once', async () => {
  const source = makeSource()
  for (const host of [undefined, 'priv.test']) {
    const ask = { url: secret.url('/rss', host), etag: null, lastModified: null }
    await assert.rejects(source.look(ask, signal), (error: unknown) => (error as AppError).code === 'AddressRefused')
  }
  await source.close()
  assert.equal(secret.requests.length, 0)
})

async function refused(path: string, code: ErrorCode, timeoutMs?: number): Promise<string> {
  let text = ''
  await assert.rejects(look(path, timeoutMs), (error: unknown) => {
    text = String(error)
    return error instanceof AppError && error.code === code
  })
  return text
}

test('a server gets back what it gave, and says that nothing is new', async () => {
  const source = makeSource()
  const url = open.url('/conditional')
  const first = await source.look({ url, etag: null, lastModified: null }, signal)
  assert.equal(first.kind, 'feed')
  if (first.kind !== 'feed') return
  assert.deepEqual([first.etag, first.lastModified, first.feed.items.length], ['"v1"', 'yesterday', 1])
  const again = await source.look({ url, etag: first.etag, lastModified: first.lastModified }, signal)
  assert.deepEqual(again, { kind: 'same' })
  await source.close()
})

test('packed feeds, and feeds whose charset is not what is said', async () => {
  assert.equal(await titleAt('/gzip'), 'packed')
  assert.equal(await titleAt('/latin'), 'Käse')
  assert.equal(await titleAt('/unknown'), 'Käse')
})

test('redirects to private addresses, files and in circles are refused', async () => {
  await refused('/to-private', 'AddressRefused')
  await refused('/to-name', 'AddressRefused')
  await refused('/to-file', 'BadScheme')
  await refused('/circle', 'SourceFailed')
  await refused('/loop', 'SourceFailed')
  assert.equal(secret.requests.length, 0)
})

test('100 MB, said or sent, packed or not, end at the bound', async () => {
  await refused('/says-100mb', 'SourceFailed')
  const before = process.memoryUsage().rss
  await refused('/100mb', 'SourceFailed')
  await refused('/bomb', 'SourceFailed')
  assert.ok(process.memoryUsage().rss - before < 150 * MIB)
})

test('entity bombs, pages that are no feeds and cut feeds are refused', async () => {
  assert.match(await refused('/entities', 'SourceFailed'), /declares entities/)
  assert.match(await refused('/html', 'SourceFailed'), /neither RSS nor Atom|cannot be read/)
  assert.match(await refused('/cut', 'SourceFailed'), /cut off/)
})

test('the costliest XML neither holds up the main thread nor takes its memory', async () => {
  let last = performance.now()
  let worst = 0
  const beat = setInterval(() => {
    worst = Math.max(worst, performance.now() - last)
    last = performance.now()
  }, 5)
  await look('/tiny').catch((error: unknown) => assert.ok(error instanceof AppError))
  clearInterval(beat)
  assert.ok(worst < 500, `the main thread stood still for ${worst} ms`)
})

test('a thread ends at its limits of time and memory', async () => {
  const document = { bytes: Buffer.from(tiny()), contentType: '', url: 'http://x.example/' }
  await assert.rejects(readFeedInThread(document, signal, { limitMs: 50 }), /takes too long/)
  await assert.rejects(readFeedInThread(document, signal, { memoryMib: 24 }), /too much memory/)
  const gone = new AbortController()
  const given = readFeedInThread(document, gone.signal)
  gone.abort()
  await assert.rejects(given, (error: unknown) => error instanceof AppError && error.code === 'Aborted')
})

test('slow and silent servers end with the time; statuses are in the errors', async () => {
  await refused('/slow', 'SourceFailed', 300)
  await refused('/silent', 'SourceFailed', 300)
  await refused('/gone', 'SourceFailed')
})

test('a server that wants to be left alone says for how long', async () => {
  const times = await Promise.all(['/later', '/date', '/nonsense'].map(path => look(path)))
  assert.deepEqual(
    times.map(answer => (answer.kind === 'later' ? answer.afterMs : null)),
    [7_200_000, 60_000, 0],
  )
})

test('a look ends with its caller and with the source', async () => {
  const source = makeSource()
  const end = new AbortController()
  const ask = { url: open.url('/silent'), etag: null, lastModified: null }
  const ended = [source.look(ask, end.signal), source.look(ask, signal)]
  const checks = ended.map(one => assert.rejects(one, (error: unknown) => (error as AppError).code === 'Aborted'))
  end.abort()
  await checks[0]
  await source.close()
  await checks[1]
})
