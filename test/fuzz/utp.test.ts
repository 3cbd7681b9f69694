// uTP: any bytes are a packet within its bounds or a DecodeError, and what was read is written again as it was. Any
// packets, in any order, leave a pair of hosts within their bounds and the stream between them unharmed.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { MAX_HALF_OPEN } from '../../src/utp/half-open.ts'
import { PacketPool } from '../../src/utp/packet-pool.ts'
import { MAX_REORDER, ReceiveBuffer } from '../../src/utp/receive-buffer.ts'
import {
  decodeUtpPacket,
  encodeUtpPacket,
  readUtpHeader,
  UtpHeader,
  type UtpPacket,
  type UtpType,
} from '../../src/wire/net/utp.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'
import { StreamEnd, UtpLink } from '../kit/sim/utp-link.ts'
import { VirtualClock } from '../kit/sim/virtual-clock.ts'

function packetOf(source: Fuzz): UtpPacket {
  const extensions = Array.from({ length: source.below(4) }, () => ({
    type: source.pick([1, 2, 3, 0xf0, 1 + source.below(255)]),
    bytes: source.bytes(40),
  }))
  return {
    type: source.below(5) as UtpType,
    connectionId: source.below(0x10000),
    timestamp: source.below(0x100000000),
    difference: source.below(0x100000000),
    window: source.below(0x100000000),
    seq: source.below(0x10000),
    ack: source.below(0x10000),
    extensions,
    payload: source.bytes(100),
  }
}

function check(bytes: Uint8Array): void {
  const header = new UtpHeader()
  try {
    readUtpHeader(bytes, header)
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    assert.throws(() => decodeUtpPacket(bytes), DecodeError)
    return
  }
  assert.ok(header.payloadAt >= 20 && header.payloadAt <= bytes.length)
  assert.ok(header.sackAt + header.sackBytes <= header.payloadAt)
  assert.ok(Buffer.compare(encodeUtpPacket(decodeUtpPacket(bytes)), bytes) === 0)
}

fuzz('any bytes', 0.2, source => check(source.bytes(200)))

fuzz('packets, and packets with faults', 0.3, source => {
  const bytes = encodeUtpPacket(packetOf(source))
  check(bytes)
  check(source.mutate(bytes))
})

fuzz('packets in any order come out in order, each once, within bounds', 0.25, source => {
  const pool = new PacketPool(64)
  const read: number[] = []
  const reader = { wants: true, read: (chunk: Uint8Array) => read.push(...chunk) }
  const buffer = new ReceiveBuffer(pool, reader, 4000)
  const first = source.below(0x10000)
  buffer.ackNr = first
  for (let step = 0; step < 200; step++) {
    const ahead = source.below(source.pick([3, 40, MAX_REORDER + 10]))
    // The payload of packet n is the number n, so that order and repetitions can be seen.
    const number = source.below(2) === 0 ? read.length + 1 : read.length + ahead
    buffer.push((first + number) & 0xffff, Uint8Array.of(number & 0xff), false)
    if (source.below(10) === 0) reader.wants = !reader.wants
    if (reader.wants) buffer.readOn()
    assert.ok(buffer.windowBytes >= 0 && pool.used <= 64)
  }
  assert.deepEqual(
    read,
    read.map((_, at) => (at + 1) & 0xff),
  )
  buffer.clear()
  assert.equal(pool.used, 0)
})

fuzz('strangers send what they like to a host', 0.25, source => {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 1)
  const host = link.host('10.0.0.1')
  const ends: StreamEnd[] = []
  void host.utp.listen(host.address, () => {
    const end = new StreamEnd()
    ends.push(end)
    return end
  })
  for (let count = 0; count < 300; count++) {
    const bytes = encodeUtpPacket(packetOf(source))
    const from = { ip: `10.0.${source.below(2)}.${1 + source.below(3)}`, port: 1 + source.below(3) }
    link.inject(source.below(2) === 0 ? bytes : source.mutate(bytes), from, host)
  }
  // Whoever guesses a number opens a connection, and few of 300 packets do.
  assert.ok(host.utp.connections <= 300)
  assert.ok(host.utp.halfOpen <= MAX_HALF_OPEN)
  link.close()
  for (const end of ends) assert.ok(end.closes <= 1)
})
