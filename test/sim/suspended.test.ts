// Suspended torrents: who may be suspended, who wakes them, and that nobody outside sees a difference.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TorrentHandle, TorrentSpec } from '../../src/torrent/types.ts'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { assertHolds, type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024

function suspended(swarm: SimSwarm, handle: TorrentHandle | undefined): Promise<number> {
  return swarm.clock.until('suspended', () => handle?.suspended === true, 60_000)
}

const torrent = makeTorrent({ length: 1000 * KIB, pieceLength: 64 * KIB, announce: [['http://t.example/announce']] })

test('a seeder that nobody uses is suspended, shows the same, and costs no timer', async () => {
  const swarm = new SimSwarm(301)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  const [before, files, bits] = [handle.snapshot(), awake(handle).files(), handle.haveBits()]
  await suspended(swarm, handle)
  assert.deepEqual(handle.snapshot(), before)
  assert.deepEqual(handle.haveBits(), bits)
  assert.deepEqual(handle.peers(), [])
  assert.equal(swarm.clock.pending, 0, 'a suspended torrent has no timer')
  assert.equal(state.loads, 0)
  // Loaded for the call only.
  assert.deepEqual([...(await handle.loadFiles())], files)
  assert.equal((await handle.loadMetainfo())?.name, before.name)
  assert.equal(handle.suspended, true)
  assert.equal(handle.awake, null)
  assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, ['started'])
  await swarm.close()
})

test('a peer that comes wakes it, gets everything, and it is suspended again with its counters', async () => {
  const swarm = new SimSwarm(302)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  await suspended(swarm, handle)
  const revision = handle?.revision
  const leecher = await swarm.node()
  const taken = leecher.add(torrent)
  awake(taken).addPeers([node.address])
  await swarm.complete(taken, 60_000)
  assertHolds(leecher, torrent)
  assert.equal(state.loads, 1)
  assert.notEqual(handle?.revision, revision)
  const { totalUp } = handle?.snapshot() ?? {}
  assert.ok((totalUp ?? 0) >= torrent.content.length)
  await leecher.session.remove(torrent.infoHash, { deleteData: false })
  await suspended(swarm, handle)
  assert.equal(handle?.snapshot().totalUp, totalUp)
  const { uploaded, left } = node.announcers.made.get(torrent.infoHash)?.params.counters() ?? {}
  assert.deepEqual({ uploaded, left }, { uploaded: totalUp, left: 0 })
  await swarm.close()
})

test('several peers at once are all served by one loading; one that goes meanwhile is forgotten', async () => {
  const swarm = new SimSwarm(303)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  await suspended(swarm, node.session.get(torrent.infoHash))
  const peers = [swarm.peer(torrent), swarm.peer(torrent), swarm.peer(torrent)]
  for (const peer of peers) peer.connect(node.address)
  await swarm.clock.until('greeted', () => peers.every(peer => peer.messages.length > 0), 10_000)
  assert.equal(state.loads, 1)
  assert.equal(node.session.connections, 3)
  for (const peer of peers) await peer.close()
  await swarm.clock.until('gone', () => node.session.connections === 0, 10_000)
  await swarm.close()
})

test('records that fail: the peer is refused, and the next one is served', async () => {
  const swarm = new SimSwarm(304)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  await suspended(swarm, handle)
  state.fail = true
  const refused = swarm.peer(torrent)
  refused.connect(node.address)
  await swarm.clock.until('refused', () => refused.closed, 10_000)
  await assert.rejects(async () => handle?.wake(), /records are gone/)
  assert.equal(handle?.suspended, true)
  state.fail = false
  const served = await swarm.join(node, torrent)
  await swarm.clock.until('greeted', () => served.messages.length > 0, 10_000)
  node.complaints.length = 0
  await served.close()
  await swarm.close()
})

test('stopped, woken, resumed: seeds at once from what the records say, and hashes nothing', async () => {
  const swarm = new SimSwarm(305)
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await awake(handle).stop()
  await suspended(swarm, handle)
  assert.equal(handle.snapshot().status, 'stopped')
  assert.equal(handle.snapshot().progress, 1)
  node.events.length = 0
  await handle.wake()
  awake(handle).resume()
  await swarm.clock.until('seeding', () => handle.snapshot().status === 'seeding', 10_000)
  assert.deepEqual(node.events, ['status allocating', 'status seeding'])
  await swarm.close()
})

