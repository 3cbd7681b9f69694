// Local discovery on a cable in memory: which node hears of which, how often, what a hostile neighbour can do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey, type InfoHash, parseInfoHash } from '../../../src/base/ids.ts'
import { LocalDiscovery } from '../../../src/lsd/discovery.ts'
import { decodeLsdAnnounce, encodeLsdAnnounce, LSD_GROUPS } from '../../../src/wire/net/lsd.ts'
import { MemoryCable } from '../../kit/sim/memory-multicast.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const MINUTE_MS = 60_000
const hash = (index: number): InfoHash => parseInfoHash((index + 1).toString(16).padStart(40, '0')) as InfoHash

interface Neighbour {
  readonly discovery: LocalDiscovery
  readonly torrents: Set<InfoHash>
  readonly found: string[]
  port: number
}

/** Neighbours on one cable; each has its own chance, and so its own cookie. */
class Street {
  readonly clock = new VirtualClock()
  readonly cable = new MemoryCable()
  readonly neighbours: Neighbour[] = []

  async neighbour(
    torrents: readonly InfoHash[],
    options: { families?: readonly (4 | 6)[]; refuses?: readonly (4 | 6)[] } = {},
  ): Promise<Neighbour> {
    const number = this.neighbours.length + 1
    const addresses = { 4: `192.168.0.${number}`, 6: `fd00::${number}` }
    const state = { torrents: new Set(torrents), found: [] as string[], port: 6880 + number }
    const discovery = new LocalDiscovery(
      { families: options.families ?? [4] },
      {
        clock: this.clock,
        random: new SeededRandom(number),
        log: silentLog,
        multicast: this.cable.host(addresses, options.refuses),
        listenPort: () => neighbour.port,
        torrents: () => state.torrents,
        wants: infoHash => state.torrents.has(infoHash),
        found: (infoHash, peer) => state.found.push(`${infoHash.slice(-2)} ${addressKey(peer)}`),
      },
    )
    const neighbour: Neighbour = { discovery, ...state }
    this.neighbours.push(neighbour)
    await discovery.start()
    return neighbour
  }

  async close(): Promise<void> {
    for (const { discovery } of this.neighbours) await discovery.stop()
    assert.equal(this.cable.members, 0)
    assert.equal(this.clock.pending, 0)
  }
}

test('neighbours with the same torrent hear of each other, of others nothing', async () => {
  const street = new Street()
  const one = await street.neighbour([hash(0), hash(1)])
  const two = await street.neighbour([hash(1), hash(2)])
  await street.clock.advance(6 * MINUTE_MS)
  assert.deepEqual([...new Set(one.found)], ['02 192.168.0.2:6882'])
  assert.deepEqual([...new Set(two.found)], ['02 192.168.0.1:6881'])
  await street.close()
})

test('no node finds itself, and nothing is announced without a port', async () => {
  const street = new Street()
  const alone = await street.neighbour([hash(0)])
  await street.clock.advance(MINUTE_MS)
  assert.equal(street.cable.sent.length, 1)
  assert.deepEqual(alone.found, [])
  alone.port = 0
  await street.clock.advance(20 * MINUTE_MS)
  assert.equal(street.cable.sent.length, 1)
  await street.close()
})

test('a torrent is announced every five minutes, a new one within seconds, one that is gone never', async () => {
  const street = new Street()
  const one = await street.neighbour([hash(0)])
  await street.clock.advance(MINUTE_MS)
  one.torrents.add(hash(1))
  await street.clock.advance(10_000)
  const told = (): string[][] =>
    street.cable.sent.map(({ text }) => [...decodeLsdAnnounce(Buffer.from(text, 'latin1')).infoHashes])
  assert.deepEqual(told(), [[hash(0)], [hash(1)]])
  one.torrents.delete(hash(0))
  await street.clock.advance(10 * MINUTE_MS)
  assert.deepEqual(told().slice(2).flat(), [hash(1), hash(1)])
  await street.close()
})

test('many torrents share datagrams, one a minute on average, and all have their turn', async () => {
  const street = new Street()
  const all = Array.from({ length: 500 }, (_, index) => hash(index))
  await street.neighbour(all)
  assert.equal(street.cable.sent.length, 5, 'a few at once')
  for (const { text } of street.cable.sent) assert.ok(text.length <= 1400)
  await street.clock.advance(15 * MINUTE_MS)
  assert.ok(street.cable.sent.length <= 20, `${street.cable.sent.length}`)
  const told = street.cable.sent.flatMap(({ text }) => decodeLsdAnnounce(Buffer.from(text, 'latin1')).infoHashes)
  assert.equal(new Set(told).size, 500)
  assert.equal(new Set(told.slice(0, 500)).size, 500, 'nobody twice before all had their turn')
  await street.close()
})

test('what was told of a torrent before it was added counts when it is, for five minutes', async () => {
  const street = new Street()
  const early = await street.neighbour([hash(0)])
  await early.discovery.stop()
  const late = await street.neighbour([])
  await early.discovery.start()
  await street.clock.advance(MINUTE_MS)
  assert.deepEqual(late.found, [])
  late.torrents.add(hash(0))
  await street.clock.advance(6_000)
  assert.deepEqual(late.found, ['01 192.168.0.1:6881'])
  await early.discovery.stop()
  late.torrents.clear()
  late.found.length = 0
  await street.clock.advance(20 * MINUTE_MS)
  late.torrents.add(hash(0))
  await street.clock.advance(MINUTE_MS)
  assert.deepEqual(late.found, [])
  await street.close()
})

