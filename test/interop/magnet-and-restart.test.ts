// Magnets with metadata from a real peer, metadata served to a real peer, and kill -9 in mid-download: what was
// verified is never fetched again, counted at the seeder.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const MIB = 1024 * 1024
const skip = needs('netns', 'libtorrent')

describe('magnets and restarts', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()

  const startSeeder = async (made: MadeTorrent, name: string, place: string, limit = 0) => {
    const dir = await folder.sub(`${place}-from`)
    await writeContent(made, dir, name)
    const peer = await LibtorrentPeer.start(hosts.next())
    const torrent = await writeTorrent(made, folder.path)
    const id = await peer.add({ torrent, dir, upload_limit: limit })
    await peer.complete(id)
    return { peer, id, torrent, magnet: `magnet:?xt=urn:btih:${made.infoHash}&dn=x&x.pe=${peer.ip}:${peer.port}` }
  }

  test('a magnet gets its metadata and its content from libtorrent', { timeout: 60_000 }, async () => {
    const made = makeTorrent({ name: 'from magnet.bin', length: 20 * MIB, pieceLength: 64 * 1024, seed: 5 })
    const seeder = await startSeeder(made, 'from magnet.bin', 'magnet')
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      const to = await folder.sub('magnet-to')
      await addDownload(node, seeder.magnet, to)
      const record = await downloadComplete(node, made.infoHash)
      assert.equal(record.name, 'from magnet.bin')
      assert.deepEqual(await differences(made, to, 'from magnet.bin'), [])
      const exported = await node.request('GET', `/downloads/${made.infoHash}/torrent`)
      assert.equal(exported.status, 200)
      assert.ok(exported.body.includes(Buffer.from(made.info)), 'the exported torrent holds the info dictionary')
    } finally {
      await node.stop()
      await seeder.peer.stop()
    }
  })

  test('libtorrent gets metadata and content from the node', { timeout: 60_000 }, async () => {
    const made = makeTorrent({ name: 'to magnet.bin', length: 20 * MIB, pieceLength: 32 * 1024, seed: 6 })
    const from = await folder.sub('serve-from')
    await writeContent(made, from, 'to magnet.bin')
    const ip = hosts.next()
    const node = await startNode({ settings: { 'libtorrent.interface': ip } })
    const peer = await LibtorrentPeer.start(hosts.next())
    try {
      await addDownload(node, await writeTorrent(made, folder.path), from)
      await downloadComplete(node, made.infoHash)
      const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
      const port = variables.ports['libtorrent~port'] ?? 0
      const to = await folder.sub('serve-to')
      const id = await peer.add({ magnet: `magnet:?xt=urn:btih:${made.infoHash}`, dir: to, peers: [[ip, port]] })
      await peer.complete(id)
      assert.deepEqual(await differences(made, to, 'to magnet.bin'), [])
    } finally {
      await node.stop()
      await peer.stop()
    }
  })

  test('kill -9 in mid-download: no verified piece is fetched again', { timeout: 120_000 }, async t => {
    const pieceLength = 256 * 1024
    const made = makeTorrent({ name: 'killed.bin', length: 64 * MIB, pieceLength, seed: 7 })
    const seeder = await startSeeder(made, 'killed.bin', 'kill', 8 * MIB)
    const stateDir = await folder.sub('kill-state')
    const to = await folder.sub('kill-to')
    const settings = { 'libtorrent.interface': hosts.next() }
    let fetched = 0
    try {
      let node = await startNode({ stateDir, settings })
      await addDownload(node, seeder.magnet, to)
      for (const share of [0.2, 0.45, 0.7]) {
        const before = await downloadUntil(node, made.infoHash, record => record.progress >= share)
        const sent = (await seeder.peer.status(seeder.id)).payload_upload
        fetched = Math.max(fetched, sent)
        await node.kill('SIGKILL')
        node = await startNode({ stateDir, settings })
        const listed = await downloadUntil(
          node,
          made.infoHash,
          record => record.total_pieces > 0 && record.progress > 0,
        )
        assert.ok(listed.progress >= before.progress, `progress went from ${before.progress} to ${listed.progress}`)
      }
      const record = await downloadComplete(node, made.infoHash)
      assert.equal((await downloadRecord(node, made.infoHash)).error, '')
      const wire = (await seeder.peer.status(seeder.id)).payload_upload
      // At each of the three kills, what was in flight and pieces not yet complete may be fetched again.
      const allowed = 3 * 12 * MIB
      t.diagnostic(`bytes on the wire ${wire} for ${made.content.length}; ${record.total_down} counted by the node`)
      assert.ok(wire <= made.content.length + allowed, `${wire} bytes on the wire for ${made.content.length}`)
      assert.deepEqual(await differences(made, to, 'killed.bin'), [])
      await node.stop()
    } finally {
      await seeder.peer.stop()
    }
  })
})
