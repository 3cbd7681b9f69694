// What the settings make of the ways into the network: which lane goes where, and what is not carried at all.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import type { DeviceAddress } from '../../../src/io/net/bound-interface.ts'
import { makeNetworkStack, type NetworkStackOptions } from '../../../src/io/net/network-stack.ts'
import type { ProxyConfig } from '../../../src/io/proxy/proxy-config.ts'
import { RoutedConnector } from '../../../src/io/net/routed-connector.ts'
import { loadSocketCalls, type SocketCalls } from '../../../src/io/net/socket-calls.ts'
import type { Log } from '../../../src/ports/log.ts'
import { decodeListenList } from '../../../src/wire/net/listen-list.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const lo: DeviceAddress = { address: '127.0.0.1', internal: true, cidr: '127.0.0.1/8' }
const socks: ProxyConfig = { kind: 'socks5', host: '127.0.0.1', port: 1, auth: null, hostnames: true }
const PLAIN: NetworkStackOptions = { bindTo: [], proxy: null, proxyPeers: true, proxyTrackers: true, forceProxy: true }

function stackOf(t: TestContext, options: Partial<NetworkStackOptions>, loadCalls = loadSocketCalls) {
  const clock = new VirtualClock()
  const policy = new AddressPolicy()
  const warnings: string[] = []
  const log: Log = { ...silentLog, warn: text => warnings.push(text), part: () => log }
  const machine: { devices: Record<string, DeviceAddress[]> } = { devices: { lo: [lo] } }
  const stack = makeNetworkStack(
    { ...PLAIN, ...options },
    { clock, random: new SeededRandom(1), log, policy, devices: () => machine.devices, loadCalls },
  )
  t.after(() => stack.stop())
  return { stack, clock, machine, policy, warnings }
}

const failed = (error: unknown): boolean => error instanceof AppError && error.code === 'SourceFailed'

test('without settings everything is direct', t => {
  const { stack } = stackOf(t, {})
  assert.equal(stack.peers, stack.trackers)
  assert.deepEqual([stack.place, stack.peers.route, stack.local === null], [null, null, false])
})

test('a proxy carries what the switches say', t => {
  const both = stackOf(t, { proxy: socks }).stack
  assert.equal(both.peers, both.trackers)
  assert.deepEqual([both.peers.route?.proxy, both.local], [socks, null])
  const peers = stackOf(t, { proxy: socks, proxyTrackers: false }).stack
  assert.deepEqual([peers.peers.route?.proxy, peers.trackers.route, peers.local], [socks, null, null])
  const trackers = stackOf(t, { proxy: socks, proxyPeers: false }).stack
  assert.deepEqual([trackers.peers.route, trackers.trackers.route?.proxy], [null, socks])
  assert.ok(trackers.local)
})

test('names are not looked up where the proxy does it, literals are judged', async t => {
  const { resolver } = stackOf(t, { proxy: socks }).stack.trackers
  await assert.rejects(resolver.resolve('tracker.example'), failed)
  assert.deepEqual(await resolver.resolve('::ffff:127.0.0.1'), [{ ip: '127.0.0.1', family: 4, class: 'private' }])
})

test('what a proxy cannot carry does not leave', async t => {
  const { stack } = stackOf(t, { proxy: { ...socks, kind: 'http' } })
  await assert.rejects(
    stack.peers.udp.bind({ family: 4, ip: null, port: 0 }, () => undefined),
    failed,
  )
})

test('behind a proxy nobody is heard, unless force_proxy is off', async t => {
  const at = { ip: '127.0.0.1', port: 0 }
  const closed = await stackOf(t, { proxy: socks }).stack.peers.tcp.listen(at, () => null)
  assert.equal(closed.address.port, 1)
  const open = await stackOf(t, { proxy: socks, forceProxy: false }).stack.peers.tcp.listen(at, () => null)
  assert.ok(open.address.port > 1)
  await closed.close()
  await open.close()
})

