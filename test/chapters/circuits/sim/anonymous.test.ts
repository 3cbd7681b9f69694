// Whole engines over lanes in memory: hidden seeding, metadata of magnets, trackers by name and by HTTP, x.pe,
// streaming, and what becomes of all that while circuits come late, die and come back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from '../../../../src/base/ids.ts'
import { encodeBencode } from '../../../../src/wire/bencode.ts'
import { anonymousNode } from '../kit/anonymous-node.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { MemoryCircuits } from '../kit/memory-circuits.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'
import { awake } from '../../../kit/sim/awake.ts'

const torrent = makeTorrent({ length: 2_000_000, pieceLength: 64 * 1024 })

function world() {
  const clock = new VirtualClock()
  return { clock, circuits: new MemoryCircuits(clock) }
}

const complete = (handle: { snapshot(): { status: string } }) => () => handle.snapshot().status === 'seeding'

async function stopAll(clock: VirtualClock, ...nodes: Awaited<ReturnType<typeof anonymousNode>>[]): Promise<void> {
  for (const { engine, arena, ranges } of nodes) {
    let stopped = false
    void engine.stop(1000).then(() => {
      stopped = true
    })
    await clock.until('stopped', () => stopped, 10_000)
    await clock.advance(3000)
    assert.equal(arena.freeCount, arena.slotCount, 'a block slot was not given back')
    assert.equal(ranges.freeCount, ranges.slotCount, 'a range slot was not given back')
  }
  await clock.advance(60_000)
  assert.equal(clock.pending, 0, 'a timer was left')
}

test('a magnet is found in its hidden swarm, fetched and seeded there; datagrams fit into cells', async () => {
  const { clock, circuits } = world()
  const [lane, other] = [circuits.lane(2), circuits.lane(2)]
  const seeder = await anonymousNode(clock, lane, {}, 1)
  const seed = seeder.seed(torrent)
  await clock.until('seeding', complete(seed))
  assert.deepEqual([lane.demand, [...lane.swarms].map(swarm => swarm.seeding)], [1, [true]])
  const leecher = await anonymousNode(clock, other, {}, 2)
  const handle = leecher.add(torrent, { metainfo: null })
  await clock.until('joined', () => other.swarms.size === 1)
  circuits.link()
  await clock.until('complete', complete(handle))
  assert.ok(Buffer.compare(leecher.disk.content(torrent.infoHash)?.bytes ?? Buffer.alloc(0), torrent.content) === 0)
  assert.equal([...other.swarms][0]?.seeding, true, 'who has all is found by others')
  assert.ok(lane.largest <= 1332 && lane.largest > 1200, `datagrams of ${lane.largest} bytes`)
  await awake(handle).stop()
  assert.deepEqual([other.demand, other.swarms.size], [0, 0])
  await stopAll(clock, seeder, leecher)
})

