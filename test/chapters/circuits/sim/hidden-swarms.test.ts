// Hidden swarms over real circuits on virtual time: nodes find each other without an exit, data goes over linked
// circuits, points and rendezvous circuits die and are replaced.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InfoHash, PeerAddress } from '../../../../src/base/ids.ts'
import type { HopCount } from '../../../../src/chapters/circuits/ports/circuits.ts'
import { CircuitNetwork, type CircuitNode } from '../kit/circuit-network.ts'

const INFO_HASH = '3926ad1bd351fa42395a2fd3880aa1c059216fec' as InfoHash

interface Swarm {
  readonly net: CircuitNetwork
  readonly seeder: CircuitNode
  readonly downloader: CircuitNode
  readonly found: PeerAddress[]
  readonly leave: () => void
}

/** Relays only; two of them are seeder and downloader. The seeder echoes. */
async function swarm(hops: HopCount, seed: number, relays = 6): Promise<Swarm> {
  const net = new CircuitNetwork(seed, { spreadMs: 0 })
  await net.grow(relays, 0, 30_000)
  const [seeder, downloader] = net.nodes.slice(-2) as [CircuitNode, CircuitNode]
  const socket = await seeder.circuits
    .lane(hops)
    .udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) => socket.send(bytes, from))
  const seeding = seeder.circuits.lane(hops).join(INFO_HASH, () => assert.fail('seeders find nobody'))
  seeding.setSeeding(true)
  const found: PeerAddress[] = []
  const downloading = downloader.circuits.lane(hops).join(INFO_HASH, ({ address }) => found.push(address))
  const leave = (): void => {
    seeding.leave()
    downloading.leave()
  }
  return { net, seeder, downloader, found, leave }
}

/**
 * A seeder and a downloader that start in a network of relays and want each other at once; they let nothing out to
 * anybody else.
 */
async function beginners(
  seed: number,
  { hops, relays = 3, ...line }: { hops: HopCount; relays?: number; spreadMs?: number; lossPerMille?: number },
): Promise<Pick<Swarm, 'net' | 'downloader' | 'found'>> {
  const net = new CircuitNetwork(seed, { spreadMs: 0, ...line })
  await net.grow(relays, 0, 30_000)
  const seeder = await net.add({ refused: () => true })
  seeder.circuits.lane(hops).setDemand(1)
  seeder.circuits
    .lane(hops)
    .join(INFO_HASH, () => undefined)
    .setSeeding(true)
  await net.clock.advance(300)
  const downloader = await net.add({ refused: () => true })
  downloader.circuits.lane(hops).setDemand(1)
  const found: PeerAddress[] = []
  downloader.circuits.lane(hops).join(INFO_HASH, ({ address }) => found.push(address))
  return { net, downloader, found }
}

/** Sends over the newest linked circuit; true when everything came back. */
async function echoes({ net, downloader, found }: Swarm, hops: HopCount): Promise<boolean> {
  const got: string[] = []
  const socket = await downloader.circuits
    .lane(hops)
    .udp.bind({ family: 4, ip: null, port: 0 }, bytes => got.push(Buffer.from(bytes).toString()))
  for (let at = 0; at < 20; at++) socket.send(Buffer.from(`datagram ${at}`), found.at(-1) as PeerAddress)
  await net.clock.advance(3_000)
  await socket.close()
  return new Set(got).size === 20
}

/** Nodes other than the downloader that the seeder's circuits end at. */
function pointsOf({ net, seeder, downloader }: Swarm): CircuitNode[] {
  const hex = (key: Uint8Array | undefined): string => Buffer.from(key ?? []).toString('hex')
  const lasts = [...seeder.tunnels.own.all()].map(({ hops }) => hex(hops.at(-1)?.publicKey))
  return net.nodes.filter(node => lasts.includes(hex(node.keys.publicKey)) && node !== downloader)
}

/**
 * A linked swarm whose two points are two nodes that are nobody's end: keys, and with them the choice of points, are
 * chance.
 */
async function linkedByOthers(): Promise<{ made: Swarm; points: CircuitNode[] }> {
  for (let seed = 53; seed < 63; seed++) {
    const made = await swarm(2, seed, 10)
    await made.net.clock.until('a linked circuit', () => made.found.length > 0, 120_000)
    const points = pointsOf(made)
    if (points.length === 2) return { made, points }
    await made.net.close()
  }
  return assert.fail('ten networks, and no two points in any')
}

