// The queue of whole sessions: limits are held, the next begins when one ends or is slow, streams never wait, and what
// waits costs nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_QUEUE, type QueueLimits } from '../../src/torrent/session/torrent-queue.ts'
import type { TorrentHandle, TorrentSpec, TorrentStatus } from '../../src/torrent/types.ts'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { assertHolds, type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { settle } from '../kit/sim/virtual-clock.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const announce = [['http://t.example/announce']]
/** Five torrents of 16 pieces. */
const torrents = [1, 2, 3, 4, 5].map(seed =>
  makeTorrent({ name: `t${seed}`, length: 1000 * KIB, pieceLength: 64 * KIB, seed, announce }),
)

function limits(change: Partial<QueueLimits>): QueueLimits {
  return { ...NO_QUEUE, ...change }
}

interface Queued {
  readonly swarm: SimSwarm
  readonly node: SimNode
  readonly handles: TorrentHandle[]
  /** First letters of the statuses: Queued, Downloading, Seeding, sTopped, Error, Metadata, Other. */
  states(): string
  until(states: string, limitMs?: number): Promise<number>
  /** A seeder of torrent `index` connects and stays. */
  feed(index: number, upRate?: number): ReturnType<SimSwarm['join']>
}

const LETTERS: Partial<Record<TorrentStatus, string>> = {
  queued: 'Q',
  downloading: 'D',
  seeding: 'S',
  stopped: 'T',
  error: 'E',
  metadata: 'M',
}

/**
 * A node with the torrents added in order; `there`: those whose data is on its disk, with progress of an earlier run.
 */
async function begin(
  seed: number,
  queue: Partial<QueueLimits>,
  there: readonly number[] = [],
  spec: Partial<TorrentSpec> = {},
): Promise<Queued> {
  const swarm = new SimSwarm(seed)
  const { contents } = contentsOf(torrents)
  const node = await swarm.node({ contents, session: { queue: limits(queue) } })
  const handles: TorrentHandle[] = []
  for (const [index, torrent] of torrents.entries()) {
    handles.push(node.add(torrent, { ...spec, ...(there.includes(index) ? await finished(node, torrent) : {}) }))
  }
  const states = () => handles.map(handle => LETTERS[handle.snapshot().status] ?? 'O').join('')
  const until = (wanted: string, limitMs = 30_000) => swarm.clock.until(wanted, () => states() === wanted, limitMs)
  const feed = (index: number, upRate = 4000 * KIB) => swarm.join(node, torrents[index] as MadeTorrent, {}, { upRate })
  return { swarm, node, handles, states, until, feed }
}

/** Puts the data of a torrent on the disk, with what an earlier run knew of it. */
async function finished(node: SimNode, torrent: MadeTorrent): Promise<Partial<TorrentSpec>> {
  const metainfo = decodeMetainfo(torrent.torrent)
  node.disk.put(torrent.infoHash, torrent.content, metainfo.pieceCount)
  const have = new Uint8Array(Math.ceil(metainfo.pieceCount / 8)).fill(0xff)
  for (let spare = metainfo.pieceCount; spare < have.length * 8; spare += 1) {
    have[spare >> 3] = (have[spare >> 3] ?? 0) & ~(0x80 >> (spare & 7))
  }
  const files = metainfo.files.map(file => ({ index: file.index, exists: true, sizeBytes: file.length, mtimeMs: 0 }))
  await node.journal.checkpoint(torrent.infoHash, have, files)
  return { resume: node.journal.resume(torrent.infoHash, metainfo.pieceCount) }
}

function announced(node: SimNode, handle: TorrentHandle | undefined): readonly string[] {
  const calls = node.announcers.made.get(handle?.infoHash ?? '')?.calls ?? []
  return calls.filter(call => call !== 'soon' && call !== 'urgent')
}

test('two download, three wait; the next begins when one finishes; all complete in the order of adding', async () => {
  const { swarm, node, handles, states, until, feed } = await begin(401, { downloads: 2 })
  await until('DDQQQ')
  for (const waiting of handles.slice(2)) {
    assert.equal(waiting.suspended, true, 'nothing is made of a torrent that waits for its first turn')
    assert.deepEqual(announced(node, waiting), [])
  }
  const done: number[] = []
  for (const next of ['SDDQQ', 'SSDDQ', 'SSSDD', 'SSSSD', 'SSSSS']) {
    const index = done.length
    await feed(index)
    await until(next)
    assertHolds(node, torrents[index] as MadeTorrent)
    done.push(index)
  }
  assert.equal(states(), 'SSSSS')
  assert.deepEqual(announced(node, handles[4]), ['started', 'completed'])
  await swarm.close()
})

test('the next begins when one is stopped or fails; a resumed one takes its place in the queue, not past it', async () => {
  const { swarm, node, handles, until } = await begin(402, { downloads: 2 })
  await until('DDQQQ')
  await awake(handles[0]).stop()
  await until('TDDQQ')
  awake(handles[0]).resume()
  await until('QDDQQ')
  await swarm.clock.advance(30_000)
  assert.equal(handles[0]?.snapshot().status, 'queued')
  assert.deepEqual(announced(node, handles[0]), ['started', 'stopped'])
  // Its place is that of its adding: it goes before those that came later.
  await node.session.remove((torrents[1] as MadeTorrent).infoHash, { deleteData: false })
  await swarm.clock.until('its turn', () => handles[0]?.snapshot().status === 'downloading', 5000)
  assert.equal(handles[3]?.snapshot().status, 'queued')
  await swarm.close()
})

test('a torrent that fails makes room', async () => {
  const { swarm, node, until, feed } = await begin(403, { downloads: 1 })
  await until('DQQQQ')
  node.disk.faults.full = true
  await feed(0)
  await swarm.clock.until('failed', () => node.events.some(event => event.startsWith('failed')), 30_000)
  await until('EDQQQ')
  // The disk has room again: it waits for its turn.
  node.disk.faults.full = false
  await until('QDQQQ', 60_000)
  await feed(1)
  await until('DSQQQ')
  await swarm.close()
})

test('slow downloads do not count after a minute, and cost the last its place when they are fast again', async () => {
  const { swarm, node, handles, states, until, feed } = await begin(404, { downloads: 1 })
  await until('DQQQQ')
  await swarm.clock.advance(50_000)
  assert.equal(states(), 'DQQQQ', 'not slow for a minute yet')
  await until('DDQQQ', 20_000)
  assert.deepEqual([handles[0]?.suspended, handles[1]?.suspended], [true, false], 'nobody is there for the first')
  // The first gets a seeder that lasts for minutes; the second is slow in its turn, then the first counts again.
  await swarm.clock.advance(10_000)
  await feed(0, 6 * KIB)
  await swarm.clock.until('the last was held', () => node.events.includes('status queued'), 120_000)
  assert.match(states(), /^D.*Q$/)
  await swarm.clock.advance(10_000)
  assert.equal(handles.filter(handle => handle.snapshot().status === 'downloading').length <= 2, true)
  await swarm.close()
})

test('slow ones count when the setting says so', async () => {
  const { swarm, states, until } = await begin(405, { downloads: 1, dontCountSlow: false })
  await until('DQQQQ')
  await swarm.clock.advance(300_000)
  assert.equal(states(), 'DQQQQ')
  await swarm.close()
})

test('a stream of a queued torrent runs at once, beyond the limit, and its torrent waits on when it is closed', async () => {
  const { swarm, node, handles, until, feed, states } = await begin(406, { downloads: 1, dontCountSlow: false })
  await until('DQQQQ')
  const [, , , , last] = handles as [TorrentHandle, TorrentHandle, TorrentHandle, TorrentHandle, TorrentHandle]
  await last.wake()
  const reader = awake(last).openReader(0)
  let there = 0
  void Promise.resolve(reader.waitFor(500 * KIB)).then(bytes => {
    there = bytes
  })
  await swarm.clock.until('online', () => announced(node, last).includes('started'), 100)
  assert.equal(states(), 'DQQQD', 'nobody lost its place')
  await feed(4)
  assert.ok((await swarm.clock.until('a piece', () => there > 0, 5000)) < 1500)
  assert.equal(states(), 'DQQQD')
  reader.close()
  await until('DQQQQ')
  assert.deepEqual(announced(node, last).at(-1), 'stopped')
  await swarm.clock.until('suspended', () => last.suspended, 60_000)
  assert.ok(last.snapshot().progress > 0)
  await swarm.close()
})

test('a stream that runs beyond the limit gets its turn without a break, and keeps running when its turn ends', async () => {
  const { swarm, node, handles, until } = await begin(407, { downloads: 1, dontCountSlow: false })
  await until('DQQQQ')
  const second = handles[1] as TorrentHandle
  await second.wake()
  const reader = awake(second).openReader(0)
  const wait = Promise.resolve(reader.waitFor(0)).catch((error: unknown) => error)
  await until('DDQQQ')
  node.session.setLimits({ queue: limits({ downloads: 2, dontCountSlow: false }) })
  await swarm.clock.advance(1000)
  assert.deepEqual(announced(node, second), ['started'])
  node.session.setLimits({ queue: limits({ downloads: 0, dontCountSlow: false }) })
  await until('QDQQQ')
  assert.deepEqual(announced(node, second), ['started'])
  reader.close()
  await until('QQQQQ')
  assert.match(String(await wait), /Aborted/)
  await swarm.close()
})

test('who waits for the metadata of a queued magnet gets it at once', async () => {
  const swarm = new SimSwarm(408)
  const { contents } = contentsOf(torrents)
  const [first, second] = torrents as [MadeTorrent, MadeTorrent]
  const node = await swarm.node({ contents, session: { queue: limits({ downloads: 1 }) } })
  const seeder = await swarm.seeder(second)
  node.add(first)
  const magnet = node.add(second, { metainfo: null, name: 'magnet', peers: [seeder.address] })
  await swarm.clock.advance(1000)
  assert.equal(magnet.snapshot().status, 'queued')
  assert.equal(magnet.suspended, true)
  assert.equal(await magnet.loadMetainfo(), null)
  assert.deepEqual(await magnet.loadFiles(), [])
  assert.equal(magnet.haveBits().length, 0)
  let name = ''
  void magnet
    .wake()
    .then(torrent => torrent.whenMetadata(new AbortController().signal))
    .then(metainfo => {
      name = metainfo.name
    })
  await swarm.clock.until('metadata', () => name === 't2', 10_000)
  await swarm.clock.until('waits on', () => magnet.snapshot().status === 'queued', 10_000)
  assert.equal(magnet.snapshot().totalDown, 0, 'nothing but the metadata was fetched')
  await swarm.close()
})

test('settings count at once, in both directions', async () => {
  const { swarm, node, states, until } = await begin(409, { downloads: 1 })
  await until('DQQQQ')
  /** No time passes. */
  const set = async (queue: QueueLimits) => {
    node.session.setLimits({ queue })
    for (let turn = 0; turn < 20; turn += 1) await settle()
    return states()
  }
  assert.equal(await set(limits({ downloads: 3 })), 'DDDQQ')
  assert.equal(await set(limits({ downloads: 3, all: 2 })), 'DDQQQ')
  assert.equal(await set(limits({ downloads: 0 })), 'QQQQQ')
  assert.equal(await set(NO_QUEUE), 'DDDDD')
  await swarm.close()
})

test('seeds wait too, take turns while others wait, and a finished download goes to the end of their line', async () => {
  const queue = { seeds: 1, downloads: 1, dontCountSlow: false }
  const { swarm, node, handles, until, feed } = await begin(410, queue, [0, 1, 2])
  await until('SQQDQ')
  assert.equal(handles[1]?.suspended, true)
  assert.deepEqual(announced(node, handles[1]), [])
  await feed(3)
  await until('SQQQD')
  // The end of a turn of half an hour.
  await until('QSQQD', 31 * 60_000)
  await until('QQSQD', 31 * 60_000)
  await until('QQQSD', 31 * 60_000)
  await until('SQQQD', 31 * 60_000)
  assert.deepEqual(announced(node, handles[0]), ['started', 'stopped', 'started'])
  await swarm.close()
})

test('seeds that nobody asks do not count: they all end up suspended, seeding', async () => {
  const { swarm, node, handles, until } = await begin(411, { seeds: 1 }, [0, 1, 2, 3, 4])
  await until('SQQQQ')
  await until('SSQQQ', 70_000)
  await until('SSSSS', 300_000)
  await swarm.clock.until('suspended', () => handles.every(handle => handle.suspended), 60_000)
  await swarm.clock.advance(120_000)
  assert.equal(swarm.clock.pending, 0, 'no timer is left when nothing waits')
  assert.ok(handles.every(handle => announced(node, handle).join() === 'started'))
  await swarm.close()
})

test('a queued seed refuses peers; one whose data is in doubt is looked at when it is its turn', async () => {
  const { swarm, node, handles, until } = await begin(412, { seeds: 1, dontCountSlow: false }, [0, 1])
  await until('SQDDD')
  const peer = swarm.peer(torrents[1] as MadeTorrent)
  peer.connect(node.address)
  await swarm.clock.until('refused', () => peer.closed, 10_000)
  assert.equal(handles[1]?.suspended, true)
  await awake(handles[0]).stop()
  await until('TSDDD')
  await swarm.close()
})

test('a recheck of a queued torrent runs, and it waits on', async () => {
  const { swarm, node, handles, until } = await begin(413, { seeds: 1, dontCountSlow: false }, [0, 1])
  await until('SQDDD')
  await handles[1]?.wake()
  await awake(handles[1]).recheck()
  assert.ok(node.events.includes('status checking'))
  await until('SQDDD')
  assert.equal(handles[1]?.snapshot().progress, 1)
  assert.deepEqual(announced(node, handles[1]), [])
  await swarm.close()
})

test('what is added stopped waits for nobody and takes no place', async () => {
  const { swarm, handles, until } = await begin(414, { downloads: 1 }, [], { running: false })
  await until('TTTTT')
  awake(handles[3]).resume()
  await until('TTTDT')
  awake(handles[1]).resume()
  await until('TQTDT')
  await swarm.close()
})

test('after a restart the same torrents run: order is that of adding', async () => {
  const first = await begin(415, { downloads: 2, seeds: 1, dontCountSlow: false }, [1])
  await first.until('DSDQQ')
  const again = await begin(416, { downloads: 2, seeds: 1, dontCountSlow: false }, [1])
  await again.until('DSDQQ')
  await first.swarm.close()
  await again.swarm.close()
})

test('a preview of a magnet does not wait', async () => {
  const swarm = new SimSwarm(417)
  const node = await swarm.node({ session: { queue: limits({ downloads: 0 }) } })
  const [torrent, other] = torrents as [MadeTorrent, MadeTorrent]
  const preview = node.add(torrent, { metainfo: null, unqueued: true })
  const waits = node.add(other, { metainfo: null })
  await swarm.clock.advance(1000)
  assert.equal(preview.snapshot().status, 'metadata')
  assert.equal(waits.snapshot().status, 'queued')
  await swarm.close()
})

test('one whose records cannot be read at its turn lets others go, and asks again', async () => {
  const swarm = new SimSwarm(419)
  const { state, contents } = contentsOf(torrents)
  const node = await swarm.node({ contents, session: { queue: limits({ downloads: 1, dontCountSlow: false }) } })
  const [first, second, third] = torrents.slice(0, 3).map(torrent => node.add(torrent))
  assert.ok(first && second && third)
  await swarm.clock.until('first runs', () => first.snapshot().status === 'downloading', 1000)
  state.fail = true
  await awake(first).stop()
  await swarm.clock.until('both were tried', () => state.loads === 2, 1000)
  await settle()
  assert.deepEqual(
    [second, third].map(handle => handle.snapshot().status),
    ['queued', 'queued'],
  )
  node.complaints.length = 0
  state.fail = false
  await swarm.clock.until('the next', () => second.snapshot().status === 'downloading', 61_000)
  await swarm.clock.advance(10_000)
  assert.equal(third.snapshot().status, 'queued')
  await awake(second).stop()
  await swarm.clock.until('the last', () => third.snapshot().status === 'downloading', 1000)
  await swarm.close()
})

test('5,000 queued torrents cost nothing while they wait, and little when they go', async () => {
  const swarm = new SimSwarm(418)
  const { state, contents } = contentsOf(torrents)
  const node = await swarm.node({ contents, session: { queue: limits({ downloads: 3, dontCountSlow: false }) } })
  const one = decodeMetainfo((torrents[0] as MadeTorrent).torrent)
  const handles: TorrentHandle[] = []
  for (let i = 0; i < 5000; i += 1) {
    const infoHash = i.toString(16).padStart(40, '0') as MadeTorrent['infoHash']
    handles.push(node.add(torrents[0] as MadeTorrent, { infoHash, metainfo: { ...one, infoHash } }))
  }
  await swarm.clock.advance(60_000)
  const running = () => handles.filter(handle => handle.snapshot().status !== 'queued')
  assert.deepEqual(running(), handles.slice(0, 3))
  assert.equal(handles.filter(handle => !handle.suspended).length, 3)
  // The one of the queue, and whatever three downloads without peers need.
  assert.ok(swarm.clock.pending <= 3, `${swarm.clock.pending} timers`)
  assert.equal(node.events.filter(event => event === 'status downloading').length, 3)
  assert.equal(state.loads, 0)
  // A limit that falls away does not start thousands in one turn of the loop.
  node.session.setLimits({ queue: NO_QUEUE })
  await settle()
  assert.ok(state.loads > 0 && state.loads <= 16, `${state.loads} begun`)
  await swarm.clock.until('all had their turn', () => state.loads === 4997, 10_000)
  await swarm.close()
})
