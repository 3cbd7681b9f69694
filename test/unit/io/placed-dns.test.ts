// Look-ups that leave from a place, against a name server of the test that notes who asks.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { AddressPolicy } from '../../../src/io/address-policy.ts'
import { DnsResolver } from '../../../src/io/dns-resolver.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { type PlacedDnsDeps, placedLookup } from '../../../src/io/placed-dns.ts'
import { PlacedTcpNetwork } from '../../../src/io/placed-tcp.ts'
import { PlacedUdpNetwork } from '../../../src/io/placed-udp.ts'
import { NetTcpNetwork } from '../../../src/io/tcp-net.ts'
import { DgramNetwork } from '../../../src/io/udp-dgram.ts'
import { FakePlace } from '../../kit/fake-place.ts'
import { SeededRandom } from '../../kit/seeded-random.ts'
import { silentLog } from '../../kit/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** Answers 192.0.2.7 for A, nothing for other types, and nothing at all when `mute`. */
async function nameServer(t: TestContext, mute = false) {
  const socket = createSocket('udp4')
  const askedFrom: string[] = []
  socket.on('message', (query, from) => {
    askedFrom.push(from.address)
    if (mute) return
    // The question begins at byte 12: labels up to an empty one, type, class.
    const nameEnd = query.indexOf(0, 12) + 1
    const isA = query.readUInt16BE(nameEnd) === 1
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
    const question = query.subarray(12, nameEnd + 4)
    socket.send(Buffer.concat(isA ? [head, question, record] : [head, question]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, askedFrom }
}

function depsOf(place: FakePlace): PlacedDnsDeps {
  const deps = { place, clock: new SystemClock(), random: new SeededRandom(1), log: silentLog }
  const here = new DgramNetwork()
  return {
    ...deps,
    here,
    udp: new PlacedUdpNetwork({ ...deps, udp: here }),
    tcp: new PlacedTcpNetwork({ ...deps, tcp: new NetTcpNetwork() }),
  }
}

const resolverOf = (place: FakePlace, servers: readonly string[]): DnsResolver =>
  new DnsResolver({ policy: new AddressPolicy(), lookup: placedLookup(depsOf(place), servers) })

test('questions leave from the place', async t => {
  const { server, askedFrom } = await nameServer(t)
  const place = new FakePlace('127.0.0.5')
  const found = await resolverOf(place, [server]).resolve('tracker.example')
  assert.deepEqual(
    found.map(address => address.ip),
    ['192.0.2.7'],
  )
  assert.ok(askedFrom.length >= 2, 'both families are asked for')
  assert.deepEqual([...new Set(askedFrom)], ['127.0.0.5'])
  // The TCP of the place watches for itself.
  await waitFor('the sockets to be gone', () => place.watchers === 1)
})

test('without an address of the family of the server nobody is asked', async t => {
  const { server, askedFrom } = await nameServer(t)
  const failed = (error: unknown): boolean => error instanceof AppError && error.code === 'SourceFailed'
  await assert.rejects(resolverOf(new FakePlace(), [server]).resolve('tracker.example'), failed)
  await assert.rejects(resolverOf(new FakePlace('::1'), [server]).resolve('tracker.example'), failed)
  assert.deepEqual(askedFrom, [])
})

test('a question is given up when the addresses change', async t => {
  const { server, askedFrom } = await nameServer(t, true)
  const place = new FakePlace('127.0.0.5')
  const asked = resolverOf(place, [server]).resolve('tracker.example')
  const failed = assert.rejects(asked, AppError)
  await waitFor('the question', () => askedFrom.length > 0)
  place.move()
  await failed
  // The TCP of the place watches for itself.
  await waitFor('the sockets to be gone', () => place.watchers === 1)
})
