// Fetching torrent sources from servers that lie, loop, stall and flood, and from addresses that are not allowed.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AppError, type ErrorCode } from '../../src/base/errors.ts'
import { GuardedFetch } from '../../src/io/net/guarded-fetch.ts'
import type { NameResolver } from '../../src/ports/name-resolver.ts'
import { endless, gzipBomb, type HostileServer, loopbackWorld, serve, serveRaw } from './hostile-http.ts'

const MAX = 1024 * 1024
let open: HostileServer
let secret: HostileServer

function redirect(reply: ServerResponse, location: string): void {
  reply.writeHead(302, { location }).end()
}

before(async () => {
  secret = await serve((_, reply) => void reply.end('secret'), '127.0.0.2')
  open = await serve((request, reply) => {
    const path = request.url ?? ''
    const hop = /^\/hop\/(\d+)$/.exec(path)
    if (hop !== null) return redirect(reply, hop[1] === '0' ? '/torrent' : `/hop/${Number(hop[1]) - 1}`)
    if (path === '/torrent') return void reply.end('d1:ai1ee')
    if (path === '/gzip') return void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('d1:ai1ee'))
    if (path === '/magnet') return redirect(reply, 'magnet:?xt=urn:btih:abc')
    if (path === '/file') return redirect(reply, 'file:///etc/passwd')
    if (path === '/circle') return redirect(reply, '/circle')
    if (path === '/to-private') return redirect(reply, secret.url('/announce'))
    if (path === '/to-name') return redirect(reply, secret.url('/', 'priv.test'))
    if (path === '/to-self') return redirect(reply, open.url('/torrent', 'pub.test'))
    if (path === '/bomb') return gzipBomb(reply)
    if (path === '/endless') return endless(reply)
    if (path === '/long') return reply.writeHead(200, { 'content-length': MAX + 1 }).flushHeaders()
    if (path === '/bad-gzip') return void reply.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')
    if (path === '/br') return void reply.writeHead(200, { 'content-encoding': 'br' }).end('x')
    if (path === '/slow') return void reply.write('d')
    if (path === '/404') return void reply.writeHead(404).end('no')
    // '/silent': nothing is ever sent.
  })
})

after(async () => {
  await open.stop()
  await secret.stop()
})

async function withFetch(
  run: (fetcher: GuardedFetch) => Promise<void>,
  allowed?: string[],
  timeoutMs = 5_000,
): Promise<void> {
  const fetcher = new GuardedFetch({ userAgent: 'Tributary/test', timeoutMs, maxBytes: MAX }, loopbackWorld(allowed))
  try {
    await run(fetcher)
  } finally {
    await fetcher.close()
  }
}

const withCode =
  (code: ErrorCode, text?: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, code, error.message)
    if (text !== undefined) assert.match(error.message, text)
    return true
  }

test('bytes, plain and packed, with our name and without more', () =>
  withFetch(async fetcher => {
    for (const path of ['/torrent', '/gzip']) {
      const found = await fetcher.fetch(open.url(path))
      assert.ok(found.kind === 'bytes')
      assert.equal(Buffer.from(found.bytes).toString(), 'd1:ai1ee')
    }
    assert.equal(open.requests.at(-1)?.headers['user-agent'], 'Tributary/test')
    assert.equal((await fetcher.fetch(open.url('/torrent', 'pub.test'))).kind, 'bytes')
  }))

test('five redirects are followed, the sixth is not, a circle ends', () =>
  withFetch(async fetcher => {
    assert.equal((await fetcher.fetch(open.url('/hop/4'))).kind, 'bytes')
    await assert.rejects(fetcher.fetch(open.url('/hop/5')), withCode('SourceFailed', /5 redirects/))
    const asked = open.requests.length
    await assert.rejects(fetcher.fetch(open.url('/circle')), withCode('SourceFailed', /circle/))
    assert.equal(open.requests.length, asked + 1)
  }))

test('a redirect to a magnet gives the magnet; other schemes are refused', () =>
  withFetch(async fetcher => {
    assert.deepEqual(await fetcher.fetch(open.url('/magnet')), { kind: 'magnet', uri: 'magnet:?xt=urn:btih:abc' })
    await assert.rejects(fetcher.fetch(open.url('/file')), withCode('BadScheme'))
    await assert.rejects(fetcher.fetch('ftp://127.0.0.1/x'), withCode('BadScheme'))
  }))

test('private addresses are refused in every spelling, and nothing is sent to them', async () => {
  const spelled = [
    '127.0.0.2',
    '127.2',
    '0x7f.2',
    '0x7f000002',
    '2130706434',
    '0177.0.0.2',
    '[::ffff:127.0.0.2]',
    'priv.test',
  ]
  await withFetch(async fetcher => {
    for (const host of spelled) {
      await assert.rejects(fetcher.fetch(secret.url('/announce', host)), withCode('AddressRefused'), host)
    }
    for (const path of ['/to-private', '/to-name']) {
      await assert.rejects(fetcher.fetch(open.url(path)), withCode('AddressRefused'), path)
    }
    for (const host of [
      '0.0.0.0',
      '[::]',
      '224.0.0.1',
      '[::1]',
      '169.254.169.254',
      '[64:ff9b::7f00:2]',
      '[2002:7f00:2::]',
    ]) {
      await assert.rejects(fetcher.fetch(`http://${host}:${secret.port}/`), withCode('AddressRefused'), host)
    }
  })
  assert.equal(secret.opened, 0)
  await withFetch(
    async fetcher => {
      assert.equal((await fetcher.fetch(secret.url('/', 'priv.test'))).kind, 'bytes')
    },
    ['127.0.0.2'],
  )
  assert.equal(secret.opened, 1)
})

