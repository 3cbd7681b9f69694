// A circuit of three hops that py-ipv8 recorded, played again with our relay path at both relays, our end at the exit
// and our originator: each packet that a hop sent must come out of ours, byte by byte.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PeerAddress } from '../../../../../src/base/ids.ts'
import { EndingCircuit } from '../../../../../src/chapters/circuits/core/ending-circuit.ts'
import { OpeningLayer } from '../../../../../src/chapters/circuits/core/opening-layer.ts'
import { OwnCircuit } from '../../../../../src/chapters/circuits/core/own-circuit.ts'
import { PlainRelayPath } from '../../../../../src/chapters/circuits/core/relay-path.ts'
import { SlotRing } from '../../../../../src/chapters/circuits/core/slot-ring.ts'
import type { SessionKeys } from '../../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import { LAYER_BYTES } from '../../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import { CELL_HEADER_BYTES, circuitIdOf, isCell, isPlainCell } from '../../../../../src/chapters/circuits/wire/cell.ts'
import { data, extended, ping, pong } from '../../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { testCrypto } from '../../kit/made-circuit-node.ts'
import { projectRoot } from '../../../../kit/project-root.ts'

interface Packet {
  readonly from: string
  readonly to: string
  readonly packet: string
}

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(projectRoot, 'test/vectors/ipv8', name), 'utf8')) as Record<string, unknown>
const hex = (text: string): Buffer => Buffer.from(text, 'hex')

const transcript = read('circuit3_transcript.json')
const packets = (transcript['packets'] as Packet[]).map(each => ({ ...each, bytes: hex(each.packet) }))
const addresses = transcript['addresses'] as Record<string, [string, number]>
const prefix = hex(transcript['prefix'] as string)
const handshakes = read('circuit3.json')['handshakes'] as { readonly hkdf_okm_72: string }[]
const ids = { near: 0x1111_1111, middle: 0x2222_2222, far: 0x3333_3333 }

function keysOf(hop: number, end: 'hop' | 'originator'): SessionKeys {
  return testCrypto.session(hex(handshakes[hop]?.hkdf_okm_72 ?? ''), end)
}

function addressOf(name: string): PeerAddress {
  const [ip, port] = addresses[name] as [string, number]
  return { ip, port }
}

const encrypted = packets.filter(({ bytes }) => isCell(bytes) && !isPlainCell(bytes))

for (const [hop, name, before, after, near, far] of [
  [0, 'relay1', 'originator', 'relay2', ids.near, ids.middle],
  [1, 'relay2', 'relay1', 'exit', ids.middle, ids.far],
] as const) {
  test(`${name}: what it passed on both ways comes out of our relay path`, () => {
    const keys = keysOf(hop, 'hop')
    const sent: { readonly bytes: Buffer; readonly to: PeerAddress }[] = []
    const path = new PlainRelayPath({
      prefix,
      ring: new SlotRing(),
      send: (cell, to) => sent.push({ bytes: Buffer.from(cell), to }),
    })
    const [left, right] = [addressOf(before), addressOf(after)]
    path.add(near, {
      circuitId: far,
      to: right,
      fromIp: left.ip,
      open: new OpeningLayer(keys.forward),
      seal: null,
      clearsEarly: false,
    })
    path.add(far, { circuitId: near, to: left, fromIp: right.ip, open: null, seal: keys.backward, clearsEarly: false })
    // The hop's own first words used counter 2 of both directions: the candidate list, and its extended.
    const own = new Uint8Array(100)
    keys.backward.seal(own, 8, 20)
    const relayed = encrypted.filter(each => !isOwn(each, name, before))
    const inward = relayed.filter(({ to }) => to === name)
    const outward = relayed.filter(({ from }) => from === name)
    for (const { bytes, from } of inward) assert.ok(path.take(Uint8Array.from(bytes), addressOf(from)))
    assert.ok(outward.length >= 4)
    assert.deepEqual(
      sent.map(({ bytes }) => bytes.toString('hex')),
      outward.map(({ packet }) => packet),
    )
    assert.deepEqual(path.drops, { unreadable: 0, forbidden: 0 })
    for (const { bytes, from } of inward) path.take(Uint8Array.from(bytes), addressOf(from))
    const forward = inward.filter(({ from }) => from === before).length
    assert.equal(path.drops.unreadable, forward, 'a forward cell is passed on once')
  })
}

/**
 * The extend that ended at a relay, and the extended that it said itself, are the first between it and the hop before
 * it.
 */
function isOwn(each: Packet, name: string, before: string): boolean {
  const pair = [name, before]
  if (!pair.includes(each.from) || !pair.includes(each.to)) return false
  return encrypted.find(({ from, to }) => from === each.from && to === each.to) === each
}

