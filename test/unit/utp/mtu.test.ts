// The search for the packet size, and packets that are made probes and back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MtuSearch } from '../../../src/utp/mtu.ts'
import { padToProbe, stripPadding } from '../../../src/utp/mtu-probe.ts'
import { Packet, PACKET_BYTES } from '../../../src/utp/packet-pool.ts'
import { putUtpHead, readUtpHeader, UTP_EXTENSION, UTP_TYPE, UtpHeader } from '../../../src/wire/net/utp.ts'

/** Answers probes as a path would that carries `carries` bytes; the number of probes. */
function search(mtu: MtuSearch, carries: number): number {
  let probes = 0
  while (mtu.probeBytes > 0) {
    const bytes = mtu.probeBytes
    mtu.probeSent()
    assert.equal(mtu.probeBytes, 0, 'one probe at a time')
    if (bytes <= carries) mtu.probeAcked(bytes)
    else mtu.probeLost()
    probes += 1
    assert.ok(probes < 40)
  }
  return probes
}

test('on Ethernet one probe is enough', () => {
  const four = new MtuSearch(4)
  assert.equal(four.packetBytes, 548)
  assert.equal(search(four, 1472), 1)
  assert.equal(four.packetBytes, 1472)
  const six = new MtuSearch(6)
  assert.equal(six.packetBytes, 1232)
  assert.equal(search(six, 1452), 1)
  assert.equal(six.packetBytes, 1452)
})

test('any path ends close below what it carries', () => {
  for (let carries = 548; carries <= 1472; carries += 7) {
    const mtu = new MtuSearch(4)
    search(mtu, carries)
    assert.ok(mtu.packetBytes <= carries && mtu.packetBytes > carries - 17, `${mtu.packetBytes} of ${carries}`)
  }
})

test('a path that carries nothing larger stays at the floor', () => {
  const mtu = new MtuSearch(4)
  search(mtu, 0)
  assert.equal(mtu.packetBytes, 548)
})

test('one probe may be lost by chance', () => {
  const mtu = new MtuSearch(4)
  mtu.probeSent()
  mtu.probeLost()
  assert.equal(mtu.probeBytes, 1472)
  mtu.probeSent()
  mtu.probeAcked(1472)
  assert.equal(mtu.packetBytes, 1472)
})

test('a proxy takes some of the bytes', () => {
  const mtu = new MtuSearch(4, 1400)
  search(mtu, 1472)
  assert.equal(mtu.packetBytes, 1400)
  assert.equal(new MtuSearch(6, 1000).packetBytes, 1000)
})

test('a probe is the same packet in another size, and back in memory of its own', () => {
  const packet = new Packet(PACKET_BYTES)
  const header = new UtpHeader()
  const payload = Buffer.alloc(528, 7)
  packet.memory.set(payload, 20)
  packet.payloadAt = 20
  packet.payloadBytes = payload.length
  padToProbe(packet, 1472)
  packet.cut(packet.payloadAt + packet.payloadBytes)
  putUtpHead(packet.memory, UTP_TYPE.data, UTP_EXTENSION.bits, 1, 2)
  assert.equal(packet.bytes.length, 1472)
  const probe = packet.bytes
  readUtpHeader(probe, header)
  assert.ok(Buffer.compare(probe.subarray(header.payloadAt), payload) === 0)
  stripPadding(packet)
  assert.equal(packet.bytes.length, 548)
  readUtpHeader(packet.bytes, header)
  assert.equal(header.payloadAt, 20)
  assert.equal(header.seq, 2)
  assert.ok(Buffer.compare(packet.bytes.subarray(20), payload) === 0)
  // A socket that still holds the probe sends it as it was.
  packet.memory.fill(0xff)
  readUtpHeader(probe, header)
  assert.ok(Buffer.compare(probe.subarray(header.payloadAt), payload) === 0)
})
