// Two engines over real TCP and real files: transfers, magnets, stop and resume, recheck, readers, changed files.

import assert from 'node:assert/strict'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { TorrentHandle } from '../../../src/torrent/index.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { LoopbackNode, type LoopbackOptions } from '../../kit/nodes/loopback-node.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { awake } from '../../kit/sim/awake.ts'

const MIB = 1024 * 1024

async function node(t: TestContext, options: LoopbackOptions = {}): Promise<LoopbackNode> {
  const made = await new LoopbackNode(options).start()
  t.after(() => made.close())
  return made
}

async function seeder(t: TestContext, torrent: MadeTorrent, options: LoopbackOptions = {}): Promise<LoopbackNode> {
  const made = await node(t, options)
  await made.put(torrent)
  const handle = made.add(torrent)
  await status(handle, 'seeding')
  return made
}

function status(handle: TorrentHandle, wanted: string): Promise<unknown> {
  return waitFor(
    `status ${wanted}`,
    () => handle.snapshot().status === wanted,
    20_000,
    () => handle.snapshot(),
  )
}

function fileOf(at: LoopbackNode, torrent: MadeTorrent, index = 0): Buffer {
  return readFileSync(join(at.folder, ...(decodeMetainfo(torrent.torrent).files[index]?.path ?? [])))
}

test('a torrent goes from one engine to the other, byte for byte', async t => {
  const torrent = makeTorrent({ length: 20 * MIB + 12_345, pieceLength: 256 * 1024 })
  const from = await seeder(t, torrent)
  assert.deepEqual(from.events, ['allocating', 'waiting-check', 'checking', 'seeding'])
  const to = await node(t)
  const handle = to.add(torrent, { peers: [from.address] })
  await status(handle, 'seeding')
  assert.ok(fileOf(to, torrent).equals(torrent.content))
  assert.deepEqual(to.events, ['allocating', 'downloading', 'seeding', 'finished'])
  assert.equal(handle.snapshot().totalDown, torrent.content.length)
  assert.equal(from.session.get(torrent.infoHash)?.snapshot().totalUp, torrent.content.length)
  await waitFor('the checkpoint at the end', () => to.journal.verified(torrent.infoHash).size === 0)
  // Both have everything: they part.
  await waitFor('parting', () => handle.peers().length === 0)
  assert.deepEqual(to.announcers.made.get(torrent.infoHash)?.calls, ['started', 'completed'])
})

test('a magnet fetches its metadata first, and keeps its connection', async t => {
  const torrent = makeTorrent({ length: 3 * MIB, pieceLength: 64 * 1024 })
  const from = await seeder(t, torrent)
  const to = await node(t)
  const handle = to.add(torrent, { metainfo: null, peers: [from.address] })
  assert.equal(handle.snapshot().status, 'metadata')
  const metainfo = await awake(handle).whenMetadata(AbortSignal.timeout(10_000))
  assert.deepEqual(Buffer.from(metainfo.infoBytes), Buffer.from(torrent.info))
  await status(handle, 'seeding')
  assert.ok(fileOf(to, torrent).equals(torrent.content))
  assert.ok(to.events.indexOf('metadata') < to.events.indexOf('downloading'))
})

test('files of all kinds: empty, tiny, shared pieces, padding; only the selected are fetched', async t => {
  const torrent = makeTorrent({
    pieceLength: 32 * 1024,
    files: [
      { path: 'a/first', length: 100_000 },
      { path: 'empty', length: 0 },
      { path: 'b/tiny', length: 10 },
      { path: 'b/last', length: 200_000 },
    ],
    padding: true,
  })
  const from = await seeder(t, torrent)
  const to = await node(t)
  const files = decodeMetainfo(torrent.torrent).files
  const last = files.find(file => file.path.at(-1) === 'last')
  assert.ok(last)
  const handle = to.add(torrent, { peers: [from.address], selectedFiles: [last.index] })
  await status(handle, 'seeding')
  assert.ok(fileOf(to, torrent, last.index).equals(torrent.content.subarray(last.offset, last.offset + last.length)))
  const shown = awake(handle).files()
  assert.deepEqual(
    shown.map(file => [file.name, file.selected, file.progress === 1]),
    [
      ['a/first', false, false],
      ['empty', false, true],
      ['b/tiny', false, false],
      ['b/last', true, true],
    ],
  )
  assert.equal(handle.snapshot().progress, 1)
  assert.throws(() => awake(handle).select([99]), { name: 'InvalidParameter' })
  awake(handle).select(null)
  assert.equal(handle.snapshot().status, 'downloading')
  awake(handle).addPeers([from.address])
  await status(handle, 'seeding')
  assert.equal(to.events.filter(event => event === 'finished').length, 2)
})

