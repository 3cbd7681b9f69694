// What the settings make of the ways into the network: which lane goes where, and what is not carried at all.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { AddressPolicy } from '../../../src/io/address-policy.ts'
import type { DeviceAddress } from '../../../src/io/bound-interface.ts'
import { makeNetworkStack, type NetworkStackOptions } from '../../../src/io/network-stack.ts'
import type { ProxyConfig } from '../../../src/io/proxy-config.ts'
import { decodeListenList } from '../../../src/wire/listen-list.ts'
import { SeededRandom } from '../../kit/seeded-random.ts'
import { silentLog } from '../../kit/silent-log.ts'
import { VirtualClock } from '../../kit/virtual-clock.ts'

const lo: DeviceAddress = { address: '127.0.0.1', internal: true, cidr: '127.0.0.1/8' }
const socks: ProxyConfig = { kind: 'socks5', host: '127.0.0.1', port: 1, auth: null, hostnames: true }
const PLAIN: NetworkStackOptions = { bindTo: [], proxy: null, proxyPeers: true, proxyTrackers: true, forceProxy: true }

function stackOf(t: TestContext, options: Partial<NetworkStackOptions>) {
  const clock = new VirtualClock()
  const machine: { devices: Record<string, DeviceAddress[]> } = { devices: { lo: [lo] } }
  const stack = makeNetworkStack(
    { ...PLAIN, ...options },
    { clock, random: new SeededRandom(1), log: silentLog, policy: new AddressPolicy(), devices: () => machine.devices },
  )
  t.after(() => stack.stop())
  return { stack, clock, machine }
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
