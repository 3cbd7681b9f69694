// Packets put in order, kept while there is no reader, within bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PacketPool } from '../../../src/utp/packet-pool.ts'
import { type ChunkReader, MAX_REORDER, ReceiveBuffer } from '../../../src/utp/receive-buffer.ts'
import { seqAdd } from '../../../src/utp/sequence.ts'

class Reader implements ChunkReader {
  wants = true
  text = ''
  after: (() => void) | null = null
  read(chunk: Uint8Array): void {
    this.text += Buffer.from(chunk).toString('latin1')
    this.after?.()
  }
}

function rig(capacity?: number, packets = 2000) {
  const pool = new PacketPool(packets)
  const reader = new Reader()
  const buffer = new ReceiveBuffer(pool, reader, capacity)
  buffer.ackNr = 65_533
  const push = (ahead: number, text: string, fin = false): void =>
    buffer.push(seqAdd(65_533, ahead), Buffer.from(text), fin)
  return { pool, reader, buffer, push }
}

/** The packets named by a selective acknowledgement, counted from ackNr. */
function sacked(buffer: ReceiveBuffer): number[] {
  const count = buffer.sackBytes
  const bytes = new Uint8Array(2 + count)
  buffer.writeSack(bytes, 0, count)
  assert.deepEqual([bytes[0], bytes[1]], [0, count])
  const ahead: number[] = []
  for (let bit = 0; bit < count * 8; bit++) if (((bytes[2 + (bit >> 3)] ?? 0) >> (bit & 7)) & 1) ahead.push(bit + 2)
  return ahead
}

test('packets are read in order across the wrap, each once', () => {
  const { pool, reader, buffer, push } = rig()
  push(1, 'a')
  push(4, 'd')
  push(3, 'c')
  push(3, 'X')
  push(1, 'X')
  assert.equal(reader.text, 'a')
  assert.equal(buffer.aheadPackets, 2)
  push(2, 'b')
  assert.equal(reader.text, 'abcd')
  assert.equal(buffer.ackNr, 1)
  assert.equal(pool.used, 0)
  push(4, 'X')
  assert.equal(reader.text, 'abcd')
})

test('a selective acknowledgement names what is beyond the gap, in groups of four bytes', () => {
  const { buffer, push } = rig()
  assert.equal(buffer.sackBytes, 0)
  push(2, 'b')
  assert.equal(buffer.sackBytes, 4)
  push(4, 'd')
  push(33, 'x')
  assert.equal(buffer.sackBytes, 4)
  push(34, 'y')
  assert.equal(buffer.sackBytes, 8)
  assert.deepEqual(sacked(buffer), [2, 4, 33, 34])
  push(1, 'a')
  assert.deepEqual(sacked(buffer), [2, 31, 32])
})

test('what is too far ahead, or finds no room, is not taken', () => {
  const { buffer, push } = rig(10)
  push(MAX_REORDER + 1, 'x')
  assert.equal(buffer.aheadPackets, 0)
  push(MAX_REORDER, 'x')
  assert.equal(buffer.aheadPackets, 1)
  push(2, 'ten bytes!')
  assert.equal(buffer.aheadPackets, 1)
  push(3, 'nine byt!')
  assert.equal(buffer.windowBytes, 0)
  // What is next in order is always taken: without it nothing would ever leave.
  push(1, 'a long one')
  assert.equal(buffer.ackNr, 65_534)
})

test('while nobody reads, bytes are kept and the window shrinks; then they are read on', () => {
  const { pool, reader, buffer, push } = rig(10)
  reader.wants = false
  push(1, 'abcd')
  push(2, 'efgh')
  assert.deepEqual([reader.text, buffer.windowBytes, buffer.unreadBytes], ['', 2, 8])
  push(3, 'ijkl')
  assert.equal(buffer.ackNr, 65_535, 'no room: not acknowledged')
  push(3, 'ij')
  assert.equal(buffer.ackNr, 0)
  assert.equal(pool.used, 1, 'small packets share memory')
  reader.wants = true
  buffer.readOn()
  assert.deepEqual([reader.text, buffer.windowBytes, pool.used], ['abcdefghij', 10, 0])
})

test('a reader that stops in the middle gets the rest later, in order', () => {
  const { reader, buffer, push } = rig()
  reader.after = () => {
    reader.wants = false
  }
  push(2, 'b')
  push(3, 'c')
  push(1, 'a')
  assert.equal(reader.text, 'a')
  push(4, 'd')
  assert.equal(buffer.unreadBytes, 3)
  while (buffer.unreadBytes > 0) {
    reader.wants = true
    buffer.readOn()
  }
  assert.equal(reader.text, 'abcd')
})

test('many tiny packets need no more memory than a few large ones', () => {
  const { pool, reader, buffer } = rig()
  reader.wants = false
  for (let ahead = 1; ahead <= 30_000; ahead++) buffer.push(seqAdd(65_533, ahead), Uint8Array.of(1), false)
  assert.equal(buffer.unreadBytes, 30_000)
  assert.equal(pool.used, 20)
  buffer.clear()
  assert.equal(pool.used, 0)
})

test('an empty pool means packets are not acknowledged', () => {
  const { reader, buffer, push } = rig(1_000_000, 1)
  reader.wants = false
  push(1, 'x'.repeat(1500))
  push(2, 'y')
  push(3, 'z')
  assert.equal(buffer.ackNr, 65_534)
  assert.equal(buffer.aheadPackets, 0)
})

test('the stream ends after its last packet, with what the FIN carries, and nothing moves the end', () => {
  const { pool, reader, buffer, push } = rig()
  push(3, 'c', true)
  push(5, 'X')
  push(2, 'b', true)
  assert.equal(buffer.finished, false)
  push(1, 'a')
  assert.equal(reader.text, 'abc')
  assert.ok(buffer.finished)
  push(4, 'X', true)
  assert.equal(reader.text, 'abc')
  assert.equal(pool.used, 0)
})

test('the end is reached only when everything was read', () => {
  const { reader, buffer, push } = rig()
  reader.wants = false
  push(1, 'a')
  push(2, '', true)
  assert.equal(buffer.ackNr, 65_535)
  assert.equal(buffer.finished, false)
  reader.wants = true
  buffer.readOn()
  assert.ok(buffer.finished)
})

test('a reader may go away while it reads', () => {
  const { pool, reader, buffer, push } = rig()
  reader.after = () => buffer.clear()
  push(2, 'b')
  push(1, 'a')
  assert.equal(reader.text, 'a')
  assert.equal(pool.used, 0)
  push(2, 'b')
  assert.equal(buffer.ackNr, 65_535, 'what comes later is only counted')
  const late = rig()
  late.reader.wants = false
  late.push(1, 'x'.repeat(1500))
  late.push(2, 'y'.repeat(1500))
  late.reader.wants = true
  late.reader.after = () => late.buffer.clear()
  late.buffer.readOn()
  assert.equal(late.reader.text.length, 1500)
  assert.equal(late.pool.used, 0)
})