test('stop keeps what is verified; resume fetches only the rest', async t => {
  const torrent = makeTorrent({ length: 8 * MIB, pieceLength: 128 * 1024 })
  const from = await seeder(t, torrent, { session: { maxUploadRate: 3 * MIB } })
  const to = await node(t)
  const handle = to.add(torrent, { peers: [from.address] })
  await waitFor('a part', () => handle.snapshot().progress > 0.3)
  await awake(handle).stop()
  assert.equal(handle.snapshot().status, 'stopped')
  assert.equal(handle.peers().length, 0)
  const before = handle.snapshot()
  assert.ok(before.progress < 1)
  assert.equal(to.journal.verified(torrent.infoHash).size, 0, 'stopping is a checkpoint')
  from.session.setLimits({ maxUploadRate: 0 })
  awake(handle).resume()
  await status(handle, 'seeding')
  assert.ok(fileOf(to, torrent).equals(torrent.content))
  assert.ok(
    handle.snapshot().totalDown <= torrent.content.length + 2 * MIB,
    'more than the pieces in flight came twice',
  )
  assert.ok(!to.events.includes('checking'))
})

test('an engine that was killed goes on from the journal without a recheck', async t => {
  const torrent = makeTorrent({ length: 8 * MIB, pieceLength: 128 * 1024 })
  const from = await seeder(t, torrent, { session: { maxUploadRate: 3 * MIB } })
  const first = await new LoopbackNode().start()
  const handle = first.add(torrent, { peers: [from.address] })
  await waitFor('a part', () => handle.snapshot().progress > 0.3)
  // What a kill leaves: the journal as it is now.
  const resume = { ...first.journal.resume(torrent.infoHash, 64), newestMs: Date.now() }
  const had = handle.haveBits()
  assert.ok(first.journal.verified(torrent.infoHash).size > 10)
  await first.close(true)
  from.session.setLimits({ maxUploadRate: 0 })
  const second = await node(t, { folder: first.folder })
  const again = second.add(torrent, { resume, peers: [from.address] })
  assert.deepEqual(again.haveBits(), resume.have)
  await status(again, 'seeding')
  assert.ok(!second.events.includes('checking'))
  const pieces = had.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
  assert.ok(again.snapshot().totalDown <= torrent.content.length - (pieces - 2) * 128 * 1024)
  assert.ok(fileOf(second, torrent).equals(torrent.content))
})

test('a file changed from outside is hashed again, alone; suspect pieces too', async t => {
  const torrent = makeTorrent({
    pieceLength: 16 * 1024,
    files: [
      { path: 'a', length: 160 * 1024 },
      { path: 'b', length: 160 * 1024 },
    ],
  })
  const first = await new LoopbackNode().start()
  await first.put(torrent)
  await status(first.add(torrent), 'seeding')
  const resume = first.journal.resume(torrent.infoHash, 20)
  await first.close(true)
  const path = join(first.folder, 'folder', 'b')
  const bytes = readFileSync(path)
  bytes[50_000] = (bytes[50_000] ?? 0) ^ 1
  writeFileSync(path, bytes)
  utimesSync(path, new Date(), new Date(Date.now() + 5000))
  const second = await node(t, { folder: first.folder })
  const handle = second.add(torrent, { resume: { ...resume, suspect: [2] } })
  await status(handle, 'downloading')
  assert.ok(second.events.includes('checking'))
  const [a, b] = awake(handle).files()
  assert.equal(a?.progress, 1)
  assert.ok(b && b.progress > 0.8 && b.progress < 1)
})

test('recheck finds what is broken, and a stopped torrent stays stopped', async t => {
  const torrent = makeTorrent({ length: MIB, pieceLength: 32 * 1024 })
  const at = await node(t)
  await at.put(torrent)
  const handle = at.add(torrent)
  await status(handle, 'seeding')
  await awake(handle).stop()
  const bytes = fileOf(at, torrent)
  bytes[100_000] = (bytes[100_000] ?? 0) ^ 1
  writeFileSync(join(at.folder, 'file.bin'), bytes)
  await awake(handle).recheck()
  assert.equal(at.journal.resets, 1)
  assert.equal(handle.snapshot().status, 'stopped')
  assert.equal(handle.snapshot().progress, 1 - 1 / 32)
  const stopped = at.add(makeTorrent({ seed: 9 }), { metainfo: null })
  await assert.rejects(awake(stopped).recheck(), { name: 'MetadataNotFound' })
})

