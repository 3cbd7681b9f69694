// TCP and UDP that keep to a place: where they leave from, what they do when it goes and comes back. Real loopback
// sockets.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { PlacedTcpNetwork } from '../../../src/io/net/placed-tcp.ts'
import { PlacedUdpNetwork } from '../../../src/io/net/placed-udp.ts'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import type { UdpSocket } from '../../../src/ports/udp.ts'
import { FakePlace } from '../../kit/doubles/fake-place.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

const OPTIONS = { localIp: null, timeoutMs: 5_000 }

function tcpRig(t: TestContext, place: FakePlace) {
  const clock = new VirtualClock()
  const deps = { tcp: new NetTcpNetwork(), place, clock, random: new SeededRandom(1), log: silentLog }
  const tcp = new PlacedTcpNetwork(deps)
  t.after(() => tcp.close())
  return { tcp, clock }
}

function recorder() {
  const seen = { opened: false, closes: 0, error: null as Error | null, bytes: 0 }
  const handlers: TcpStreamHandlers = {
    open: () => {
      seen.opened = true
    },
    data: chunk => {
      seen.bytes += chunk.length
    },
    drain: () => undefined,
    close: error => {
      seen.closes += 1
      seen.error = error
    },
  }
  return { seen, handlers }
}

/** A server that notes who came. */
async function serve(t: TestContext): Promise<{ at: PeerAddress; from: string[]; open: Set<Socket> }> {
  const from: string[] = []
  const open = new Set<Socket>()
  const server = createServer(socket => {
    from.push(socket.remoteAddress ?? '')
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
    socket.resume()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { at: { ip: '127.0.0.1', port: (server.address() as AddressInfo).port }, from, open }
}

async function canConnect(ip: string, port: number): Promise<boolean> {
  const socket = connect({ host: ip, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('connections leave from the place, and without an address none leaves', async t => {
  const server = await serve(t)
  const place = new FakePlace('127.0.0.5')
  const { tcp } = tcpRig(t, place)
  const first = recorder()
  tcp.connect(server.at, OPTIONS, first.handlers)
  await waitFor('the connection', () => first.seen.opened && server.from.length === 1)
  assert.deepEqual(server.from, ['127.0.0.5'])
  place.move()
  const second = recorder()
  const stream = tcp.connect(server.at, OPTIONS, second.handlers)
  assert.equal(second.seen.closes, 0, 'no handler runs inside connect')
  await waitFor('the refusal', () => second.seen.closes === 1)
  assert.match(second.seen.error?.message ?? '', /no local address/)
  stream.destroy()
  assert.equal(server.from.length, 1)
})

test('an address of the other family is none', async t => {
  const server = await serve(t)
  const { tcp } = tcpRig(t, new FakePlace('::1'))
  const { seen, handlers } = recorder()
  tcp.connect(server.at, OPTIONS, handlers)
  await waitFor('the refusal', () => seen.closes === 1)
  assert.deepEqual(server.from, [])
})

test('when the address goes its connections close, others stay', async t => {
  const server = await serve(t)
  const place = new FakePlace('127.0.0.5')
  const { tcp } = tcpRig(t, place)
  const [first, second] = [recorder(), recorder()]
  tcp.connect(server.at, OPTIONS, first.handlers)
  await waitFor('the first', () => first.seen.opened)
  place.move('127.0.0.6', '127.0.0.5')
  tcp.connect(server.at, OPTIONS, second.handlers)
  await waitFor('the second', () => second.seen.opened)
  place.move('127.0.0.6')
  await waitFor('the first to close', () => first.seen.closes === 1)
  assert.equal(second.seen.closes, 0)
  await waitFor('the server to see it', () => server.open.size === 1)
})

test('a listener stands at all addresses with one port, and follows the place', async t => {
  const place = new FakePlace('127.0.0.5', '127.0.0.6')
  const { tcp } = tcpRig(t, place)
  const inside = recorder()
  const listener = await tcp.listen({ ip: 'any', port: 0 }, () => inside.handlers)
  const { port } = listener.address
  assert.ok(port > 0)
  assert.ok((await canConnect('127.0.0.5', port)) && (await canConnect('127.0.0.6', port)))
  assert.equal(await canConnect('127.0.0.1', port), false)
  const client = connect({ host: '127.0.0.6', port })
  client.on('error', () => undefined)
  await once(client, 'connect')
  const before = inside.seen.closes
  place.move('127.0.0.5')
  await new Promise(resolve => client.once('close', resolve))
  await waitFor('the accepted stream to close', () => inside.seen.closes > before)
  assert.equal(await canConnect('127.0.0.6', port), false)
  place.move()
  await waitFor('nobody listens', async () => !(await canConnect('127.0.0.5', port)))
  assert.equal(listener.address.port, port, 'the port stays')
  place.move('127.0.0.6')
  await waitFor('it listens again', () => canConnect('127.0.0.6', port))
  await listener.close()
  assert.equal(await canConnect('127.0.0.6', port), false)
  tcp.close()
  assert.equal(place.watchers, 0)
})

test('an entry has a port of its own', async t => {
  const { tcp } = tcpRig(t, new FakePlace())
  const helper = await tcp.listen({ ip: 'any', port: 0 }, () => null)
  assert.ok(helper.address.port >= 49_152, 'a port is drawn while there is no address')
  const own = helper.address.port
  await helper.close()
  const place = new FakePlace()
  place.setEndpoints([
    { ip: '127.0.0.5', port: null },
    { ip: '127.0.0.6', port: own },
  ])
  const rig = tcpRig(t, place)
  const listener = await rig.tcp.listen({ ip: 'any', port: 0 }, () => null)
  assert.ok(await canConnect('127.0.0.6', own))
  assert.ok(await canConnect('127.0.0.5', listener.address.port))
  await listener.close()
})

test('a taken port is an error at the start, and is tried again later', async t => {
  const blocker = createServer()
  await new Promise<void>(resolve => blocker.listen({ port: 0, host: '127.0.0.5', exclusive: true }, resolve))
  const { port } = blocker.address() as AddressInfo
  const place = new FakePlace('127.0.0.5')
  const { tcp, clock } = tcpRig(t, place)
  const taken = (error: unknown): boolean => error instanceof AppError && error.code === 'PortTaken'
  await assert.rejects(
    tcp.listen({ ip: 'any', port }, () => null),
    taken,
  )
  place.move('127.0.0.6', '127.0.0.5')
  const listener = await tcp.listen({ ip: 'any', port }, () => null)
  assert.equal(listener.address.ip, '127.0.0.6', 'one of two is enough')
  await new Promise(resolve => blocker.close(resolve))
  assert.equal(await canConnect('127.0.0.5', port), false)
  await clock.advance(5_000)
  await waitFor('the second address', () => canConnect('127.0.0.5', port))
  await listener.close()
  assert.equal(clock.pending, 0)
})

/** A socket that notes and answers every datagram. */
async function echo(t: TestContext): Promise<{ at: PeerAddress; from: string[] }> {
  const socket = createSocket('udp4')
  const from: string[] = []
  socket.on('message', (bytes, sender) => {
    from.push(sender.address)
    socket.send(bytes, sender.port, sender.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { at: { ip: '127.0.0.1', port: socket.address().port }, from }
}

function udpRig(place: FakePlace) {
  const clock = new VirtualClock()
  return { clock, udp: new PlacedUdpNetwork({ udp: new DgramNetwork(), place, clock, log: silentLog }) }
}

test('an outgoing UDP socket follows the place', async t => {
  const server = await echo(t)
  const place = new FakePlace('127.0.0.5')
  const { udp } = udpRig(place)
  let answers = 0
  const socket = await udp.bind({ family: 4, ip: null, port: 0 }, () => {
    answers += 1
  })
  assert.equal(socket.address.ip, '127.0.0.5')
  socket.send(Buffer.from('a'), server.at)
  await waitFor('an answer', () => answers === 1)
  place.move()
  socket.send(Buffer.from('b'), server.at)
  place.move('127.0.0.6')
  await waitFor('the new address', () => socket.address.ip === '127.0.0.6')
  socket.send(Buffer.from('c'), server.at)
  await waitFor('another answer', () => answers === 2)
  assert.deepEqual(server.from, ['127.0.0.5', '127.0.0.6'], 'what was sent without an address is lost')
  await socket.close()
  socket.send(Buffer.from('d'), server.at)
  assert.equal(place.watchers, 0)
})

test('a UDP port stands at all addresses, and answers leave from the one that was asked', async () => {
  const place = new FakePlace()
  const { udp } = udpRig(place)
  // A port that is free, as found by somebody else.
  const finder = await new DgramNetwork().bind({ family: 4, ip: '127.0.0.5', port: 0 }, () => undefined)
  const { port } = finder.address
  await finder.close()
  place.move('127.0.0.5', '127.0.0.6')
  const socket: UdpSocket = await udp.bind({ family: 4, ip: null, port }, (bytes, from) => socket.send(bytes, from))
  const heard: string[] = []
  const client = await new DgramNetwork().bind({ family: 4, ip: '127.0.0.1', port: 0 }, (_bytes, from) => {
    heard.push(`${from.ip}:${from.port}`)
  })
  client.send(Buffer.from('x'), { ip: '127.0.0.6', port })
  await waitFor('the answer', () => heard.length === 1)
  client.send(Buffer.from('x'), { ip: '127.0.0.5', port })
  await waitFor('the other answer', () => heard.length === 2)
  assert.deepEqual(heard, [`127.0.0.6:${port}`, `127.0.0.5:${port}`])
  await client.close()
  await socket.close()
})

test('a UDP socket without an address waits for one', async t => {
  const server = await echo(t)
  const place = new FakePlace('::1')
  const { udp } = udpRig(place)
  let answers = 0
  const socket = await udp.bind({ family: 4, ip: null, port: 0 }, () => {
    answers += 1
  })
  socket.send(Buffer.from('lost'), server.at)
  place.move('::1', '127.0.0.7')
  await waitFor('the address', () => socket.address.ip === '127.0.0.7')
  socket.send(Buffer.from('sent'), server.at)
  await waitFor('the answer', () => answers === 1)
  assert.deepEqual(server.from, ['127.0.0.7'])
  await socket.close()
})
