// Hidden swarms between nodes whose circuits are lines in memory: meeting, replacing, renewing, and what strangers
// send.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InfoHash, PeerAddress } from '../../../../../src/base/ids.ts'
import { circuitOfAddress, lookupInfoHash } from '../../../../../src/chapters/circuits/wire/hidden-names.ts'
import {
  createdE2e,
  createE2e,
  establishIntro,
  establishRendezvous,
  linkE2e,
  peersRequest,
  peersResponse,
} from '../../../../../src/chapters/circuits/wire/hidden-messages.ts'
import { encodeCellMessage } from '../../../../../src/chapters/overlay/wire/message.ts'
import {
  decodeUnsigned,
  encodePacket,
  encodeUnwrapped,
  messageIdOf,
} from '../../../../../src/chapters/overlay/wire/packet.ts'
import { publicForm } from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { HiddenNetwork, type HiddenNode, type Line } from '../../kit/hidden-nodes.ts'

const INFO_HASH = '3926ad1bd351fa42395a2fd3880aa1c059216fec' as InfoHash

interface Scene {
  readonly net: HiddenNetwork
  readonly seeder: HiddenNode
  readonly downloader: HiddenNode
  readonly found: PeerAddress[]
  readonly seeding: ReturnType<HiddenNode['services']['join']>
  readonly downloading: ReturnType<HiddenNode['services']['join']>
}

/** A seeder, a downloader and `relays` others; time stands still afterwards. */
function scene(relays = 3): Scene {
  const net = new HiddenNetwork()
  const [seeder, downloader] = [net.add(), net.add()]
  for (let at = 0; at < relays; at++) net.add()
  const found: PeerAddress[] = []
  const seeding = seeder.services.join(1, INFO_HASH, () => assert.fail('seeders find nobody'))
  seeding.setSeeding(true)
  const downloading = downloader.services.join(1, INFO_HASH, ({ address }) => found.push(address))
  return { net, seeder, downloader, found, seeding, downloading }
}

async function linked(relays = 3): Promise<Scene> {
  const made = scene(relays)
  await made.net.clock.until('linked', () => made.found.length > 0)
  return made
}

function close(net: HiddenNetwork): void {
  for (const { services } of net.nodes) services.close()
}

describe('hidden swarms', () => {
  it('link a downloader with a seeder, and data goes both ways', async () => {
    const { net, seeder, downloader, found } = await linked()
    const own = downloader.only('rendezvous-downloader')
    assert.equal(circuitOfAddress(found[0] as PeerAddress), own.id)
    own.sendLinked('hello seeder')
    await net.clock.advance(50)
    const there = seeder.all('rendezvous-seeder').find(({ other }) => other === own) as Line
    assert.deepEqual(seeder.received, [{ circuit: there.id, data: 'hello seeder' }])
    there.sendLinked('hello downloader')
    await net.clock.advance(50)
    assert.deepEqual(downloader.received, [{ circuit: own.id, data: 'hello downloader' }])
    close(net)
  })

  it('have one hop more to introduction points and for downloaders, and no exit', async () => {
    const { net, seeder, downloader } = await linked()
    const hops = [...seeder.builds, ...downloader.builds].map(({ purpose, hops }) => `${purpose} ${hops}`)
    assert.deepEqual([...new Set(hops)].sort(), [
      'data 1',
      'introduction-seeder 2',
      'rendezvous-downloader 2',
      'rendezvous-seeder 1',
    ])
    assert.equal(downloader.builds[0]?.last, 'relay')
    close(net)
  })

  it('ask the DHT first, and known introduction points afterwards', async () => {
    const { net, downloading } = await linked()
    const before = net.dhtCalls.filter(({ op }) => op === 'find').length
    await net.clock.advance(120_000)
    assert.equal(net.dhtCalls.filter(({ op }) => op === 'find').length, before)
    downloading.leave()
    close(net)
  })

  it('are left: all circuits go, nothing more is asked', async () => {
    const { net, seeder, downloader, seeding, downloading } = await linked()
    downloading.leave()
    seeding.leave()
    assert.equal(seeder.circuits.size + downloader.circuits.size, 0)
    const builds = seeder.builds.length + downloader.builds.length
    await net.clock.advance(300_000)
    assert.equal(seeder.builds.length + downloader.builds.length, builds)
    assert.ok(net.nodes.every(({ services }) => services.figures.seedersIntroduced === 0))
    close(net)
  })

  it('replace an introduction point that goes, and downloaders find the new one', async () => {
    const { net, seeder, downloader, found } = await linked()
    for (const point of seeder.all('introduction-seeder')) point.remove('its node went away')
    downloader.only('rendezvous-downloader').remove('cut')
    await net.clock.until('a second link', () => found.length === 2, 20_000)
    assert.equal(seeder.services.figures.swarms, 1)
    close(net)
  })

  it('try again when nobody is reachable, with longer pauses', async () => {
    const net = new HiddenNetwork()
    const seeder = net.add()
    const swarm = seeder.services.join(2, INFO_HASH, () => undefined)
    swarm.setSeeding(true)
    await net.clock.advance(600_000)
    assert.ok(seeder.builds.length >= 15 && seeder.builds.length < 40, `${seeder.builds.length} tries`)
    net.add()
    await net.clock.until('an introduction', () => net.nodes[1]?.services.figures.seedersIntroduced === 1, 31_000)
    close(net)
  })

  it('look for nobody while there is enough', async () => {
    const net = new HiddenNetwork()
    const [node] = [net.add(), net.add()]
    const swarm = node.services.join(1, INFO_HASH, () => undefined)
    swarm.setSated(true)
    await net.clock.advance(120_000)
    assert.equal(net.dhtCalls.length, 0)
    swarm.setSated(false)
    await net.clock.until('a look-up', () => net.dhtCalls.length > 0)
    close(net)
  })

  it('look over another circuit when nothing comes back', async () => {
    const { net, downloader } = scene()
    for (const node of net.nodes) node.swallows = text => text[0] === peersRequest.id
    await net.clock.advance(60_000)
    assert.ok(downloader.builds.filter(({ purpose }) => purpose === 'data').length >= 2)
    close(net)
  })
})

