// Hidden swarms over real circuits on virtual time: nodes find each other without an exit, data goes over linked circuits, points and
// rendezvous circuits die and are replaced.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InfoHash, PeerAddress } from '../../src/base/ids.ts'
import type { HopCount } from '../../src/ports/circuits.ts'
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

/** A linked swarm whose two points are two nodes that are nobody's end: keys, and with them the choice of points, are chance. */
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
      assert.deepEqual(purposes(seeder).sort(), [`introduction-seeder ${hops + 1}`, `rendezvous-seeder ${hops}`])
      assert.deepEqual(purposes(downloader).sort(), [`data ${hops}`, `rendezvous-downloader ${hops + 1}`])
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