test('bound, it listens at the device, and the watch ends with the stack', async t => {
  const { stack, clock, machine } = stackOf(t, { bindTo: decodeListenList('lo') })
  const listener = await stack.peers.tcp.listen({ ip: 'any', port: 0 }, () => null)
  assert.equal(listener.address.ip, '127.0.0.1')
  assert.equal(stack.peers.route?.place, stack.place)
  machine.devices = {}
  await clock.advance(1_000)
  assert.equal(stack.place?.localIp(4), null)
  await listener.close()
  stack.stop()
  assert.equal(clock.pending, 0)
})

/** Real calls that note what they are asked for; null where there are none. */
function notedCalls(): { load: () => SocketCalls; opened: string[] } | null {
  const opened: string[] = []
  try {
    const calls = loadSocketCalls()
    const noted: SocketCalls = {
      open: (kind, family, device, at) => {
        opened.push(`${kind} ${device}`)
        return calls.open(kind, family, device, at)
      },
      close: fd => calls.close(fd),
      ownAddress: fd => calls.ownAddress(fd),
      indexOf: device => calls.indexOf(device),
    }
    return { load: () => noted, opened }
  } catch {
    return null
  }
}

const noted = notedCalls()

test('every way out of a device keeps to it', { skip: noted === null }, async t => {
  if (noted === null) return
  const { stack, policy } = stackOf(t, { bindTo: decodeListenList('lo') }, noted.load)
  assert.ok(stack.keepsToDevices)
  const { opened } = noted
  const nobody = { ip: '127.0.0.1', port: 1 }
  /** What a way opens. */
  const opens = async (way: () => Promise<unknown>): Promise<string[]> => {
    opened.length = 0
    await way()
    return [...opened]
  }
  const dial = (): Promise<void> =>
    new Promise(resolve => {
      const handlers = { data: () => undefined, drain: () => undefined, close: () => resolve() }
      stack.peers.tcp.connect(nobody, { localIp: null, timeoutMs: 5_000 }, handlers)
    })
  const http = (): Promise<void> =>
    new Promise(resolve => {
      const { route, resolver } = stack.trackers
      if (route === null) return resolve()
      const options = { connectsTo: 'private', connectTimeoutMs: 5_000 } as const
      const connector = new RoutedConnector(options, { policy, resolver, route })
      connector.open(nobody.ip, nobody.port, () => {
        connector.close()
        resolve()
      })
    })
  const router = {
    url: 'http://127.0.0.1:1/',
    ip: '127.0.0.1',
    localIp: '127.0.0.1',
    method: 'GET',
    headers: {},
  } as const
  const ask = { ...router, maxBytes: 100, timeoutMs: 5_000, signal: new AbortController().signal }
  const bind = (udp: UdpNetwork | undefined): Promise<void> | undefined =>
    udp?.bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => undefined).then(socket => socket.close())
  assert.deepEqual(await opens(dial), ['tcp lo'])
  assert.deepEqual(await opens(http), ['tcp lo'])
  assert.deepEqual(await opens(async () => bind(stack.peers.udp)), ['udp lo'])
  assert.deepEqual(await opens(async () => bind(stack.local?.udp)), ['udp lo'])
  assert.deepEqual(await opens(async () => assert.rejects(async () => stack.local?.http.send(ask), failed)), ['tcp lo'])
  const listen = async (): Promise<void> => (await stack.peers.tcp.listen({ ...nobody, port: 0 }, () => null)).close()
  assert.deepEqual(await opens(listen), ['tcp lo'])
})

test('where sockets cannot be bound to devices a warning says so, and addresses are kept to', async t => {
  const { stack, warnings } = stackOf(t, { bindTo: decodeListenList('lo') }, () => {
    throw new Error('not installed')
  })
  assert.equal(warnings.length, 1)
  assert.equal(stack.keepsToDevices, false)
  const listener = await stack.peers.tcp.listen({ ip: 'any', port: 0 }, () => null)
  assert.equal(listener.address.ip, '127.0.0.1')
  await listener.close()
})

test('nothing is loaded for addresses', t => {
  const never = (): SocketCalls => assert.fail('loaded')
  assert.equal(stackOf(t, { bindTo: decodeListenList('127.0.0.1') }, never).stack.keepsToDevices, false)
  assert.equal(stackOf(t, {}, never).stack.keepsToDevices, false)
})
