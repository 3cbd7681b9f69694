// Cells and their messages against the recorded ones, and the quick way through data cells against the table.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { decodeCandidates, encodeCandidates } from '../../../../../src/chapters/overlay/wire/candidates.ts'
import * as cells from '../../../../../src/chapters/circuits/wire/cell.ts'
import * as circuit from '../../../../../src/chapters/circuits/wire/circuit-messages.ts'
import {
  addressAt,
  DataText,
  dataHead,
  isNoAddressAt,
  readDataText,
} from '../../../../../src/chapters/circuits/wire/data-cell.ts'
import * as hidden from '../../../../../src/chapters/circuits/wire/hidden-messages.ts'
import {
  type CellMessage,
  decodeCellMessage,
  encodeCellMessage,
} from '../../../../../src/chapters/overlay/wire/message.ts'
import { decodeUnwrapped, encodeUnwrapped } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { publicForm } from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { assertLayout, hex, type LayoutField, overlayVectors, unhex } from '../../../../kit/doubles/overlay-vectors.ts'

interface RecordedCell {
  readonly name: string
  readonly message_id: number
  readonly plaintext_cell: boolean
  readonly unwrapped_packet: string
  readonly cell_message: string
  readonly cell_unencrypted: string
  readonly layout_of_unwrapped_packet: readonly LayoutField[]
}
interface TunnelVectors {
  readonly prefix: string
  readonly circuit_id: number
  readonly cell_messages: readonly RecordedCell[]
  readonly flag_cells: readonly { readonly plaintext: boolean; readonly relay_early: boolean; readonly cell: string }[]
  readonly candidate_list: { readonly keys: readonly string[]; readonly packed: string }
}

const vectors = overlayVectors('tunnel_messages') as TunnelVectors
const prefix = unhex(vectors.prefix)
const circuitId = vectors.circuit_id
const all: readonly unknown[] = [...Object.values(circuit), ...Object.values(hidden)]
const isCellMessage = (one: unknown): one is CellMessage => typeof one === 'object' && one !== null && 'plain' in one
const table = new Map(all.filter(isCellMessage).map(message => [message.id, message]))

test('every recorded message of cells, in all its forms', () => {
  for (const recorded of vectors.cell_messages) {
    const message = table.get(recorded.message_id)
    assert.ok(message, recorded.name)
    assert.equal(message.plain, recorded.plaintext_cell, recorded.name)
    const text = unhex(recorded.cell_message)
    const values = decodeCellMessage(message, text)
    assertLayout(values, recorded.layout_of_unwrapped_packet.slice(1), recorded.name)
    assert.equal(hex(encodeCellMessage(message, values)), recorded.cell_message, recorded.name)
    const cell = cells.cellOf(prefix, { circuitId, plain: message.plain, early: false }, text)
    assert.equal(hex(cell), recorded.cell_unencrypted, recorded.name)
    assert.equal(hex(cells.unwrapCell(cell)), recorded.unwrapped_packet, recorded.name)
    assert.equal(hex(cells.cellTextOf(unhex(recorded.unwrapped_packet))), recorded.cell_message, recorded.name)
    const unwrapped = decodeUnwrapped(message, unhex(recorded.unwrapped_packet))
    assert.equal(unwrapped.circuitId, circuitId)
    assert.equal(hex(encodeUnwrapped(prefix, message, circuitId, unwrapped.values)), recorded.unwrapped_packet)
    if (message.plain)
      assert.equal(hex(cells.plainCell(prefix, message, { circuitId, early: false }, values)), hex(cell))
    else assert.throws(() => cells.plainCell(prefix, message, { circuitId, early: false }, values), RangeError)
  }
})

test('header of a cell: circuit id and flags', () => {
  for (const { plaintext, relay_early: early, cell: recorded } of vectors.flag_cells) {
    const cell = unhex(recorded)
    assert.ok(cells.isCell(cell))
    assert.equal(cells.circuitIdOf(cell), circuitId)
    assert.deepEqual([cells.isPlainCell(cell), cells.isEarlyCell(cell)], [plaintext, early])
    assert.equal(hex(cells.cellOf(prefix, { circuitId, plain: plaintext, early }, unhex('064321'))), recorded)
    cells.setCircuitId(cell, 0xfffefdfc)
    assert.equal(cells.circuitIdOf(cell), 0xfffefdfc)
  }
  const first = unhex(vectors.flag_cells[0]?.cell ?? '')
  assert.equal(cells.isCell(first.subarray(0, 29)), false)
  assert.equal(cells.isCell(first.subarray(0, 30)), true)
})