test('nothing is sent before there is a circuit; then x.pe and tracker are asked, the name at the exit', async () => {
  const { clock, circuits } = world()
  const open = circuits.lane(1)
  const seeder = await anonymousNode(clock, open, {}, 1)
  const seed = seeder.seed(torrent)
  await clock.until('seeding', complete(seed))
  // Its first socket: reachable at the exit, as an open peer is.
  const peer = { ip: open.exitIp, port: 40_000 }
  const lane = circuits.lane(1, 0)
  const asked: string[] = []
  circuits.servers.set('tracker.example:80', async request => {
    asked.push(Buffer.from(request.request).toString('latin1'))
    const body = encodeBencode({ interval: 1800, peers: Buffer.concat([Buffer.from([203, 0, 113, 1, 0x9c, 0x40])]) })
    return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`), body])
  })
  const leecher = await anonymousNode(clock, lane, {}, 2)
  const tiers = [['http://tracker.example/announce', 'https://secure.example/announce']]
  const handle = leecher.add(torrent, { announceTiers: tiers.flat().map(url => [url]), peers: [peer] })
  await clock.advance(65_000)
  assert.deepEqual([asked.length, lane.exchanged.length], [0, 0])
  assert.equal(handle.snapshot().status, 'downloading')
  lane.setFacts({ ready: 1 })
  const tookMs = await clock.until('complete', complete(handle), 60_000)
  assert.ok(tookMs < 10_000, `known addresses were tried again after ${tookMs} ms`)
  await clock.until('announced', () => asked.length > 0)
  assert.match(asked[0] ?? '', /^GET \/announce\?info_hash=.*HTTP\/1\.1\r\nhost: tracker\.example\r\n/)
  assert.doesNotMatch(asked[0] ?? '', /user-agent|Tributary/i)
  handle.forceAnnounce(null)
  await clock.until('the https tracker has its error', () =>
    handle
      .trackers()
      .some(row => row.url.startsWith('https') && row.status.startsWith('Error: circuits carry no https')),
  )
  assert.ok(!lane.exchanged.some(name => name.startsWith('secure')))
  await stopAll(clock, seeder, leecher)
})

test('a private torrent joins no hidden swarm', async () => {
  const { clock, circuits } = world()
  const lane = circuits.lane(1)
  const node = await anonymousNode(clock, lane)
  const secret = makeTorrent({ length: 200_000, private: true })
  node.seed(secret)
  const open = node.add(makeTorrent({ length: 200_000, seed: 9 }))
  await clock.advance(10_000)
  assert.deepEqual(
    [...lane.swarms].map(swarm => swarm.infoHash),
    [open.infoHash],
  )
  await stopAll(clock, node)
})

test('circuits that die hold a download up, and no longer; readers get their bytes', async () => {
  const { clock, circuits } = world()
  const [lane, other] = [circuits.lane(3), circuits.lane(3)]
  const large = makeTorrent({ length: 4_000_000, pieceLength: 64 * 1024, seed: 5 })
  const seeder = await anonymousNode(clock, lane, { limits: { ...limits(), maxUploadRate: 400_000 } }, 1)
  const seed = seeder.seed(large)
  await clock.until('seeding', complete(seed))
  const leecher = await anonymousNode(clock, other, {}, 2)
  const handle = leecher.add(large)
  await clock.until('joined', () => other.swarms.size === 1)
  circuits.link()
  const reader = awake(handle).openReader(0)
  const at = 3_000_000
  let there = 0
  void Promise.resolve(reader.waitFor(at)).then(bytes => {
    there = bytes
  })
  const startMs = clock.now()
  await clock.until('the middle is there', () => there > 0)
  const readMs = clock.now() - startMs
  assert.ok(readMs < 6000, `${readMs} ms to the middle of a file that takes 10 s`)
  reader.close()
  for (const one of [lane, other]) one.setFacts({ ready: 0 })
  const links = [...other.hidden.keys()]
  for (const key of links) other.hidden.delete(key)
  lane.hidden.clear()
  await clock.advance(30_000)
  assert.notEqual(handle.snapshot().status, 'seeding')
  for (const one of [lane, other]) one.setFacts({ ready: 1 })
  for (const swarm of other.swarms) swarm.linked.clear()
  circuits.link()
  await clock.until('complete', complete(handle), 120_000)
  await stopAll(clock, seeder, leecher)
})

test('a circuit that is gone ends its connections at once, and who was there is called by another one', async () => {
  const { clock, circuits } = world()
  const [open, lane] = [circuits.lane(1), circuits.lane(2)]
  const large = makeTorrent({ length: 4_000_000, pieceLength: 64 * 1024, seed: 6 })
  const seeder = await anonymousNode(clock, open, { limits: { ...limits(), maxUploadRate: 400_000 } }, 1)
  const seed = seeder.seed(large)
  await clock.until('seeding', complete(seed))
  const peer = { ip: open.exitIp, port: 40_000 }
  const leecher = await anonymousNode(clock, lane, {}, 2)
  const handle = leecher.add(large, { peers: [peer] })
  await clock.until('half', () => handle.snapshot().progress > 0.4, 60_000)
  lane.lose(addressKey(peer))
  await clock.until('nobody is connected', () => handle.snapshot().peersConnected === 0, 1000)
  const tookMs = await clock.until('connected again', () => handle.snapshot().peersConnected === 1, 30_000)
  assert.ok(tookMs < 3000, `${tookMs} ms`)
  await clock.until('complete', complete(handle), 60_000)
  await stopAll(clock, seeder, leecher)
})

test('the DHT is asked by names at the exit, with an id of its own, and answers nobody', async () => {
  const { clock, circuits } = world()
  const lane = circuits.lane(1)
  circuits.names.set('router.example', '198.51.100.1')
  const router = { ip: '198.51.100.1', port: 6881 }
  const asked: Buffer[] = []
  circuits.endpoint(router, bytes => void asked.push(Buffer.from(bytes)))
  const node = await anonymousNode(clock, lane, { dht: true, dhtBootstrap: ['router.example:6881'] })
  node.add(torrent)
  await clock.until('asked', () => asked.length > 0)
  assert.ok(lane.sent.some(({ to }) => to === 'router.example'))
  const before = asked.length
  const ping = encodeBencode({ t: 'aa', y: 'q', q: 'ping', a: { id: Buffer.alloc(20, 7) } })
  circuits.deliver(ping, router, { ip: lane.exitIp, port: 40_000 })
  await clock.advance(100)
  const answers = asked.slice(before).filter(bytes => bytes.includes('1:y1:r'))
  assert.deepEqual(answers, [])
  await stopAll(clock, node)
})

function limits() {
  return { maxDownloadRate: 0, maxConnections: 100, maxConnectionsPerTorrent: 50, uploadSlots: 4 }
}
