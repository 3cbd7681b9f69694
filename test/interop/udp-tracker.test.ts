// A UDP tracker of another project (opentracker, Debian) between the node and each client: by it alone the node finds
// who announced there, and is found. The node's announces carry the URL's path and query (BEP 41).

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { FINDERS, type FinderSources } from '../kit/nodes/finders.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { type OpenTracker, startOpentracker } from '../kit/peers/opentracker.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const SKIPS: Record<keyof typeof FINDERS, false | string> = {
  libtorrent: needs('netns', 'libtorrent'),
  Transmission: needs('netns', 'transmission-daemon'),
  aria2: needs('netns', 'aria2c'),
  rtorrent: needs('netns', 'rtorrent'),
  webtorrent: needs('netns', 'webtorrent'),
}
/** In aria2 UDP trackers are a part of the DHT; nobody is in it here. */
const sourcesOf = (peer: string): FinderSources => (peer === 'aria2' ? { dht: [] } : {})
const PEERS = Object.keys(FINDERS) as (keyof typeof FINDERS)[]

describe('a UDP tracker of another project', { skip: needs('netns', 'opentracker'), concurrency: 16 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  let tracker: OpenTracker
  let node: NodeProcess
  const layouts = PEERS.flatMap(peer => [`${peer}-to-node`, `node-to-${peer}`])
  const plan = (name: string, announce?: string): MadeTorrent =>
    makeTorrent({
      name,
      length: 2 * MIB + 5,
      pieceLength: 131_072,
      ...(announce === undefined ? {} : { announce: [[announce]] }),
    })

  before(async () => {
    tracker = await startOpentracker(
      hosts.next(),
      layouts.map(name => plan(name).infoHash),
    )
    atEnd(() => tracker.stop())
    node = await startNode({ settings: { 'libtorrent.interface': hosts.next(), 'libtorrent.utp': true } })
    atEnd(() => node.stop())
  })

  const prepare = async (name: string): Promise<{ made: MadeTorrent; torrent: string; from: string; to: string }> => {
    const made = plan(name, `udp://${tracker.ip}:${tracker.port}/announce?key=value`)
    const from = await folder.sub(`${name}-from`)
    await writeContent(made, from, name)
    return { made, torrent: await writeTorrent(made, folder.path), from, to: await folder.sub(`${name}-to`) }
  }
  const isSeeded = async ({ infoHash }: MadeTorrent): Promise<boolean> => {
    const escaped = infoHash.replace(/../g, '%$&')
    // It closes each connection without saying so.
    const reply = await fetch(`http://${tracker.ip}:${tracker.port}/scrape?info_hash=${escaped}`, {
      headers: { connection: 'close' },
    })
    return Buffer.from(await reply.arrayBuffer())
      .toString('latin1')
      .includes('8:completei1e')
  }

  for (const peer of PEERS) {
    test(`${peer} to node`, { timeout: 120_000, skip: SKIPS[peer] }, async () => {
      const name = `${peer}-to-node`
      const { made, torrent, from, to } = await prepare(name)
      const client = await FINDERS[peer](hosts.next(), await folder.sub(`${name}-home`), sourcesOf(peer))
      try {
        await client.add(torrent, from)
        await waitFor(`${peer} at the tracker`, () => isSeeded(made), 60_000)
        await addDownload(node, torrent, to)
        await downloadComplete(node, made.infoHash, 60_000)
      } finally {
        await client.stop()
      }
      assert.deepEqual(await differences(made, to, name), [])
      cell('UDP tracker', peer, 'to node')
    })

    test(`node to ${peer}`, { timeout: 120_000, skip: SKIPS[peer] }, async () => {
      const name = `node-to-${peer}`
      const { made, torrent, from, to } = await prepare(name)
      await addDownload(node, torrent, from)
      await waitFor('the node at the tracker', () => isSeeded(made), 60_000)
      const client = await FINDERS[peer](hosts.next(), await folder.sub(`${name}-home`), sourcesOf(peer))
      try {
        await client.add(torrent, to)
        await client.complete(100_000)
      } finally {
        await client.stop()
      }
      assert.deepEqual(await differences(made, to, name), [])
      cell('UDP tracker', peer, 'from node')
    })
  }
})
