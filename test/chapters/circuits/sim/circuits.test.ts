// Whole networks of nodes with circuits on virtual time: data both ways over 1 to 3 hops, hops that die, drop, spoil
// and lie.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { HopCount } from '../../../../src/chapters/circuits/ports/circuits.ts'
import { CircuitNetwork, type CircuitNode } from '../kit/circuit-network.ts'
import { EXIT } from '../kit/made-circuit-node.ts'

/** A ping of the DHT, as exits let pass. */
function datagram(text: string): Buffer {
  return Buffer.from(`d1:t${text.length}:${text}e`)
}

interface Talk {
  readonly heard: { text: string; from: PeerAddress }[]
  readonly seenBy: string[]
  say(text: string): void
}

/** A socket of a lane that talks with a host beyond the exits, which answers everything with the same. */
async function talk(network: CircuitNetwork, node: CircuitNode, hops: HopCount): Promise<Talk> {
  const seenBy: string[] = []
  const to = { ip: '99.9.9.9', port: 6881 }
  network.host(to.ip, (bytes, from) => {
    seenBy.push(from.ip)
    return bytes
  })
  const lane = node.circuits.lane(hops)
  lane.setDemand(1)
  const heard: Talk['heard'] = []
  const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) =>
    heard.push({ text: Buffer.from(bytes).toString(), from }),
  )
  await network.clock.until('a circuit', () => lane.facts().ready > 0, 60_000)
  return { heard, seenBy, say: text => socket.send(datagram(text), to) }
}

for (const hops of [1, 2, 3] as const) {
  test(`datagrams go out and come back over ${hops} hops, and everything is counted once`, async () => {
    const network = new CircuitNetwork(hops)
    const me = await network.add()
    await network.grow(5, 2)
    const { heard, seenBy, say } = await talk(network, me, hops)
    say('hello')
    await network.clock.advance(1_000)
    assert.deepEqual(
      heard.map(({ text, from }) => [text, from]),
      [[datagram('hello').toString(), { ip: '99.9.9.9', port: 6881 }]],
    )
    const exits = network.nodes.filter(({ tunnels }) => tunnels.flags === EXIT).map(({ address }) => address.ip)
    assert.ok(exits.includes(seenBy[0] ?? ''), 'the host saw an exit')
    const [circuit] = [...me.tunnels.own.all()].filter(({ ready }) => ready)
    assert.equal(circuit?.hops.length, hops)
    assert.equal(new Set(circuit?.hops.map(({ member }) => member)).size, hops)
    const sum = (of: (node: CircuitNode) => number): number => network.nodes.reduce((all, node) => all + of(node), 0)
    assert.equal(
      sum(({ tunnels }) => tunnels.traffic.exitedUp),
      datagram('hello').length,
    )
    assert.equal(
      sum(({ tunnels }) => tunnels.traffic.exitedDown),
      datagram('hello').length,
    )
    assert.equal(hops === 1, sum(({ tunnels }) => tunnels.traffic.relayed) === 0)
    await network.close()
    await network.clock.advance(10_000)
    assert.equal(network.clock.pending, 0, 'no timer is left')
  })
}

for (const hops of [2, 3] as const) {
  test(`eight circuits of ${hops} hops are ready where there is one exit: none has it for another place`, async () => {
    const network = new CircuitNetwork(hops)
    const me = await network.add({ limits: { min: 8, max: 8 } })
    await network.grow(3, 1)
    const lane = me.circuits.lane(hops)
    lane.setDemand(8)
    await network.clock.until('eight circuits', () => lane.facts().ready === 8, 2_000)
    assert.equal(lane.facts().lastFailure, null)
    const firsts = [...me.tunnels.own.all()].map(({ hops: [first] }) => first?.member)
    assert.equal(new Set(firsts).size, 3, 'relays share them')
    await network.close()
  })
}
