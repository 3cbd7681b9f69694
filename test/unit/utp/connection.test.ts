// One connection, packet by packet: opening, windows, acknowledgements, losses, pauses, the packet size.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEEP_ALIVE_MS } from '../../../src/utp/connection.ts'
import { microsOf, seqAdd } from '../../../src/utp/sequence.ts'
import { encodeUtpPacket, readUtpHeader, UTP_TYPE, UtpHeader } from '../../../src/wire/net/utp.ts'
import { dataOf, FIRST_SEQ, FULL, PEER_SEQ, RTT_MS, seqs, types, UtpRig } from '../../kit/sim/utp-rig.ts'

test('connecting: the SYN carries our id, what follows the next one, and the answer names the first number', () => {
  const rig = new UtpRig()
  rig.connection.connect(5000, rig.nowMs)
  const [syn] = rig.out.splice(0)
  assert.deepEqual([syn?.type, syn?.connectionId, syn?.seq], [UTP_TYPE.syn, 7, FIRST_SEQ])
  rig.write('hello')
  assert.deepEqual(rig.turn(), [], 'nothing before the answer')
  rig.get(UTP_TYPE.state, PEER_SEQ, { ack: FIRST_SEQ - 1 })
  rig.get(UTP_TYPE.data, PEER_SEQ, { ack: FIRST_SEQ, payload: Buffer.from('x') })
  assert.equal(rig.opens, 0, 'only the answer to this SYN opens')
  rig.ack = FIRST_SEQ
  rig.get(UTP_TYPE.state, PEER_SEQ)
  assert.equal(rig.opens, 1)
  const [first] = rig.turn()
  assert.deepEqual([first?.type, first?.connectionId, first?.seq, first?.ack], [UTP_TYPE.data, 8, 65_535, PEER_SEQ - 1])
  rig.data(PEER_SEQ, 'first')
  assert.equal(rig.text, 'first')
  const [state] = rig.turn()
  assert.deepEqual([state?.type, state?.ack, state?.seq], [UTP_TYPE.state, PEER_SEQ, 0])
})

test('accepting: only who knows our number has an address', () => {
  const rig = new UtpRig()
  const header = new UtpHeader()
  const syn = { type: UTP_TYPE.syn, connectionId: 6, timestamp: 5, difference: 0, window: 0, seq: 50, ack: 0 }
  readUtpHeader(encodeUtpPacket({ ...syn, extensions: [], payload: new Uint8Array(0) }), header)
  rig.connection.accept(header, rig.nowMs)
  const [answer] = rig.turn()
  assert.deepEqual([answer?.type, answer?.ack, answer?.seq], [UTP_TYPE.state, 50, FIRST_SEQ])
  rig.get(UTP_TYPE.data, 51, { ack: FIRST_SEQ, payload: Buffer.from('forged') })
  rig.get(UTP_TYPE.data, 51, { ack: FIRST_SEQ - 2, payload: Buffer.from('forged') })
  assert.equal(rig.opens, 0)
  // The answer was lost: the SYN comes again.
  rig.get(UTP_TYPE.syn, 50)
  assert.deepEqual(types(rig.turn()), [UTP_TYPE.state])
  rig.data(51, 'real')
  assert.deepEqual([rig.opens, rig.text], [1, 'real'])
})

test('writes are cut into full packets; the rest goes at the end of the turn', () => {
  const rig = new UtpRig().open()
  rig.write(FULL + 10)
  assert.deepEqual(
    dataOf(rig.out).map(({ payload }) => payload.length),
    [FULL],
  )
  rig.write(20)
  assert.equal(rig.out.length, 1, 'small writes of a turn share a packet')
  assert.deepEqual(
    dataOf(rig.turn()).map(({ payload }) => payload.length),
    [FULL, 30],
  )
})

test('a handshake goes by itself, what is written after it in the same turn by itself too', () => {
  const rig = new UtpRig().open()
  rig.write(68)
  rig.write(200)
  rig.write(100)
  assert.deepEqual(
    dataOf(rig.turn()).map(({ payload }) => payload.length),
    [68, 300],
  )
})

test('a few small packets may be under way; then they are gathered until an answer comes', () => {
  const rig = new UtpRig().open()
  const sizes: number[] = []
  for (let count = 0; count < 10; count++) {
    rig.write(5)
    sizes.push(...dataOf(rig.turn()).map(({ payload }) => payload.length))
  }
  assert.deepEqual(sizes, [5, 5, 5, 5])
  rig.acks(65_535)
  assert.deepEqual(
    dataOf(rig.turn()).map(({ payload }) => payload.length),
    [30],
  )
})