describe('downloaders', () => {
  it('do not follow an introduction point that answers in the place of the seeder', async () => {
    const { net, downloader, found } = scene()
    await net.clock.until('an introduction', () => net.stored.size > 0)
    const liar = net.nodes.find(({ services }) => services.figures.seedersIntroduced > 0) as HiddenNode
    const key = `${liar.address.ip}:${liar.address.port}`
    const honest = net.sockets.get(key)
    net.sockets.set(key, (packet, from) => {
      if (messageIdOf(packet) !== createE2e.id) return honest?.(packet, from)
      const { identifier } = decodeUnsigned(createE2e, packet)
      const [ephemeral, auth, rendezvous] = [32, 32, 130].map(count => net.random.bytes(count)) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ]
      net.send(encodePacket(net.prefix, createdE2e, { identifier, ephemeral, auth, rendezvous }), liar.address, from)
    })
    await net.clock.until('a lie', () => downloader.services.figures.forged > 0)
    assert.equal(downloader.builds.filter(({ purpose }) => purpose === 'rendezvous-downloader').length, 0)
    if (honest !== undefined) net.sockets.set(key, honest)
    await net.clock.until('a link', () => found.length > 0)
    close(net)
  })

  it('take no answer that comes over another circuit than its question went', async () => {
    const { net, downloader } = await linked()
    const point = publicForm(net.random.bytes(32), net.random.bytes(32))
    const peers = [{ address: net.address('10.8.8.8'), publicKey: point, seederKey: point, source: 1 }]
    const infoHash = lookupInfoHash(INFO_HASH)
    const other = await lineTo(net, downloader, net.nodes[4] as HiddenNode)
    const { asked } = downloader
    for (const node of net.nodes) node.swallows = text => text[0] === peersRequest.id
    net.nodes.slice(2).forEach(node => net.sockets.delete(`${node.address.ip}:${node.address.port}`))
    await net.clock.until('a question', () => downloader.asked > asked)
    const before = downloader.services.figures.unasked
    const tries = (): number => downloader.services.figures.unasked - before
    for (let identifier = 0; identifier < 0x1_0000; identifier += 1)
      downloader.services.ownText(other, encodeCellMessage(peersResponse, { identifier, infoHash, peers }))
    assert.equal(tries(), 0x1_0000)
    close(net)
  })
})

