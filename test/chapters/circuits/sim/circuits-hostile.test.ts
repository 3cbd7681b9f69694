// Networks with hops that die, drop, spoil, delay and lie, and strangers that forge, repeat and flood: circuits are
// replaced within seconds, what is bad is counted and dropped, and nothing grows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { Lane } from '../../../../src/chapters/circuits/core/lane.ts'
import type { OwnCircuit } from '../../../../src/chapters/circuits/core/own-circuit.ts'
import {
  CELL_HEADER_BYTES,
  circuitIdOf,
  isCell,
  isPlainCell,
  plainCell,
} from '../../../../src/chapters/circuits/wire/cell.ts'
import { create, destroy } from '../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { CircuitNetwork, type CircuitNode } from '../kit/circuit-network.ts'
import { testCrypto } from '../kit/made-circuit-node.ts'

const LIMITS = { min: 1, max: 1 }
const HOST = { ip: '99.9.9.9', port: 6881 }

interface Rig {
  readonly network: CircuitNetwork
  readonly me: CircuitNode
  readonly lane: Lane
  readonly heard: string[]
  say(text: string): void
  circuit(): OwnCircuit
  hop(index: number): CircuitNode
}

/** A node with one circuit of two hops that talks with a host beyond the exits. */
async function rig(seed: number): Promise<Rig> {
  const network = new CircuitNetwork(seed)
  const me = await network.add({ limits: LIMITS })
  await network.grow(4, 2)
  network.host(HOST.ip, bytes => bytes)
  const lane = me.circuits.lane(2)
  lane.setDemand(1)
  const heard: string[] = []
  const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, bytes =>
    heard.push(Buffer.from(bytes).toString()),
  )
  await network.clock.until('a circuit', () => lane.facts().ready > 0, 60_000)
  const circuit = (): OwnCircuit => [...me.tunnels.own.all()].find(({ ready }) => ready) as OwnCircuit
  const hop = (index: number): CircuitNode =>
    network.nodes.find(
      ({ keys }) => Buffer.from(keys.mid).toString('hex') === circuit().hops[index]?.member,
    ) as CircuitNode
  return {
    network,
    me,
    lane,
    heard,
    say: text => socket.send(Buffer.from(`d1:t${text.length}:${text}e`), HOST),
    circuit,
    hop,
  }
}

/** Talks each second; answers the milliseconds until a datagram came back after `from`. */
async function silenceAfter({ network, heard, say }: Rig, tag: string): Promise<number> {
  const startMs = network.clock.now()
  for (let n = 0; n < 40; n++) {
    say(`${tag}${n}`)
    await network.clock.advance(1_000)
    if (heard.some(text => text.includes(`:${tag}`))) return network.clock.now() - startMs
  }
  throw new Error(`nothing came back: ${tag}`)
}

async function end({ network }: Rig): Promise<void> {
  await network.close()
  await network.clock.advance(10_000)
  assert.equal(network.clock.pending, 0, 'no timer is left')
}

const isData = (bytes: Uint8Array): boolean => isCell(bytes) && !isPlainCell(bytes)

const kinds: readonly { readonly name: string; readonly index: number; spoil(bytes: Uint8Array): Uint8Array | null }[] =
  [
    { name: 'dies', index: 0, spoil: () => null },
    { name: 'is an exit that dies', index: 1, spoil: () => null },
    { name: 'drops cells but goes on with the rest', index: 0, spoil: bytes => (isData(bytes) ? null : bytes) },
    {
      name: 'spoils cells',
      index: 0,
      spoil: bytes => {
        const changed = Uint8Array.from(bytes)
        if (isData(bytes)) changed[CELL_HEADER_BYTES + 20] = (changed[CELL_HEADER_BYTES + 20] ?? 0) ^ 1
        return changed
      },
    },
  ]

for (const { name, index, spoil } of kinds) {
  test(`a hop ${name}: the circuit is replaced well before 20 s, and the talk goes on`, async () => {
    const one = await rig(11 + index)
    await silenceAfter(one, 'before')
    const first = one.circuit()
    const bad = one.hop(index)
    bad.tamper = spoil
    const ms = await silenceAfter(one, 'after')
    assert.ok(ms <= 14_000, `${ms} ms`)
    assert.equal(first.state === 'CLOSING' || one.me.tunnels.own.at(first.id) === undefined, true)
    await end(one)
  })
}

test('an idle circuit whose hop died is noticed by its pings', async () => {
  const one = await rig(21)
  const first = one.circuit()
  one.hop(0).tamper = () => null
  const ms = await one.network.clock.until('the end of the circuit', () => first.state === 'CLOSING', 20_000)
  assert.ok(ms <= 15_000, `${ms} ms`)
  await one.network.clock.until('another', () => one.lane.facts().ready > 0, 25_000)
  await end(one)
})

test('a hop that answers with another key is not taken, and another is', async () => {
  const one = await rig(22)
  const { network, me, lane } = one
  // Everybody but two answers with a key of its own making from now on.
  const liars = network.nodes.filter(node => node !== me).slice(0, 2)
  for (const liar of liars) {
    const other = testCrypto.generate()
    liar.respondWith(other)
  }
  for (const circuit of me.tunnels.own.all()) me.tunnels.own.remove(circuit, 'test')
  await network.clock.until('a circuit', () => lane.facts().ready > 0, 60_000)
  const members = one.circuit().hops.map(({ member }) => member)
  for (const liar of liars) assert.ok(!members.includes(Buffer.from(liar.keys.mid).toString('hex')))
  await end(one)
})

