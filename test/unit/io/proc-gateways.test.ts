// Default routes from the tables of Linux, and the address of this machine that goes with each.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type NetworkInterfaceInfo, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ProcGateways } from '../../../src/io/net/proc-gateways.ts'
import { readRoutes4, readRoutes6 } from '../../../src/io/net/route-tables.ts'

const ROUTES4 = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0101A8C0	0003	0	0	100	00000000	0	0	0
eth0	0001A8C0	00000000	0001	0	0	100	00FFFFFF	0	0	0
wlan0	00000000	0100000A	0003	0	0	50	00000000	0	0	0
ppp0	00000000	00000000	0001	0	0	10	00000000	0	0	0
eth0	0000000A	0102A8C0	0003	0	0	0	000000FF	0	0	0
down0	00000000	0103A8C0	0002	0	0	0	00000000	0	0	0
broken
`
const ROUTES6 = `00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000002 00000000 00450003     eth0
20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00450001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
`

const info = (address: string, family: 'IPv4' | 'IPv6', cidr: string): NetworkInterfaceInfo => ({
  address,
  family,
  cidr,
  netmask: '',
  mac: '',
  internal: false,
  scopeid: 0,
})

const ADDRESSES = {
  eth0: [
    info('10.5.5.5', 'IPv4', '10.5.5.5/8'),
    info('192.168.1.20', 'IPv4', '192.168.1.20/24'),
    info('fe80::20', 'IPv6', 'fe80::20/64'),
    info('2001:db8::20', 'IPv6', '2001:db8::20/64'),
  ],
  wlan0: [info('10.0.0.30', 'IPv4', '10.0.0.30/24')],
}

test('only routes to everywhere through a router count, the best first', () => {
  assert.deepEqual(readRoutes4(ROUTES4), [
    { device: 'wlan0', family: 4, ip: '10.0.0.1', metric: 50 },
    { device: 'eth0', family: 4, ip: '192.168.1.1', metric: 100 },
  ])
  assert.deepEqual(readRoutes6(ROUTES6), [{ device: 'eth0', family: 6, ip: 'fe80::1', metric: 1024 }])
  assert.deepEqual(readRoutes4(''), [])
  assert.deepEqual(readRoutes6('\n \n0 0 0\n'), [])
})

test('each with the address that packets to it come from', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'routes-'))
  const routes4 = join(folder, 'route')
  const routes6 = join(folder, 'ipv6_route')
  await writeFile(routes4, ROUTES4)
  await writeFile(routes6, ROUTES6)
  const sources = { routes4, routes6, addresses: () => ADDRESSES }
  assert.deepEqual(await new ProcGateways(undefined, sources).routes(), [
    { family: 4, ip: '10.0.0.1', localIp: '10.0.0.30', prefixBits: 24 },
    { family: 4, ip: '192.168.1.1', localIp: '192.168.1.20', prefixBits: 24 },
    { family: 6, ip: 'fe80::1%eth0', localIp: '2001:db8::20', prefixBits: 64 },
  ])
  assert.deepEqual(await new ProcGateways(ip => ip === '192.168.1.20', sources).routes(), [
    { family: 4, ip: '192.168.1.1', localIp: '192.168.1.20', prefixBits: 24 },
  ])
  assert.deepEqual(await new ProcGateways(ip => ip === '127.0.0.1', sources).routes(), [])
  await rm(folder, { recursive: true })
  assert.deepEqual(await new ProcGateways(undefined, sources).routes(), [], 'no such files here')
})

test('the tables of this machine can be read', async () => {
  for (const route of await new ProcGateways().routes()) assert.ok(route.localIp.length > 0)
})
