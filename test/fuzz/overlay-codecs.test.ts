// Packets and cells of the overlays: any bytes are read or refused with a DecodeError, whatever table reads them, and
// what was read is written again and read to the same. Recorded packets with faults get deeper than chance does.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DecodeError } from '../../src/base/errors.ts'
import { ComingAnswer, partsOf } from '../../src/chapters/channels/wire/answer-parts.ts'
import { decodeCandidates } from '../../src/chapters/overlay/wire/candidates.ts'
import * as cells from '../../src/chapters/circuits/wire/cell.ts'
import * as channels from '../../src/chapters/channels/wire/channel-messages.ts'
import * as circuit from '../../src/chapters/circuits/wire/circuit-messages.ts'
import { addressAt, DataText, isNoAddressAt, readDataText } from '../../src/chapters/circuits/wire/data-cell.ts'
import * as dht from '../../src/chapters/overlay/wire/dht-messages.ts'
import {
  decodeIntroductionPoint,
  decodeValue,
  encodeIntroductionPoint,
  valueKey,
} from '../../src/chapters/overlay/wire/dht-value.ts'
import * as discovery from '../../src/chapters/overlay/wire/discovery-messages.ts'
import { classifyDatagram, mayPassExit } from '../../src/chapters/circuits/wire/exit-policy.ts'
import type { Shape } from '../../src/chapters/overlay/wire/fields.ts'
import * as hidden from '../../src/chapters/circuits/wire/hidden-messages.ts'
import { HttpAnswer } from '../../src/chapters/circuits/wire/http-parts.ts'
import * as market from '../../src/chapters/market/wire/market-messages.ts'
import * as introductions from '../../src/chapters/overlay/wire/introduction-messages.ts'
import {
  type CellMessage,
  decodeCellMessage,
  decodePayload,
  encodeCellMessage,
  encodePayload,
} from '../../src/chapters/overlay/wire/message.ts'
import { decodeUnwrapped, prefixKey, splitSigned } from '../../src/chapters/overlay/wire/packet.ts'
import { decodePeerFlags, encodePeerFlags } from '../../src/chapters/overlay/wire/peer-flags.ts'
import { isCircuitKey, parsePublicKey } from '../../src/chapters/overlay/wire/public-key.ts'
import {
  NEGOTIATION_MESSAGES,
  negotiationOf,
  negotiationPayload,
} from '../../src/chapters/market/wire/negotiation-payloads.ts'
import type { NegotiationMessage } from '../../src/chapters/market/wire/negotiation.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'
import { TestTrader } from '../chapters/market/kit/market-orders.ts'
import { projectRoot } from '../kit/project-root.ts'

/** Something with a table of fields. */
interface Tabled {
  readonly fields: Shape
}

const modules: readonly object[] = [introductions, discovery, dht, circuit, hidden, channels, market]
const isTabled = (one: unknown): one is Tabled => typeof one === 'object' && one !== null && 'fields' in one
const tables = modules.flatMap(module => Object.values(module)).filter(isTabled)
const cellTables = tables.filter((one): one is Tabled & CellMessage => 'plain' in one)
const recorded = everyHexOf('test/vectors/ipv8')
const said = { to: 'cd'.repeat(20), nonce: '0123456789abcdef', saidMs: 1_700_000_000_123 }
const id = '00ff'.repeat(8)
const saidByTraders: readonly NegotiationMessage[] = [
  { kind: 'match', order: { trader: 'ab'.repeat(20), number: 7 }, statement: new TestTrader('one').order() },
  { kind: 'accept', id, claimKey: `0x${'33'.repeat(20)}`, refundKey: `03${'22'.repeat(32)}` },
  { kind: 'decline', id, reason: 'busy' },
  { kind: 'funded', id, txid: `0x${'77'.repeat(32)}` },
]

/** All byte strings of the recorded vectors. */
function everyHexOf(folder: string): readonly Uint8Array[] {
  const files = readdirSync(join(projectRoot, folder)).filter(name => name.endsWith('.json'))
  const texts = files.map(name => readFileSync(join(projectRoot, folder, name), 'utf8'))
  const found = texts.flatMap(text => [...text.matchAll(/"((?:[0-9a-f]{2})+)"/g)].map(match => match[1] as string))
  return [...new Set(found)].map(hex => Uint8Array.from(Buffer.from(hex, 'hex')))
}

