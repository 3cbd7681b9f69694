// One suite a port, run on every adapter: what src/ports/tcp.ts and src/ports/udp.ts promise holds for plain sockets,
// for sockets bound to a place, and behind proxies.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { DnsResolver } from '../../../src/io/net/dns-resolver.ts'
import { PlacedTcpNetwork } from '../../../src/io/net/placed-tcp.ts'
import { PlacedUdpNetwork } from '../../../src/io/net/placed-udp.ts'
import { ProxiedTcpNetwork } from '../../../src/io/proxy/proxied-tcp-net.ts'
import { ProxiedUdpNetwork } from '../../../src/io/proxy/proxied-udp.ts'
import type { ProxyConfig } from '../../../src/io/proxy/proxy-config.ts'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { TcpNetwork, TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { datagramNetworks } from '../../kit/datagram-networks.ts'
import { FakePlace } from '../../kit/doubles/fake-place.ts'
import { startHttpProxy, startSocks4, startSocks5, type TestProxy } from '../../kit/peers/proxy-servers.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'

const OPTIONS = { localIp: null, timeoutMs: 5_000 }
const clock = new SystemClock()
const base: { tcp: TcpNetwork; udp: UdpNetwork } = { tcp: new NetTcpNetwork(), udp: new DgramNetwork() }
const deps = { clock, random: new SeededRandom(1), log: silentLog }
const resolver = new DnsResolver({ policy: new AddressPolicy() })

function configOf(kind: ProxyConfig['kind'], proxy: TestProxy): ProxyConfig {
  return { kind, host: '127.0.0.1', port: proxy.port, auth: null, hostnames: true }
}

async function proxied(t: TestContext, kind: ProxyConfig['kind'], started: Promise<TestProxy>, udp = base.udp) {
  const proxy = await started
  t.after(() => proxy.stop())
  const config = configOf(kind, proxy)
  return {
    tcp: new ProxiedTcpNetwork({ proxy: config, allowIncoming: false }, { tcp: base.tcp, resolver, clock }),
    udp: new ProxiedUdpNetwork(config, { tcp: base.tcp, udp, resolver, clock, log: silentLog }),
  }
}

const tcpAdapters: Record<string, (t: TestContext) => Promise<TcpNetwork>> = {
  plain: () => Promise.resolve(base.tcp),
  placed: t => {
    const tcp = new PlacedTcpNetwork({ ...deps, tcp: base.tcp, place: new FakePlace('127.0.0.5') })
    t.after(() => tcp.close())
    return Promise.resolve(tcp)
  },
  'through SOCKS4': async t => (await proxied(t, 'socks4', startSocks4())).tcp,
  'through SOCKS5': async t => (await proxied(t, 'socks5', startSocks5())).tcp,
  'through HTTP': async t => (await proxied(t, 'http', startHttpProxy())).tcp,
}

const udpAdapters: Record<string, (t: TestContext, udp: UdpNetwork) => Promise<UdpNetwork>> = {
  plain: (_, udp) => Promise.resolve(udp),
  placed: (_, udp) => Promise.resolve(new PlacedUdpNetwork({ ...deps, udp, place: new FakePlace('127.0.0.5') })),
  'through SOCKS5': async (t, udp) => (await proxied(t, 'socks5', startSocks5(), udp)).udp,
}

/** Says back what it hears; ends the connection at `!`. */
async function echoServer(t: TestContext): Promise<PeerAddress> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      if (bytes.includes(0x21)) socket.end()
      else socket.write(bytes)
    })
    t.after(() => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { ip: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

function recorder() {
  const seen = { inside: true, order: [] as string[], bytes: 0, drains: 0, error: null as Error | null }
  const note = (what: string): void => {
    assert.equal(seen.inside, false, `${what} was called from inside connect()`)
    seen.order.push(what)
  }
  const handlers: TcpStreamHandlers = {
    open: () => note('open'),
    data: chunk => {
      seen.bytes += chunk.length
    },
    drain: () => {
      seen.drains += 1
    },
    close: error => {
      note('close')
      seen.error = error
    },
  }
  return { seen, handlers }
}

function connected(tcp: TcpNetwork, to: PeerAddress) {
  const { seen, handlers } = recorder()
  const stream: TcpStream = tcp.connect(to, OPTIONS, handlers)
  seen.inside = false
  return { seen, stream }
}

for (const [name, make] of Object.entries(tcpAdapters)) {
  describe(`TCP ${name}`, () => {
    test('opens, carries megabytes, tells what was sent, and closes once and last', async t => {
      const { seen, stream } = connected(await make(t), await echoServer(t))
      await waitFor('open', () => seen.order.length === 1)
      let sent = 0
      const chunk = new Uint8Array(64 * 1024).fill(1)
      for (let n = 0; n < 64; n++) {
        stream.write(chunk, () => {
          sent += 1
        })
      }
      await waitFor('the echo', () => seen.bytes === 64 * chunk.length && sent === 64)
      assert.equal(stream.bufferedBytes, 0)
      stream.destroy()
      await waitFor('close', () => seen.order.length === 2)
      assert.deepEqual([seen.order, seen.error], [['open', 'close'], null])
      stream.destroy()
      stream.write(chunk)
      stream.pause()
      stream.resume()
      stream.cork()
      stream.uncork()
      await new Promise(resolve => setImmediate(resolve))
      assert.equal(seen.order.length, 2)
    })

    test('an end by the other side is orderly', async t => {
      const { seen, stream } = connected(await make(t), await echoServer(t))
      await waitFor('open', () => seen.order.length === 1)
      stream.write(Buffer.from('!'))
      await waitFor('close', () => seen.order.length === 2)
      assert.equal(seen.error, null)
    })

    test('paused it hears nothing, resumed everything', async t => {
      const { seen, stream } = connected(await make(t), await echoServer(t))
      await waitFor('open', () => seen.order.length === 1)
      stream.pause()
      stream.cork()
      stream.write(Buffer.from('ab'))
      stream.write(Buffer.from('c'))
      stream.uncork()
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
      assert.equal(seen.bytes, 0)
      stream.resume()
      await waitFor('the bytes', () => seen.bytes === 3)
      stream.destroy()
      await waitFor('close', () => seen.order.length === 2)
    })

    test('nobody there is an error in close, without open', async t => {
      const { seen } = connected(await make(t), { ip: '127.0.0.1', port: 1 })
      await waitFor('close', () => seen.order.length === 1)
      assert.deepEqual(seen.order, ['close'])
      assert.ok(seen.error instanceof Error)
    })

    test('destroyed at once it closes without open', async t => {
      const { seen, stream } = connected(await make(t), await echoServer(t))
      stream.destroy()
      await waitFor('close', () => seen.order.length === 1)
      assert.deepEqual(seen.order, ['close'])
    })

    test('a listener says where it is and closes', async t => {
      const listener = await (await make(t)).listen({ ip: '127.0.0.1', port: 0 }, () => null)
      assert.ok(listener.address.port > 0)
      await listener.close()
    })
  })
}

const udpCases = Object.entries(datagramNetworks).flatMap(([sockets, over]) =>
  Object.entries(udpAdapters).map(([name, make]) => ({ name: `${name} by ${sockets}`, over, make })),
)

for (const { name, over, make } of udpCases) {
  describe(`UDP ${name}`, () => {
    test('datagrams there and back, with their sender; closed it is silent', async t => {
      const echo = createSocket('udp4')
      let heard = 0
      echo.on('message', (bytes, from) => {
        heard += 1
        echo.send(bytes, from.port, from.address)
      })
      echo.bind(0, '127.0.0.1')
      await once(echo, 'listening')
      t.after(() => echo.close())
      const at = { ip: '127.0.0.1', port: echo.address().port }
      const got: string[] = []
      const udp = await make(t, over())
      const socket = await udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) => {
        got.push(`${Buffer.from(bytes).toString('hex')} ${from.ip}:${from.port}`)
      })
      for (const payload of ['00', 'ffff', '']) {
        socket.send(Buffer.from(payload, 'hex'), at)
        await waitFor('the echo', () => got.includes(`${payload} ${at.ip}:${at.port}`))
      }
      assert.equal(got.length, 3)
      await socket.close()
      await socket.close()
      socket.send(Buffer.from('00', 'hex'), at)
      for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual([heard, got.length], [3, 3])
    })
  })
}