describe('introduction points', () => {
  it('are stored in the DHT again before the value is gone, and no longer when the seeder leaves', async () => {
    const { net, seeding } = await linked()
    const stores = (): number[] => net.dhtCalls.filter(({ op }) => op === 'store').map(({ atMs }) => atMs)
    assert.equal(stores().length, 2, 'one for each of two points')
    await net.clock.advance(3_600_000)
    assert.equal(stores().length, 4)
    assert.ok((stores()[2] as number) - (stores()[0] as number) < 3_600_000)
    seeding.leave()
    await net.clock.advance(7_200_000)
    assert.equal(stores().length, 4)
    close(net)
  })

  it('tell each other in the overlay of the swarm whom they introduce', async () => {
    const { net, seeder } = await linked()
    const second = net.nodes.find(
      node => node.services.figures.seedersIntroduced === 0 && node !== seeder,
    ) as HiddenNode
    const circuit = await lineTo(net, seeder, second)
    const key = publicForm(net.random.bytes(32), net.random.bytes(32))
    const infoHash = lookupInfoHash(INFO_HASH)
    circuit.send(encodeCellMessage(establishIntro, { identifier: 1, infoHash, publicKey: key }))
    await net.clock.advance(50)
    assert.equal(net.exchanges.length, 3)
    net.introduce()
    const other = net.nodes.find(node => node !== second && node.services.figures.seedersIntroduced === 1) as HiddenNode
    const answers: Uint8Array[] = []
    const asker = net.address('10.9.9.9')
    net.sockets.set(`${asker.ip}:${asker.port}`, packet => answers.push(packet))
    net.send(encodeUnwrapped(net.prefix, peersRequest, 5, { identifier: 9, infoHash }), asker, other.address)
    await net.clock.advance(50)
    assert.equal(answers.length, 1)
    assert.ok(Buffer.from(answers[0] as Uint8Array).includes(Buffer.from(key)), 'the second seeder is named')
    close(net)
  })

  it('keep the first registration of a seeder, and count the second', async () => {
    const { net, seeder, downloader } = await linked()
    const point = seeder.first('introduction-seeder')
    const thief = await lineTo(net, downloader, point.end)
    const registered = net.stored.size
    const publicKey = seederKeyOf(net)
    thief.send(encodeCellMessage(establishIntro, { identifier: 1, infoHash: lookupInfoHash(INFO_HASH), publicKey }))
    await net.clock.advance(50)
    assert.equal(point.end.services.figures.repeated, 1)
    assert.equal(point.end.services.figures.seedersIntroduced, 1)
    thief.remove('done')
    assert.equal(point.end.services.figures.seedersIntroduced, 1)
    assert.equal(net.stored.size, registered)
    close(net)
  })

  it('register so many seeders of a circuit, and answer so many strangers', async () => {
    const { net, seeder, downloader } = await linked()
    const { end } = seeder.first('introduction-seeder')
    const line = await lineTo(net, downloader, end)
    for (let at = 0; at < 300; at++) {
      const publicKey = publicForm(net.random.bytes(32), net.random.bytes(32))
      line.send(encodeCellMessage(establishIntro, { identifier: at, infoHash: net.random.bytes(20), publicKey }))
    }
    await net.clock.advance(50)
    assert.equal(end.services.figures.seedersIntroduced, 5)
    assert.equal(end.services.figures.refused, 296)
    let answers = 0
    const asker = net.address('10.9.9.9')
    net.sockets.set(`${asker.ip}:${asker.port}`, () => answers++)
    const packet = encodeUnwrapped(net.prefix, peersRequest, 5, { identifier: 9, infoHash: lookupInfoHash(INFO_HASH) })
    for (let at = 0; at < 100; at++) net.send(packet, asker, end.address)
    await net.clock.advance(50)
    assert.equal(answers, 6)
    close(net)
  })

  it('count what cannot be read or is for nobody', async () => {
    const { net, seeder, downloader } = await linked()
    const { end } = seeder.first('introduction-seeder')
    const line = await lineTo(net, downloader, end)
    for (const number of [9, 11, 15, 17]) line.send(Uint8Array.of(number, 1, 2, 3))
    const stranger = net.address('10.9.9.9')
    for (const number of [13, 17]) net.send(Uint8Array.of(...net.prefix, number, 1, 2), stranger, end.address)
    const request = {
      identifier: 1,
      infoHash: net.random.bytes(20),
      publicKey: seederKeyOf(net),
      ephemeral: net.random.bytes(32),
    }
    net.send(encodePacket(net.prefix, createE2e, request), stranger, end.address)
    await net.clock.advance(50)
    assert.equal(end.services.figures.malformed, 6)
    assert.equal(end.services.figures.unknown, 1)
    close(net)
  })
})

