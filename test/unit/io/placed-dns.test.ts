// Look-ups that leave from a place, against a name server of the test that notes who asks.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { DnsResolver } from '../../../src/io/net/dns-resolver.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { type PlacedDnsDeps, placedLookup } from '../../../src/io/net/placed-dns.ts'
import { PlacedTcpNetwork } from '../../../src/io/net/placed-tcp.ts'
import { PlacedUdpNetwork } from '../../../src/io/net/placed-udp.ts'
import { NetTcpNetwork } from '../../../src/io/net/tcp-net.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { FakePlace } from '../../kit/doubles/fake-place.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

type Behaviour = 'answers' | 'mute' | 'refuses' | 'cuts' | 'lies first'

/** What a name server says to `query`: 192.0.2.7 for A, nothing for other types. */
function answerTo(query: Buffer, behaviour: Behaviour): Buffer {
  // The question begins at byte 12: labels up to an empty one, type, class.
  const nameEnd = query.indexOf(0, 12) + 1
  const isA = query.readUInt16BE(nameEnd) === 1
  const [id0 = 0, id1 = 0] = query
  const code = behaviour === 'refuses' ? 5 : 0
  const cut = behaviour === 'cuts' ? 2 : 0
  const records = isA && code === 0 && cut === 0 ? 1 : 0
  const head = Buffer.from([id0, id1, 0x81 | cut, 0x80 | code, 0, 1, 0, records, 0, 0, 0, 0])
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
  return Buffer.concat([head, query.subarray(12, nameEnd + 4), record.subarray(0, records * record.length)])
}

/** A name server of this machine, over UDP and TCP at one port. */
async function nameServer(t: TestContext, behaviour: Behaviour = 'answers') {
  const socket = createSocket('udp4')
  const asked: { by: 'udp' | 'tcp'; from: string }[] = []
  socket.on('message', (query, from) => {
    asked.push({ by: 'udp', from: from.address })
    if (behaviour === 'mute') return
    const answer = answerTo(query, behaviour)
    if (behaviour === 'lies first') {
      const lie = Buffer.from(answer)
      lie.writeUInt16BE((lie.readUInt16BE(0) + 1) & 0xffff, 0)
      lie[lie.length - 1] = 66
      socket.send(lie, from.port, from.address)
    }
    socket.send(answer, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const tcp = createServer(client => {
    client.on('error', () => undefined)
    client.once('data', query => {
      asked.push({ by: 'tcp', from: client.remoteAddress ?? '' })
      const answer = answerTo(query.subarray(2), 'answers')
      const length = Buffer.from([answer.length >> 8, answer.length & 0xff])
      // In two parts, as streams are cut where they like.
      client.write(Buffer.concat([length, answer.subarray(0, 9)]), () => client.end(answer.subarray(9)))
    })
  })
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  t.after(() => {
    socket.close()
    tcp.close()
  })
  return { server: `127.0.0.1:${port}`, asked }
}

function depsOf(place: FakePlace, clock: Clock): PlacedDnsDeps {
  const deps = { place, clock, random: new SeededRandom(1), log: silentLog }
  const here = new DgramNetwork()
  return {
    ...deps,
    here,
    udp: new PlacedUdpNetwork({ ...deps, udp: here }),
    tcp: new PlacedTcpNetwork({ ...deps, tcp: new NetTcpNetwork() }),
  }
}

const resolverOf = (place: FakePlace, servers: readonly string[], clock: Clock = new SystemClock()): DnsResolver =>
  new DnsResolver({ policy: new AddressPolicy(), lookup: placedLookup(depsOf(place, clock), servers) })

const ipsOf = async (resolver: DnsResolver): Promise<string[]> =>
  (await resolver.resolve('tracker.example')).map(({ ip }) => ip)

test('questions leave from the place', async t => {
  const { server, asked } = await nameServer(t)
  const place = new FakePlace('127.0.0.5')
  assert.deepEqual(await ipsOf(resolverOf(place, [server])), ['192.0.2.7'])
  assert.equal(asked.length, 2, 'both families are asked for')
  assert.deepEqual([...new Set(asked.map(({ from }) => from))], ['127.0.0.5'])
  // The TCP of the place watches for itself.
  await waitFor('the sockets to be gone', () => place.watchers === 1)
})

test('an answer that does not fit comes by TCP, from the place too', async t => {
  const { server, asked } = await nameServer(t, 'cuts')
  assert.deepEqual(await ipsOf(resolverOf(new FakePlace('127.0.0.5'), [server])), ['192.0.2.7'])
  assert.deepEqual(asked.map(({ by }) => by).sort(), ['tcp', 'tcp', 'udp', 'udp'])
  assert.ok(asked.every(({ from }) => from === '127.0.0.5'))
})

test('a server that refuses is passed over, what another question is answered to is not believed', async t => {
  const [first, second] = [await nameServer(t, 'refuses'), await nameServer(t, 'lies first')]
  assert.deepEqual(await ipsOf(resolverOf(new FakePlace('127.0.0.5'), [first.server, second.server])), ['192.0.2.7'])
  assert.equal(first.asked.length, 2)
})

test('a server that is silent is given three seconds, then the next one is asked', async t => {
  const [first, second] = [await nameServer(t, 'mute'), await nameServer(t)]
  const clock = new VirtualClock()
  const found = ipsOf(resolverOf(new FakePlace('127.0.0.5'), [first.server, second.server], clock))
  await waitFor('the questions', () => first.asked.length === 2)
  await clock.advance(2_900)
  assert.equal(second.asked.length, 0)
  await clock.advance(200)
  assert.deepEqual(await found, ['192.0.2.7'])
})

test('a name server on this machine is asked from within, as no device leads to it', async t => {
  const { server, asked } = await nameServer(t)
  // Nothing can be bound there: whoever asked from the place would fail.
  assert.deepEqual(await ipsOf(resolverOf(new FakePlace('192.0.2.1'), [server])), ['192.0.2.7'])
  assert.ok(asked.every(({ from }) => from === '127.0.0.1'))
})

test('without an address of the family of the server nobody is asked', async t => {
  const { server, asked } = await nameServer(t)
  const failed = (error: unknown): boolean => error instanceof AppError && error.code === 'SourceFailed'
  for (const place of [new FakePlace(), new FakePlace('::1')]) {
    await assert.rejects(resolverOf(place, [server, 'fe80::1%eth0', 'nonsense']).resolve('tracker.example'), failed)
  }
  await assert.rejects(resolverOf(new FakePlace('127.0.0.5'), [server]).resolve('no name'), failed)
  assert.deepEqual(asked, [])
})

test('a question is given up when the addresses change', async t => {
  const { server, asked } = await nameServer(t, 'mute')
  const place = new FakePlace('127.0.0.5')
  const found = resolverOf(place, [server]).resolve('tracker.example')
  const failed = assert.rejects(found, AppError)
  await waitFor('the question', () => asked.length > 0)
  place.move()
  await failed
  await waitFor('the sockets to be gone', () => place.watchers === 1)
})
