// How the parts of the swarm follow settings and the node's place, with sockets in memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { LiteralResolver } from '../../../src/io/net/literal-resolver.ts'
import type { NetworkStack } from '../../../src/io/net/network-stack.ts'
import { settingsSchema, type Settings } from '../../../src/node/settings/settings-schema.ts'
import { Swarm } from '../../../src/node/engine/swarm.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { ExternalAddress, type Session } from '../../../src/torrent/index.ts'
import { decodeKrpc } from '../../../src/wire/dht/krpc.ts'
import { FakePlace } from '../../kit/doubles/fake-place.ts'
import { MemoryNetwork } from '../../kit/sim/memory-network.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const FOUR = '192.0.2.1'
const SIX = '2001:db8::1'
const LONG_MS = 20 * 60_000

function settingsWith(changes: Partial<Settings['libtorrent']>): Settings['libtorrent'] {
  const entries = Object.entries(settingsSchema.libtorrent).map(([name, option]) => [name, option.default])
  return {
    ...(Object.fromEntries(entries) as Settings['libtorrent']),
    lsd: false,
    upnp: false,
    natpmp: false,
    ...changes,
  }
}

/** A swarm bound at `place` of which each datagram is noted; `names`: a proxy resolves names. */
function world(place: FakePlace, changes: Partial<Settings['libtorrent']>, names = false) {
  const clock = new VirtualClock()
  /** Where datagrams went, by family, and the names that the proxy was told. */
  const asked = { 4: [] as string[], 6: [] as string[] }
  const toNames: string[] = []
  const udp: UdpNetwork = {
    bind: ({ family }) =>
      Promise.resolve({
        address: { ip: family === 4 ? '0.0.0.0' : '::', port: 40_000 },
        send: (bytes, to) => {
          assert.equal(decodeKrpc(bytes).kind, 'query')
          asked[family].push(to.ip)
        },
        ...(names ? { sendToName: (_bytes: Uint8Array, { host }: { host: string }) => void toNames.push(host) } : {}),
        close: () => Promise.resolve(),
      }),
  }
  const tcp = new MemoryNetwork(clock).host(FOUR)
  const resolver = new LiteralResolver(new AddressPolicy([]))
  const lane = { tcp, udp, resolver, route: null, namesToProxy: names, failing: () => false }
  const stack: NetworkStack = {
    peers: lane,
    trackers: lane,
    place,
    keepsToDevices: false,
    local: null,
    stop: () => undefined,
  }
  const swarm = new Swarm(settingsWith({ utp: false, ...changes }), {
    clock,
    random: new SeededRandom(1),
    log: silentLog,
    stack,
    external: new ExternalAddress(clock),
    savedDht: null,
  })
  const start = (): Promise<void> => swarm.start({ listenPort: 40_000 } as Session)
  /** Who is asked within a while. */
  const heard = async (): Promise<{ 4: string[]; 6: string[] }> => {
    asked[4].length = asked[6].length = 0
    await clock.advance(LONG_MS)
    return { 4: [...new Set(asked[4])], 6: [...new Set(asked[6])] }
  }
  return { swarm, start, heard, toNames, clock }
}

const BOTH = { dht_bootstrap: ['198.51.100.7:1', '[2001:4860::7]:1'] }

test('the DHT of a family sleeps while the place has no address of it, and joins when one comes', async () => {
  const place = new FakePlace(FOUR, SIX)
  const { swarm, start, heard, clock } = world(place, BOTH)
  await start()
  assert.deepEqual(await heard(), { 4: ['198.51.100.7'], 6: ['2001:4860::7'] })
  place.move(SIX)
  assert.deepEqual(await heard(), { 4: [], 6: ['2001:4860::7'] })
  place.move()
  assert.deepEqual(await heard(), { 4: [], 6: [] })
  place.move(FOUR)
  assert.deepEqual(await heard(), { 4: ['198.51.100.7'], 6: [] })
  await swarm.stop(0)
  assert.equal(place.watchers, 0)
  assert.equal(clock.pending, 0)
})

test('another address of a family is a new start, none that stays is', async () => {
  const place = new FakePlace(FOUR)
  const { swarm, start, heard } = world(place, BOTH)
  await start()
  const idNow = (): string | undefined => swarm.dht?.stats()[4]?.id
  const calls: (4 | 6)[] = []
  const { dht } = swarm
  assert.ok(dht)
  const useSender = dht.useSender.bind(dht)
  dht.useSender = (family, sender) => {
    calls.push(family)
    useSender(family, sender)
  }
  await heard()
  const before = idNow()
  place.move(FOUR)
  assert.deepEqual(calls, [])
  place.move('192.0.2.2')
  assert.deepEqual(calls, [4])
  assert.equal(idNow(), before)
  assert.deepEqual((await heard())[4], ['198.51.100.7'])
  await swarm.stop(0)
  place.move(FOUR)
  assert.deepEqual(calls, [4])
})

test('pex is turned off and on while the node runs', () => {
  const { swarm } = world(new FakePlace(FOUR), { pex: true, dht: false })
  assert.equal(swarm.parts.exchangesPeers?.(), true)
  swarm.follow(settingsWith({ pex: false }))
  assert.equal(swarm.parts.exchangesPeers?.(), false)
  swarm.follow(settingsWith({ pex: true }))
  assert.equal(swarm.parts.exchangesPeers?.(), true)
})

for (const names of [false, true]) {
  const rule = names ? 'goes to the proxy that resolves names' : 'is not looked up by the DHT itself here'
  test(`a name that a torrent gives ${rule}; an address is asked, none at home is`, async () => {
    const { swarm, start, heard, toNames } = world(new FakePlace(FOUR), { dht_bootstrap: [] }, names)
    await start()
    const contacts = ['node.example.org', '10.0.0.1', '127.0.0.1', '93.184.216.34'].map(host => ({ host, port: 7 }))
    const before = heard()
    swarm.searches?.nodesAt(contacts)
    assert.deepEqual((await before)[4], ['93.184.216.34'])
    assert.deepEqual(toNames, names ? ['node.example.org'] : [])
    await swarm.stop(0)
  })
}