test('a flood of announces of strange torrents pushes out older ones only', async () => {
  const street = new Street()
  const host = await street.neighbour([])
  const shout = async (from: number, to: number, ip: string): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      const announce = { port: 7000, infoHashes: [hash(index)], cookie: null }
      street.cable.send(LSD_GROUPS[4], encodeLsdAnnounce(4, announce), { ip, port: 6771 })
      await street.clock.advance(50)
    }
  }
  await shout(0, 1200, '192.168.0.77')
  for (const index of [0, 1199]) host.torrents.add(hash(index))
  await street.clock.advance(6_000)
  assert.deepEqual(host.found, [`${hash(1199).slice(-2)} 192.168.0.77:7000`])
  await street.close()
})

test('both families get announces; one that cannot be joined is done without', async () => {
  const street = new Street()
  await street.neighbour([hash(0)], { families: [4, 6] })
  assert.deepEqual(
    street.cable.sent.map(({ group }) => group),
    [LSD_GROUPS[4], LSD_GROUPS[6]],
  )
  const half = await street.neighbour([hash(0)], { families: [4, 6], refuses: [4] })
  await street.clock.advance(6 * MINUTE_MS)
  assert.deepEqual([...new Set(half.found)], ['01 [fd00::1]:6881'])
  await street.close()
})

test('a neighbour who names ports without end is heard for a while', async () => {
  const street = new Street()
  const one = await street.neighbour([hash(0), hash(1)])
  const say = (ip: string, port: number, infoHash: InfoHash): void => {
    street.cable.send(LSD_GROUPS[4], encodeLsdAnnounce(4, { port, infoHashes: [infoHash], cookie: null }), { ip, port })
  }
  for (let port = 1; port <= 150; port += 1) say('192.168.0.66', port, hash(0))
  assert.equal(one.found.length, 50)
  await street.clock.advance(10_000)
  say('192.168.0.66', 7000, hash(1))
  assert.equal(one.found.length, 51, 'another torrent')
  say('192.168.0.66', 7000, hash(1))
  assert.equal(one.found.length, 51, 'the same again')
  await street.clock.advance(6 * MINUTE_MS)
  say('192.168.0.66', 1, hash(0))
  assert.equal(one.found.length, 52, 'five minutes later')
  await street.close()
})

test('rubbish, floods and senders that cannot be peers are dropped', async () => {
  const street = new Street()
  const one = await street.neighbour([hash(0)])
  const good = encodeLsdAnnounce(4, { port: 1, infoHashes: [hash(0)], cookie: null })
  for (const ip of ['0.0.0.0', '224.0.0.1', 'fe80::1']) street.cable.send(LSD_GROUPS[4], good, { ip, port: 1 })
  street.cable.send(LSD_GROUPS[4], Buffer.from('M-SEARCH * HTTP/1.1\r\n\r\n'), { ip: '192.168.0.9', port: 1 })
  assert.deepEqual(one.found, [])
  for (let i = 0; i < 1000; i += 1) street.cable.send(LSD_GROUPS[4], new Uint8Array(9), { ip: '192.168.0.9', port: 1 })
  street.cable.send(LSD_GROUPS[4], good, { ip: '192.168.0.9', port: 1 })
  assert.deepEqual(one.found, [], 'in a flood nothing is heard')
  await street.clock.advance(5000)
  street.cable.send(LSD_GROUPS[4], good, { ip: '192.168.0.9', port: 1 })
  assert.equal(one.found.length, 1)
  await street.close()
})

test('what comes after the end is not heard', async () => {
  const street = new Street()
  const one = await street.neighbour([hash(0)])
  await one.discovery.stop()
  await one.discovery.stop()
  await street.clock.advance(10 * MINUTE_MS)
  assert.equal(street.cable.sent.length, 1)
  await street.close()
})

test('very many torrents are looked through when there is room for a datagram, not every few seconds', async () => {
  const street = new Street()
  const many = Array.from({ length: 3000 }, (_, index) => hash(index))
  const one = await street.neighbour([])
  const two = await street.neighbour(many)
  let looked = 0
  const taken = two.torrents[Symbol.iterator].bind(two.torrents)
  two.torrents[Symbol.iterator] = () => {
    looked += 1
    return taken()
  }
  await street.clock.advance(30 * MINUTE_MS)
  // A datagram a minute; without that it is 12 looks a minute.
  assert.ok(looked <= 2 * 31, `looked ${looked} times`)
  assert.deepEqual(one.found, [])
  await street.close()
})

test('of more torrents than are told of in five minutes each has its turn before any has a second one', async () => {
  const street = new Street()
  const many = Array.from({ length: 1000 }, (_, index) => hash(index))
  const heard: InfoHash[] = []
  const listener = street.cable.host({ 4: '192.168.0.77', 6: 'fd00::77' })
  const socket = await listener.join({ family: 4, ip: LSD_GROUPS[4], port: 6771 }, bytes =>
    heard.push(...decodeLsdAnnounce(bytes).infoHashes),
  )
  await street.neighbour(many)
  await street.clock.advance(20 * MINUTE_MS)
  assert.ok(heard.length > 200)
  assert.equal(new Set(heard.slice(0, 1000)).size, Math.min(1000, heard.length))
  await socket.close()
  await street.close()
})