test('a reader gets bytes in order while the download runs, and a seek goes first', async t => {
  const torrent = makeTorrent({ length: 32 * MIB, pieceLength: 128 * 1024 })
  const from = await seeder(t, torrent, { session: { maxUploadRate: 8 * MIB } })
  const to = await node(t)
  const handle = to.add(torrent, { peers: [from.address] })
  await status(handle, 'downloading')
  const reader = awake(handle).openReader(0)
  const slot = await to.rangeArena.leaseLater()
  t.after(() => reader.close())
  try {
    const seek = 24 * MIB + 777
    const there = await reader.waitFor(seek)
    assert.ok(there > 0)
    assert.ok(handle.snapshot().progress < 0.5, 'the seek had to wait for what lies before it')
    const count = await reader.read(seek, 50_000, slot)
    assert.ok(count > 0)
    assert.ok(Buffer.from(slot.bytes.subarray(0, count)).equals(torrent.content.subarray(seek, seek + count)))
    assert.equal(await reader.waitFor(torrent.content.length), 0)
  } finally {
    to.rangeArena.release(slot)
  }
})

test('a stopped torrent runs for a reader that misses something, and is stopped again after it', async t => {
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 64 * 1024, announce: [] })
  const from = await seeder(t, torrent)
  const to = await node(t)
  const handle = to.add(torrent, { running: false, peers: [from.address], selectedFiles: [] })
  assert.equal(handle.snapshot().status, 'stopped')
  const reader = awake(handle).openReader(0)
  assert.ok((await reader.waitFor(MIB)) > 0)
  assert.equal(handle.snapshot().status, 'downloading')
  reader.close()
  await status(handle, 'stopped')
  await assert.rejects(Promise.resolve(reader.waitFor(0)), { name: 'Aborted' })
})

test('a stopped torrent serves what it has without running', async t => {
  const torrent = makeTorrent({ length: MIB, pieceLength: 64 * 1024 })
  const at = await seeder(t, torrent)
  const handle = at.session.get(torrent.infoHash)
  assert.ok(handle)
  await awake(handle).stop()
  const reader = awake(handle).openReader(0)
  assert.equal(reader.waitFor(5), MIB - 5)
  const slot = await at.rangeArena.leaseLater()
  assert.equal(await reader.read(5, 100, slot), 100)
  at.rangeArena.release(slot)
  reader.close()
  assert.equal(handle.snapshot().status, 'stopped')
})

test('pieces larger than the arena come through', async t => {
  const torrent = makeTorrent({ length: 20 * MIB, pieceLength: 16 * MIB })
  const from = await seeder(t, torrent)
  const to = await node(t, { blockBytes: 2 * MIB })
  const handle = to.add(torrent, { peers: [from.address] })
  await status(handle, 'seeding')
  assert.ok(fileOf(to, torrent).equals(torrent.content))
})

test('an engine does not talk to itself', async t => {
  const torrent = makeTorrent()
  const at = await node(t)
  const handle = at.add(torrent)
  await status(handle, 'downloading')
  awake(handle).addPeers([at.address])
  await waitFor('the attempt to end', () => at.session.connections === 0 && handle.snapshot().peersConnected === 0)
  awake(handle).addPeers([at.address])
  assert.equal(handle.peers().length, 0)
})

test('two engines that call each other at the same time end with one connection', async t => {
  const torrent = makeTorrent({ length: 4 * MIB })
  const [a, b] = [await node(t), await node(t)]
  const handles = [a.add(torrent), b.add(torrent)]
  for (const handle of handles) await status(handle, 'downloading')
  awake(handles[0]).addPeers([b.address])
  awake(handles[1]).addPeers([a.address])
  const counts = () => handles.map(handle => handle.peers().length)
  await waitFor('one connection', () => a.session.connections === 1 && b.session.connections === 1, 5000, counts)
  for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(counts(), [1, 1])
  assert.equal(handles[0]?.peers()[0]?.incoming, !handles[1]?.peers()[0]?.incoming)
})

test('removing deletes the data only when asked', async t => {
  const torrent = makeTorrent({ length: MIB })
  const at = await seeder(t, torrent)
  await at.session.remove(torrent.infoHash, { deleteData: false })
  assert.equal(at.session.get(torrent.infoHash), undefined)
  assert.ok(fileOf(at, torrent).equals(torrent.content))
  await status(at.add(torrent), 'seeding')
  await at.session.remove(torrent.infoHash, { deleteData: true })
  assert.throws(() => fileOf(at, torrent), { code: 'ENOENT' })
})

test('trackers get the port that a router gave, listening stays where it is', async t => {
  const here = await node(t)
  const port = here.address.port
  assert.equal(here.announcers.port, port)
  here.session.setOutsidePort(50_000)
  assert.deepEqual([here.announcers.port, here.session.listenPort], [50_000, port])
  here.session.setOutsidePort(null)
  assert.equal(here.announcers.port, port)
})
