// HTTP by a route: through proxies and from a place. What the proxy gets, what is refused before it gets anything, and
// that a route that fails is no reason to go another way.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import { AddressPolicy } from '../../../../src/io/net/address-policy.ts'
import { DnsResolver } from '../../../../src/io/net/dns-resolver.ts'
import { GuardedFetch } from '../../../../src/io/net/guarded-fetch.ts'
import { GuardedHttp } from '../../../../src/io/net/guarded-http.ts'
import { GuardedRanges } from '../../../../src/io/net/guarded-ranges.ts'
import { GuardedPost } from '../../../../src/io/net/guarded-post.ts'
import { HttpJsonRpc } from '../../../../src/chapters/wallets/io/json-rpc-http.ts'
import type { ProxyConfig } from '../../../../src/io/proxy/proxy-config.ts'
import { JudgedRequests } from '../../../../src/io/net/judged-requests.ts'
import { type OutgoingRoute, RoutedConnector } from '../../../../src/io/net/routed-connector.ts'
import { isLocalName } from '../../../../src/wire/net/local-address.ts'
import type { HttpGet } from '../../../../src/ports/http-get.ts'
import type { NetworkPlace } from '../../../../src/ports/network-place.ts'
import { FakePlace } from '../../../kit/doubles/fake-place.ts'
import {
  type ProxyOptions,
  startHttpProxy,
  startSocks4,
  startSocks5,
  type TestProxy,
} from '../../../kit/peers/proxy-servers.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { type Handler, type HostileServer, serve } from '../../../fault/hostile-http.ts'

const get = (url: string): HttpGet => ({ url, maxBytes: 1_000, timeoutMs: 5_000, privateRule: 'tracker-paths' })
const coded =
  (code: string, text = /./) =>
  (error: unknown): boolean =>
    error instanceof AppError && error.code === code && text.test(error.message)

/** Addresses here: 127.0.0.1 is public, the rest of loopback private; `proxy.test` and `site.test` are 127.0.0.1. */
function world(t: TestContext, place: NetworkPlace | null, proxy: Omit<ProxyConfig, 'host' | 'auth'> | null) {
  const policy = new AddressPolicy(['127.0.0.1'])
  const looked: string[] = []
  const resolver = new DnsResolver({
    policy,
    lookup: (host, done) => {
      looked.push(host)
      done(null, /^(proxy|site)\.test$/.test(host) ? ['127.0.0.1'] : [])
    },
  })
  const config = proxy === null ? null : { host: 'proxy.test', auth: null, ...proxy }
  const route: OutgoingRoute = { place, proxy: config, proxyResolver: resolver }
  const options = { userAgent: 'x', localIp: null, connectTimeoutMs: 1_000 }
  const http = new GuardedHttp(options, { policy, resolver, route })
  const fetch = new GuardedFetch({ userAgent: 'x' }, { policy, resolver, route })
  const hook = new GuardedPost({ userAgent: 'x', localIp: null }, { policy, resolver, route })
  const ranges = new GuardedRanges(options, { policy, resolver, route })
  t.after(async () => {
    await http.close()
    await ranges.close()
    await fetch.close()
    await hook.close()
  })
  const rpc = (url: string): HttpJsonRpc => {
    const made = new HttpJsonRpc(url, { policy, resolver, route })
    t.after(() => made.close())
    return made
  }
  return { http, fetch, hook, ranges, looked, rpc, policy, resolver, route, options }
}

async function site(t: TestContext, handler: Handler): Promise<HostileServer> {
  const server = await serve(handler)
  t.after(() => server.stop())
  return server
}

async function proxyOf(
  t: TestContext,
  start: (options?: ProxyOptions) => Promise<TestProxy>,
  options: ProxyOptions = {},
): Promise<TestProxy> {
  const proxy = await start({ names: { 'site.test': '127.0.0.1' }, ...options })
  t.after(() => proxy.stop())
  return proxy
}

const kinds = { socks4: startSocks4, socks5: startSocks5, http: startHttpProxy }

for (const kind of ['socks4', 'socks5', 'http'] as const) {
  test(`${kind}: names go to the proxy unresolved, and connections are kept`, async t => {
    const server = await site(t, (_, reply) => void reply.end('here'))
    const proxy = await proxyOf(t, kinds[kind])
    const { http, looked } = world(t, null, { kind, port: proxy.port, hostnames: true })
    for (let n = 0; n < 2; n++) {
      const answer = await http.get(get(`http://site.test:${server.port}/announce`))
      assert.equal(Buffer.from(answer.body).toString(), 'here')
      assert.equal(answer.remoteIp, null, 'nobody here knows it')
    }
    assert.deepEqual(proxy.targets, [`site.test:${server.port}`], 'one connection for both')
    assert.deepEqual(looked, ['proxy.test'])
  })
}

