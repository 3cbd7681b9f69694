// NAT-PMP and PCP over real sockets against small gateways on loopback: mapped, renewed, taken away, lost datagrams, a
// port that is not the one asked for.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SystemClock } from '../../../src/io/clock.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { GatewayRoute } from '../../../src/ports/gateway.ts'
import { MapError, type MapOrder } from '../../../src/portmap/mapping-client.ts'
import { NatPmpClient } from '../../../src/portmap/nat-pmp-client.ts'
import { PcpClient } from '../../../src/portmap/pcp-client.ts'
import { natPmpAnswer, OUTSIDE, pcpAnswer, UdpGateway } from '../../kit/peers/gateways.ts'

const ROUTE: GatewayRoute = { family: 4, ip: '127.0.0.1', localIp: '127.0.0.1', prefixBits: 8 }
const ORDER: MapOrder = { protocol: 'tcp', internalPort: 6881, externalPort: 6881, lifetimeSec: 3600 }
const never = new AbortController().signal
const deps = { clock: new SystemClock(), udp: new DgramNetwork(), random: new SystemRandom() }
let natPmp: UdpGateway
let pcp: UdpGateway

before(async () => {
  natPmp = await UdpGateway.start(natPmpAnswer)
  pcp = await UdpGateway.start(pcpAnswer)
})

after(async () => {
  await natPmp.stop()
  await pcp.stop()
})

test('mapped, renewed and taken away', async () => {
  for (const [client, gateway] of [
    [new NatPmpClient(ROUTE, deps, natPmp.port), natPmp],
    [new PcpClient(ROUTE, deps, pcp.port), pcp],
  ] as const) {
    const expected = { externalPort: 6881, externalIp: OUTSIDE, lifetimeSec: 3600, restarted: false }
    assert.deepEqual(await client.map(ORDER, never), expected, client.name)
    assert.deepEqual(await client.map({ ...ORDER, protocol: 'udp' }, never), expected, client.name)
    assert.deepEqual([...gateway.mappings.keys()].toSorted(), ['tcp 6881', 'udp 6881'])
    assert.deepEqual(await client.map(ORDER, never), expected, client.name)
    await client.unmap(ORDER, never)
    await client.unmap({ ...ORDER, protocol: 'udp' }, never)
    assert.equal(gateway.mappings.size, 0, client.name)
    await client.close()
  }
})

test('another port and a shorter life than asked for are taken; a restart is reported', async () => {
  for (const [client, gateway] of [
    [new NatPmpClient(ROUTE, deps, natPmp.port), natPmp],
    [new PcpClient(ROUTE, deps, pcp.port), pcp],
  ] as const) {
    gateway.otherPort = 50_001
    gateway.maxLifetimeSec = 120
    const first = await client.map(ORDER, never)
    assert.deepEqual([first.externalPort, first.lifetimeSec, first.restarted], [50_001, 120, false])
    gateway.epochSec = 3
    assert.equal((await client.map(ORDER, never)).restarted, true, client.name)
    gateway.epochSec = 1000
    gateway.otherPort = 0
    gateway.maxLifetimeSec = 7200
    await client.unmap(ORDER, never)
    await client.close()
  }
})

test('lost datagrams are sent again', async () => {
  const client = new PcpClient(ROUTE, deps, pcp.port)
  const before = pcp.seen.length
  pcp.deaf = 1
  assert.equal((await client.map(ORDER, never)).externalPort, 6881)
  assert.equal(pcp.seen.length - before, 2)
  await client.unmap(ORDER, never)
  await client.close()
})

test('refusals and other versions', async () => {
  const failure = (name: string) => (error: unknown) => error instanceof MapError && error.failure === name
  const client = new NatPmpClient(ROUTE, deps, natPmp.port)
  natPmp.result = 2
  await assert.rejects(client.map(ORDER, never), failure('refused'))
  natPmp.result = 0
  await client.close()
  const wrongVersion = new PcpClient(ROUTE, deps, natPmp.port)
  await assert.rejects(wrongVersion.map(ORDER, never), failure('unsupported'))
  await wrongVersion.close()
  const elsewhere = new NatPmpClient({ ...ROUTE, localIp: '203.0.113.9' }, deps, natPmp.port)
  await assert.rejects(elsewhere.map(ORDER, never), failure('temporary'))
  await elsewhere.close()
})
