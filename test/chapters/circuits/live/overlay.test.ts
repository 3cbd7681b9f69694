// Our node against py-ipv8 in all other roles: `make live-overlay` with IPV8_DIR. No part of `make test`, where
// transcripts of these sessions are replayed instead.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { InfoHash, PeerAddress } from '../../../../src/base/ids.ts'
import { lookupInfoHash } from '../../../../src/chapters/circuits/wire/hidden-names.ts'
import { type CircuitNode, EXIT, RELAY } from '../kit/circuit-node.ts'
import { PY_EXIT, PY_RELAY } from '../../../kit/peers/ipv8-nodes.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { printMatrix, seen } from './matrix.ts'
import { canRunLive, echoThrough, exchangeAll, type LiveNetwork, startLive } from './network.ts'

const HOPS = [1, 2, 3] as const

describe('with py-ipv8', { skip: !canRunLive, concurrency: false }, () => {
  after(printMatrix)

  it('originator', async () => {
    const net = await startLive({
      seed: 'originator',
      theirs: [PY_RELAY, PY_RELAY, PY_RELAY, PY_EXIT],
      ours: [{ flags: RELAY }],
    })
    await using(net, async () => {
      const [node] = net.ours as [CircuitNode]
      for (const hops of HOPS) {
        assert.ok(await echoThrough(node, hops, { ip: '127.0.0.1', port: net.echo.port }))
        const [circuit] = [...node.tunnels.own.all()].filter(({ ready, goalHops }) => ready && goalHops === hops)
        assert.equal(circuit?.hops.length, hops)
        seen('originator', hops, `built, 8 datagrams to a UDP echo and back`)
      }
      const facts = await Promise.all(net.theirs.map(({ number }) => net.py.call('facts', { node: number })))
      await node.stop()
      await waitFor('destroys', async () => (await destroyed(net)) > 0)
      seen('originator', '1-3', `circuits ended by us: destroy heard by ${await destroyed(net)} entries of theirs`)
      assert.equal(facts.length, 4)
    })
  })

  it('relay', async () => {
    const net = await startLive({ seed: 'relay', theirs: [PY_RELAY, PY_RELAY, PY_EXIT], ours: [{ flags: RELAY }] })
    await using(net, async () => {
      const [node] = net.ours as [CircuitNode]
      const exit = net.theirs[2]?.publicKey ?? ''
      const firstIs = { us: node.address.port, them: net.theirs[1]?.port ?? 0 }
      for (const [hops, first, at] of [
        [2, firstIs.us, 'first'],
        [3, firstIs.us, 'first'],
        [3, firstIs.them, 'second'],
      ] as const) {
        const circuit = await net.py.build(0, hops, { exit, first })
        assert.ok(circuit.hops.includes(node.publicKey), 'we are in it')
        assert.ok(await net.py.echo(0, circuit.circuit, net.echo.port))
        assert.ok(node.tunnels.joined.places.taken > 0)
        await net.py.call('destroy', { node: 0, circuit: circuit.circuit })
        seen(`relay, ${at} hop`, hops, `built in ${circuit.ms.toFixed(1)} ms, 8 datagrams and back, destroy`)
      }
    })
  })

  it('exit', async () => {
    const net = await startLive({ seed: 'exit', theirs: [PY_RELAY, PY_RELAY, PY_RELAY], ours: [{ flags: EXIT }] })
    await using(net, async () => {
      const [node] = net.ours as [CircuitNode]
      for (const hops of HOPS) {
        const circuit = await net.py.build(0, hops, { exit: node.publicKey })
        assert.equal(circuit.hops.at(-1), node.publicKey)
        assert.ok(await net.py.echo(0, circuit.circuit, net.echo.port))
        seen('exit', hops, `built in ${circuit.ms.toFixed(1)} ms, 8 datagrams out of our socket and back`)
      }
    })
  })

  for (const hops of HOPS)
    it(`hidden seeder, ${hops} hops`, async () => {
      const net = await startLive({
        seed: `seeder${hops}`,
        theirs: [PY_RELAY, PY_RELAY, PY_RELAY, PY_RELAY, PY_EXIT],
        ours: [{ flags: RELAY }],
      })
      await using(net, async () => {
        const [node] = net.ours as [CircuitNode]
        const infoHash = 'a1'.repeat(20) as InfoHash
        await echoing(node, hops)
        const swarm = node.lanes.lane(hops).join(infoHash, () => undefined)
        swarm.setSeeding(true)
        await waitFor('an introduction point', () => introductionCircuits(node) > 0, 20_000)
        const download = await net.py.call('download', { node: 0, hops, lookup: lookupText(infoHash) })
        assert.ok(await net.py.hiddenEcho(0, Number(download['circuit'])))
        seen(
          'hidden seeder',
          hops,
          `found by ${sources(download)}, linked in ${Math.round(Number(download['ms']))} ms, 8 datagrams and back`,
        )
      })
    })

  for (const hops of HOPS)
    it(`hidden downloader, ${hops} hops`, async () => {
      const net = await startLive({
        seed: `downloader${hops}`,
        theirs: [PY_RELAY, PY_RELAY, PY_RELAY, PY_RELAY, PY_EXIT],
        ours: [{ flags: RELAY }],
      })
      await using(net, async () => {
        const [node] = net.ours as [CircuitNode]
        const infoHash = 'b2'.repeat(20) as InfoHash
        await net.py.call('seed', { node: 0, hops, lookup: lookupText(infoHash) })
        const began = node.now()
        const peer = await firstFound(node, hops, infoHash)
        const ms = node.now() - began
        assert.ok(await exchangeAll(node.lanes.lane(hops), peer))
        seen('hidden downloader', hops, `linked in ${Math.round(ms)} ms, 8 datagrams to their seeder and back`)
      })
    })

  for (const hops of HOPS)
    it(`introduction and rendezvous point, ${hops} hops`, async () => {
      const net = await startLive({
        seed: `points${hops}`,
        theirs: [PY_RELAY, PY_RELAY, PY_RELAY, PY_RELAY, PY_EXIT],
        ours: [{ flags: RELAY }],
      })
      await using(net, async () => {
        const [node] = net.ours as [CircuitNode]
        const lookup = lookupText('c3'.repeat(20) as InfoHash)
        await net.py.call('seed', { node: 0, hops, lookup, introduction: node.publicKey, rendezvous: node.publicKey })
        assert.equal(node.hidden.figures.seedersIntroduced, 1)
        const download = await net.py.call('download', { node: 1, hops, lookup })
        assert.ok(await net.py.hiddenEcho(1, Number(download['circuit'])))
        assert.equal(node.hidden.figures.joined, 1)
        seen('introduction point', hops, `registered, announced, create-e2e passed on; found by ${sources(download)}`)
        seen('rendezvous point', hops, 'cookie, both circuits linked, 8 datagrams and back')
      })
    })

  it('exit that looks up for hidden downloaders', async () => {
    const net = await startLive({ seed: 'lookup', theirs: [PY_RELAY, PY_RELAY, PY_RELAY], ours: [{ flags: EXIT }] })
    await using(net, async () => {
      const lookup = lookupText('d4'.repeat(20) as InfoHash)
      const introduction = net.theirs[2]?.publicKey
      await net.py.call('seed', { node: 0, hops: 1, lookup, introduction })
      const download = await net.py.call('download', { node: 1, hops: 1, lookup })
      assert.ok(await net.py.hiddenEcho(1, Number(download['circuit'])))
      seen('exit of a hidden downloader', 1, `asked the DHT for it; it was linked; found by ${sources(download)}`)
    })
  })

  it('both ends, strangers between', async () => {
    const net = await startLive({
      seed: 'both',
      theirs: [PY_RELAY, PY_RELAY, PY_RELAY, PY_RELAY],
      ours: [{ flags: RELAY }, { flags: RELAY }],
    })
    await using(net, async () => {
      const [seeder, downloader] = net.ours as [CircuitNode, CircuitNode]
      const infoHash = 'e5'.repeat(20) as InfoHash
      await echoing(seeder, 2)
      seeder.lanes
        .lane(2)
        .join(infoHash, () => undefined)
        .setSeeding(true)
      await waitFor('an introduction point', () => introductionCircuits(seeder) > 0, 20_000)
      const peer = await firstFound(downloader, 2, infoHash)
      assert.ok(await exchangeAll(downloader.lanes.lane(2), peer))
      seen('both hidden ends, no exit', 2, 'linked through their relays, 8 datagrams and back')
    })
  })
})

