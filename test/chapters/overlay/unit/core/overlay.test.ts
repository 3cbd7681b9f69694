// What an overlay lets through: packets of its prefix, signed as they say, not repeated from elsewhere, not too many;
// and what it counts of the rest. Memory stays bounded under floods.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CheckBudget,
  Endpoint,
  Overlay,
  PeerBook,
  requestKind,
  Requests,
  type SignedSender,
} from '../../../../../src/chapters/overlay/core/index.ts'
import { raw, u16 } from '../../../../../src/chapters/overlay/wire/fields.ts'
import { signed, unsigned } from '../../../../../src/chapters/overlay/wire/message.ts'
import { encodePacket } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { MemoryUdp } from '../../../../kit/sim/memory-udp.ts'
import { fakeCheck, fakeIdentity } from '../../kit/fake-keys.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const ID = Buffer.alloc(20, 0x21)
const HERE = { ip: '30.0.0.1', port: 7000 }
const THERE = { ip: '30.0.0.2', port: 7000 }
const hello = signed(1, 'hello', { identifier: u16, text: raw })
const shout = unsigned(2, 'shout', { identifier: u16 })

async function rig(): Promise<{
  readonly udp: MemoryUdp
  readonly clock: VirtualClock
  readonly book: PeerBook
  readonly endpoint: Endpoint
  readonly overlay: Overlay
}> {
  const udp = new MemoryUdp()
  const clock = new VirtualClock()
  const endpoint = new Endpoint({ udp })
  const identity = fakeIdentity('us')
  const book = new PeerBook(identity.publicKey, { clock })
  const shared = { endpoint, clock, random: new SeededRandom(1), log: silentLog, identity, check: fakeCheck, book }
  const overlay = new Overlay({ communityId: ID, name: 'Test' }, { ...shared, budget: new CheckBudget() })
  await endpoint.open({ ip: null, port: 0 })
  return { udp, clock, book, endpoint, overlay }
}

test('a signed packet comes with its sender; one bit changed anywhere, or cut off, it does not come', async () => {
  const { udp, overlay } = await rig()
  const seen: [string, SignedSender][] = []
  overlay.onSigned(hello, ({ text }, from) => seen.push([Buffer.from(text).toString(), from]))
  const packet = encodePacket(overlay.prefix, hello, { identifier: 1, text: Buffer.from('hi') }, fakeIdentity('a'))
  udp.receive(packet, HERE)
  assert.equal(seen[0]?.[0], 'hi')
  assert.deepEqual(seen[0][1].publicKey, fakeIdentity('a').publicKey)
  assert.equal(seen[0][1].peer, null)
  for (let at = 23; at < packet.length; at++) {
    const forged = Uint8Array.from(packet)
    forged[at] = (forged[at] ?? 0) ^ 1
    udp.receive(forged, { ip: `40.0.${at >> 8}.${at & 0xff}`, port: 1 })
    udp.receive(packet.subarray(0, at), { ip: `41.0.${at >> 8}.${at & 0xff}`, port: 1 })
  }
  assert.equal(seen.length, 1)
  assert.ok(overlay.counts.packetsDropped > 2 * (packet.length - 23) - 3)
})

test('a packet that was recorded and comes from elsewhere is dropped; from the same place it may come again', async () => {
  const { udp, overlay, clock } = await rig()
  let seen = 0
  overlay.onSigned(hello, (_values, from) => {
    seen++
    overlay.addPeer(from.publicKey, from.address)
  })
  const packet = encodePacket(overlay.prefix, hello, { identifier: 1, text: Buffer.from('hi') }, fakeIdentity('a'))
  udp.receive(packet, HERE)
  udp.receive(packet, THERE)
  assert.equal(seen, 1)
  assert.deepEqual(overlay.peers()[0]?.address, HERE)
  udp.receive(packet, HERE)
  assert.equal(seen, 2)
  await clock.advance(121_000)
  udp.receive(packet, THERE)
  assert.equal(seen, 3)
})

test('who signs at an address is the one that is there, though another signed there too', async () => {
  const { udp, overlay, book } = await rig()
  overlay.onSigned(hello, () => undefined)
  const victim = overlay.addPeer(fakeIdentity('victim').publicKey, HERE)
  overlay.addPeer(fakeIdentity('squatter').publicKey, HERE)
  assert.notEqual(book.at(HERE), victim)
  udp.receive(
    encodePacket(overlay.prefix, hello, { identifier: 1, text: Buffer.from('x') }, fakeIdentity('victim')),
    HERE,
  )
  assert.equal(book.at(HERE), victim)
})

