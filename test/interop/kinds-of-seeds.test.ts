// Super-seeding (BEP 16) and partial seeds (BEP 21) with libtorrent, both ways: what the seed sends is counted, and
// what each side says of itself is read at the other.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const NAME = 'single.bin'
const SIZE = 12 * MIB + 77
/** Slow enough that everybody is there before the first one has everything. */
const SLOW = 3 * MIB
/** A super-seed sends each piece about once; a plain one sent two downloaders 1.2 to 1.5 times as much here. */
const MOST_SENT = 1.1 * SIZE

describe('kinds of seeds', { skip: needs('netns', 'libtorrent'), concurrency: 1 }, () => {
  const { hosts, folder, tracker } = trackerPlace()

  const made = (seed: number) =>
    makeTorrent({ name: NAME, length: SIZE, pieceLength: 64 * 1024, seed, announce: [[tracker.url]] })
  const node = async (closes: { after(end: () => Promise<void>): void }): Promise<NodeProcess> => {
    const started = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    closes.after(async () => void (await started.stop()))
    return started
  }
  const peer = async (closes: { after(end: () => Promise<void>): void }): Promise<LibtorrentPeer> => {
    const started = await LibtorrentPeer.start(hosts.next())
    closes.after(() => started.stop())
    return started
  }

  for (const superSeeding of [true, false]) {
    test(`the node ${superSeeding ? 'super-seeds' : 'seeds'} to two libtorrents`, { timeout: 120_000 }, async t => {
      const torrent = made(superSeeding ? 1 : 2)
      const from = await folder.sub(`node-${superSeeding}`)
      await writeContent(torrent, from, NAME)
      const path = await writeTorrent(torrent, folder.path)
      const seed = await node(t)
      const leeches = [await peer(t), await peer(t)]
      const ids = await Promise.all(
        leeches.map(async (leech, i) => leech.add({ torrent: path, dir: await folder.sub(`to-${superSeeding}-${i}`) })),
      )
      const more = { super_seeding: superSeeding, max_upload_speed: SLOW }
      const infoHash = await addDownload(seed, path, from, more)
      const record = await downloadComplete(seed, infoHash)
      assert.equal(record.super_seeding, superSeeding)
      const looks: number[] = []
      if (superSeeding) {
        await waitFor('a libtorrent sees the node', async () => {
          const rows = await leeches[0]?.peers(ids[0] ?? 0)
          const row = rows?.find(one => one.client.includes('Tributary') || one.client.startsWith('TB'))
          if (row !== undefined) looks.push(row.pieces)
          return row !== undefined
        })
      }
      await Promise.all(leeches.map((leech, i) => leech.complete(ids[i] ?? 0, 90_000)))
      const sent = (await downloadRecord(seed, infoHash)).total_up
      t.diagnostic(`sent ${(sent / SIZE).toFixed(2)} times the torrent`)
      if (superSeeding) {
        assert.ok(sent < MOST_SENT, `${sent}`)
        assert.ok((looks[0] ?? 0) < torrent.content.length / (64 * 1024) / 2, 'it looked as if it had little')
      }
      for (const i of [0, 1]) {
        const bytes = readFileSync(join(await folder.sub(`to-${superSeeding}-${i}`), NAME))
        assert.ok(bytes.equals(torrent.content))
      }
      if (superSeeding) cell('super-seeding', 'libtorrent', 'from node')
    })
  }

  test('libtorrent super-seeds to two nodes', { timeout: 120_000 }, async t => {
    const torrent = made(3)
    const from = await folder.sub('libtorrent')
    await writeContent(torrent, from, NAME)
    const path = await writeTorrent(torrent, folder.path)
    const nodes = [await node(t), await node(t)]
    const infoHashes = await Promise.all(
      nodes.map(async (one, i) => addDownload(one, path, await folder.sub(`nodes-${i}`))),
    )
    const seed = await peer(t)
    const id = await seed.add({ torrent: path, dir: from, super_seeding: true, seed_mode: true, upload_limit: SLOW })
    await Promise.all(nodes.map((one, i) => downloadComplete(one, infoHashes[i] ?? '', 90_000)))
    const sent = (await seed.status(id)).payload_upload
    t.diagnostic(`sent ${(sent / SIZE).toFixed(2)} times the torrent`)
    assert.ok(sent < MOST_SENT, `${sent}`)
    cell('super-seeding', 'libtorrent', 'to node')
  })

  test('partial seeds say so, to peers and to trackers', { timeout: 120_000 }, async t => {
    const files = [
      { path: 'wanted.bin', length: 3 * MIB },
      { path: 'not.bin', length: 3 * MIB },
    ]
    const torrent = makeTorrent({ name: 'two', files, pieceLength: 256 * 1024, announce: [[tracker.url]] })
    const from = await folder.sub('partial')
    await writeContent(torrent, from, 'two')
    const path = await writeTorrent(torrent, folder.path)
    const whole = await peer(t)
    await whole.add({ torrent: path, dir: from, seed_mode: true })
    const part = await node(t)
    const infoHash = await addDownload(part, path, await folder.sub('partial-node'), { selected_files: [0] })
    await downloadComplete(part, infoHash)
    // Pressed again and again: before the tracker's min interval is over the button asks nobody (decision 0481).
    await waitFor('the tracker hears of it', async () => {
      const forced = await part.request('PUT', `/downloads/${infoHash}/tracker_force_announce`, {})
      assert.equal(forced.status, 200)
      return tracker.announces.some(one => one.infoHash === infoHash && one.event === 'paused' && one.left === 3 * MIB)
    })
    assert.ok(!tracker.announces.some(one => one.infoHash === infoHash && one.event === 'completed'))
    await whole.stop()
    // One that wants everything gets that part of it, and stays.
    const other = await peer(t)
    const id = await other.add({ torrent: path, dir: await folder.sub('partial-other') })
    const seen = () => other.peers(id)
    const says = async () => (await seen()).some(row => row.upload_only && !row.seed)
    await waitFor('libtorrent hears that the node is a partial seed', says, 30_000, seen)
    await waitFor('libtorrent has that part', async () => (await other.status(id)).payload_download >= 3 * MIB, 60_000)
    // The other way round: a libtorrent with that part only, and a node that wants everything.
    const third = await peer(t)
    const thirdId = await third.add({ torrent: path, dir: await folder.sub('partial-third'), priorities: [4, 0] })
    await waitFor('it has its part', async () => (await third.status(thirdId)).payload_download >= 3 * MIB, 60_000)
    await Promise.all([other.stop(), part.stop()])
    const last = await node(t)
    await addDownload(last, path, await folder.sub('partial-last'))
    const half = await downloadUntil(last, infoHash, record => record.progress >= 0.5, 60_000)
    assert.equal(half.status, 'DLSTATUS_DOWNLOADING')
    const rows = async () => (await downloadRecord(last, infoHash, '?get_peers=1')).peers ?? []
    const told = async () => (await rows()).some(row => row.ip === third.ip && row.upload_only && !row.seed)
    await waitFor('the node hears that libtorrent is one', told, 30_000, rows)
    cell('partial seeds', 'libtorrent')
  })
})
