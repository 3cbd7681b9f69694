// Announcements and answers to searches.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../../../src/base/ids.ts'
import type { SsdpNetwork } from '../../../../../src/chapters/dlna/ports/ssdp-network.ts'
import { Announcer } from '../../../../../src/chapters/dlna/service/announcer.ts'
import { encodeSsdpSearch } from '../../../../../src/wire/net/upnp.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const UDN = 'uuid:5f0a6f2e-6a1b-4a8e-9d5b-0123456789ab'
const TV: PeerAddress = { ip: '192.168.1.20', port: 50_000 }

interface Rig {
  readonly announcer: Announcer
  readonly clock: VirtualClock
  readonly announced: string[]
  readonly answered: { text: string; to: PeerAddress; atMs: number }[]
  readonly blocked: Set<string>
  closed: boolean
  search(target: string, from?: PeerAddress, maxWaitSec?: number): void
}

async function rig(): Promise<Rig> {
  const clock = new VirtualClock()
  let receive: (bytes: Uint8Array, from: PeerAddress) => void = () => undefined
  const network: SsdpNetwork = {
    join: async (_at, given) => {
      receive = given
      return {
        announce: async bytes => void found.announced.push(Buffer.from(bytes).toString()),
        send: (bytes, to) => found.answered.push({ text: Buffer.from(bytes).toString(), to, atMs: clock.now() }),
        close: async () => void (found.closed = true),
      }
    },
  }
  const found: Rig = {
    announcer: new Announcer(
      { name: 'eth0', ip: '192.168.1.2', bits: 24 },
      { udn: UDN, location: 'http://192.168.1.2:4000/description.xml', server: 'x' },
      { clock, random: new SeededRandom(3), network, mayAsk: ip => !found.blocked.has(ip) },
    ),
    clock,
    announced: [],
    answered: [],
    blocked: new Set(),
    closed: false,
    search: (target, from = TV, maxWaitSec = 3) => receive(encodeSsdpSearch(target, maxWaitSec), from),
  }
  await found.announcer.start()
  return found
}

test('it announces itself twice, then again in time, and says goodbye', async () => {
  const { announcer, clock, announced, ...rest } = await rig()
  await clock.advance(1000)
  assert.equal(announced.length, 12)
  assert.ok(announced.every(text => text.includes('ssdp:alive')))
  await clock.advance(1_800_000)
  assert.ok(announced.length >= 24, 'before the first one is too old')
  announced.splice(0)
  await announcer.stop()
  assert.equal(announced.length, 6)
  assert.ok(announced.every(text => text.includes('ssdp:byebye') && !text.includes('LOCATION')))
  await clock.advance(3_600_000)
  assert.equal(announced.length, 6)
  assert.equal(rest.answered.length, 0)
})

test('searches are answered to who asks, in the time given, and in two seconds', async () => {
  const { clock, answered, search } = await rig()
  search('ssdp:all')
  search('urn:schemas-upnp-org:device:MediaServer:1', { ip: '192.168.1.21', port: 1 }, 120)
  search('urn:schemas-upnp-org:device:Basic:1')
  await clock.advance(2000)
  assert.equal(answered.length, 7)
  assert.equal(answered.filter(({ to }) => to.ip === TV.ip).length, 6)
  assert.ok(answered.every(({ text }) => text.startsWith('HTTP/1.1 200 OK\r\n')))
})

test('answers to many are spread over the time that is given', async () => {
  const { clock, answered, search } = await rig()
  const began = clock.now()
  for (let at = 0; at < 30; at += 1) search('upnp:rootdevice', { ip: `192.168.1.${30 + at}`, port: 1 })
  await clock.advance(3000)
  const delays = answered.map(({ atMs }) => atMs - began)
  assert.equal(delays.length, 30)
  assert.ok(Math.max(...delays) < 1800 && new Set(delays).size > 20, delays.join())
})

test('nothing goes to other networks, to who is blocked, or for what is no search', async () => {
  const { clock, answered, search, blocked } = await rig()
  for (const ip of ['192.168.2.20', '198.51.100.7', '10.0.0.1']) search('ssdp:all', { ip, port: 1900 })
  blocked.add(TV.ip)
  search('ssdp:all')
  await clock.advance(5000)
  assert.equal(answered.length, 0)
})

test('one searcher, and all together, get so many answers and no more', async () => {
  const { clock, answered, search } = await rig()
  for (let at = 0; at < 1000; at += 1) search('upnp:rootdevice')
  await clock.advance(3000)
  assert.equal(answered.length, 10)
  answered.splice(0)
  for (let round = 0; round < 60; round += 1) {
    for (let at = 0; at < 10; at += 1)
      search('upnp:rootdevice', { ip: `192.168.1.${30 + ((round * 10 + at) % 200)}`, port: 1 })
    await clock.advance(100)
  }
  await clock.advance(3000)
  // 40 at once, and 10 a second.
  assert.ok(answered.length >= 90 && answered.length <= 101, `${answered.length} answers`)
})

test('many searchers at once get 40 answers', async () => {
  const { clock, answered, search } = await rig()
  for (let at = 0; at < 200; at += 1) search('upnp:rootdevice', { ip: `192.168.1.${at + 30}`, port: 1 })
  await clock.advance(3000)
  assert.equal(answered.length, 40)
})

test('no answer goes out behind goodbye', async () => {
  const found = await rig()
  found.search('ssdp:all')
  await found.announcer.stop()
  assert.equal(found.clock.pending, 0)
  await found.clock.advance(5000)
  assert.equal(found.answered.length, 0)
  assert.equal(found.closed, true)
})
