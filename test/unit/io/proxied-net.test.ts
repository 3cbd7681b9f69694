// Peers through proxies: what the proxy sees, what happens when it refuses, is silent or goes, and that nothing is ever
// sent round it. Real loopback sockets and small proxies of the test.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { DnsResolver } from '../../../src/io/net/dns-resolver.ts'
import { PORT_OF_NOBODY, ProxiedTcpNetwork } from '../../../src/io/proxy/proxied-tcp-net.ts'
import { ProxiedUdpNetwork } from '../../../src/io/proxy/proxied-udp.ts'
import type { ProxyConfig } from '../../../src/io/proxy/proxy-config.ts'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import {
  type ProxyOptions,
  startHttpProxy,
  startSocks4,
  startSocks5,
  type TestProxy,
} from '../../kit/peers/proxy-servers.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

const OPTIONS = { localIp: null, timeoutMs: 5_000 }
const AUTH: ProxyOptions = { user: 'me', password: 'secret' }

const starters: Record<ProxyConfig['kind'], (options?: ProxyOptions) => Promise<TestProxy>> = {
  socks4: startSocks4,
  socks5: startSocks5,
  http: startHttpProxy,
}

function rig(kind: ProxyConfig['kind'], port: number, auth: ProxyConfig['auth'] = null) {
  const clock = new VirtualClock()
  const names = { lookups: 0 }
  const resolver = new DnsResolver({
    policy: new AddressPolicy(),
    lookup: (host, done) => {
      names.lookups += 1
      done(null, host === 'proxy.test' ? ['127.0.0.1'] : [])
    },
  })
  const proxy: ProxyConfig = { kind, host: 'proxy.test', port, auth, hostnames: true }
  /** Pauses after each failure to get a relay, ms. */
  const pauses: number[] = []
  const log: Log = { ...silentLog, warn: (_, fields) => void pauses.push(Number(fields?.['againInMs'])) }
  const net = { tcp: new NetTcpNetwork(), udp: new DgramNetwork() }
  return {
    clock,
    names,
    pauses,
    tcp: new ProxiedTcpNetwork({ proxy, allowIncoming: false }, { tcp: net.tcp, resolver, clock }),
    open: new ProxiedTcpNetwork({ proxy, allowIncoming: true }, { tcp: net.tcp, resolver, clock }),
    udp: new ProxiedUdpNetwork(proxy, { ...net, resolver, clock, log }),
  }
}

function recorder() {
  const seen = { opened: 0, closes: 0, error: null as Error | null, text: '' }
  const handlers: TcpStreamHandlers = {
    open: () => {
      seen.opened += 1
    },
    data: chunk => {
      seen.text += Buffer.from(chunk).toString('latin1')
    },
    drain: () => undefined,
    close: error => {
      seen.closes += 1
      seen.error = error
    },
  }
  return { seen, handlers }
}