test('sent is called when the bytes are in packets, not before', () => {
  const rig = new UtpRig().open()
  let sent = 0
  rig.write(4000, () => {
    sent += 1
  })
  rig.write(100_000, () => {
    sent += 10
  })
  const tell = (): void => {
    for (const done of rig.connection.takeSent()) done()
  }
  tell()
  assert.equal(sent, 1)
  assert.ok(rig.connection.queuedBytes > 90_000)
  rig.connection.close(rig.nowMs)
  tell()
  assert.equal(sent, 11, 'what is dropped may be written to again as well')
})

test('the congestion window and the window of the other side both hold', () => {
  const rig = new UtpRig().open()
  rig.write(1_000_000)
  const first = dataOf(rig.turn())
  assert.ok(first.length >= 3 && first.length * FULL <= 4380, `${first.length} packets at first`)
  const narrow = new UtpRig()
  narrow.window = 2 * FULL
  narrow.open()
  narrow.write(1_000_000)
  assert.equal(dataOf(narrow.turn()).length, 2)
})

test('data in order is acknowledged once a turn; beyond a gap selectively, and a few packets at once', () => {
  const rig = new UtpRig().open()
  rig.data(100, 'a')
  rig.data(101, 'b')
  const [one, ...none] = rig.turn()
  assert.deepEqual([one?.type, one?.ack, none.length], [UTP_TYPE.state, 101, 0])
  rig.data(103, 'd')
  rig.data(105, 'f')
  assert.deepEqual(
    rig.out.map(({ ack, extensions }) => [ack, ...extensions.map(({ type, bytes }) => [type, ...bytes])]),
    [
      [101, [1, 0b1, 0, 0, 0]],
      [101, [1, 0b101, 0, 0, 0]],
    ],
  )
  for (const seq of [107, 109, 111, 113]) rig.data(seq, 'x')
  assert.equal(rig.out.length, 4, 'not more than four before the turn ends')
  assert.equal(rig.turn().length, 5)
  rig.data(102, 'c')
  rig.data(102, 'X')
  assert.deepEqual([rig.turn()[0]?.ack, rig.text], [103, 'abcd'])
  // A packet that we have is answered too: our acknowledgement may have been lost.
  rig.data(101, 'X')
  assert.deepEqual(
    rig.turn().map(({ ack }) => ack),
    [103],
  )
})

test('a packet with data carries the acknowledgement', () => {
  const rig = new UtpRig().open()
  rig.data(100, 'a')
  rig.write('b')
  const sent = rig.turn()
  assert.deepEqual(types(sent), [UTP_TYPE.data])
  assert.equal(sent[0]?.ack, 100)
})

test('our packets say how long those of the other side were under way', () => {
  const rig = new UtpRig().open()
  rig.write('a')
  const [packet] = rig.turn()
  assert.equal(packet?.difference, (RTT_MS / 2) * 1000)
  assert.equal(packet?.timestamp, microsOf(rig.nowMs))
})

test('a packet that three later ones overtook is sent again at once, and halves the window once', () => {
  const rig = new UtpRig().open()
  rig.write(100_000)
  // The first is a probe for the packet size, whose loss would mean nothing.
  const [probe = 0, a = 0, b = 0, c = 0, d = 0, e = 0] = seqs(dataOf(rig.turn()))
  rig.nowMs += RTT_MS
  rig.acks(probe, [b, c])
  assert.ok(!seqs(rig.turn()).includes(a), 'two may overtake')
  const before = rig.connection.measures.windowBytes
  rig.acks(probe, [b, c, d])
  assert.ok(seqs(rig.turn()).includes(a))
  const after = rig.connection.measures.windowBytes
  assert.ok(after > before * 0.4 && after < before * 0.7, `${before} -> ${after}`)
  rig.acks(probe, [b, c, d, e])
  assert.ok(!seqs(rig.turn()).includes(a), 'once')
  assert.ok(rig.connection.measures.windowBytes >= after)
})

test('a peer without selective acknowledgements: three that say the same', () => {
  const rig = new UtpRig().open()
  rig.write(100_000)
  const [a = 0] = seqs(dataOf(rig.turn()))
  for (let count = 0; count < 2; count++) rig.acks(seqAdd(a, -1))
  assert.ok(!seqs(rig.turn()).includes(a))
  rig.acks(seqAdd(a, -1))
  assert.ok(seqs(rig.turn()).includes(a))
})

test('a repeated packet that is lost again is found by what was sent after it', () => {
  const rig = new UtpRig().open()
  rig.write(1_000_000)
  const first = seqs(dataOf(rig.turn()))
  const [a = 0] = first
  rig.nowMs += RTT_MS
  rig.acks(seqAdd(a, -1), first.slice(1))
  const second = seqs(dataOf(rig.turn()))
  assert.ok(second.includes(a))
  const fresh = second.filter(seq => seq !== a)
  rig.nowMs += RTT_MS
  rig.acks(seqAdd(a, -1), [...first.slice(1), ...fresh])
  const third = seqs(dataOf(rig.turn()))
  if (fresh.length >= 3) assert.ok(third.includes(a), 'no wait for a time-out')
})