describe('rendezvous points', () => {
  it('link nobody who brings a forged cookie, and no circuit that exits', async () => {
    const { net, seeder, downloader } = await linked()
    const end = net.nodes[4] as HiddenNode
    const [left, right] = [await lineTo(net, seeder, end), await lineTo(net, downloader, end)]
    const cookie = net.random.bytes(20)
    const before = end.services.figures.joined
    left.send(encodeCellMessage(establishRendezvous, { identifier: 1, cookie }))
    right.send(encodeCellMessage(linkE2e, { identifier: 1, cookie: net.random.bytes(20) }))
    await net.clock.advance(50)
    right.served.exiting = true
    right.send(encodeCellMessage(linkE2e, { identifier: 1, cookie }))
    left.send(encodeCellMessage(linkE2e, { identifier: 1, cookie }))
    await net.clock.advance(50)
    assert.equal(end.services.figures.strangeCookies, 3)
    assert.equal(end.services.figures.joined, before)
    right.served.exiting = false
    right.send(encodeCellMessage(linkE2e, { identifier: 1, cookie }))
    await net.clock.advance(50)
    assert.equal(end.services.figures.joined, before + 1)
    assert.equal(end.services.figures.cookies, 0)
    close(net)
  })

  it('keep the first owner of a cookie, and few of a circuit', async () => {
    const { net, seeder, downloader } = await linked()
    const end = net.nodes[4] as HiddenNode
    const [left, right] = [await lineTo(net, seeder, end), await lineTo(net, downloader, end)]
    const cookie = net.random.bytes(20)
    left.send(encodeCellMessage(establishRendezvous, { identifier: 1, cookie }))
    await net.clock.advance(50)
    right.send(encodeCellMessage(establishRendezvous, { identifier: 1, cookie }))
    for (let at = 0; at < 50; at++)
      right.send(encodeCellMessage(establishRendezvous, { identifier: 1, cookie: net.random.bytes(20) }))
    await net.clock.advance(50)
    assert.equal(end.services.figures.repeated, 1)
    assert.equal(end.services.figures.cookies, 3)
    right.remove('done')
    assert.equal(end.services.figures.cookies, 1)
    close(net)
  })
})

describe('seeders', () => {
  it('meet so many downloaders in a flood, and none twice for one handshake', async () => {
    const { net, seeder } = await linked()
    const point = seeder.first('introduction-seeder')
    const from = net.address('10.9.9.9')
    const request = {
      identifier: 1,
      infoHash: lookupInfoHash(INFO_HASH),
      publicKey: seederKeyOf(net),
      ephemeral: net.random.bytes(32),
    }
    const rendezvous = (): number => seeder.builds.filter(({ purpose }) => purpose === 'rendezvous-seeder').length
    const before = rendezvous()
    for (let at = 0; at < 5; at++) point.served.sendData(from, encodePacket(net.prefix, createE2e, request))
    await net.clock.advance(50)
    assert.equal(rendezvous(), before + 1)
    assert.equal(seeder.services.figures.repeated, 4)
    for (let at = 0; at < 500; at++)
      point.served.sendData(from, encodePacket(net.prefix, createE2e, { ...request, ephemeral: net.random.bytes(32) }))
    await net.clock.advance(50)
    assert.ok(rendezvous() <= before + 16, `${rendezvous() - before} rendezvous circuits`)
    assert.ok(seeder.services.figures.refused >= 480)
    close(net)
  })

  it('do not answer for other swarms or over circuits that are no introduction circuits', async () => {
    const { net, seeder } = await linked()
    const infoHash = lookupInfoHash(INFO_HASH)
    const request = { identifier: 1, infoHash, publicKey: seederKeyOf(net), ephemeral: net.random.bytes(32) }
    const from = net.address('10.9.9.9')
    const before = seeder.builds.length
    seeder.first('rendezvous-seeder').served.sendData(from, encodePacket(net.prefix, createE2e, request))
    const other = encodePacket(net.prefix, createE2e, { ...request, infoHash: net.random.bytes(20) })
    seeder.first('introduction-seeder').served.sendData(from, other)
    await net.clock.advance(50)
    assert.equal(seeder.services.figures.unknown, 2)
    assert.equal(seeder.builds.length, before)
    close(net)
  })
})

/** A further circuit of `from` to `end`. */
async function lineTo(net: HiddenNetwork, from: HiddenNode, end: HiddenNode): Promise<Line> {
  const wanted = { purpose: 'data', hops: 1, last: { publicKey: end.publicKey, address: end.address } } as const
  const built = from.build(wanted, new AbortController().signal)
  await net.clock.advance(5)
  return (await built) as Line
}

/** The key of the seeder, as the DHT tells it. */
function seederKeyOf(net: HiddenNetwork): Uint8Array {
  const [value] = net.stored.get(Buffer.from(lookupInfoHash(INFO_HASH)).toString('hex')) ?? []
  return publicForm((value as Uint8Array).subarray(-64, -32), (value as Uint8Array).subarray(-32))
}
