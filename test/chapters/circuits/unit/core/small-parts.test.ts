// The small parts of circuits: windows of counters, gates, rings, choices, what exits return.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateGate } from '../../../../../src/chapters/circuits/core/create-gate.ts'
import {
  chooseNextHop,
  chooseOwn,
  keyText,
  type RankedCandidate,
} from '../../../../../src/chapters/circuits/core/hop-choice.ts'
import { isReturned, isWholeAnswer } from '../../../../../src/chapters/circuits/core/http-answer.ts'
import { EXTEND_WITHIN_MS, SLOT_BYTES } from '../../../../../src/chapters/circuits/core/limits.ts'
import {
  CREATES_OF_ADDRESS,
  CREATES_OF_ALL,
  MAX_CREATES_REMEMBERED,
} from '../../../../../src/chapters/circuits/core/create-gate.ts'
import { SLOTS } from '../../../../../src/chapters/circuits/core/slot-ring.ts'
import { ReplayWindow } from '../../../../../src/chapters/circuits/core/replay-window.ts'
import { SlotRing } from '../../../../../src/chapters/circuits/core/slot-ring.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'

test('a counter is taken once, in any order within the window', () => {
  const window = new ReplayWindow()
  for (const counter of [3, 2, 5, 4, 2_000, 1_999]) assert.ok(window.take(counter), String(counter))
  for (const counter of [3, 2, 5, 4, 2_000, 1_999]) assert.ok(!window.take(counter), String(counter))
  assert.ok(window.take(2 ** 40))
  assert.ok(!window.take(2 ** 40))
  assert.ok(!window.take(2 ** 40 - 2_048), 'behind the window')
  assert.ok(window.take(2 ** 40 - 2_047))
  assert.ok(window.take(2 ** 40 + 2_047))
  assert.ok(!window.take(2 ** 40 - 1), 'the window moved on')
})

test('creates: an id once a minute, an address and all addresses within bounds, memory bounded', () => {
  const gate = new CreateGate()
  assert.ok(gate.take(1, '1.1.1.1', 0))
  assert.ok(!gate.take(1, '1.1.1.1', EXTEND_WITHIN_MS - 1))
  assert.ok(gate.take(1, '1.1.1.1', EXTEND_WITHIN_MS + 1))
  let taken = 0
  for (let n = 0; n < 100; n++) if (gate.take(100 + n, '2.2.2.2', 100_000)) taken++
  assert.equal(taken, CREATES_OF_ADDRESS.burst)
  for (let n = 0; n < 1_000; n++) if (gate.take(1_000 + n, `3.3.${n >> 8}.${n & 255}`, 100_000)) taken++
  assert.equal(taken, CREATES_OF_ALL.burst)
  for (let n = 0; n < 20_000; n++) gate.take(10_000 + n, `4.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 200_000 + n)
  assert.ok(gate.remembered <= MAX_CREATES_REMEMBERED)
  assert.ok(gate.refused > 0)
})

test('a ring gives slots again, but not while the socket still has some', () => {
  let unsent = 0
  const ring = new SlotRing(() => unsent)
  const first = ring.take(100)
  for (let n = 1; n < SLOTS; n++) ring.take(100)
  assert.equal(ring.take(100), first)
  for (let n = 1; n < SLOTS; n++) ring.take(100)
  unsent = 1
  const other = ring.take(100)
  assert.notEqual(other.buffer, first.buffer)
  assert.equal(ring.take(SLOT_BYTES + 1).length, SLOT_BYTES + 1)
})

const key = (n: number): Uint8Array => Uint8Array.from({ length: 74 }, () => n)
const candidate = (n: number, more: Partial<RankedCandidate> = {}): RankedCandidate => ({
  publicKey: key(n),
  address: { ip: `9.9.9.${n}`, port: 1 },
  exit: false,
  used: 0,
  doubtful: false,
  ...more,
})

test('first hops: the least used, relays before exits, doubtful ones last', () => {
  const random = new SeededRandom(1)
  assert.equal(chooseOwn([], random), null)
  const some = [candidate(1, { used: 2 }), candidate(2, { exit: true }), candidate(3, { doubtful: true })]
  assert.deepEqual(chooseOwn(some, random)?.publicKey, key(2))
  assert.deepEqual(chooseOwn([...some, candidate(4)], random)?.publicKey, key(4))
  assert.deepEqual(chooseOwn(some.slice(2), random)?.publicKey, key(3))
})

test('next hops: the required one last and never before; exits that we know too; nobody twice', () => {
  const random = new SeededRandom(1)
  const offered = { relays: [key(1), key(2)], exits: [key(3), key(4)] }
  const required = { publicKey: key(4), address: null }
  const none = new Set<string>()
  const choose = (more: object): unknown =>
    chooseNextHop({ offered, last: true, required: null, excluded: none, own: [], ...more }, random)?.publicKey[0]
  assert.equal(choose({ required }), 4)
  for (let n = 0; n < 20; n++) assert.ok([1, 2].includes(choose({ last: false, required }) as number))
  const relaysGone = new Set([key(1), key(2)].map(keyText))
  assert.equal(choose({ last: false, required, excluded: relaysGone }), 3, 'an exit where no relay is left')
  assert.equal(choose({ own: [candidate(3)] }), 3)
  assert.equal(choose({ own: [candidate(3, { doubtful: true })], excluded: new Set([keyText(key(3))]) }), 4)
  assert.equal(choose({ offered: { relays: [], exits: [] }, own: [candidate(7)] }), 7)
  assert.equal(choose({ offered: { relays: [], exits: [] } }), undefined)
})

test('exits return what is bencoded, 307, and ranges that were asked for', () => {
  const plain = Buffer.from('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
  const range = Buffer.from('GET /a HTTP/1.1\r\nHost: a\r\nRange: bytes=0-4\r\n\r\n')
  const answer = (head: string, body: string): Buffer => Buffer.from(`HTTP/1.1 ${head}\r\n\r\n${body}`)
  const yes: [Buffer, Buffer][] = [
    [plain, answer('200 OK', 'd1:a1:be')],
    [plain, answer('200 OK\r\nContent-Length: 8', 'd1:a1:be')],
    [plain, answer('200 OK\r\nTransfer-Encoding: chunked', '4\r\nd1:a\r\n4\r\n1:be\r\n0\r\n\r\n')],
    [plain, answer('307 Elsewhere\r\nLocation: http://b/', '')],
    [range, answer('206 Part', 'abcde')],
  ]
  const no: [Buffer, Buffer][] = [
    [plain, answer('200 OK', '<html>')],
    [plain, answer('206 Part', 'abcde')],
    [range, answer('200 OK', 'abcde')],
    [plain, answer('200 OK\r\nTransfer-Encoding: chunked', '4\r\nd1:a\r\n')],
    [plain, Buffer.from('d1:a1:be')],
    [plain, Buffer.alloc(0)],
    [Buffer.from('POST /a HTTP/1.1\r\nRange: bytes=0-4\r\n\r\n'), answer('206 Part', 'abcde')],
  ]
  for (const [request, bytes] of yes) assert.ok(isReturned(request, bytes), bytes.toString())
  for (const [request, bytes] of no) assert.ok(!isReturned(request, bytes), bytes.toString())
})

test('an answer is whole by its length or its last chunk', () => {
  const of = (text: string): boolean => isWholeAnswer(Buffer.from(text))
  assert.ok(of('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab'))
  assert.ok(!of('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab'))
  assert.ok(!of('HTTP/1.1 200 OK\r\n\r\nab'), 'the connection says')
  assert.ok(of('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n'))
  assert.ok(!of('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n'))
})