test('a closed window is tried now and then, and opened by what the other side says', () => {
  const rig = new UtpRig()
  rig.window = 0
  rig.open()
  rig.write(5000)
  assert.deepEqual(dataOf(rig.turn()), [])
  const probes: number[] = []
  const probe = (ms: number): void => {
    for (const packet of dataOf(rig.pass(ms))) {
      probes.push(packet.seq)
      // There is no room, but somebody is there.
      rig.acks(FIRST_SEQ)
      rig.turn()
    }
  }
  for (let count = 0; count < 600; count++) probe(100)
  assert.ok(probes.length >= 4 && probes.length <= 10, `${probes.length} probes in a minute`)
  assert.ok(probes.every(seq => seq === 65_535))
  assert.deepEqual(rig.ends, [])
  rig.window = 1_000_000
  rig.acks(FIRST_SEQ)
  const sent = dataOf(rig.turn())
  assert.equal(sent[0]?.seq, 65_535)
  assert.ok(sent.length > 1)
})

test('pause keeps bytes and shuts the window; resume gives them and says that there is room', () => {
  const rig = new UtpRig().open()
  rig.connection.pause(true)
  const chunk = 'x'.repeat(1400)
  let seq = PEER_SEQ
  let window = Number.POSITIVE_INFINITY
  while (window >= 1400) {
    rig.data(seq++ & 0xffff, chunk)
    window = rig.turn()[0]?.window ?? -1
  }
  assert.ok(window >= 0)
  assert.equal(rig.text, '')
  rig.data(seq, chunk)
  assert.equal(rig.turn()[0]?.ack, seq - 1, 'what finds no room is not acknowledged')
  rig.connection.pause(false)
  const [update] = rig.turn()
  assert.deepEqual([update?.type, update?.window], [UTP_TYPE.state, 1024 * 1024])
  assert.equal(rig.text.length, (seq - PEER_SEQ) * 1400)
  assert.deepEqual(rig.turn(), [])
})

test('a connection that is quiet says something before routers forget it', () => {
  const rig = new UtpRig().open()
  rig.write('a')
  rig.turn()
  rig.acks(65_535)
  rig.turn()
  assert.deepEqual(rig.pass(KEEP_ALIVE_MS - 200), [])
  const kept = rig.pass(400)
  assert.deepEqual(types(kept), [UTP_TYPE.state])
})

test('acknowledgements of what was never sent change nothing', () => {
  const rig = new UtpRig().open()
  rig.write(100_000)
  const count = dataOf(rig.turn()).length
  const before = rig.connection.measures.windowBytes
  rig.get(UTP_TYPE.data, 100, { ack: seqAdd(FIRST_SEQ, count + 1), payload: Buffer.from('forged') })
  assert.equal(rig.text, '')
  assert.equal(rig.connection.measures.windowBytes, before)
  assert.deepEqual(dataOf(rig.turn()), [])
})

test('the packet size is found out by a probe that is made larger by nothing', () => {
  const rig = new UtpRig().open()
  rig.write(1_000_000)
  const sent = rig.turn()
  const probe = sent.find(({ extensions }) => extensions.length > 0)
  assert.ok(probe, 'with enough to send the first flight has a probe')
  assert.equal(encodeUtpPacket(probe).length, 1472)
  assert.equal(probe.payload.length, FULL)
  rig.nowMs += RTT_MS
  rig.acks(seqs(dataOf(sent)).at(-1) ?? 0)
  assert.ok(dataOf(rig.turn()).some(({ payload }) => payload.length === 1452))
})

test('a probe that is lost costs nothing and is repeated in the size that fits', () => {
  const rig = new UtpRig().open()
  rig.write(1_000_000)
  const sent = dataOf(rig.turn())
  const probe = sent.find(({ extensions }) => extensions.length > 0)
  assert.ok(probe)
  const others = seqs(sent).filter(seq => seq !== probe.seq)
  const before = rig.connection.measures.windowBytes
  rig.nowMs += RTT_MS
  rig.acks(
    seqAdd(probe.seq, -1),
    others.filter(seq => ((seq - probe.seq) & 0xffff) < 1000),
  )
  const again = rig.turn().find(({ seq }) => seq === probe.seq)
  assert.ok(again)
  assert.deepEqual([again.extensions.length, again.payload.length], [0, FULL])
  assert.ok(rig.connection.measures.windowBytes >= before)
})