/** A node with the first pieces of the torrent, whose only seeder has gone, suspended. */
async function lonely(seed: number, spec: Partial<TorrentSpec> = {}) {
  const swarm = new SimSwarm(seed)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.node({ contents })
  const handle = node.add(torrent, spec)
  const giver = await swarm.join(node, torrent, { has: piece => piece < 8 })
  await swarm.clock.until('half', () => node.journal.resume(torrent.infoHash, 16)?.have[0] === 0xff, 60_000)
  await giver.close()
  await swarm.clock.until('suspended', () => handle.suspended, 180_000)
  node.events.length = 0
  return { swarm, state, node, handle, announcer: node.announcers.made.get(torrent.infoHash) }
}

test('a download that knows nobody is suspended after a minute, shows the same, keeps its trackers, and costs no timer', async () => {
  const { swarm, state, node, handle, announcer } = await lonely(306)
  assert.equal(handle.snapshot().status, 'downloading')
  assert.equal(handle.snapshot().progress, 0.5)
  assert.equal(handle.haveBits()[0], 0xff)
  assert.equal(handle.announced, true)
  assert.equal(swarm.clock.pending, 0, 'a suspended download has no timer')
  const { piecesLeft, piecesNobodyHas } = handle.obstacles()
  assert.deepEqual([piecesLeft, piecesNobodyHas], [8, 8])
  assert.ok((announcer?.params.wantedPeers() ?? 0) > 0, 'trackers are asked for peers')
  assert.equal(announcer?.params.counters().left, torrent.content.length - 8 * 64 * KIB)
  const { commits, syncs } = node.disk.counts
  await swarm.clock.advance(3_600_000)
  assert.deepEqual([node.disk.counts.commits, node.disk.counts.syncs, state.loads], [commits, syncs, 0])
  assert.deepEqual(
    announcer?.calls.filter(call => call !== 'soon'),
    ['started'],
  )
  await swarm.close()
})

/** Who may bring news to a suspended download. */
const wakers: Record<string, (node: SimNode, handle: TorrentHandle, seeder: SimNode) => Promise<void> | void> = {
  'a tracker': (node, _handle, seeder) => node.announcers.made.get(torrent.infoHash)?.answer([seeder.address]),
  'the DHT': (node, _handle, seeder) =>
    node.announcers.made.get(torrent.infoHash)?.params.onPeers([seeder.address], 'dht'),
  'local discovery': async (_node, handle, seeder) => {
    await handle.wake()
    awake(handle).addPeers([seeder.address], 'lsd')
  },
  'a peer that calls': (node, _handle, seeder) => awake(seeder.session.get(torrent.infoHash)).addPeers([node.address]),
}

for (const [index, [who, wake]] of Object.entries(wakers).entries()) {
  test(`a suspended download is woken by ${who}, looks at its files, fetches the rest and nobody is told of the look`, async () => {
    const { swarm, state, node, handle, announcer } = await lonely(310 + index)
    const seeder = await swarm.seeder(torrent)
    await wake(node, handle, seeder)
    const ms = await swarm.complete(handle, 60_000)
    assert.ok(ms < 8000, `${ms} ms`)
    assertHolds(node, torrent)
    assert.equal(state.loads, 1)
    assert.deepEqual(node.events, ['status seeding', `finished ${handle.snapshot().name}`])
    const sent = seeder.session.get(torrent.infoHash)?.snapshot().totalUp ?? 0
    assert.ok(sent <= torrent.content.length - 8 * 64 * KIB, 'what was there is not fetched again')
    assert.deepEqual(
      announcer?.calls.filter(call => call !== 'soon'),
      ['started', 'completed'],
    )
    await swarm.close()
  })
}

test('a reader wakes a suspended download and keeps it awake, with what is there', async () => {
  const { swarm, handle, announcer } = await lonely(320)
  await handle.wake()
  const reader = awake(handle).openReader(0)
  assert.equal(await reader.waitFor(10), 64 * KIB * 8 - 10)
  const missed = Promise.resolve(reader.waitFor(900 * KIB)).then(
    () => 'there',
    (error: unknown) => (error as { code?: string }).code,
  )
  await swarm.clock.advance(180_000)
  assert.equal(handle.suspended, false)
  assert.ok(announcer?.calls.includes('urgent'), 'trackers are asked for who waits')
  reader.close()
  assert.equal(await missed, 'Aborted')
  await swarm.clock.until('suspended again', () => handle.suspended, 180_000)
  await swarm.close()
})

