// UtpNetwork as the engine uses it: streams over one port, the contract of TcpStream, what strangers cannot do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { MAX_HALF_OPEN } from '../../../src/utp/half-open.ts'
import { MAX_CONNECTING, MAX_RESETS_PER_SECOND } from '../../../src/utp/mux.ts'
import { HIGH_WATER_BYTES } from '../../../src/utp/stream.ts'
import { decodeUtpPacket, encodeUtpPacket, UTP_TYPE, type UtpPacket } from '../../../src/wire/net/utp.ts'
import {
  connectHosts,
  type LinkHost,
  type LinkLine,
  someBytes,
  StreamEnd,
  type StreamPair,
  UtpLink,
} from '../../kit/sim/utp-link.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const OPTIONS = { localIp: null, timeoutMs: 5000 }
const EMPTY = new Uint8Array(0)

function rig(line: Partial<LinkLine> = {}, ips: readonly [string, string] = ['10.0.0.1', '10.0.0.2']) {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 7, line)
  return { clock, link, a: link.host(ips[0]), b: link.host(ips[1]) }
}

/** A stream over which something was said. */
async function talking(clock: VirtualClock, a: LinkHost, b: LinkHost): Promise<StreamPair> {
  const pair = await connectHosts(a, b)
  pair.here.stream?.write(Buffer.from('hello'))
  await clock.until('hello', () => pair.there.received === 5)
  return pair
}

function packet(change: Partial<UtpPacket>): Uint8Array {
  const none = { connectionId: 1, timestamp: 1, difference: 0, window: 100_000, seq: 1, ack: 0 }
  return encodeUtpPacket({ type: UTP_TYPE.syn, ...none, extensions: [], payload: EMPTY, ...change })
}

test('both families: bytes go both ways, and each end is reported once', async () => {
  for (const ips of [
    ['10.0.0.1', '10.0.0.2'],
    ['2001:db8::1', '2001:db8::2'],
  ] as const) {
    const { clock, link, a, b } = rig({}, ips)
    const { here, there } = await connectHosts(a, b)
    assert.equal(here.stream?.incoming, false)
    assert.deepEqual(here.stream?.remote, b.address)
    let sent = 0
    here.stream?.write(Buffer.from('hello'), () => {
      sent += 1
    })
    assert.deepEqual([here.opened, sent], [0, 0], 'nothing is called from inside a call')
    await clock.until('the greeting', () => there.text === 'hello')
    assert.deepEqual([here.opened, sent], [1, 1])
    assert.equal(there.opened, 0)
    assert.equal(there.stream?.incoming, true)
    assert.deepEqual(there.stream?.remote, a.address)
    there.stream?.write(Buffer.from('back'))
    await clock.until('an answer', () => here.text === 'back')
    here.stream?.destroy()
    assert.equal(here.closes, 0)
    await clock.until('both closed', () => here.closes === 1 && there.closes === 1)
    assert.deepEqual([here.error, there.error], [null, null])
    await clock.until('nothing left', () => a.utp.connections === 0 && b.utp.connections === 0)
    assert.deepEqual(
      [a.utp.packetsInUse, b.utp.packetsInUse],
      [
        { sending: 0, unread: 0 },
        { sending: 0, unread: 0 },
      ],
    )
    await clock.advance(200)
    assert.equal(clock.pending, 0, 'no timer without streams')
    link.close()
  }
})

test('nobody there: the stream fails in time', async () => {
  const { clock, link, a } = rig()
  const end = new StreamEnd()
  a.utp.connect({ ip: '10.0.0.99', port: 6881 }, OPTIONS, end)
  const took = await clock.until('failure', () => end.closes === 1)
  assert.ok(took >= 5000 && took <= 5200, `${took} ms`)
  assert.equal(end.error?.message, 'connect timed out')
  assert.equal(a.utp.connections, 0)
  link.close()
})

test('nobody listens: the stream is refused at once', async () => {
  const { clock, link, a, b } = rig()
  const end = new StreamEnd()
  a.utp.connect(b.address, OPTIONS, end)
  assert.ok((await clock.until('refusal', () => end.closes === 1)) < 200)
  assert.equal(end.error?.message, 'connection refused')
  link.close()
})

test('a listener may refuse, and there is one a family', async () => {
  const { clock, link, a, b } = rig()
  const listener = await b.utp.listen(b.address, () => null)
  await assert.rejects(
    b.utp.listen(b.address, () => null),
    (error: unknown) => error instanceof AppError && error.code === 'PortTaken',
  )
  const end = new StreamEnd()
  a.utp.connect(b.address, OPTIONS, end).write(Buffer.from('x'))
  await clock.until('refusal', () => end.closes === 1)
  assert.equal(end.opened, 1)
  assert.ok(end.error)
  await listener.close()
  await b.utp.listen(b.address, () => new StreamEnd())
  link.close()
})