/** Greets whoever comes, then says back what it hears; notes from where they came. */
async function serve(
  t: TestContext,
  greeting = '',
): Promise<{ at: PeerAddress; open: Set<Socket>; came: () => number }> {
  const open = new Set<Socket>()
  let came = 0
  const server = createServer(socket => {
    came += 1
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    if (greeting !== '') socket.write(greeting)
    socket.on('data', bytes => socket.write(bytes))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { at: { ip: '127.0.0.1', port: (server.address() as AddressInfo).port }, open, came: () => came }
}

for (const kind of ['socks4', 'socks5', 'http'] as const) {
  test(`${kind}: bytes go both ways, early ones too, and the greeting behind the handshake arrives`, async t => {
    const server = await serve(t, 'hello ')
    const auth = kind === 'socks4' ? null : { user: 'me', password: 'secret' }
    const proxy = await starters[kind](auth === null ? {} : AUTH)
    t.after(() => proxy.stop())
    const { tcp, clock } = rig(kind, proxy.port, auth)
    const { seen, handlers } = recorder()
    const stream = tcp.connect(server.at, OPTIONS, handlers)
    let sent = 0
    stream.write(Buffer.from('early '), () => {
      sent += 1
    })
    assert.equal(stream.bufferedBytes, 6)
    await waitFor('the connection', () => seen.opened === 1)
    stream.write(Buffer.from('late'), () => {
      sent += 1
    })
    await waitFor('the answer', () => seen.text === 'hello early late')
    assert.equal(sent, 2)
    assert.deepEqual(proxy.targets, [`127.0.0.1:${server.at.port}`])
    assert.equal(clock.pending, 0, 'the time limit is off')
    assert.deepEqual([stream.remote, stream.incoming], [server.at, false])
    stream.destroy()
    await waitFor('the end', () => seen.closes === 1)
    assert.equal(seen.error, null)
    await waitFor('the server to see it', () => server.open.size === 0)
    stream.write(Buffer.from('x'), () => {
      sent += 1
    })
    await waitFor('sent of a dead stream', () => sent === 3)
  })

  test(`${kind}: a proxy that refuses, or lets nobody in, fails the connection`, async t => {
    const refused = await serve(t)
    const proxy = await starters[kind](kind === 'socks4' ? {} : AUTH)
    t.after(() => proxy.stop())
    const right = kind === 'socks4' ? null : { user: 'me', password: 'secret' }
    // Nobody listens there.
    const nobody = { ip: '127.0.0.1', port: 1 }
    const cases: { to: PeerAddress; auth: ProxyConfig['auth'] }[] = [{ to: nobody, auth: right }]
    if (kind !== 'socks4') cases.push({ to: refused.at, auth: { user: 'me', password: 'wrong' } })
    for (const { to, auth } of cases) {
      const { tcp, clock } = rig(kind, proxy.port, auth)
      const { seen, handlers } = recorder()
      tcp.connect(to, OPTIONS, handlers)
      await waitFor('the failure', () => seen.closes === 1)
      assert.ok(seen.error instanceof AppError, String(seen.error))
      assert.match(seen.error.message, /proxy says no/)
      assert.equal(seen.opened, 0)
      assert.equal(clock.pending, 0)
    }
    assert.equal(refused.came(), 0)
  })
}

test('a proxy that is gone or silent fails the connection; nothing goes round it', async t => {
  const server = await serve(t)
  const silent = await startSocks5({ mute: true })
  const { tcp, clock } = rig('socks5', silent.port)
  const first = recorder()
  tcp.connect(server.at, OPTIONS, first.handlers)
  await waitFor('the proxy to be asked', () => silent.clients.size === 1)
  await clock.advance(OPTIONS.timeoutMs)
  await waitFor('the time limit', () => first.seen.closes === 1)
  assert.match(first.seen.error?.message ?? '', /timed out/)
  await waitFor('the proxy to be left', () => silent.clients.size === 0)
  await silent.stop()
  const second = recorder()
  tcp.connect(server.at, OPTIONS, second.handlers)
  await waitFor('the failure', () => second.seen.closes === 1)
  assert.ok(second.seen.error !== null)
  assert.equal(server.came(), 0)
  assert.equal(clock.pending, 0)
})

test('a proxy that is gone, silent or closed to this node is known to fail, one that cannot reach somebody is not', async t => {
  const server = await serve(t)
  const nobody: PeerAddress = { ip: '127.0.0.1', port: 1 }
  const attempt = async ({ tcp }: ReturnType<typeof rig>, to: PeerAddress): Promise<void> => {
    const { seen, handlers } = recorder()
    const stream = tcp.connect(to, OPTIONS, handlers)
    await waitFor('an end', () => seen.opened + seen.closes > 0)
    if (seen.opened > 0) stream.destroy()
    await waitFor('the end', () => seen.closes === 1)
  }
  for (const kind of ['socks5', 'http'] as const) {
    const proxy = await starters[kind](AUTH)
    const wrong = rig(kind, proxy.port, { user: 'me', password: 'wrong' })
    const right = rig(kind, proxy.port, { user: 'me', password: 'secret' })
    for (let n = 0; n < 3; n += 1) {
      assert.equal(wrong.tcp.failing, false)
      await attempt(wrong, server.at)
      await attempt(right, nobody)
    }
    assert.deepEqual([wrong.tcp.failing, right.tcp.failing], [true, false], kind)
    await attempt(right, server.at)
    await proxy.stop()
    for (let n = 0; n < 3; n += 1) await attempt(right, server.at)
    assert.equal(right.tcp.failing, true, kind)
  }
  const silent = await startSocks5({ mute: true })
  const waiting = rig('socks5', silent.port)
  for (let n = 0; n < 3; n += 1) {
    const { seen, handlers } = recorder()
    waiting.tcp.connect(server.at, OPTIONS, handlers)
    await waitFor('the proxy to be asked', () => silent.clients.size === 1)
    await waiting.clock.advance(OPTIONS.timeoutMs)
    await waitFor('the end', () => seen.closes === 1 && silent.clients.size === 0)
  }
  assert.equal(waiting.tcp.failing, true)
  await silent.stop()
})

test('a stream that is destroyed before it is open never opens', async t => {
  const server = await serve(t)
  const proxy = await startSocks5()
  t.after(() => proxy.stop())
  const { tcp, clock } = rig('socks5', proxy.port)
  const { seen, handlers } = recorder()
  const stream = tcp.connect(server.at, OPTIONS, handlers)
  stream.destroy()
  stream.destroy()
  await waitFor('the end', () => seen.closes === 1)
  assert.deepEqual([seen.error, seen.opened, clock.pending], [null, 0, 0])
  assert.equal(proxy.cameFrom.length, 0)
})

test('a reader that pauses in open gets the greeting when it resumes', async t => {
  const server = await serve(t, 'hello')
  const proxy = await startHttpProxy()
  t.after(() => proxy.stop())
  const { tcp } = rig('http', proxy.port)
  const { seen, handlers } = recorder()
  const stream: TcpStream = tcp.connect(server.at, OPTIONS, {
    ...handlers,
    open: () => {
      seen.opened += 1
      stream.pause()
    },
  })
  await waitFor('the connection', () => seen.opened === 1)
  assert.equal(seen.text, '')
  stream.resume()
  await waitFor('the greeting', () => seen.text === 'hello')
  stream.destroy()
  await waitFor('the end', () => seen.closes === 1)
})

test('nobody can connect to a node behind a proxy, unless it is allowed', async () => {
  const { tcp, open } = rig('socks5', 1)
  const closed = await tcp.listen({ ip: '127.0.0.1', port: 0 }, () => null)
  assert.deepEqual(closed.address, { ip: '127.0.0.1', port: PORT_OF_NOBODY })
  await closed.close()
  const listening = await open.listen({ ip: '127.0.0.1', port: 0 }, () => null)
  assert.ok(listening.address.port > PORT_OF_NOBODY)
  await listening.close()
})

/** Answers every datagram with where it came from. */
async function echo(t: TestContext): Promise<{ at: PeerAddress; heard: string[] }> {
  const socket = createSocket('udp4')
  const heard: string[] = []
  socket.on('message', (bytes, from) => {
    heard.push(bytes.toString())
    socket.send(bytes, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { at: { ip: '127.0.0.1', port: socket.address().port }, heard }
}

test('datagrams go through the relay, those sent before it is there too, and names unresolved', async t => {
  const server = await echo(t)
  const proxy = await startSocks5({ ...AUTH, names: { 'tracker.test': '127.0.0.1' } })
  t.after(() => proxy.stop())
  const { udp, names } = rig('socks5', proxy.port, { user: 'me', password: 'secret' })
  const got: string[] = []
  const socket = await udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) => {
    got.push(`${Buffer.from(bytes).toString()} ${from.ip}:${from.port}`)
  })
  const memory = Buffer.from('early')
  socket.send(memory, server.at)
  memory.fill(0)
  await waitFor('the early one', () => got.length === 1)
  assert.ok(socket.associated)
  socket.sendToName(Buffer.from('named'), { host: 'tracker.test', port: server.at.port })
  await waitFor('the named one', () => got.length === 2)
  const from = `127.0.0.1:${server.at.port}`
  assert.deepEqual(got, [`early ${from}`, `named ${from}`])
  assert.deepEqual(proxy.targets, [`udp ${from}`, `udp tracker.test:${server.at.port}`])
  assert.equal(names.lookups, 1, 'only the proxy itself was looked up')
  assert.equal(socket.address.port, PORT_OF_NOBODY)
  await socket.close()
  await waitFor('the control connection to end', () => proxy.clients.size === 0)
})

test('the relay of a proxy on this machine is reached from within, where the node keeps to a device', async t => {
  const { at } = await echo(t)
  const proxy = await startSocks5()
  t.after(() => proxy.stop())
  const config: ProxyConfig = { kind: 'socks5', host: '127.0.0.1', port: proxy.port, auth: null, hostnames: true }
  const nowhere = { bind: () => Promise.reject(new Error('a device leads not here')) }
  const clock = new VirtualClock()
  const resolver = new DnsResolver({ policy: new AddressPolicy() })
  const tcp = new NetTcpNetwork()
  const deps = { tcp, udp: nowhere, here: new DgramNetwork(), resolver, clock, log: silentLog }
  const heard: string[] = []
  const socket = await new ProxiedUdpNetwork(config, deps).bind({ family: 4, ip: null, port: 0 }, bytes => {
    heard.push(Buffer.from(bytes).toString('latin1'))
  })
  t.after(() => socket.close())
  socket.send(Buffer.from('hello'), at)
  await waitFor('the answer', () => heard.length === 1)
})

test('datagrams that do not come from the relay are dropped', async t => {
  const server = await echo(t)
  const proxy = await startSocks5()
  t.after(() => proxy.stop())
  const { clock } = rig('socks5', proxy.port)
  const bound: PeerAddress[] = []
  const plain = new DgramNetwork()
  const resolver = new DnsResolver({ policy: new AddressPolicy() })
  const config: ProxyConfig = { kind: 'socks5', host: '127.0.0.1', port: proxy.port, auth: null, hostnames: true }
  const udp = new ProxiedUdpNetwork(config, {
    tcp: new NetTcpNetwork(),
    udp: {
      bind: async (at, receive) => {
        const socket = await plain.bind({ ...at, ip: '127.0.0.1' }, receive)
        bound.push(socket.address)
        return socket
      },
    },
    resolver,
    clock,
    log: silentLog,
  })
  const got: string[] = []
  const socket = await udp.bind({ family: 4, ip: null, port: 0 }, bytes => got.push(Buffer.from(bytes).toString()))
  await waitFor('the relay', () => socket.associated)
  const stranger = createSocket('udp4')
  const head = Buffer.from([0, 0, 0, 1, 9, 9, 9, 9, 0, 80])
  await new Promise(resolve => {
    stranger.send(Buffer.concat([head, Buffer.from('forged')]), bound[0]?.port ?? 0, '127.0.0.1', resolve)
  })
  stranger.close()
  socket.send(Buffer.from('true'), server.at)
  await waitFor('the true answer', () => got.includes('true'))
  assert.deepEqual(got, ['true'])
  await socket.close()
})

test('a lost relay is asked for again, with growing pauses, and works again', async t => {
  const server = await echo(t)
  const proxy = await startSocks5()
  t.after(() => proxy.stop())
  const { udp, clock } = rig('socks5', proxy.port)
  const got: string[] = []
  const socket = await udp.bind({ family: 4, ip: null, port: 0 }, bytes => got.push(Buffer.from(bytes).toString()))
  await waitFor('the relay', () => socket.associated)
  for (const client of proxy.clients) client.destroy()
  await waitFor('the loss', () => !socket.associated)
  socket.send(Buffer.from('lost'), server.at)
  await clock.advance(1_000)
  await waitFor('another relay', () => socket.associated)
  socket.send(Buffer.from('sent'), server.at)
  await waitFor('the answer', () => got.length === 1)
  assert.deepEqual(server.heard, ['sent'], 'what was sent without a relay did not go round the proxy')
  await socket.close()
  assert.equal(clock.pending, 0)
})

test('a proxy that is not there is tried after 1, 2, 4 ... 60 s', async () => {
  const gone = await startSocks5()
  await gone.stop()
  const { udp, clock, pauses } = rig('socks5', gone.port)
  const socket = await udp.bind({ family: 4, ip: null, port: 0 }, () => undefined)
  const expected = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
  for (const [tries, pauseMs] of expected.entries()) {
    await waitFor('the failure', () => pauses.length === tries + 1)
    await clock.advance(pauseMs - 1)
    assert.equal(pauses.length, tries + 1)
    await clock.advance(1)
  }
  assert.deepEqual(pauses.slice(0, expected.length), expected)
  await socket.close()
  assert.equal(clock.pending, 0)
})

test('proxies without datagrams say so', async () => {
  const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'SourceFailed'
  for (const kind of ['socks4', 'http'] as const) {
    await assert.rejects(
      rig(kind, 1).udp.bind({ family: 4, ip: null, port: 0 }, () => undefined),
      refused,
    )
  }
})
