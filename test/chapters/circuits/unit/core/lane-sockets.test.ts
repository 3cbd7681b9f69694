// Sockets of a lane: destinations keep their circuits, answers find their sockets, and nothing is sent where no circuit
// is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LaneSockets } from '../../../../../src/chapters/circuits/core/lane-sockets.ts'
import { MAX_ROUTES } from '../../../../../src/chapters/circuits/core/lane-sockets.ts'
import type { OwnCircuit } from '../../../../../src/chapters/circuits/core/own-circuit.ts'
import { MOST_DATAGRAM_BYTES, MOST_LINKED_DATAGRAM_BYTES } from '../../../../../src/chapters/circuits/wire/data-cell.ts'

interface FakeCircuit {
  ready: boolean
  readonly sent: string[]
}

function circuit(name: string): OwnCircuit & FakeCircuit {
  const sent: string[] = []
  const fake = {
    name,
    ready: true,
    sent,
    sendData: (to: Uint8Array, bytes: Uint8Array) =>
      sent.push(`${Buffer.from(to).toString('hex')} ${Buffer.from(bytes).toString()}`),
  }
  return fake as unknown as OwnCircuit & FakeCircuit
}

function sockets(circuits: readonly (OwnCircuit & FakeCircuit)[], linked: ReadonlyMap<string, OwnCircuit> = new Map()) {
  const carried = new Map<OwnCircuit, number>()
  const lane = new LaneSockets({
    choose: () =>
      circuits.filter(({ ready }) => ready).sort((a, b) => (carried.get(a) ?? 0) - (carried.get(b) ?? 0))[0] ?? null,
    carry: (which, more) => void carried.set(which, (carried.get(which) ?? 0) + more),
    linkedAt: ({ ip }) => linked.get(ip),
  })
  return { lane, carried }
}

const any = { family: 4, ip: null, port: 0 } as const

test('a destination keeps its circuit while that lives, and others get others', async () => {
  const [a, b] = [circuit('a'), circuit('b')]
  const { lane } = sockets([a, b])
  const socket = await lane.bind(any, () => undefined)
  const to = { ip: '1.2.3.4', port: 5 }
  for (let n = 0; n < 3; n++) socket.send(Buffer.from(`x${n}`), n === 2 ? { ...to } : to)
  socket.send(Buffer.from('y'), { ip: '1.2.3.5', port: 5 })
  assert.deepEqual(a.sent, ['01010203040005 x0', '01010203040005 x1', '01010203040005 x2'])
  assert.deepEqual(b.sent, ['01010203050005 y'])
  a.ready = false
  lane.lost(a)
  socket.send(Buffer.from('z'), to)
  assert.equal(b.sent.at(-1), '01010203040005 z')
  b.ready = false
  socket.send(Buffer.from('lost'), to)
  assert.equal(lane.unsent, 1)
})

test('a datagram that no cell holds whole is refused and counted; uTP over circuits makes none', async () => {
  const [open, hidden] = [circuit('open'), circuit('hidden')]
  const { lane } = sockets([open], new Map([['0.0.0.7', hidden]]))
  const socket = await lane.bind(any, () => undefined)
  const [at, linked] = [
    { ip: '1.2.3.4', port: 5 },
    { ip: '0.0.0.7', port: 1024 },
  ]
  socket.send(Buffer.alloc(1356), at)
  socket.send(Buffer.alloc(1357), at)
  socket.sendToName?.(Buffer.alloc(1357), { host: 't.example', port: 6 })
  socket.send(Buffer.alloc(1332), linked)
  socket.send(Buffer.alloc(1333), linked)
  assert.deepEqual([open.sent.length, hidden.sent.length, lane.tooLong, lane.unsent], [1, 1, 3, 0])
  const frame = 1472
  for (const hops of [1, 2, 3]) assert.ok(29 + 1 + 7 + 7 + MOST_DATAGRAM_BYTES + 24 * hops <= frame)
  assert.ok(29 + 1 + 7 + 7 + MOST_LINKED_DATAGRAM_BYTES + 24 * 4 <= frame)
})

test('what comes in goes to who spoke with its sender, or a name with its port, or the first socket', async () => {
  const one = circuit('one')
  const { lane } = sockets([one])
  const heard: string[] = []
  const first = await lane.bind(any, () => heard.push('first'))
  const second = await lane.bind(any, () => heard.push('second'))
  const third = await lane.bind(any, () => heard.push('third'))
  assert.notEqual(first.address.port, second.address.port)
  second.send(Buffer.from('x'), { ip: '1.2.3.4', port: 5 })
  third.sendToName?.(Buffer.from('x'), { host: 'tracker', port: 99 })
  lane.receive(one, { ip: '1.2.3.4', port: 5 }, Buffer.from('a'))
  lane.receive(one, { ip: '8.8.8.8', port: 99 }, Buffer.from('a'))
  lane.receive(one, { ip: '7.7.7.7', port: 7 }, Buffer.from('a'))
  assert.deepEqual(heard, ['second', 'third', 'first'])
  await second.close()
  lane.receive(one, { ip: '1.2.3.4', port: 5 }, Buffer.from('a'))
  assert.equal(heard.at(-1), 'first')
})

test('a linked circuit is its own destination, and nothing goes elsewhere once it is gone', async () => {
  const [plain, link] = [circuit('plain'), circuit('link')]
  const linked = new Map([['1.2.3.4', link]])
  const { lane } = sockets([plain], linked)
  const socket = await lane.bind(any, () => undefined)
  const to = { ip: '1.2.3.4', port: 1024 }
  socket.send(Buffer.from('x'), to)
  assert.equal(link.sent.length, 1)
  link.ready = false
  socket.send(Buffer.from('x'), to)
  assert.equal(plain.sent.length, 0, 'not over an exit')
})

test('IPv6 is refused, too long datagrams are not sent, and routes are bounded', async () => {
  const one = circuit('one')
  const { lane, carried } = sockets([one])
  await assert.rejects(
    lane.bind({ ...any, family: 6 }, () => undefined),
    { code: 'SourceFailed' },
  )
  const socket = await lane.bind(any, () => undefined)
  socket.send(Buffer.alloc(5_000), { ip: '1.1.1.1', port: 1 })
  assert.equal(one.sent.length, 0)
  for (let n = 0; n < MAX_ROUTES + 500; n++)
    socket.send(Buffer.from('x'), { ip: `9.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, port: 1 })
  assert.ok((carried.get(one) ?? 0) <= MAX_ROUTES)
  await socket.close()
  assert.equal(carried.get(one), 0)
})