test('what cannot be connected to fails through close', async () => {
  const { clock, link, a } = rig()
  for (const ip of ['2001:db8::5', 'example.org']) {
    const end = new StreamEnd()
    const stream = a.utp.connect({ ip, port: 1 }, OPTIONS, end)
    let sent = false
    assert.equal(
      stream.write(Buffer.from('x'), () => {
        sent = true
      }),
      true,
    )
    assert.ok(end.closes < 1)
    await clock.advance(1)
    assert.ok(end.closes === 1 && end.error !== null && sent, ip)
  }
  assert.equal(a.utp.connections, 0)
  link.close()
})

test('there are only so many connections, and only so many being opened', async () => {
  const clock = new VirtualClock()
  const link = new UtpLink(clock, 1)
  const small = link.host('10.0.0.1', {}, { maxConnections: 2 })
  const ends = Array.from({ length: 3 }, () => new StreamEnd())
  for (const [index, end] of ends.entries()) small.utp.connect({ ip: `10.1.0.${index + 1}`, port: 6881 }, OPTIONS, end)
  await clock.advance(1)
  assert.deepEqual(
    ends.map(end => end.closes),
    [0, 0, 1],
  )
  const large = link.host('10.0.0.2')
  const many = Array.from({ length: MAX_CONNECTING + 1 }, () => new StreamEnd())
  for (const end of many) large.utp.connect({ ip: '10.1.0.1', port: 6881 }, OPTIONS, end)
  await clock.advance(1)
  assert.equal(many.filter(end => end.closes === 1).length, 1)
  link.close()
})

test('many streams share one port, between the same two hosts too', async () => {
  const { clock, link, a, b } = rig()
  const inside: StreamEnd[] = []
  await b.utp.listen(b.address, stream => {
    const end = new StreamEnd()
    end.stream = stream
    inside.push(end)
    return end
  })
  const outside: StreamEnd[] = []
  for (let count = 0; count < 40; count++) {
    const end = new StreamEnd()
    outside.push(end)
    end.stream = a.utp.connect(b.address, { localIp: null, timeoutMs: 20_000 }, end)
    end.stream.write(Buffer.from(`stream ${count}.`))
  }
  await clock.until('all texts', () => inside.length === 40 && inside.every(end => end.text.endsWith('.')))
  assert.equal(new Set(inside.map(end => end.text)).size, 40)
  for (const end of inside) end.stream?.write(Buffer.from(end.text.toUpperCase()))
  await clock.until('all answers', () => outside.every(end => end.text.endsWith('.')))
  for (const [index, end] of outside.entries()) assert.equal(end.text, `STREAM ${index}.`)
  link.close()
})

test('write asks to wait, drain comes once when all is gone, sent in order and before close', async () => {
  const { clock, link, a, b } = rig({ bytesPerSecond: 500_000 })
  const { here, there } = await talking(clock, a, b)
  const content = someBytes(HIGH_WATER_BYTES + 200_000)
  there.received = 0
  there.expected = content
  const order: number[] = []
  const answers = [0, 1, 2, 3].map(part => {
    const size = content.length / 4
    return here.stream?.write(content.subarray(part * size, (part + 1) * size), () => order.push(part))
  })
  assert.equal(answers[0], true)
  assert.equal(answers[3], false)
  assert.equal(here.drains, 0)
  await clock.until('drain', () => here.drains === 1)
  assert.deepEqual(order, [0, 1, 2, 3])
  assert.equal(here.stream?.bufferedBytes, 0)
  await clock.until('all', () => there.received === content.length)
  // What is in packets already still comes.
  there.expected = null
  here.stream?.write(someBytes(1_000_000), () => order.push(here.closes))
  here.stream?.destroy()
  await clock.until('closed', () => here.closes === 1)
  assert.equal(order.at(-1), 0, 'sent before close')
  await clock.advance(20_000)
  assert.deepEqual([here.closes, here.drains], [1, 1])
  link.close()
})

test('pause stops the other side, within a bound; resume lets it go on', async () => {
  const { clock, link, a, b } = rig()
  const { here, there } = await talking(clock, a, b)
  const content = someBytes(4_000_000)
  there.received = 0
  there.expected = content
  there.stream?.pause()
  here.stream?.write(content)
  await clock.advance(120_000)
  assert.equal(there.received, 0)
  assert.equal(here.closes + there.closes, 0, 'nobody is taken for dead')
  const unread = b.utp.packetsInUse.unread
  assert.ok(unread > 100 && unread * 1500 <= 3 * 1024 * 1024, `${unread} packets kept`)
  assert.ok((here.stream?.bufferedBytes ?? 0) > 2_000_000)
  there.stream?.resume()
  assert.equal(there.received, 0, 'not from inside the call')
  await clock.until('the rest', () => there.received === content.length, 60_000)
  assert.equal(b.utp.packetsInUse.unread, 0)
  link.close()
})

test('datagrams of others are left to them', () => {
  const { link, a } = rig()
  const from = { ip: '10.0.0.9', port: 1 }
  assert.equal(link.inject(Buffer.from('d1:q4:ping1:t2:aa1:y1:qe and more'), from, a), false)
  assert.equal(link.inject(Buffer.alloc(40), from, a), false)
  assert.equal(link.inject(packet({}), from, a), true)
  const broken = packet({ type: UTP_TYPE.data })
  broken[1] = 1
  assert.equal(link.inject(broken, from, a), true)
  link.close()
})

