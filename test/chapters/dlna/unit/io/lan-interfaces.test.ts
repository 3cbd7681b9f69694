// Which interfaces are served.

import assert from 'node:assert/strict'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { lanInterfaces } from '../../../../../src/chapters/dlna/io/lan-interfaces.ts'

function at(cidr: string, more: { mac?: string; internal?: boolean } = {}): NetworkInterfaceInfo {
  const address = cidr.split('/')[0] ?? ''
  const common = { address, netmask: '', mac: '02:00:00:00:00:01', internal: false, cidr, ...more }
  return address.includes(':') ? { ...common, family: 'IPv6', scopeid: 0 } : { ...common, family: 'IPv4' }
}

const machine = {
  lo: [at('127.0.0.1/8', { internal: true, mac: '00:00:00:00:00:00' })],
  eth0: [at('fe80::1/64'), at('192.168.1.2/24')],
  wan0: [at('198.51.100.4/24')],
  wide: [at('10.1.2.3/7')],
  tun0: [at('10.8.0.2/24', { mac: '00:00:00:00:00:00' })],
  ppp0: [at('10.9.0.2/32')],
  tap0: [at('10.7.0.2/24')],
  docker0: [at('172.17.0.1/16')],
  'br-0123456789ab': [at('172.18.0.1/16')],
  virbr0: [at('192.168.122.1/24')],
  lan1: [at('172.20.0.1/16'), at('172.21.0.1/16')],
}
const served = (chosen: readonly string[]): string[] =>
  lanInterfaces(
    chosen,
    () => machine,
    name => name === 'tap0',
  ).map(({ name, ip, bits }) => `${name} ${ip}/${bits}`)

test('without a choice all private networks are served that are no tunnels and not inside the machine', () => {
  assert.deepEqual(served([]), ['eth0 192.168.1.2/24', 'lan1 172.20.0.1/16'])
})

test('those that are chosen by name or address, tunnels too, but never public networks', () => {
  assert.deepEqual(served(['lan1']), ['lan1 172.20.0.1/16'])
  assert.deepEqual(served(['172.21.0.1', 'tun0']), ['tun0 10.8.0.2/24', 'lan1 172.21.0.1/16'])
  assert.deepEqual(served(['docker0', 'tap0']), ['tap0 10.7.0.2/24', 'docker0 172.17.0.1/16'])
  assert.deepEqual(served(['wan0', 'wide', 'ppp0', 'lo', 'nothing']), [])
})