describe('hidden swarms', () => {
  for (const hops of [1, 2, 3] as const)
    it(`meet over ${hops} hops without an exit, and data goes both ways`, async () => {
      const made = await swarm(hops, 40 + hops)
      const { net, downloader, seeder, found } = made
      await net.clock.until('a linked circuit', () => found.length > 0, 120_000)
      assert.ok(await echoes(made, hops))
      const purposes = (node: CircuitNode): string[] =>
        [...node.tunnels.own.all()]
          .filter(({ ready }) => ready)
          .map(({ purpose, goalHops }) => `${purpose} ${goalHops}`)
      assert.deepEqual([...new Set(purposes(seeder))].sort(), [
        `introduction-seeder ${hops + 1}`,
        `rendezvous-seeder ${hops}`,
      ])
      assert.deepEqual([...new Set(purposes(downloader))].sort(), [`data ${hops}`, `rendezvous-downloader ${hops + 1}`])
      await net.clock.advance(40_000)
      assert.ok(await echoes(made, hops), 'later the same circuit still carries')
      assert.equal(found.length, 1)
      await net.close()
    })

  it('meet again when the introduction point and the rendezvous point die', async () => {
    const { made, points } = await linkedByOthers()
    const { net, found } = made
    for (const node of points) await net.kill(node)
    await net.clock.until('a second link', () => found.length > 1, 300_000)
    assert.ok(await echoes(made, 2))
    await net.close()
  })

  // Three relays and the two ends, which let nothing out to others: each of these seeds once took a minute, or for
  // ever. Of the points, the contact circuits and the rendezvous points that chance chooses there some are of no use:
  // the other end itself, or a node that drops what it should pass on.
  for (const [hops, seeds] of [
    [1, [2, 3, 5, 7, 8, 20]],
    [2, [1, 12, 17]],
  ] as const)
    it(`link within seconds over ${hops} hops whoever chance chooses as points`, async () => {
      for (const seed of seeds) {
        const { net, downloader, found } = await beginners(seed, { hops })
        const tookMs = await net.clock.until('a link', () => found.length > 0, 60_000)
        assert.ok(tookMs < 8_000, `seed ${seed}: ${tookMs} ms`)
        const inVain = [...downloader.tunnels.own.all()].filter(({ purpose, ready }) => purpose !== 'data' && !ready)
        assert.ok(inVain.every(({ state }) => state === 'CLOSING'))
        await net.close()
      }
    })

  it('link within seconds where each fiftieth datagram is lost and all are out of order', async () => {
    const times: number[] = []
    for (const seed of [3, 5, 6, 18]) {
      const { net, found } = await beginners(seed, { hops: 1, relays: 8, spreadMs: 20, lossPerMille: 20 })
      times.push(await net.clock.until('a link', () => found.length > 0, 60_000))
      await net.close()
    }
    assert.ok(Math.max(...times) < 15_000, times.join(' '))
  })

  it('are linked again within seconds when the rendezvous point dies', async () => {
    const made = await linkedByOthers()
    const { net, downloader, found } = made.made
    const linked = [...downloader.tunnels.own.all()].find(
      ({ purpose, ready }) => purpose === 'rendezvous-downloader' && ready,
    )
    const last = linked?.hops.at(-1)?.publicKey ?? new Uint8Array()
    const point = made.points.find(({ keys }) => Buffer.compare(keys.publicKey, last) === 0)
    assert.ok(point !== undefined)
    await net.kill(point)
    const tookMs = await net.clock.until('a second link', () => found.length > 1, 60_000)
    assert.ok(tookMs < 25_000, `${tookMs} ms`)
    assert.ok(await echoes(made.made, 2))
    await net.close()
  })

  it('wait at the start until relays are known, and no circuit fails meanwhile', async () => {
    const net = new CircuitNetwork(9, { spreadMs: 0 })
    const node = await net.add()
    const removed: string[] = []
    node.tunnels.own.watch({ ready: () => undefined, removed: (_circuit, reason) => removed.push(reason) })
    const lane = node.circuits.lane(1)
    lane.setDemand(1)
    const joined = lane.join(INFO_HASH, () => undefined)
    await net.clock.advance(120_000)
    assert.deepEqual(removed, [])
    assert.deepEqual([lane.facts().building, lane.facts().lastFailure], [3, 'no exit is known'])
    await net.grow(2, 1, 0)
    await net.clock.until('circuits', () => lane.facts().ready === 3, 10_000)
    assert.deepEqual([removed, lane.facts().lastFailure], [[], null])
    joined.leave()
    await net.close()
  })

  it('leave nothing behind', async () => {
    const made = await swarm(1, 61)
    const { net, seeder, downloader, found } = made
    await net.clock.until('a linked circuit', () => found.length > 0, 120_000)
    made.leave()
    await net.clock.advance(60_000)
    for (const node of [seeder, downloader]) assert.equal([...node.tunnels.own.all()].length, 0)
    for (const { services, tunnels } of net.nodes) {
      const { seedersIntroduced, exchangeOverlays, cookies, swarms } = services.figures
      assert.deepEqual(
        { seedersIntroduced, exchangeOverlays, cookies, swarms },
        { seedersIntroduced: 0, exchangeOverlays: 0, cookies: 0, swarms: 0 },
      )
      assert.equal(tunnels.joined.places.taken, 0)
    }
    await net.close()
  })
})
