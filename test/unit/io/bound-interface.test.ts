// Which addresses are there: devices, single addresses, the loopback block, looks by time and on demand.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundInterface, type DeviceAddress, isAtPlace } from '../../../src/io/net/bound-interface.ts'
import { decodeListenList } from '../../../src/wire/net/listen-list.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const at = (cidr: string, internal = false): DeviceAddress => ({ address: cidr.split('/')[0] ?? '', internal, cidr })

function rig(list: string, devices: Record<string, DeviceAddress[]>) {
  const clock = new VirtualClock()
  const machine = { devices, looks: 0 }
  const place = new BoundInterface(decodeListenList(list), {
    clock,
    devices: () => {
      machine.looks += 1
      return machine.devices
    },
  })
  return { clock, machine, place, ips: () => place.endpoints().map(endpoint => endpoint.ip) }
}

test('a device is its addresses of both families, without link-local ones', () => {
  const { place, ips } = rig('tun0', {
    eth0: [at('192.0.2.1/24')],
    tun0: [at('10.8.0.2/24'), at('fe80::1/64'), at('2001:db8::2/64'), at('10.8.0.3/24')],
  })
  assert.deepEqual(ips(), ['10.8.0.2', '2001:db8::2', '10.8.0.3'])
  assert.deepEqual([place.localIp(4), place.localIp(6)], ['10.8.0.2', '2001:db8::2'])
  assert.ok(isAtPlace(place, '10.8.0.3'))
  assert.ok(!isAtPlace(place, '192.0.2.1'))
})

test('no device, no address; a family without one has none', () => {
  assert.deepEqual(rig('tun0', { eth0: [at('192.0.2.1/24')] }).ips(), [])
  assert.equal(rig('eth0', { eth0: [at('192.0.2.1/24')] }).place.localIp(6), null)
})

test('an address counts while some device has it; loopback has its whole block; wildcards are always there', () => {
  const devices = { lo: [at('127.0.0.1/8', true), at('::1/128', true)], eth0: [at('192.0.2.1/24')] }
  assert.deepEqual(rig('192.0.2.1,192.0.2.2,127.0.0.9,::1', devices).ips(), ['192.0.2.1', '127.0.0.9', '::1'])
  assert.deepEqual(rig('0.0.0.0,::', {}).ips(), ['0.0.0.0', '::'])
})

test('ports come with their entries, and the order is that of the list', () => {
  const { place } = rig('eth1:7,eth0', { eth0: [at('192.0.2.1/24')], eth1: [at('192.0.2.9/24')] })
  assert.deepEqual(place.endpoints(), [
    { ip: '192.0.2.9', port: 7, device: 'eth1' },
    { ip: '192.0.2.1', port: null, device: 'eth0' },
  ])
  assert.equal(place.localIp(4), '192.0.2.9')
})

test('an address that is named by its device and by itself keeps to the device', () => {
  const { place } = rig('192.0.2.1,eth0', { eth0: [at('192.0.2.1/24'), at('192.0.2.2/24')] })
  assert.deepEqual(place.endpoints(), [
    { ip: '192.0.2.1', port: null, device: 'eth0' },
    { ip: '192.0.2.2', port: null, device: 'eth0' },
  ])
})

test('a device that was made again between two looks is another one: its addresses go first, and come back', async () => {
  const clock = new VirtualClock()
  let index = 7
  const place = new BoundInterface(decodeListenList('tun0'), {
    clock,
    devices: () => ({ tun0: [at('10.8.0.2/24')] }),
    indexOf: () => index,
  })
  place.start()
  const seen: (string | null)[] = []
  place.watch(() => seen.push(place.localIp(4)))
  assert.equal(place.localIp(4), '10.8.0.2')
  index = 8
  await clock.advance(5_000)
  assert.deepEqual(seen, [null, '10.8.0.2'])
  place.stop()
})

test('it looks once a second and tells changes alone', async () => {
  const { clock, machine, place } = rig('tun0', { tun0: [at('10.8.0.2/24')] })
  place.start()
  let changes = 0
  const unwatch = place.watch(() => {
    changes += 1
  })
  await clock.advance(5_000)
  assert.equal(changes, 0)
  machine.devices = {}
  await clock.advance(1_000)
  assert.equal(changes, 1)
  assert.equal(place.localIp(4), null)
  machine.devices = { tun0: [at('10.8.0.7/24')] }
  await clock.advance(3_000)
  assert.deepEqual([changes, place.localIp(4)], [2, '10.8.0.7'])
  unwatch()
  machine.devices = {}
  await clock.advance(1_000)
  assert.equal(changes, 2)
  place.stop()
  assert.equal(clock.pending, 0)
})

test('an address that appears counts when it has been there for two seconds, and from the start again when it goes', async () => {
  const { clock, machine, place } = rig('tun0', {})
  place.start()
  const seenAfter = async (ms: number): Promise<string | null> => {
    await clock.advance(ms)
    return place.localIp(4)
  }
  machine.devices = { tun0: [at('10.8.0.2/24')] }
  assert.equal(await seenAfter(1_000), null)
  assert.equal(await seenAfter(1_900), null)
  assert.equal(await seenAfter(200), '10.8.0.2')
  machine.devices = {}
  assert.equal(await seenAfter(100), null)
  machine.devices = { tun0: [at('10.8.0.2/24')] }
  assert.equal(await seenAfter(1_000), null)
  assert.equal(await seenAfter(3_000), '10.8.0.2')
  place.stop()
})

test('a question sees what changed since the last look, without a look for each', async () => {
  const { clock, machine, place } = rig('tun0', { tun0: [at('10.8.0.2/24')] })
  place.start()
  let changes = 0
  place.watch(() => {
    changes += 1
  })
  const before = machine.looks
  for (let n = 0; n < 100; n++) place.localIp(4)
  assert.equal(machine.looks, before)
  machine.devices = {}
  await clock.advance(100)
  assert.equal(place.localIp(4), null, 'seen before the next look of the second')
  assert.equal(changes, 1)
  place.stop()
})

test('a machine that does not tell has no addresses', () => {
  const clock = new VirtualClock()
  const devices = (): never => {
    throw new Error('EMFILE')
  }
  assert.deepEqual(new BoundInterface(decodeListenList('tun0'), { clock, devices }).endpoints(), [])
})