test('a file that went while its download was suspended is fetched again, and nothing is written over what is not known', async () => {
  const { swarm, node, handle } = await lonely(321)
  node.disk.drop(torrent.infoHash)
  const seeder = await swarm.seeder(torrent)
  node.announcers.made.get(torrent.infoHash)?.answer([seeder.address])
  await swarm.complete(handle, 120_000)
  assertHolds(node, torrent)
  assert.ok(node.events.includes('status checking'), node.events.join())
  await swarm.close()
})

test('addresses that nobody answers at are let go; it sleeps on after three calls', async () => {
  const { swarm, node, handle } = await lonely(322)
  const nobody = { ip: '10.9.9.9', port: 6881 }
  node.announcers.made.get(torrent.infoHash)?.answer([nobody])
  await swarm.clock.until('awake', () => !handle.suspended, 1000)
  const ms = await swarm.clock.until('suspended', () => handle.suspended, 180_000)
  assert.ok(ms >= 25_000 && ms < 60_000, `${ms} ms`)
  assert.equal(handle.obstacles().addresses, 1, 'who asks hears that nobody was reached')
  await swarm.close()
})

test('a download that a magnet gave an address calls it for an hour before it is suspended', async () => {
  const swarm = new SimSwarm(323)
  const { contents } = contentsOf([torrent])
  const node = await swarm.node({ contents })
  const handle = node.add(torrent, { peers: [{ ip: '10.9.9.9', port: 6881 }] })
  await swarm.clock.advance(3_600_000)
  assert.equal(handle.suspended, false)
  await swarm.clock.until('suspended', () => handle.suspended, 3 * 3_600_000)
  await swarm.close()
})

test('stopped, resumed and removed while it is suspended', async () => {
  const { swarm, node, handle, announcer } = await lonely(324)
  await handle.wake()
  await awake(handle).stop()
  const bits = handle.haveBits()
  await suspended(swarm, handle)
  assert.deepEqual([handle.snapshot().status, handle.snapshot().progress], ['stopped', 0.5])
  assert.deepEqual(handle.haveBits(), bits)
  await handle.wake()
  awake(handle).resume()
  await swarm.clock.until(
    'suspended, running',
    () => handle.suspended && handle.snapshot().status === 'downloading',
    180_000,
  )
  assert.deepEqual(
    announcer?.calls.filter(call => call !== 'soon'),
    ['started', 'stopped', 'started'],
  )
  await node.session.remove(torrent.infoHash, { deleteData: true })
  assert.equal(node.disk.content(torrent.infoHash), undefined)
  assert.equal(announcer?.calls.at(-1), 'stopped')
  await swarm.close()
})

test('a complete torrent of an earlier run begins suspended; with a file gone it looks at its data', async () => {
  const swarm = new SimSwarm(307)
  const { state, contents } = contentsOf([torrent])
  const before = await swarm.seeder(torrent)
  const metainfo = decodeMetainfo(torrent.torrent)
  const resume = before.journal.resume(torrent.infoHash, metainfo.pieceCount)
  const node = await swarm.node({ contents })
  node.disk.put(torrent.infoHash, torrent.content, metainfo.pieceCount)
  const handle = node.add(torrent, { resume })
  assert.equal(handle.suspended, true)
  assert.equal(handle.snapshot().status, 'allocating')
  await swarm.clock.until('seeding', () => handle.snapshot().status === 'seeding', 1000)
  assert.equal(handle.suspended, true)
  assert.equal(state.loads, 0)
  assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, ['started'])
  const empty = await swarm.node({ contents })
  const gone = empty.add(torrent, { resume })
  await swarm.clock.until('downloading', () => gone.snapshot().status === 'downloading', 10_000)
  assert.equal(gone.snapshot().progress, 0)
  await swarm.close()
})

