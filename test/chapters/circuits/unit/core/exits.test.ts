// What the last hop of a circuit does for its originator: datagrams out and in by the policy, a short queue while
// sockets open, speed tests within a limit. The circuit is a real one with its one layer; the originator is played by
// the test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../../../src/base/ids.ts'
import { CellHandlers } from '../../../../../src/chapters/circuits/core/cell-handlers.ts'
import { EndingCircuit } from '../../../../../src/chapters/circuits/core/ending-circuit.ts'
import type { ExitHttp } from '../../../../../src/chapters/circuits/core/exit-http.ts'
import { EXIT_QUEUE } from '../../../../../src/chapters/circuits/core/exit-sockets.ts'
import { TEST_ANSWERS, TEST_ANSWER_BYTES } from '../../../../../src/chapters/circuits/core/served-messages.ts'
import { OpeningLayer } from '../../../../../src/chapters/circuits/core/opening-layer.ts'
import { ServedMessages } from '../../../../../src/chapters/circuits/core/served-messages.ts'
import type { ServingHop } from '../../../../../src/chapters/circuits/core/serving-hop.ts'
import { SlotRing } from '../../../../../src/chapters/circuits/core/slot-ring.ts'
import type { UdpSocket } from '../../../../../src/ports/udp.ts'
import { CELL_HEADER_BYTES } from '../../../../../src/chapters/circuits/wire/cell.ts'
import { data, longTestRequest, ping, testRequest } from '../../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { encodeCellMessage } from '../../../../../src/chapters/overlay/wire/message.ts'
import { PEER_FLAG } from '../../../../../src/chapters/overlay/wire/peer-flags.ts'
import { EXIT, RELAY, testCrypto } from '../../kit/made-circuit-node.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const prefix = Uint8Array.from({ length: 22 }, (_, at) => (at === 1 ? 2 : at))
const HOST = { ip: '9.9.9.9', port: 80 }
const NOWHERE = { ip: '0.0.0.0', port: 0 }

function rig(flags: number) {
  const material = new Uint8Array(72).fill(5)
  const [hop, originator] = [testCrypto.session(material, 'hop'), testCrypto.session(material, 'originator')]
  const back: Buffer[] = []
  const wire = {
    prefix,
    ring: new SlotRing(),
    send: (cell: Uint8Array) => {
      const copy = Buffer.from(cell)
      assert.ok(originator.backward.open(copy, CELL_HEADER_BYTES, copy.length))
      back.push(copy.subarray(CELL_HEADER_BYTES + 8, copy.length - 16))
    },
  }
  const plan = { id: 1, previous: { ip: '5.5.5.5', port: 5 }, publicKey: new Uint8Array(74), offered: new Map() }
  const open = new OpeningLayer(hop.forward)
  const circuit = new EndingCircuit({ ...plan, open, seal: hop.backward, createdMs: 0, createdAtMs: 0 }, wire)
  const clock = new VirtualClock()
  const counts = { up: 0, down: 0, refused: 0 }
  const sent: { bytes: string; to: PeerAddress }[] = []
  const bound: { ready(): void; receive(bytes: Uint8Array, from: PeerAddress): void }[] = []
  const udp = {
    bind: (_at: unknown, receive: (bytes: Uint8Array, from: PeerAddress) => void) =>
      new Promise<UdpSocket>(resolve => {
        const socket: UdpSocket = {
          address: HOST,
          send: (bytes, to) => sent.push({ bytes: Buffer.from(bytes).toString(), to }),
          close: () => Promise.resolve(),
        }
        bound.push({ receive, ready: () => resolve(socket) })
      }),
  }
  const exit = {
    udp,
    counts,
    prefix,
    log: silentLog,
    flags: () => flags,
    mayReach: (ip: string) => ip !== '10.0.0.1',
    resolver: { resolve: () => Promise.resolve([{ ip: '10.0.0.1', family: 4, class: 'private' } as const]) },
  }
  const handlers = new CellHandlers<EndingCircuit>()
  const served = new ServedMessages(handlers, { clock, serving: {} as ServingHop, http: {} as ExitHttp, exit })
  const handle = (text: Uint8Array): void => handlers.handle(circuit, text, 0, text.length)
  const out = (to: PeerAddress | { host: string; port: number }, payload: string): void =>
    handle(encodeCellMessage(data, { destination: to, origin: NOWHERE, data: Buffer.from(payload) }))
  return { circuit, clock, counts, sent, bound, back, handlers, served, handle, out }
}