test('a RESET from elsewhere, with another id or other numbers ends nothing', async () => {
  const { clock, link, a, b } = rig()
  let last: UtpPacket | null = null
  link.spy = ({ bytes, from }) => {
    if (from.ip === a.address.ip) last = decodeUtpPacket(Uint8Array.from(bytes))
    return false
  }
  const { here, there } = await talking(clock, a, b)
  const seen = last as UtpPacket | null
  assert.ok(seen)
  const real = { type: UTP_TYPE.reset, connectionId: seen.connectionId, ack: seen.ack }
  const forged: [Partial<UtpPacket>, string, number][] = [
    [real, '10.0.0.66', a.address.port],
    [real, a.address.ip, a.address.port + 1],
    [{ ...real, connectionId: (seen.connectionId + 77) & 0xffff }, a.address.ip, a.address.port],
    [{ ...real, ack: (real.ack + 500) & 0xffff }, a.address.ip, a.address.port],
    [{ ...real, ack: (real.ack - 500) & 0xffff }, a.address.ip, a.address.port],
  ]
  for (const [change, ip, port] of forged) link.inject(packet(change), { ip, port }, b)
  await clock.advance(1)
  assert.deepEqual([here.closes, there.closes], [0, 0])
  link.inject(packet(real), a.address, b)
  await clock.advance(1)
  assert.equal(there.closes, 1)
  assert.ok(there.error)
  link.close()
})

test('SYNs from everywhere cannot take more than a few places, nor make us shout', async () => {
  const { clock, link, b } = rig()
  let accepted = 0
  await b.utp.listen(b.address, () => {
    accepted += 1
    return new StreamEnd()
  })
  for (let count = 0; count < 2000; count++) {
    const from = { ip: `10.${1 + (count & 7)}.${(count >> 3) & 0xff}.1`, port: 1000 }
    link.inject(packet({ connectionId: count }), from, b)
  }
  assert.equal(b.utp.halfOpen, MAX_HALF_OPEN)
  await clock.advance(1)
  assert.equal(b.sent, MAX_HALF_OPEN, 'one answer each')
  assert.ok(b.sentBytes <= MAX_HALF_OPEN * 20)
  await clock.advance(11_000)
  assert.deepEqual([b.utp.halfOpen, b.utp.connections, accepted], [0, 0, 0])
  link.close()
})

test('packets of no connection are answered by a RESET, but not all of a flood', async () => {
  const { clock, link, b } = rig()
  for (let count = 0; count < 1000; count++)
    link.inject(packet({ type: UTP_TYPE.data, connectionId: count }), { ip: '10.0.0.9', port: 1 }, b)
  assert.equal(b.sent, MAX_RESETS_PER_SECOND)
  for (let count = 0; count < 100; count++)
    link.inject(packet({ type: UTP_TYPE.reset, connectionId: count }), { ip: '10.0.0.9', port: 1 }, b)
  assert.equal(b.sent, MAX_RESETS_PER_SECOND, 'never one for another')
  await clock.advance(1000)
  link.inject(packet({ type: UTP_TYPE.data }), { ip: '10.0.0.9', port: 1 }, b)
  assert.equal(b.sent, MAX_RESETS_PER_SECOND + 1)
  link.close()
})

test('a peer that lost its memory ends the connection', async () => {
  const { clock, link, a, b } = rig()
  const { here } = await talking(clock, a, b)
  // What b sends is lost, so its end is not heard of; then it knows nothing of the connection.
  link.spy = ({ from }) => from.ip === b.address.ip
  b.utp.close()
  link.spy = null
  const reborn = link.host('10.0.0.3')
  here.stream?.write(Buffer.from('still there?'))
  const stray = packet({ type: UTP_TYPE.data, connectionId: 5, seq: 9 })
  link.inject(stray, a.address, reborn)
  assert.equal(reborn.sent, 1)
  await clock.until('end', () => here.closes === 1, 120_000)
  assert.equal(here.error?.message, 'connection timed out')
  link.close()
})

test('when the socket of a family goes, its streams end and those of the other do not', async () => {
  const { clock, link, a, b } = rig()
  const { here } = await talking(clock, a, b)
  a.utp.drop(6, 'the address is gone')
  await clock.advance(1)
  assert.equal(here.closes, 0)
  a.utp.drop(4, 'the address is gone')
  await clock.advance(1)
  assert.equal(here.error?.message, 'the address is gone')
  assert.equal(a.utp.connections, 0)
  link.close()
})

test('close ends all streams and tells the other sides', async () => {
  const { clock, link, a, b } = rig()
  const { here, there } = await talking(clock, a, b)
  a.utp.close()
  await clock.until('both', () => here.closes === 1 && there.closes === 1, 1000)
  assert.ok(here.error && there.error)
  const late = new StreamEnd()
  a.utp.connect(b.address, OPTIONS, late)
  await clock.advance(1)
  assert.equal(late.closes, 1)
  const { sent } = a
  link.inject(packet({ type: UTP_TYPE.data }), b.address, a)
  assert.equal(a.sent, sent)
  link.close()
})