test('an incomplete torrent of an earlier run begins suspended, is announced with what it misses, and wakes for who has it', async () => {
  const swarm = new SimSwarm(325)
  const { state, contents } = contentsOf([torrent])
  const metainfo = decodeMetainfo(torrent.torrent)
  const have = Uint8Array.of(0xff, 0)
  const node = await swarm.node({ contents })
  node.disk.put(torrent.infoHash, torrent.content, metainfo.pieceCount)
  node.disk.content(torrent.infoHash)?.written.fill(0, 8)
  node.disk.content(torrent.infoHash)?.bytes.fill(0, 8 * 64 * KIB)
  const files = [{ index: 0, exists: true, sizeBytes: torrent.content.length, mtimeMs: 1 }]
  await node.journal.checkpoint(torrent.infoHash, have, files)
  const resume = node.journal.resume(torrent.infoHash, metainfo.pieceCount)
  const handle = node.add(torrent, { resume })
  assert.deepEqual([handle.suspended, handle.snapshot().status], [true, 'allocating'])
  await swarm.clock.until('downloading', () => handle.snapshot().status === 'downloading', 1000)
  const announcer = node.announcers.made.get(torrent.infoHash)
  assert.deepEqual([handle.suspended, state.loads, announcer?.calls], [true, 0, ['started']])
  assert.equal(announcer?.params.counters().left, torrent.content.length - 8 * 64 * KIB)
  const seeder = await swarm.seeder(torrent)
  announcer?.answer([seeder.address])
  await swarm.complete(handle, 60_000)
  assertHolds(node, torrent)
  // With its file gone it looks at its data when it begins.
  const empty = await swarm.node({ contents })
  const gone = empty.add(torrent, { resume })
  await swarm.clock.until('downloading', () => gone.snapshot().status === 'downloading', 10_000)
  assert.equal(gone.snapshot().progress, 0)
  await swarm.close()
})

test('who comes back within a quarter of a minute finds it awake', async () => {
  const swarm = new SimSwarm(309)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await suspended(swarm, handle)
  await handle.wake()
  await swarm.clock.advance(15_000)
  assert.equal(handle.suspended, false)
  await handle.wake()
  assert.equal(state.loads, 1)
  await swarm.clock.advance(15_000)
  assert.equal(handle.suspended, false, 'the second use counts too')
  await suspended(swarm, handle)
  await swarm.close()
})

test('removed with its data while it is suspended', async () => {
  const swarm = new SimSwarm(308)
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  await suspended(swarm, node.session.get(torrent.infoHash))
  await node.session.remove(torrent.infoHash, { deleteData: true })
  assert.equal(node.disk.content(torrent.infoHash), undefined)
  assert.equal(node.session.get(torrent.infoHash), undefined)
  assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, ['started', 'stopped'])
  await swarm.close()
})

test('whom a tracker named in vain it names in vain for a while; news, the button and new ways wake the download', async () => {
  const { swarm, node, handle, announcer } = await lonely(326)
  const nobody = { ip: '10.9.9.9', port: 6881 }
  announcer?.answer([nobody])
  await swarm.clock.until('awake', () => !handle.suspended, 1000)
  await swarm.clock.until('suspended', () => handle.suspended, 180_000)
  const wakes = async (peers: { ip: string; port: number }[]): Promise<boolean> => {
    announcer?.answer(peers)
    await swarm.clock.advance(1000)
    const woke = !handle.suspended
    if (woke) await swarm.clock.until('suspended', () => handle.suspended, 180_000)
    return woke
  }
  assert.equal(await wakes([nobody]), false)
  await swarm.clock.advance(80 * 60_000)
  assert.equal(await wakes([nobody]), false, 'more than an hour later')
  assert.equal(await wakes([nobody, { ip: '10.9.9.9', port: 6882 }]), true, 'one more')
  assert.equal(handle.forceAnnounce(null), 1)
  assert.equal(await wakes([nobody]), true, 'the user asked')
  assert.equal(await wakes([nobody]), false)
  node.session.reachAgain(false)
  assert.equal(await wakes([nobody]), true, 'there are new ways')
  await swarm.clock.advance(4 * 3_600_000)
  assert.equal(await wakes([nobody]), true, 'four hours later')
  await swarm.close()
})

test('of a crowd of downloads that know nobody all are suspended soon, and the session is told of the crowd', async () => {
  const torrents = Array.from({ length: 520 }, (_, number) =>
    makeTorrent({ name: `F${number}`, length: 100, seed: number }),
  )
  const swarm = new SimSwarm(327)
  const { contents } = contentsOf(torrents)
  const told: boolean[] = []
  const node = await swarm.node({ contents, crowdChanged: crowded => told.push(crowded) })
  const handles = torrents.map(one => node.add(one))
  await swarm.clock.until('a crowd', () => handles.every(one => one.snapshot().status === 'downloading'), 10_000)
  await swarm.clock.until('suspended', () => handles.every(one => one.suspended), 8000)
  assert.deepEqual(told, [true, false])
  await swarm.close()
})