test('ten datagrams wait for the socket, the rest is refused; answers come back with their origin', async () => {
  const { out, bound, sent, counts, back, served, circuit } = rig(EXIT)
  for (let n = 0; n < EXIT_QUEUE + 5; n++) out(HOST, `d${n}e`)
  assert.equal(bound.length, 1)
  assert.equal(counts.refused, 5)
  bound[0]?.ready()
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(
    sent.map(({ bytes }) => bytes),
    Array.from({ length: EXIT_QUEUE }, (_, n) => `d${n}e`),
  )
  assert.ok(served.isExiting(circuit))
  bound[0]?.receive(Buffer.from('d1:re'), HOST)
  bound[0]?.receive(Buffer.from('HTTP/1.1'), HOST)
  assert.deepEqual(
    back.map(text => text.toString('hex')),
    [`010100000000000001090909090050${Buffer.from('d1:re').toString('hex')}`],
  )
  assert.equal(counts.refused, 6, 'what is no BitTorrent does not come in either')
  assert.deepEqual([counts.up, counts.down], [30, 5])
})

test('no address, addresses that may not be reached, names of them, and what is no BitTorrent stay here', async () => {
  const { out, bound, counts, handlers } = rig(EXIT)
  out(NOWHERE, 'd1e')
  out({ ip: '10.0.0.1', port: 5 }, 'd1e')
  out({ ip: '9.9.9.9', port: 0 }, 'd1e')
  out({ host: 'inside.example', port: 5 }, 'd1e')
  out(HOST, 'GET /')
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(bound.length, 0)
  assert.equal(counts.refused, 4)
  assert.equal(handlers.dropped, 1)
})

test('a relay that is no exit lets packets of the tunnel overlay out, and nothing else', () => {
  const { handle, bound, counts } = rig(RELAY)
  const packet = Buffer.concat([prefix, Buffer.from([13, 0])])
  handle(encodeCellMessage(data, { destination: HOST, origin: NOWHERE, data: Buffer.from('d1e') }))
  assert.deepEqual([bound.length, counts.refused], [0, 1])
  handle(encodeCellMessage(data, { destination: HOST, origin: NOWHERE, data: packet }))
  assert.equal(bound.length, 1)
})

test('pings and both kinds of speed tests are answered; tests within a limit, and only with the flag', () => {
  const { handle, back, handlers } = rig(RELAY)
  handle(encodeCellMessage(ping, { identifier: 0x1234 }))
  assert.equal(back.pop()?.toString('hex'), '071234')
  handle(encodeCellMessage(testRequest, { identifier: 7, responseSize: 30, data: new Uint8Array() }))
  assert.equal(back.pop()?.length, 1 + 2 + 30)
  handle(encodeCellMessage(longTestRequest, { identifier: 7, responseSize: 65_535, data: new Uint8Array(9) }))
  assert.equal(back.pop()?.length, 1 + 4 + TEST_ANSWER_BYTES)
  const text = encodeCellMessage(testRequest, { identifier: 7, responseSize: 1, data: new Uint8Array() })
  for (let n = 0; n < TEST_ANSWERS.burst + 50; n++) handle(text)
  assert.equal(back.length, TEST_ANSWERS.burst - 2)
  assert.equal(handlers.dropped, 52)
  const none = rig(PEER_FLAG.relay)
  none.handle(text)
  assert.equal(none.back.length, 0)
})

test('malformed texts, and numbers that nobody serves, are counted', () => {
  const { handle, handlers } = rig(EXIT)
  for (const text of [[1], [1, 9], [6], [19, 1], [200], [0]]) handle(Uint8Array.from(text))
  assert.equal(handlers.dropped, 6)
})
