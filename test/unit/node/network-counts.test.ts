// Addresses and overlays as the counters of a running engine tell them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineCounts } from '../../../src/node/engine/network-counts.ts'
import type { NetworkFacts, PortMapping } from '../../../src/ports/network-facts.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const mapping: PortMapping = {
  gateway: '192.168.1.1',
  via: 'PCP',
  protocol: 'tcp',
  internalPort: 7000,
  externalPort: 7001,
  externalIp: null,
}

interface World {
  bound?: string[]
  own?: string[]
  outside?: string
  mappings?: PortMapping[]
}

function counts({ bound, own = [], outside, mappings = [] }: World, boundAtMs: number | null = null) {
  const clock = new VirtualClock()
  const facts: NetworkFacts = {
    boundTo: () => bound ?? null,
    keepsToDevices: false,
    proxied: false,
    mappings: () => mappings,
    mappingProblems: () => [],
    externalIp: family => (family === 4 ? (outside ?? null) : null),
  }
  const datagrams = () => ({ packetsSent: 0, packetsReceived: 0, bytesSent: 0, bytesReceived: 0 })
  const deps = { clock, facts, dht: null, datagrams, boundAtMs: () => boundAtMs, listenPort: () => 7000 }
  return { clock, made: new EngineCounts({ ...deps, ownAddresses: () => own }) }
}

test('the address at home is the one it is bound to, else an IPv4 address of the machine', () => {
  assert.equal(counts({}).made.lanAddress(), null)
  const both = ['2001:db8::1', '192.168.1.5']
  assert.deepEqual(counts({ own: both }).made.lanAddress(), { ip: '192.168.1.5', port: 7000 })
  assert.deepEqual(counts({ own: both, bound: ['10.8.0.2'] }).made.lanAddress(), { ip: '10.8.0.2', port: 7000 })
  assert.equal(counts({ own: both, bound: [] }).made.lanAddress(), null)
})

test('the address outside is what others say, with the port a router gives; public is who has it himself', () => {
  assert.equal(counts({ own: ['192.0.2.1'] }).made.wanAddress(), null)
  assert.equal(counts({ own: ['192.0.2.1'] }).made.isPublic(), false)
  const mapped = counts({ own: ['192.168.1.5'], outside: '192.0.2.1', mappings: [mapping] }).made
  assert.deepEqual([mapped.wanAddress(), mapped.isPublic()], [{ ip: '192.0.2.1', port: 7001 }, false])
  const open = counts({ own: ['192.0.2.1'], outside: '192.0.2.1' }).made
  assert.deepEqual([open.wanAddress(), open.isPublic()], [{ ip: '192.0.2.1', port: 7000 }, true])
})

test('run time counts from the binding of the port, and there is none without', async () => {
  assert.equal(counts({}).made.runtimeSec(), 0)
  const { clock, made } = counts({}, 0)
  await clock.advance(1500)
  assert.equal(made.runtimeSec(), clock.now() / 1000)
})