/** What `read` gives, or null for a DecodeError; anything else thrown fails the test. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function checkTables(bytes: Uint8Array): void {
  for (const table of tables) {
    const values = attempt(() => decodePayload(table, bytes))
    if (values === null) continue
    const again = decodePayload(table, encodePayload(table, values))
    assert.deepEqual(again, values)
  }
}

function checkCells(bytes: Uint8Array): void {
  const at = bytes.length > 40 ? cells.CELL_HEADER_BYTES : 0
  for (const message of cellTables) {
    const values = attempt(() => decodeCellMessage(message, bytes, at))
    if (values !== null) assert.deepEqual(decodeCellMessage(message, encodeCellMessage(message, values)), values)
    attempt(() => decodeUnwrapped(message, bytes))
  }
  if (!cells.isCell(bytes)) return
  const id = cells.circuitIdOf(bytes)
  assert.ok(id >= 0 && id <= 0xffffffff)
  const unwrapped = cells.unwrapCell(bytes)
  assert.deepEqual(cells.cellTextOf(unwrapped), bytes.subarray(cells.CELL_HEADER_BYTES))
}

function checkData(bytes: Uint8Array, from: number): void {
  const at = Math.min(from, bytes.length)
  const values = attempt(() => decodeCellMessage(circuit.data, bytes, at))
  const text = new DataText()
  const found = attempt(() => {
    readDataText(bytes, at, bytes.length, text)
    return true
  })
  if (found === null) return assert.equal(values, null)
  assert.ok(text.dataAt <= bytes.length)
  isNoAddressAt(bytes, text.originAt)
  // The quick way does not look at the letters of names; who asks for the name does.
  const places = attempt(() => [addressAt(bytes, text.destinationAt), addressAt(bytes, text.originAt)])
  if (values === null) return assert.equal(places, null)
  assert.deepEqual(places, [values.destination, values.origin])
  assert.deepEqual(bytes.subarray(text.dataAt), values.data)
}

function checkRest(bytes: Uint8Array, source: Fuzz): void {
  const split = attempt(() => splitSigned(bytes))
  if (split !== null) assert.equal(split.signedPart.length + split.key.signatureBytes, bytes.length)
  const key = attempt(() => parsePublicKey(bytes))
  assert.ok(key !== null || !isCircuitKey(bytes))
  const offered = attempt(() => decodeCandidates(bytes))
  assert.ok(offered === null || [...offered.relays, ...offered.exits].every(isCircuitKey))
  const value = attempt(() => decodeValue(bytes))
  if (value !== null) valueKey(value)
  const point = attempt(() => decodeIntroductionPoint(bytes))
  if (point !== null) assert.deepEqual(decodeIntroductionPoint(encodeIntroductionPoint(point).subarray(1)), point)
  assert.ok(classifyDatagram(bytes) < 16)
  mayPassExit(bytes, source.below(0x10000), bytes.subarray(0, 22))
  prefixKey(bytes)
  const flags = decodePeerFlags(bytes)
  assert.equal(decodePeerFlags(encodePeerFlags(flags)), flags)
  attempt(() => discovery.idsOf(bytes))
}

function check(bytes: Uint8Array, source: Fuzz): void {
  checkTables(bytes)
  checkCells(bytes)
  checkData(bytes, source.below(40))
  checkRest(bytes, source)
}

fuzz('any bytes', 0.2, source => check(source.bytes(300), source))

fuzz('recorded bytes with faults', 0.6, source => {
  const bytes = source.pick(recorded)
  const cut = bytes.subarray(source.pick([0, 0, 4, 23, 27, 29, 99]))
  check(source.mutate(cut), source)
})

fuzz('parts of answers', 0.2, source => {
  const most = source.below(100)
  const answer = new HttpAnswer(most)
  for (let i = 0; i < 50; i++) {
    const part = { identifier: 1, part: source.below(6), total: source.below(6), data: source.bytes(20) }
    const whole = attempt(() => answer.add(part))
    assert.ok(whole === null || whole.length <= most)
  }
})

fuzz('answers of channels in parts, out of order, twice and spoilt', 0.2, source => {
  const items = Array.from({ length: source.below(40) }, () => (source.below(9) === 0 ? null : source.bytes(3000)))
  const parts = partsOf(7, items)
  const coming = new ComingAnswer(items.length)
  const left = [...parts, ...parts.slice(0, source.below(4))]
  while (left.length > 0) {
    const [part] = left.splice(source.below(left.length), 1)
    assert.ok(part !== undefined)
    assert.ok(encodePayload(channels.answerPart, part).length <= 1200)
    coming.add(part)
  }
  assert.ok(coming.complete)
  for (const [at, item] of items.entries()) assert.deepEqual(coming.items.get(at) ?? null, item)
  const spoilt = new ComingAnswer(source.below(20))
  for (const part of parts) {
    const values = attempt(() =>
      decodePayload(channels.answerPart, source.mutate(encodePayload(channels.answerPart, part))),
    )
    if (values !== null) spoilt.add(values)
  }
  for (const [at, item] of spoilt.items) assert.ok(at < 20 && item.length <= 8193)
})

fuzz('messages of the market with faults', 0.2, source => {
  const { message, values } = negotiationPayload(source.pick(saidByTraders), said)
  const read = attempt(() => decodePayload(message, source.mutate(encodePayload(message, values))))
  if (read === null) return
  const kind = source.pick(saidByTraders).kind
  if (NEGOTIATION_MESSAGES[kind] === message) attempt(() => negotiationOf(kind, read))
})