test('web seeds: the proxy gets the name, local names and private addresses are not asked by it', async t => {
  const server = await site(t, (_, reply) => {
    reply.writeHead(206, { 'content-range': 'bytes 0-3/9' }).end('here')
  })
  const proxy = await proxyOf(t, startSocks5)
  const { ranges, looked } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: true })
  let came = ''
  const sink = (chunk: Uint8Array): undefined => {
    came += Buffer.from(chunk).toString()
    return undefined
  }
  const ask = (url: string) => ranges.get(url, { offset: 0, length: 4, total: 9 }, sink, new AbortController().signal)
  assert.deepEqual(await ask(`http://site.test:${server.port}/file`), { kind: 'done' })
  assert.equal(came, 'here')
  for (const url of ['http://printer/file', 'http://nas.local/file', 'http://127.0.0.2/file?x=1']) {
    assert.equal((await ask(url)).kind, 'refused', url)
  }
  assert.deepEqual(proxy.targets, [`site.test:${server.port}`])
  assert.deepEqual(looked, ['proxy.test'])
})

test('names are looked up here where the settings say so', async t => {
  const server = await site(t, (_, reply) => void reply.end('here'))
  const proxy = await proxyOf(t, startSocks5)
  const { http, looked } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: false })
  const answer = await http.get(get(`http://site.test:${server.port}/announce`))
  assert.equal(answer.remoteIp, '127.0.0.1')
  assert.deepEqual(proxy.targets, [`127.0.0.1:${server.port}`])
  assert.ok(looked.includes('site.test'))
})

test('the rules for addresses hold behind a proxy: literals are judged, local names are refused', async t => {
  const proxy = await proxyOf(t, startSocks5)
  const { http, fetch } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: true })
  for (const url of [
    'http://127.0.0.2/secret',
    'http://224.0.0.1/announce',
    'http://localhost/announce',
    'http://nas.local/x',
  ]) {
    await assert.rejects(http.get(get(url)), coded('AddressRefused'), url)
  }
  await assert.rejects(fetch.fetch('http://127.0.0.2/announce'), coded('AddressRefused'))
  await assert.rejects(fetch.fetch('http://router.lan/'), coded('AddressRefused'))
  assert.deepEqual(proxy.targets, [])
  // A private tracker is asked through the proxy too.
  await assert.rejects(http.get(get('http://127.0.0.2:1/announce')), coded('SourceFailed', /proxy says no/))
  assert.deepEqual(proxy.targets, ['127.0.0.2:1'])
})

test('local names behind a proxy: each of the two guards refuses them by itself', async t => {
  const proxy = await proxyOf(t, startSocks5)
  const { policy, resolver, route, options } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: true })
  const judge = new JudgedRequests(options, { policy, resolver, route })
  const connector = new RoutedConnector({ connectsTo: 'public', connectTimeoutMs: 1_000 }, { policy, resolver, route })
  t.after(() => connector.close())
  const open = (host: string): Promise<Error | null> =>
    new Promise(resolve => connector.open(host, 80, (error, socket) => resolve(socket === null ? error : null)))
  for (const host of ['localhost', 'printer', 'nas.local', 'router.lan']) {
    const rule = { privateRule: 'tracker-paths', fromPublic: false } as const
    await assert.rejects(judge.judge(`http://${host}/announce`, rule), coded('AddressRefused'), host)
    assert.ok(coded('AddressRefused')(await open(host)), host)
  }
  const { class: judged, ip } = await judge.judge('http://site.test/', { privateRule: 'refuse', fromPublic: true })
  assert.deepEqual([judged, ip, proxy.targets], ['public', null, []])
})

test('a redirect to a private address is refused behind a proxy', async t => {
  const server = await site(t, (_, reply) => {
    reply.writeHead(302, { location: 'http://127.0.0.2/announce' })
    reply.end()
  })
  const proxy = await proxyOf(t, startSocks5)
  const { http } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: true })
  await assert.rejects(http.get(get(`http://site.test:${server.port}/announce`)), coded('AddressRefused'))
  assert.equal(proxy.targets.length, 1)
})

test('a proxy that refuses, is silent or is gone: the request fails and the site hears nothing', async t => {
  const server = await site(t, (_, reply) => void reply.end('here'))
  const url = `http://site.test:${server.port}/announce`
  const locked = await proxyOf(t, startHttpProxy, { user: 'me', password: 'secret' })
  const refused = world(t, null, { kind: 'http', port: locked.port, hostnames: true })
  await assert.rejects(refused.http.get(get(url)), coded('SourceFailed', /user or password/))
  const mute = await proxyOf(t, startSocks5, { mute: true })
  const silent = world(t, null, { kind: 'socks5', port: mute.port, hostnames: true })
  await assert.rejects(silent.http.get(get(url)), coded('SourceFailed', /too long/))
  await waitFor('the silent proxy to be left', () => mute.clients.size === 0)
  const gone = world(t, null, { kind: 'socks5', port: 1, hostnames: true })
  await assert.rejects(gone.http.get(get(url)), coded('SourceFailed'))
  await assert.rejects(gone.fetch.fetch(url), coded('SourceFailed'))
  assert.equal(server.opened, 0)
})

