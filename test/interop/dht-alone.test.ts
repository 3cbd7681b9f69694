// Trackers off: by the DHT alone a node finds a torrent of another client, and is found by it; a private torrent is not
// told of there, nor to the local network. The DHT is a network of our nodes that hear everything.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { InfoHash } from '../../src/base/ids.ts'
import { decodeKrpc } from '../../src/wire/dht/krpc.ts'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { FINDERS } from '../kit/nodes/finders.ts'
import { startHttpTracker } from '../kit/peers/http-tracker.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { type RealDhtNode, settled, startDhtNode } from '../kit/peers/real-dht.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'
import { WebTorrentPeer } from '../kit/peers/webtorrent-peer.ts'

const MIB = 1024 * 1024
/** Transmission wants to know more than eight. */
const NODES = 24
const SKIPS: Record<keyof typeof FINDERS, false | string> = {
  libtorrent: needs('netns', 'libtorrent'),
  Transmission: needs('netns', 'transmission-daemon'),
  aria2: needs('netns', 'aria2c'),
  rtorrent: needs('netns', 'rtorrent'),
  webtorrent: needs('netns', 'webtorrent'),
}
/**
 * Transmission announces when its own round comes, a minute and a half after its start at the latest, if its table is
 * full by then.
 */
const ANNOUNCE_MS = 170_000
/** rtorrent looks before its table has nodes, and not again within 150 s. */
const FINDS_NOBODY: ReadonlySet<string> = new Set(['rtorrent'])