test('exit: what came to it is read, what it sent comes out of ours', () => {
  const keys = keysOf(2, 'hop')
  const sent: string[] = []
  const wire = {
    prefix,
    ring: new SlotRing(),
    send: (cell: Uint8Array) => sent.push(Buffer.from(cell).toString('hex')),
  }
  const previous = addressOf('relay2')
  const plan = {
    id: ids.far,
    previous,
    publicKey: new Uint8Array(74),
    offered: new Map(),
    createdMs: 0,
    createdAtMs: 0,
  }
  const open = new OpeningLayer(keys.forward)
  const circuit = new EndingCircuit({ ...plan, open, seal: keys.backward }, wire)
  const texts = encrypted
    .filter(({ to }) => to === 'exit')
    .map(({ bytes }) => {
      const cell = Uint8Array.from(bytes)
      const text = circuit.open(cell)
      assert.ok(text !== null)
      return Buffer.from(cell.subarray(text.at, text.end))
    })
  assert.deepEqual(
    texts.map(text => text[0]),
    [ping.id, data.id],
  )
  // What the originator read of the exit's two cells.
  for (const text of originatorReads().slice(-2)) circuit.send(text)
  assert.deepEqual(
    sent,
    encrypted.filter(({ from }) => from === 'exit').map(({ packet }) => packet),
  )
})

/** Texts that came to the originator, layers off, hop by hop as they became known. */
function originatorReads(): Buffer[] {
  const wire = { prefix, ring: new SlotRing(), send: () => undefined }
  const plan = {
    id: ids.near,
    purpose: 'data',
    goalHops: 3,
    required: null,
    lastKind: 'exit',
    createdMs: 0,
    createdAtMs: 0,
  } as const
  const circuit = new OwnCircuit(plan, wire)
  const addHop = (hop: number): void => {
    const { forward, backward, wipe } = keysOf(hop, 'originator')
    const who = { publicKey: new Uint8Array(74), member: '', address: null }
    circuit.addHop({ ...who, seal: forward, open: new OpeningLayer(backward), wipe })
  }
  addHop(0)
  const texts: Buffer[] = []
  for (const { bytes } of encrypted.filter(({ to }) => to === 'originator')) {
    const cell = Uint8Array.from(bytes)
    assert.equal(circuitIdOf(cell), circuit.id)
    const text = circuit.open(cell)
    assert.ok(text !== null)
    texts.push(Buffer.from(cell.subarray(text.at, text.end)))
    if (cell[text.at] === extended.id) addHop(circuit.hops.length)
  }
  assert.equal(circuit.cellsBad, 0)
  return texts
}

test('originator: everything that came back is read', () => {
  assert.deepEqual(
    originatorReads().map(text => text[0]),
    [extended.id, extended.id, pong.id, data.id],
  )
})

test('originator: what ours sends is read by hops with the recorded keys, beginning behind their first counter', () => {
  const hops = [0, 1, 2].map(hop => keysOf(hop, 'hop'))
  const sent: Buffer[] = []
  const wire = { prefix, ring: new SlotRing(), send: (cell: Uint8Array) => sent.push(Buffer.from(cell)) }
  const plan = {
    id: ids.near,
    purpose: 'data',
    goalHops: 3,
    required: null,
    lastKind: 'exit',
    createdMs: 0,
    createdAtMs: 0,
  } as const
  const circuit = new OwnCircuit(plan, wire)
  circuit.setFirstHop(addressOf('relay1'))
  for (const hop of [0, 1, 2]) {
    const { forward, backward, wipe } = keysOf(hop, 'originator')
    circuit.addHop({
      publicKey: new Uint8Array(74),
      member: '',
      address: null,
      seal: forward,
      open: new OpeningLayer(backward),
      wipe,
    })
  }
  const payload = Buffer.from('d1:a1:be')
  circuit.sendData(Uint8Array.of(1, 9, 9, 9, 9, 0, 80), payload)
  const [cell] = sent
  assert.ok(cell !== undefined && cell.length === CELL_HEADER_BYTES + 15 + payload.length + 3 * LAYER_BYTES)
  let at = CELL_HEADER_BYTES
  let end = cell.length
  for (const { forward } of hops) {
    assert.equal(cell.readBigUInt64BE(at), 3n, 'counter 2 was the candidate list')
    assert.ok(forward.open(cell, at, end))
    at += 8
    end -= 16
  }
  assert.equal(cell.toString('hex', at, end), `010109090909005001000000000000${payload.toString('hex')}`)
})