test('requests leave from the place; kept connections end when it goes; without an address none leaves', async t => {
  const server = await site(t, (request, reply) => void reply.end(request.socket.remoteAddress))
  const place = new FakePlace('127.0.0.5')
  const { http } = world(t, place, null)
  const url = `http://site.test:${server.port}/announce`
  assert.equal(Buffer.from((await http.get(get(url))).body).toString(), '127.0.0.5')
  assert.equal(server.connections.size, 1)
  place.move('127.0.0.6')
  await waitFor('the kept connection to end', () => server.connections.size === 0)
  assert.equal(Buffer.from((await http.get(get(url))).body).toString(), '127.0.0.6')
  place.move()
  await assert.rejects(http.get(get(url)), AppError)
  place.move('::1')
  await assert.rejects(http.get(get(url)), AppError)
  assert.equal(server.requests.length, 2)
})

test('the proxy itself is reached from the place only', async t => {
  const server = await site(t, (_, reply) => void reply.end('here'))
  const proxy = await proxyOf(t, startSocks5)
  const place = new FakePlace('127.0.0.5')
  const { http } = world(t, place, { kind: 'socks5', port: proxy.port, hostnames: true })
  const url = `http://site.test:${server.port}/announce`
  await http.get(get(url))
  assert.match(proxy.cameFrom[0] ?? '', /^127\.0\.0\.5:/)
  place.move()
  await waitFor('the tunnel to end', () => proxy.clients.size === 0)
  await assert.rejects(http.get(get(url)), coded('SourceFailed', /no local address/))
  assert.equal(proxy.cameFrom.length, 1)
})

test('a request that is under way ends with the address', async t => {
  const server = await site(t, () => undefined)
  const place = new FakePlace('127.0.0.5')
  const { http } = world(t, place, null)
  const failed = assert.rejects(http.get(get(`http://site.test:${server.port}/announce`)), AppError)
  await waitFor('the request', () => server.requests.length === 1)
  place.move()
  await failed
  await waitFor('the connection to end', () => server.connections.size === 0)
})

test('names that mean something here are local', () => {
  for (const name of [
    'localhost',
    'LOCALHOST.',
    'nas',
    'a.local',
    'b.internal',
    'c.home.arpa',
    'd.localhost',
    'e.lan',
  ]) {
    assert.ok(isLocalName(name), name)
  }
  for (const name of ['a.example', 'local.example', 'internal.net']) assert.ok(!isLocalName(name), name)
})

test('webhooks take the same way: names to the proxy, local ones nowhere, nothing without a place', async t => {
  const server = await site(t, (_, reply) => void reply.end('thanks'))
  const proxy = await proxyOf(t, startSocks5)
  const { hook, looked } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: true })
  const order = (host: string) => ({
    url: `http://${host}:${server.port}/hook`,
    headers: {},
    body: Buffer.from('{}'),
    timeoutMs: 5_000,
    signal: new AbortController().signal,
  })
  assert.equal(await hook.post(order('site.test')), 200)
  assert.deepEqual(proxy.targets, [`site.test:${server.port}`])
  assert.deepEqual(looked, ['proxy.test'])
  await assert.rejects(hook.post(order('nas.lan')), coded('AddressRefused'))
  const place = new FakePlace()
  await assert.rejects(world(t, place, null).hook.post(order('127.0.0.1')), coded('SourceFailed'))
  assert.equal(server.opened, 1)
})

const block: Handler = (_, reply) => void reply.end('{"result":7}')

test('servers of chains: elsewhere they are asked by the proxy alone, on this machine straight', async t => {
  const server = await site(t, block)
  const proxy = await proxyOf(t, startSocks5)
  const { rpc, looked } = world(t, null, { kind: 'socks5', port: proxy.port, hostnames: true })
  assert.equal(await rpc(`http://site.test:${server.port}/`).call('getblockcount', []), 7)
  assert.deepEqual([proxy.targets, looked], [[`site.test:${server.port}`], ['proxy.test']])
  assert.equal(await rpc(`http://127.0.0.1:${server.port}/`).call('getblockcount', []), 7)
  assert.equal(proxy.targets.length, 1)
  await proxy.stop()
  await assert.rejects(rpc(`http://site.test:${server.port}/`).call('getblockcount', []), coded('WalletServerFailed'))
})

test('servers of chains elsewhere are not asked while there is no address to go from', async t => {
  let asked = 0
  const server = await site(t, (request, reply) => {
    asked += 1
    return block(request, reply)
  })
  const place = new FakePlace('127.0.0.1')
  const { rpc } = world(t, place, null)
  const others = place.watchers
  const chain = rpc(`http://site.test:${server.port}/`)
  assert.ok(place.watchers > others)
  assert.equal(await chain.call('getblockcount', []), 7)
  place.move()
  await assert.rejects(chain.call('getblockcount', []), coded('WalletServerFailed', /no local address/))
  assert.equal(asked, 1)
  chain.close()
  assert.equal(place.watchers, others, 'a server that is given up follows no place')
})