test('a name that changes its address between the check and the connect is refused', async () => {
  const { policy } = loopbackWorld()
  let asked = 0
  const resolver: NameResolver = {
    resolve: () => {
      const ip = asked++ === 0 ? '127.0.0.1' : '127.0.0.2'
      return Promise.resolve([{ ip, family: 4, class: policy.classify(ip) }])
    },
  }
  const fetcher = new GuardedFetch({ userAgent: 'x', timeoutMs: 5_000 }, { policy, resolver })
  const before = secret.opened
  await assert.rejects(fetcher.fetch(secret.url('/', 'rebind.test')), withCode('AddressRefused'))
  await fetcher.close()
  assert.ok(asked >= 2, 'the name was not asked again at connect')
  assert.equal(secret.opened, before)
})

test('a resolver that lies about classes is caught at the connected socket', async () => {
  const { policy } = loopbackWorld()
  const resolver: NameResolver = { resolve: () => Promise.resolve([{ ip: '127.0.0.2', family: 4, class: 'public' }]) }
  const fetcher = new GuardedFetch({ userAgent: 'x', timeoutMs: 5_000 }, { policy, resolver })
  const before = secret.requests.length
  await assert.rejects(fetcher.fetch(secret.url('/', 'liar.test')), withCode('AddressRefused'))
  await fetcher.close()
  assert.equal(secret.requests.length, before)
})

test('user and password go to the address that was asked for, and not along a redirect', () =>
  withFetch(async fetcher => {
    // A relative redirect inherits user and password from the address before, by the rules of URLs.
    for (const path of ['/to-self', '/hop/0']) {
      const url = new URL(open.url(path))
      url.username = 'me'
      url.password = 'p%20w'
      await fetcher.fetch(url.href)
      const [first, second] = open.requests.slice(-2)
      assert.equal(first?.headers.authorization, `Basic ${Buffer.from('me:p w').toString('base64')}`)
      assert.equal(second?.url, '/torrent')
      assert.equal(second?.headers.authorization, undefined)
      assert.equal(second?.headers.referer, undefined)
    }
  }))

test('bodies are cut at the limit as sent and as decoded, memory stays flat', () =>
  withFetch(async fetcher => {
    const before = process.memoryUsage.rss()
    for (const path of ['/bomb', '/endless', '/long']) {
      await assert.rejects(fetcher.fetch(open.url(path)), withCode('SourceFailed', /longer than 1048576/), path)
    }
    const grown = process.memoryUsage.rss() - before
    assert.ok(grown < 100 * 1024 * 1024, `memory grew by ${grown}`)
    await assert.rejects(fetcher.fetch(open.url('/bad-gzip')), withCode('SourceFailed', /unpacked/))
    await assert.rejects(fetcher.fetch(open.url('/br')), withCode('SourceFailed', /packed/))
    await assert.rejects(fetcher.fetch(open.url('/404')), withCode('SourceFailed', /404/))
  }))

test('silence, a body that stops and a head that never ends are cut off in time; nobody is kept connected', async () => {
  const drip = await serveRaw(socket => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x-a: b\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  })
  await withFetch(
    async fetcher => {
      for (const path of ['/silent', '/slow']) {
        await assert.rejects(fetcher.fetch(open.url(path)), withCode('SourceFailed', /no answer within/), path)
      }
      await assert.rejects(fetcher.fetch(`http://127.0.0.1:${drip.port}/`), withCode('SourceFailed'))
    },
    undefined,
    300,
  )
  await drip.stop()
})

test('who gives up gets Aborted at once', () =>
  withFetch(async fetcher => {
    const abort = new AbortController()
    const fetching = fetcher.fetch(open.url('/silent'), abort.signal)
    abort.abort()
    await assert.rejects(fetching, withCode('Aborted'))
    await assert.rejects(fetcher.fetch(open.url('/torrent'), abort.signal), withCode('Aborted'))
  }))

test('unknown names, closed ports and garbage are failures with a readable text', async () => {
  const garbage = await serveRaw(socket => void socket.end('\x00\x01garbage\r\n\r\n'))
  const closed = await serve(() => undefined)
  await closed.stop()
  await withFetch(async fetcher => {
    await assert.rejects(fetcher.fetch('http://nobody.test/'), withCode('SourceFailed', /name is not known/))
    await assert.rejects(fetcher.fetch(closed.url('/')), withCode('SourceFailed', /connection was refused/))
    await assert.rejects(fetcher.fetch(`http://127.0.0.1:${garbage.port}/`), withCode('SourceFailed'))
    await assert.rejects(fetcher.fetch('http://'), withCode('SourceFailed'))
  })
  await garbage.stop()
})