describe('found by the DHT alone', { skip: needs('netns'), concurrency: 16 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  const dht: RealDhtNode[] = []
  let node: NodeProcess
  /** Infohashes anybody asked for or announced. */
  const asked = new Set<string>()
  const announced = new Set<string>()

  const hear = (bytes: Uint8Array): void => {
    const message = decodeKrpc(bytes)
    if (message.kind !== 'query') return
    const { query } = message
    if (query.method === 'get_peers') asked.add(Buffer.from(query.infoHash).toString('hex'))
    if (query.method === 'announce_peer') announced.add(Buffer.from(query.infoHash).toString('hex'))
  }
  const contacts = () => dht.slice(0, 3).map(one => one.address)

  before(async () => {
    atEnd(() => Promise.all(dht.map(one => one.stop())))
    for (let i = 0; i < NODES; i++) dht.push(await startDhtNode(hosts.next(), contacts(), {}, hear))
    await settled(dht, 16)
    node = await startNode({
      settings: {
        'libtorrent.interface': hosts.next(),
        'libtorrent.utp': true,
        'libtorrent.dht': true,
        'libtorrent.dht_bootstrap': contacts()
          .map(at => `${at.ip}:${at.port}`)
          .join(','),
      },
    })
    atEnd(() => node.stop())
  })

  const isAnnounced = (infoHash: InfoHash, describeIt = ''): Promise<unknown> =>
    waitFor(`an announce ${describeIt}`, () => announced.has(infoHash), ANNOUNCE_MS)

  for (const [name, start] of Object.entries(FINDERS)) {
    const peer = name as keyof typeof FINDERS
    test(`${peer} to node`, { timeout: 330_000, skip: SKIPS[peer] }, async () => {
      const title = `to-node-${peer}`
      const made = makeTorrent({ name: title, length: 3 * MIB + 5, pieceLength: 256 * 1024 })
      const [from, to] = [await folder.sub(`${title}-from`), await folder.sub(`${title}-to`)]
      await writeContent(made, from, title)
      const client = await start(hosts.next(), await folder.sub(`${title}-home`), { dht: contacts() })
      try {
        await client.add(await writeTorrent(made, folder.path), from)
        await isAnnounced(made.infoHash, `by ${peer}`)
        await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}`, to)
        await downloadComplete(node, made.infoHash, 100_000)
      } finally {
        await client.stop()
      }
      assert.deepEqual(await differences(made, to, title), [])
      cell('DHT', peer, FINDS_NOBODY.has(peer) ? '' : 'to node')
    })

    if (FINDS_NOBODY.has(peer)) continue
    test(`node to ${peer}`, { timeout: 330_000, skip: SKIPS[peer] }, async () => {
      const title = `from-node-${peer}`
      const made = makeTorrent({ name: title, length: 3 * MIB + 5, pieceLength: 256 * 1024 })
      const [from, to] = [await folder.sub(`${title}-from`), await folder.sub(`${title}-to`)]
      await writeContent(made, from, title)
      const torrent = await writeTorrent(made, folder.path)
      await addDownload(node, torrent, from)
      await downloadComplete(node, made.infoHash)
      await isAnnounced(made.infoHash, 'by the node')
      const client = await start(hosts.next(), await folder.sub(`${title}-home`), { dht: contacts() })
      try {
        await client.add(torrent, to)
        await client.complete(150_000)
      } finally {
        await client.stop()
      }
      assert.deepEqual(await differences(made, to, title), [])
      cell('DHT', peer, 'from node')
    })
  }

  test('immutable items go to and from webtorrent', { timeout: 90_000, skip: SKIPS.webtorrent }, async () => {
    const bootstrap = contacts().map(at => `${at.ip}:${at.port}`)
    const client = await WebTorrentPeer.start({ dht: bootstrap })
    try {
      await waitFor('nodes in its table', async () => Number((await client.call('dhtNodes'))['count']) >= 8)
      const { key } = await client.call('dhtPut', { value: 'from webtorrent' })
      const found = await dht[9]?.dht.getItem({ target: Uint8Array.from(Buffer.from(String(key), 'hex')) })
      assert.equal(Buffer.from(found?.value ?? []).toString(), '15:from webtorrent')
      const value = Uint8Array.from(Buffer.from('9:from ours'))
      const put = await dht[4]?.dht.putItem({ value, proof: null, salt: new Uint8Array(), cas: null })
      assert.ok(put !== undefined && put.stored >= 4)
      const got = await client.call('dhtGet', { key: Buffer.from(put.target).toString('hex') })
      assert.equal(got['value'], 'from ours')
      cell('DHT items', 'webtorrent', 'immutable ones')
    } finally {
      await client.stop()
    }
  })

  /** One that is not private is heard of meanwhile. */
  const heardOf = async (url: string, title: string): Promise<InfoHash> => {
    const open = makeTorrent({ name: title, length: 65_536, pieceLength: 65_536, announce: [[url]] })
    await addDownload(node, await writeTorrent(open, folder.path), await folder.sub(title))
    await waitFor('the open one in the DHT', () => asked.has(open.infoHash))
    return open.infoHash
  }

  for (const [name, start] of Object.entries(FINDERS)) {
    const peer = name as keyof typeof FINDERS
    const title = `private torrents with ${peer} come by their tracker, and the DHT never hears of them`
    test(title, { timeout: 120_000, skip: SKIPS[peer] }, async () => {
      const tracker = await startHttpTracker(hosts.next())
      const plan = async (place: string) => {
        const layout = { name: place, length: MIB, pieceLength: 65_536, private: true, announce: [[tracker.url]] }
        const made = makeTorrent(layout)
        const from = await folder.sub(`${place}-from`)
        await writeContent(made, from, place)
        return { made, from, to: await folder.sub(`${place}-to`), torrent: await writeTorrent(made, folder.path) }
      }
      const first = await plan(`private-of-${peer}`)
      const second = await plan(`private-for-${peer}`)
      try {
        const seed = await start(hosts.next(), await folder.sub(`${peer}-private-1`), { dht: contacts(), pex: true })
        try {
          await seed.add(first.torrent, first.from)
          await addDownload(node, first.torrent, first.to)
          await downloadComplete(node, first.made.infoHash, 60_000)
        } finally {
          await seed.stop()
        }
        await addDownload(node, second.torrent, second.from)
        const leecher = await start(hosts.next(), await folder.sub(`${peer}-private-2`), { dht: contacts(), pex: true })
        try {
          await leecher.add(second.torrent, second.to)
          await leecher.complete(60_000)
        } finally {
          await leecher.stop()
        }
        assert.deepEqual(await differences(first.made, first.to, `private-of-${peer}`), [])
        assert.deepEqual(await differences(second.made, second.to, `private-for-${peer}`), [])
        const open = await heardOf(tracker.url, `open-${peer}`)
        type Row = { infohash: string; trackers: { url: string; status: string }[] }
        const { downloads } = await node.get<{ downloads: Row[] }>('/downloads')
        const status = (infoHash: string) =>
          downloads.find(one => one.infohash === infoHash)?.trackers.find(row => row.url === '[DHT]')?.status
        assert.deepEqual([status(first.made.infoHash), status(open)], ['Disabled', 'Working'])
        for (const { infoHash } of [first.made, second.made])
          assert.ok(!asked.has(infoHash) && !announced.has(infoHash))
        cell('private torrents', peer)
      } finally {
        await tracker.stop()
      }
    })
  }
})