test('a flood of forged packets is not checked packet by packet, and peers are heard beside it', async () => {
  const { udp, overlay, clock, book } = await rig()
  let seen = 0
  overlay.onSigned(hello, () => seen++)
  const friend = fakeIdentity('friend')
  assert.ok(book.join(friend.publicKey, HERE, overlay.id) !== null)
  const forged = encodePacket(overlay.prefix, hello, { identifier: 1, text: Buffer.from('hi') }, fakeIdentity('a'))
  forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1
  for (let i = 0; i < 20_000; i++) udp.receive(forged, { ip: `50.${i >> 16}.${(i >> 8) & 0xff}.${i & 0xff}`, port: 9 })
  const budget = overlay.counts.packetsDropped
  assert.equal(budget, 20_000)
  udp.receive(encodePacket(overlay.prefix, hello, { identifier: 2, text: Buffer.from('x') }, friend), HERE)
  assert.equal(seen, 1)
  // A stranger is not heard now, but soon.
  const stranger = fakeIdentity('stranger')
  udp.receive(encodePacket(overlay.prefix, hello, { identifier: 3, text: Buffer.from('x') }, stranger), THERE)
  assert.equal(seen, 1)
  await clock.advance(1_000)
  udp.receive(encodePacket(overlay.prefix, hello, { identifier: 4, text: Buffer.from('x') }, stranger), THERE)
  assert.equal(seen, 2)
})

test('unknown numbers, trailing bytes, other overlays and too long packets are counted and dropped; a handler that throws costs one packet', async () => {
  const { udp, overlay, endpoint } = await rig()
  let seen = 0
  overlay.onPlain(shout, ({ identifier }) => {
    seen++
    if (identifier === 666) throw new Error('a bug')
  })
  const packet = encodePacket(overlay.prefix, shout, { identifier: 5 })
  for (const bytes of [
    Uint8Array.of(...packet, 0),
    packet.subarray(0, 24),
    encodePacket(overlay.prefix, unsigned(99, 'none', {}), {}),
    Uint8Array.of(...packet, ...new Uint8Array(9000)),
  ])
    udp.receive(bytes, HERE)
  assert.equal(seen, 0)
  assert.equal(overlay.counts.packetsDropped, 4)
  udp.receive(encodePacket(overlay.prefix, shout, { identifier: 666 }), HERE)
  udp.receive(packet, HERE)
  assert.equal(seen, 2)
  udp.receive(new Uint8Array(40), HERE)
  udp.receive(new Uint8Array(3), HERE)
  assert.equal(endpoint.counts.packetsUnknown, 2)
  const again = { receive: () => undefined }
  assert.throws(() => endpoint.register(overlay.prefix, again), RangeError)
  overlay.close()
  udp.receive(packet, HERE)
  assert.equal(seen, 2)
  overlay.send(shout, { identifier: 1 }, HERE)
  assert.equal(udp.sent.length, 0)
})

test('raw packets are handed on as they are, in the memory they came in', async () => {
  const { udp, overlay } = await rig()
  let same = false
  const bytes = Uint8Array.of(...overlay.prefix, 0, 1, 2, 3)
  overlay.onRaw(0, packet => {
    same = packet.buffer === bytes.buffer
  })
  udp.receive(bytes, HERE)
  assert.ok(same)
})

test('requests end once: taken, expired or cleared; ids are free ones; so many wait and no more', async () => {
  const clock = new VirtualClock()
  const requests = new Requests({ clock, random: new SeededRandom(3) })
  const kind = requestKind<string>('test', { limit: 100, timeoutMs: 1_000 })
  const expired: string[] = []
  const ids = Array.from({ length: 100 }, (_, i) => requests.open(kind, `s${i}`, state => expired.push(state)))
  assert.equal(new Set(ids).size, 100)
  assert.equal(requests.open(kind, 'more'), null)
  const [first] = ids
  assert.ok(typeof first === 'number')
  assert.equal(requests.take(kind, first), 's0')
  assert.equal(requests.take(kind, first), undefined)
  assert.equal(requests.open(requestKind<string>('other'), 'x', undefined, first), first)
  await clock.advance(1_000)
  assert.equal(expired.length, 99)
  assert.equal(requests.waiting(kind), 0)
  requests.open(kind, 'last', state => expired.push(state))
  requests.close()
  assert.equal(requests.open(kind, 'after'), null)
  await clock.advance(60_000)
  assert.equal(expired.length, 99)
  assert.equal(clock.pending, 0)
})

test('a peer is one object in all overlays; it moves, it leaves, and who watches hears of it', async () => {
  const { overlay, book, clock } = await rig()
  const heard: string[] = []
  overlay.onPeer(peer => heard.push(`+${peer.address.port}`))
  const end = overlay.onPeerGone(peer => heard.push(`-${peer.address.port}`))
  const key = fakeIdentity('a').publicKey
  const peer = overlay.addPeer(key, HERE)
  assert.ok(peer !== null)
  assert.equal(overlay.addPeer(key, { ip: HERE.ip, port: 7001 }), peer)
  assert.equal(peer.address.port, 7001)
  assert.equal(book.at(HERE), null)
  assert.equal(overlay.addPeer(overlay.identity.publicKey, HERE), null)
  assert.ok(book.spread(peer, 'ff'.repeat(20)))
  await clock.advance(5_000)
  const before = peer.heardMs
  book.heard({ ip: HERE.ip, port: 7001 })
  assert.ok(peer.heardMs > before)
  book.remove(peer)
  assert.equal(book.size, 0)
  assert.deepEqual(heard, ['+7000', '-7001'])
  end()
  for (let i = 0; i < 400; i++) overlay.addPeer(fakeIdentity(`n${i}`).publicKey, { ip: '60.0.0.1', port: i + 1 })
  assert.equal(overlay.peers().length, 256)
  assert.equal(overlay.peers(), overlay.peers())
})