async function using(net: LiveNetwork, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } finally {
    await net.stop()
  }
}

async function destroyed(net: LiveNetwork): Promise<number> {
  let count = 0
  for (const { number } of net.theirs) {
    const { counts } = await net.py.call('facts', { node: number })
    count += (counts as { destroyed: number }).destroyed
  }
  return count
}

/** The node sends back what comes out of linked circuits. */
async function echoing(node: CircuitNode, hops: 1 | 2 | 3): Promise<void> {
  const socket = await node.lanes
    .lane(hops)
    .udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) => socket.send(bytes, from))
}

function introductionCircuits(node: CircuitNode): number {
  return [...node.tunnels.own.all()].filter(({ ready, purpose }) => ready && purpose === 'introduction-seeder').length
}

function firstFound(node: CircuitNode, hops: 1 | 2 | 3, infoHash: InfoHash): Promise<PeerAddress> {
  const found: PeerAddress[] = []
  node.lanes.lane(hops).join(infoHash, ({ address }) => found.push(address))
  return waitFor(
    'a linked circuit',
    () => found[0],
    40_000,
    () => node.hidden.figures,
  )
}

function lookupText(infoHash: InfoHash): string {
  return Buffer.from(lookupInfoHash(infoHash)).toString('hex')
}

function sources(download: Record<string, unknown>): string {
  const names = ['unknown', 'DHT', 'PEX']
  return [...new Set(download['sources'] as number[])].map(source => names[source]).join(' and ')
}
