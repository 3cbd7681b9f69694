// Torrents that are updated through the DHT (BEP 46), with libtorrent as publisher, as seeder and as reader of what the
// node publishes. The DHT is one of libtorrent sessions; trackers, PEX and local discovery are off.

import assert from 'node:assert/strict'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { FollowedUpdate, PublishedUpdate } from '../../src/services/api.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentItems } from '../kit/peers/libtorrent-items.ts'
import { libtorrentMake } from '../kit/peers/libtorrent-create.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('netns', 'libtorrent', 'libtorrent-dev')
const MIB = 1024 * 1024
const SEED = '5a'.repeat(32)
const SALT = Buffer.from('dataset').toString('hex')
const DHT_NODES = 6

describe('torrents updated through the DHT', { skip, concurrency: 1 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  const dht: LibtorrentItems[] = []
  before(async () => {
    atEnd(() => Promise.all(dht.map(one => one.stop())))
    for (let i = 0; i < DHT_NODES; i++) dht.push(await LibtorrentItems.start(hosts.next(), dht.slice(0, 2)))
    for (const one of dht) await one.knows(DHT_NODES - 2)
  })

  const someone = (): LibtorrentItems => dht[DHT_NODES - 1] as LibtorrentItems

  const startFollower = (stateDir?: string): Promise<NodeProcess> =>
    startNode({
      settings: {
        'libtorrent.interface': hosts.next(),
        'libtorrent.dht': true,
        'libtorrent.dht_bootstrap': dht.map(({ ip, port }) => `${ip}:${port}`).join(','),
      },
      ...(stateDir === undefined ? {} : { stateDir }),
    })

  /** A version of `data`: a folder with these files, made and seeded by libtorrent; its info hash. */
  const seedVersion = async (peer: LibtorrentPeer, version: number, files: Record<string, Buffer>) => {
    const parent = await folder.sub(`version-${version}`)
    for (const [name, bytes] of Object.entries(files)) {
      await mkdir(join(parent, 'data'), { recursive: true })
      await writeFile(join(parent, 'data', name), bytes)
    }
    const out = join(parent, 'data.torrent')
    const names = Object.keys(files).map(name => `data/${name}`)
    const made = await libtorrentMake({ parent, files: names, format: 'v1', piece_length: 65_536, out })
    const id = await peer.add({ torrent: out, dir: parent })
    await peer.complete(id)
    return { infoHash: made.v1 ?? '', id }
  }

  const followed = async (node: NodeProcess): Promise<FollowedUpdate> => {
    const { followed: list } = await node.get<{ followed: FollowedUpdate[] }>('/updates/followed')
    assert.equal(list.length, 1)
    return list[0] as FollowedUpdate
  }

  const look = async (node: NodeProcess, target: string): Promise<{ updated: boolean; seq: string }> => {
    const reply = await node.request('POST', `/updates/followed/${target}/check`, {})
    assert.equal(reply.status, 200, reply.body.toString())
    return reply.json()
  }

  const bytes = (name: string, version: number): Buffer => Buffer.from(seededBytes(MIB, name.length * 31 + version))

  test('libtorrent publishes, the node follows: first version, next version, a restart, nonsense', {
    timeout: 180_000,
  }, async () => {
    const peer = await LibtorrentPeer.start(hosts.next())
    const stateDir = await folder.sub('follower-state')
    let node = await startFollower(stateDir)
    try {
      const same = bytes('same', 0)
      const first = await seedVersion(peer, 1, { 'a.bin': bytes('a', 1), 'same.bin': same })
      const key = await someone().publicKey(SEED)
      const put = await someone().put(SEED, SALT, first.infoHash)
      assert.ok(put.stored > 0, `libtorrent's put was stored ${put.stored} times`)

      const to = await folder.sub('follower-to')
      const uri = `magnet:?xs=urn:btpk:${key}&s=${SALT}&x.pe=${peer.ip}:${peer.port}`
      assert.equal(await addDownload(node, uri, to, { labels: ['data'] }), first.infoHash)
      await downloadComplete(node, first.infoHash)
      const { target, seq, state } = await followed(node)
      assert.deepEqual([seq, state], [`${put.seq}`, 'following'])
      assert.equal((await look(node, target)).updated, false)

      // The next version: one file changed and shorter, one equal, one new.
      const shorter = bytes('a', 2).subarray(0, MIB / 2)
      const second = await seedVersion(peer, 2, { 'a.bin': shorter, 'new.bin': bytes('new', 2), 'same.bin': same })
      const put2 = await someone().put(SEED, SALT, second.infoHash)
      assert.equal(put2.seq, put.seq + 1)
      assert.deepEqual(await look(node, target).then(({ updated, seq: now }) => [updated, now]), [true, `${put2.seq}`])
      const record = await downloadComplete(node, second.infoHash)
      assert.equal(record.destination, to)
      assert.deepEqual([record.labels, record.update_of, record.updated_by], [['data'], target, ''])
      const old = await downloadRecord(node, first.infoHash)
      assert.deepEqual([old.status, old.updated_by], ['DLSTATUS_STOPPED', second.infoHash])
      assert.ok((await readFile(join(to, 'data/a.bin'))).equals(shorter), 'the changed file is that of version 2')
      assert.ok((await readFile(join(to, 'data/same.bin'))).equals(same))
      const { payload_upload: sent } = await peer.status(second.id)
      assert.ok(sent < 1.7 * MIB, `the file that is equal was not fetched again: ${sent} bytes were sent`)

      // The node goes away and comes back: it knows what it follows, and how far.
      await node.stop()
      node = await startFollower(stateDir)
      assert.deepEqual(await followed(node).then(one => [one.seq, one.infohash]), [`${put2.seq}`, second.infoHash])
      const third = await seedVersion(peer, 3, { 'a.bin': bytes('a', 3) })
      await someone().put(SEED, SALT, third.infoHash)
      const found = (answer: { followed: FollowedUpdate[] }) => answer.followed[0]?.infohash === third.infoHash
      if (!(await look(node, target)).updated) await node.until('/updates/followed', found, 90_000)
      await downloadComplete(node, third.infoHash)

      // What names no torrent is refused; the number does not move, and the version stays.
      await someone().putText(SEED, SALT, 'nonsense')
      assert.equal((await look(node, target)).updated, false)
      const after = await followed(node)
      assert.equal(after.infohash, third.infoHash)
      assert.match(after.error, /names no info hash/)
      assert.equal(after.versions.length, 3)
    } finally {
      await node.stop()
      await peer.stop()
    }
    cell('updates by DHT', 'libtorrent', 'to node')
  })

  test('the node publishes, libtorrent reads, and another node follows', { timeout: 180_000 }, async () => {
    const [publisher, reader] = [await startFollower(), await startFollower()]
    try {
      const from = await folder.sub('publisher-from')
      const make = async (name: string): Promise<string> => {
        await writeFile(join(from, name), bytes(name, 9))
        const reply = await publisher.request('POST', '/createtorrent', {
          path: join(from, name),
          format: 'v1',
          add: true,
        })
        assert.equal(reply.status, 200, reply.body.toString())
        return reply.json<{ infohash: string }>().infohash
      }
      const publish = async (infohash: string): Promise<PublishedUpdate> => {
        const reply = await publisher.request('PUT', '/updates/published', { name: 'dataset', infohash })
        assert.equal(reply.status, 200, reply.body.toString())
        return reply.json<PublishedUpdate>()
      }
      const first = await make('one.bin')
      await downloadUntil(publisher, first, record => record.status === 'DLSTATUS_SEEDING')
      let said = await publish(first)
      // A young node may not have met the DHT yet: then it tries again by itself.
      const taken = (answer: { published: PublishedUpdate[] }) => (answer.published[0]?.copies ?? 0) > 0
      if (said.copies === 0) await publisher.until('/updates/published', taken, 90_000)
      assert.deepEqual(await someone().get(said.public_key, said.salt), { seq: Number(said.seq), infoHash: first })
      const key = await stat(join(publisher.stateDir, 'update-key'))
      assert.equal(key.mode & 0o777, 0o600)

      const { variables } = await publisher.get<{ variables: { ports: Record<string, number> } }>('/variables')
      assert.ok((variables.ports['libtorrent~port'] ?? 0) > 0)
      const to = await folder.sub('reader-to')
      await addDownload(reader, said.uri, to)
      await reader.until<{ followed: FollowedUpdate[] }>(
        '/updates/followed',
        a => a.followed[0]?.infohash === first,
        60_000,
      )
      // The publisher is found through the DHT too.
      await downloadComplete(reader, first)

      const second = await make('two.bin')
      said = await publish(second)
      assert.equal(said.seq, '2')
      assert.deepEqual(await someone().get(said.public_key, said.salt), { seq: 2, infoHash: second })
      const { target } = await followed(reader)
      assert.equal((await look(reader, target)).updated, true)
      await downloadComplete(reader, second)
      assert.ok((await readFile(join(to, 'two.bin'))).equals(bytes('two.bin', 9)))
    } finally {
      await publisher.stop()
      await reader.stop()
    }
    cell('updates by DHT', 'libtorrent', 'from node')
  })
})