test('bytes behind the fields of a cell are passed over', () => {
  const text = Uint8Array.of(...encodeCellMessage(circuit.ping, { identifier: 513 }), 9, 9)
  assert.deepEqual(decodeCellMessage(circuit.ping, text), { identifier: 513 })
  assert.throws(() => decodeCellMessage(circuit.pong, text), DecodeError)
  assert.throws(() => decodeCellMessage(circuit.ping, text, 0, 2), DecodeError)
  // Nested records may have fields that came later.
  const peer = [0, 13, ...unhex('01010203040500'), 0, 0, 0, 0, 2, 7]
  const peers = Uint8Array.of(18, 0, 1, ...new Uint8Array(20), 2, ...peer, ...peer.with(13, 1))
  const { peers: read } = decodeCellMessage(hidden.peersResponse, peers)
  assert.deepEqual(
    read.map(({ source }) => source),
    [2, 1],
  )
})

test('messages of Tribler and of its Rust endpoint', () => {
  const request = { identifier: 7, responseSize: 50, data: Uint8Array.of(1, 2) }
  const text = encodeCellMessage(circuit.longTestRequest, request)
  assert.equal(hex(text), '150000000700320102')
  assert.deepEqual(decodeCellMessage(circuit.longTestRequest, text), request)
  assert.equal(
    hex(encodeCellMessage(circuit.longTestResponse, { identifier: 7, data: Uint8Array.of(3) })),
    '160000000703',
  )
  const target = { host: 'tracker.example.org', port: 80 }
  const http = encodeCellMessage(circuit.httpRequest, { identifier: 1, target, request: Buffer.from('GET') })
  assert.equal(hex(http), `1c00000001020013${hex(Buffer.from(target.host))}00500003474554`)
  const part = encodeCellMessage(circuit.httpResponse, { identifier: 1, part: 2, total: 3, data: Uint8Array.of(4) })
  assert.equal(hex(part), '1d0000000100020003000104')
})

test('the quick way through data texts finds what the table finds', () => {
  const text = new DataText()
  for (const recorded of vectors.cell_messages.filter(cell => cell.message_id === 1)) {
    const bytes = unhex(recorded.cell_unencrypted)
    const values = decodeCellMessage(circuit.data, bytes, cells.CELL_HEADER_BYTES)
    readDataText(bytes, cells.CELL_HEADER_BYTES, bytes.length, text)
    assert.deepEqual(addressAt(bytes, text.destinationAt), values.destination)
    assert.deepEqual(addressAt(bytes, text.originAt), values.origin)
    assert.equal(hex(bytes.subarray(text.dataAt)), hex(values.data))
    assert.equal(isNoAddressAt(bytes, text.originAt), 'ip' in values.origin && values.origin.ip === '0.0.0.0')
    const origin = values.origin as { ip: string; port: number }
    assert.equal(hex(dataHead(values.destination, origin)) + hex(values.data), recorded.cell_message)
    for (let end = 1; end < text.dataAt; end++)
      if (end > cells.CELL_HEADER_BYTES)
        assert.throws(() => readDataText(bytes, cells.CELL_HEADER_BYTES, end, text), DecodeError)
    readDataText(bytes, cells.CELL_HEADER_BYTES, bytes.length, text)
  }
})

test('candidates: relays, then exits with the first twice', () => {
  const { keys, packed } = vectors.candidate_list
  const relays = keys.map(unhex)
  assert.equal(hex(encodeCandidates({ relays, exits: [] })), packed)
  assert.deepEqual(decodeCandidates(unhex(packed)), { relays, exits: [] })
  const form = (n: number): Uint8Array => publicForm(new Uint8Array(32).fill(n), new Uint8Array(32))
  const offers = [
    { relays: [form(1), form(2)], exits: [form(3)] },
    { relays: [], exits: [form(3), form(4)] },
    { relays: [], exits: [] },
    { relays: [form(9)], exits: [form(1), form(2), form(3), form(4)] },
  ]
  for (const offer of offers) assert.deepEqual(decodeCandidates(encodeCandidates(offer)), offer)
  const many = Array.from({ length: 9 }, (_, n) => form(n))
  const most = decodeCandidates(encodeCandidates({ relays: many, exits: many.slice(5) }))
  assert.deepEqual([most.relays.length, most.exits.length], [4, 4])
  const strange = decodeCandidates(Uint8Array.of(2, 0, 1, 7, 0, 74, ...form(1)))
  assert.deepEqual(strange, { relays: [form(1)], exits: [] })
  assert.throws(() => decodeCandidates(Uint8Array.of(2, 0, 1, 7)), DecodeError)
})