test('a foreign file that came while its download was suspended stops it when it wakes, and is not touched', async () => {
  const swarm = new SimSwarm(328)
  const { contents } = contentsOf([torrent])
  const node = await swarm.node({ contents })
  const handle = node.add(torrent)
  await swarm.clock.until('suspended', () => handle.suspended, 180_000)
  const foreign = Uint8Array.from(torrent.content, byte => byte ^ 0x55)
  node.disk.put(torrent.infoHash, foreign, 16)
  const seeder = await swarm.seeder(torrent)
  node.announcers.made.get(torrent.infoHash)?.answer([seeder.address])
  await swarm.clock.until('stopped', () => handle.snapshot().status === 'error', 60_000)
  assert.match(handle.snapshot().error, /not.*this download|another|foreign/i)
  assert.equal(handle.obstacles().foreignFile, true)
  assert.deepEqual(node.disk.content(torrent.infoHash)?.bytes, foreign)
  assert.equal(seeder.session.get(torrent.infoHash)?.snapshot().totalUp, 0)
  await swarm.close()
})

test('dead addresses for hundreds of suspended downloads: two hundred are awake at a time, and each is called', async () => {
  const torrents = Array.from({ length: 450 }, (_, number) =>
    makeTorrent({ name: `F${number}`, length: 100, seed: number }),
  )
  const swarm = new SimSwarm(329)
  const { contents } = contentsOf(torrents)
  const node = await swarm.node({ contents })
  const handles = torrents.map(one => node.add(one))
  await swarm.clock.until('suspended', () => handles.every(one => one.suspended), 90_000)
  for (const [number, { infoHash }] of torrents.entries())
    node.announcers.made.get(infoHash)?.answer([{ ip: `10.9.${number >> 8}.${number & 255}`, port: 6881 }])
  let most = 0
  const called = () => {
    most = Math.max(most, handles.filter(one => !one.suspended).length)
    return handles.every(one => one.suspended && one.obstacles().addresses === 1)
  }
  await swarm.clock.until('all were called', called, 1_800_000)
  assert.equal(most, 200)
  await swarm.close()
})

test('a crowd with addresses that cannot all be called at once is suspended, and each is called in its turn', async () => {
  const torrents = Array.from({ length: 700 }, (_, number) =>
    makeTorrent({ name: `F${number}`, length: 100, seed: number }),
  )
  const swarm = new SimSwarm(330)
  const { contents } = contentsOf(torrents)
  const node = await swarm.node({ contents })
  const handles = torrents.map(one => node.add(one))
  await swarm.clock.until('a crowd', () => handles.every(one => one.snapshot().status === 'downloading'), 10_000)
  const seeder = await swarm.seeder(torrents[690] as MadeTorrent)
  for (const [number, { infoHash }] of torrents.entries()) {
    const dead = { ip: `10.9.${number >> 8}.${number & 255}`, port: 6881 }
    node.announcers.made.get(infoHash)?.answer([number === 690 ? seeder.address : dead])
  }
  const awake = () => handles.filter(one => !one.suspended).length
  await swarm.clock.until('most rest', () => awake() <= 300, 20_000)
  const last = handles[690]
  assert.ok(last?.suspended, 'it waits in the line')
  await swarm.complete(last, 1_800_000)
  await swarm.clock.until('all rest', () => awake() === 0, 1_800_000)
  await swarm.close()
})

test('incomplete torrents of an earlier run whose trackers named peers before do not all wake at the start', async () => {
  const torrents = Array.from({ length: 300 }, (_, number) =>
    makeTorrent({ name: `F${number}`, length: 100, seed: number }),
  )
  const swarm = new SimSwarm(331)
  const { contents } = contentsOf(torrents)
  const node = await swarm.node({ contents })
  const resume = { have: Uint8Array.of(0), suspect: [], files: [], newestMs: 0 }
  const handles = torrents.map((one, number) => {
    const handle = node.add(one, { resume })
    node.announcers.made.get(one.infoHash)?.answer([{ ip: `10.9.${number >> 8}.${number & 255}`, port: 6881 }])
    return handle
  })
  const awake = () => handles.filter(one => !one.suspended).length
  await swarm.clock.until('some wake', () => awake() > 0, 1000)
  assert.equal(awake(), 200)
  // The user does not stand in line.
  const last = handles[299]
  assert.ok(last?.suspended)
  assert.equal(last.forceAnnounce(['http://tracker.test/announce']), 1)
  node.announcers.made.get(torrents[299]?.infoHash ?? '')?.answer([{ ip: '10.9.9.9', port: 6881 }])
  await swarm.clock.until('the asked one wakes', () => last?.suspended === false, 1000)
  await swarm.clock.until('all rest', () => awake() === 0, 1_800_000)
  assert.ok(handles.every(one => one.obstacles().addresses === 1))
  await swarm.close()
})
