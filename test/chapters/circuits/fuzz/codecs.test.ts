// Cells and messages of circuits, data of exits, parts of answers: any bytes are read or refused.

import assert from 'node:assert/strict'
import * as cells from '../../../../src/chapters/circuits/wire/cell.ts'
import * as circuit from '../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { addressAt, DataText, isNoAddressAt, readDataText } from '../../../../src/chapters/circuits/wire/data-cell.ts'
import { classifyDatagram, mayPassExit } from '../../../../src/chapters/circuits/wire/exit-policy.ts'
import * as hidden from '../../../../src/chapters/circuits/wire/hidden-messages.ts'
import { HttpAnswer } from '../../../../src/chapters/circuits/wire/http-parts.ts'
import { decodeCellMessage } from '../../../../src/chapters/overlay/wire/message.ts'
import { fuzz } from '../../../kit/sim/fuzz.ts'
import { attempt, fuzzMessages } from '../../overlay/kit/fuzz-messages.ts'

function checkCell(bytes: Uint8Array): void {
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

fuzzMessages([circuit, hidden], (bytes, source) => {
  checkCell(bytes)
  checkData(bytes, source.below(40))
  assert.ok(classifyDatagram(bytes) < 16)
  mayPassExit(bytes, source.below(0x10000), bytes.subarray(0, 22))
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
