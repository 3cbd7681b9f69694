// Who may be connected, and for how long: the waiting room, silent, mute and greedy peers. Each test fails when its
// control is taken out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TcpStream } from '../../src/ports/tcp.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024

/** Streams to `node` that never say a word; answers how many of them are open. */
function strangers(swarm: SimSwarm, node: SimNode, ips: readonly string[]): () => number {
  const open = new Set<TcpStream>()
  for (const ip of ips) {
    const host = swarm.network.host(ip)
    const stream = host.connect(
      node.address,
      { localIp: null, timeoutMs: 10_000 },
      { open: () => open.add(stream), data: () => {}, drain: () => {}, close: () => open.delete(stream) },
    )
  }
  return () => open.size
}

test('the waiting room holds a hundred, ten of an address, each for ten seconds', async () => {
  const swarm = new SimSwarm(320)
  const torrent = makeTorrent({ length: 100 * KIB })
  const node = await swarm.seeder(torrent)
  const same = strangers(
    swarm,
    node,
    Array.from({ length: 15 }, () => '10.1.0.1'),
  )
  await swarm.clock.advance(1000)
  assert.equal(same(), 10)
  const many = strangers(
    swarm,
    node,
    Array.from({ length: 120 }, (_, i) => `10.2.0.${i + 1}`),
  )
  await swarm.clock.advance(1000)
  assert.equal(same() + many(), 100)
  await swarm.clock.advance(10_500)
  assert.equal(same() + many(), 0)
  await swarm.join(node, torrent, { has: () => false })
  await swarm.close()
})

test('a host that takes our call and says nothing is left after half a minute', async () => {
  const swarm = new SimSwarm(321)
  const torrent = makeTorrent({ length: 100 * KIB })
  const node = await swarm.node()
  const host = swarm.network.host('10.3.0.1')
  let open = 0
  const listener = await host.listen({ ip: host.ip, port: 6881 }, () => {
    open += 1
    return { data: () => {}, drain: () => {}, close: () => (open -= 1) }
  })
  node.add(torrent, { peers: [listener.address] })
  await swarm.clock.advance(5000)
  assert.equal(open, 1)
  await swarm.clock.advance(27_000)
  assert.equal(open, 0)
  await listener.close()
  await swarm.close()
})

test('a silent peer hears a keep-alive after two minutes and is left after four', async () => {
  const swarm = new SimSwarm(322)
  const torrent = makeTorrent({ length: 100 * KIB })
  const node = await swarm.seeder(torrent)
  const peer = await swarm.join(node, torrent, { has: () => false })
  await swarm.clock.advance(125_000)
  assert.equal(peer.messages.filter(type => type === 'keep-alive').length, 1)
  await swarm.clock.advance(110_000)
  assert.equal(peer.connected, true)
  await swarm.clock.advance(10_000)
  assert.equal(peer.connected, false)
  await swarm.close()
})

test('a choked peer that asks and asks is dropped', async () => {
  const swarm = new SimSwarm(323)
  const torrent = makeTorrent({ length: 3000 * KIB })
  const node = await swarm.seeder(torrent)
  const peer = await swarm.join(node, torrent, { has: () => false })
  const notAllowed = Array.from({ length: 90 }, (_, piece) => piece).filter(piece => !peer.allowed.includes(piece))
  for (let i = 0; i < 900; i += 1) peer.request(notAllowed[i % notAllowed.length] ?? 0)
  await swarm.clock.advance(1000)
  assert.equal(peer.connected, true)
  assert.ok(peer.rejects.length > 800)
  for (let i = 0; i < 200; i += 1) peer.request(notAllowed[i % notAllowed.length] ?? 0)
  await swarm.clock.advance(1000)
  assert.equal(peer.connected, false)
  await swarm.close()
})

test('what a peer takes back is not sent', async () => {
  const swarm = new SimSwarm(324)
  const torrent = makeTorrent({ length: 3000 * KIB })
  const node = await swarm.seeder(torrent, { line: { upRate: 100 * KIB } })
  const peer = await swarm.join(node, torrent, { has: () => false })
  peer.say(true)
  await swarm.clock.until('unchoked', () => !peer.choked, 15_000)
  for (let piece = 0; piece < 80; piece += 1) peer.request(piece)
  await swarm.clock.advance(300)
  for (let piece = 0; piece < 80; piece += 1) peer.cancel(piece)
  await swarm.clock.advance(20_000)
  assert.ok(peer.blocks.length < 20, `${peer.blocks.length} blocks`)
  assert.equal(peer.blocks.length + peer.rejects.length, 80, 'each request is answered one way or the other')
  await swarm.close()
})

test('a peer that does not read what it asked for is dropped after a minute and gives its memory back', async () => {
  const swarm = new SimSwarm(325)
  const torrent = makeTorrent({ length: 8000 * KIB })
  const node = await swarm.seeder(torrent)
  const peer = await swarm.join(node, torrent, { has: () => false })
  peer.say(true)
  await swarm.clock.until('unchoked', () => !peer.choked, 15_000)
  peer.pause()
  for (let piece = 0; piece < 240; piece += 1) peer.request(piece)
  await swarm.clock.advance(50_000)
  assert.equal(node.session.connections, 1)
  assert.ok(node.ranges.freeCount < node.ranges.slotCount)
  await swarm.clock.advance(15_000)
  assert.equal(node.session.connections, 0)
  assert.equal(node.ranges.freeCount, node.ranges.slotCount)
  await swarm.close()
})

test('a reader that waits hears why its torrent failed', async () => {
  const swarm = new SimSwarm(326)
  const torrent = makeTorrent({ length: 3000 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const reader = awake(handle).openReader(0)
  const heard = assert.rejects(Promise.resolve(reader.waitFor(2000 * KIB)), { code: 'DiskFull' })
  let settled = false
  void heard.finally(() => {
    settled = true
  })
  node.disk.faults.full = true
  await swarm.join(node, torrent)
  await swarm.clock.until('told', () => settled, 10_000)
  await heard
  reader.close()
  await swarm.close()
})