test('cells that come again or were forged are dropped by relay, exit and originator', async () => {
  const one = await rig(23)
  const { network, me, heard, say } = one
  const [relay, exit] = [one.hop(0), one.hop(1)]
  const seen: { bytes: Uint8Array; to: PeerAddress; from: CircuitNode }[] = []
  for (const node of [me, relay, exit]) {
    node.tamper = (bytes, to) => {
      if (isData(bytes)) seen.push({ bytes: Uint8Array.from(bytes), to, from: node })
      return bytes
    }
  }
  say('once')
  await network.clock.advance(1_000)
  const cells = seen.splice(0)
  assert.ok(cells.length >= 4)
  const drops = (): number[] =>
    [me, relay, exit].map(({ tunnels }) => tunnels.drops.unreadable + tunnels.drops.forbidden)
  const before = drops()
  for (const { bytes, to, from } of cells) {
    network.hub.deliver(bytes, from.address, to)
    const forged = Uint8Array.from(bytes)
    forged[forged.length - 1] = (forged[forged.length - 1] ?? 0) ^ 1
    network.hub.deliver(forged, from.address, to)
    network.hub.deliver(bytes.subarray(0, 40), from.address, to)
    network.hub.deliver(bytes, { ip: '66.6.6.6', port: 6 }, to)
  }
  await network.clock.advance(500)
  const after = drops()
  for (const at of [0, 1, 2]) assert.ok((after[at] ?? 0) > (before[at] ?? 0), `node ${at} dropped some`)
  assert.equal(heard.filter(text => text.includes('once')).length, 1, 'one datagram came back once')
  assert.ok(one.circuit().ready, 'strangers cannot end a circuit')
  await end(one)
})

test('a flood of creates is answered within bounds, and circuits go on', async () => {
  const one = await rig(24)
  const { network, me } = one
  const relay = one.hop(0)
  const before = relay.tunnels.joined.places.taken
  for (let n = 0; n < 5_000; n++) {
    const values = { identifier: n & 0xffff, publicKey: me.keys.publicKey, ephemeral: testCrypto.begin().ephemeral }
    const cell = plainCell(me.tunnels.wire.prefix, create, { circuitId: n + 1, early: true }, values)
    network.hub.deliver(cell, { ip: `66.6.${n >> 8}.${n & 255}`, port: 6 }, relay.address)
  }
  await network.clock.advance(2_000)
  const { taken, total } = relay.tunnels.joined.places
  assert.ok(taken - before <= 70 && taken <= total, `${taken - before} of 5,000`)
  assert.ok(relay.tunnels.drops.refused >= 4_900)
  await silenceAfter(one, 'still')
  await network.clock.advance(60_000)
  assert.ok(relay.tunnels.joined.places.taken <= 6, 'what nobody uses is gone')
  await end(one)
})

test('only neighbours end a circuit', async () => {
  const one = await rig(25)
  const { network, me, hop } = one
  const [relay, exit] = [hop(0), hop(1)]
  const stranger = network.nodes.find(node => node !== me && node !== relay && node !== exit) as CircuitNode
  const [ending] = [...exit.tunnels.joined.ending()]
  assert.ok(ending !== undefined)
  stranger.community.overlay.send(destroy, { circuitId: ending.id, reason: 1 }, exit.address)
  me.community.overlay.send(destroy, { circuitId: ending.id, reason: 1 }, exit.address)
  await network.clock.advance(1_000)
  assert.equal(ending.closing, false)
  assert.ok(one.circuit().ready)
  // The relay may, and the originator hears of it.
  const circuit = one.circuit()
  relay.community.overlay.send(destroy, { circuitId: circuit.id, reason: 1 }, me.address)
  await network.clock.advance(1_000)
  assert.equal(circuit.state, 'CLOSING')
  await end(one)
})

test('destroy passes along the circuit, and places are free again', async () => {
  const one = await rig(26)
  const { network, me, hop, circuit } = one
  const [relay, exit] = [hop(0), hop(1)]
  one.lane.setDemand(0)
  me.tunnels.own.remove(circuit(), 'test')
  await network.clock.advance(7_000)
  assert.equal(relay.tunnels.joined.places.taken, 0)
  assert.equal(exit.tunnels.joined.places.taken, 0)
  await end(one)
})

test('a relay passes no early cell after the eighth', async () => {
  const one = await rig(27)
  const { network, me, hop } = one
  const relay = hop(0)
  const id = one.circuit().id
  for (let n = 0; n < 10; n++) one.say(`n${n}`)
  await network.clock.advance(1_000)
  const before = relay.tunnels.drops.forbidden
  me.tamper = bytes => {
    if (isData(bytes) && circuitIdOf(bytes) === id) bytes[28] = 1
    return bytes
  }
  one.say('late')
  await network.clock.advance(500)
  assert.ok(relay.tunnels.drops.forbidden > before)
  await end(one)
})
