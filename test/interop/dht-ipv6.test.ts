// Trackers off, everybody at an IPv6 address: by the IPv6 DHT alone (BEP 32) a node finds a torrent of another client,
// and is found by it. The DHT is a network of our nodes that have no IPv4; the addresses look public and are the
// namespace's own.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { InfoHash } from '../../src/base/ids.ts'
import { decodeKrpc } from '../../src/wire/dht/krpc.ts'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { type Finder, FINDERS } from '../kit/nodes/finders.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { claimAddress6, claimReach6, type RealDhtNode, settled, startDhtNode } from '../kit/peers/real-dht.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
/** Transmission wants to know more than eight. */
const NODES = 24
/** That many it asks one after the other without waiting. */
const FRIENDS = 8
const LIMIT_MS = 90_000
const SKIPS = {
  Transmission: needs('netns', 'transmission-daemon'),
  aria2: needs('netns', 'aria2c'),
}
type Six = keyof typeof SKIPS

describe('found by the IPv6 DHT alone', { skip: needs('netns'), concurrency: 4 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  const dht: RealDhtNode[] = []
  /** They stay to the end: with nodes that are gone in the tables Transmission took twice as long. */
  const clients: Finder[] = []
  let node: NodeProcess
  let last = 0
  /** Infohashes anybody announced. */
  const announced = new Set<string>()

  const hear = (bytes: Uint8Array): void => {
    const message = decodeKrpc(bytes)
    if (message.kind !== 'query' || message.query.method !== 'announce_peer') return
    announced.add(Buffer.from(message.query.infoHash).toString('hex'))
  }
  const contacts = (count = 3) => dht.slice(0, count).map(one => one.address)
  /** An address in a network of its own; only this test has these. */
  const nextIp = (): string => {
    const ip = `2a01:3:0:${(++last).toString(16)}::7`
    claimAddress6(ip)
    return ip
  }

  before(async () => {
    atEnd(() => Promise.all(dht.map(one => one.stop())))
    atEnd(() => Promise.all(clients.map(one => one.stop())))
    for (let i = 0; i < NODES; i++) dht.push(await startDhtNode(nextIp(), contacts(), {}, hear))
    claimReach6(dht[0]?.address.ip ?? '')
    await settled(dht, 16)
    node = await startNode({
      settings: {
        'libtorrent.interface': nextIp(),
        'libtorrent.utp': true,
        'libtorrent.dht': true,
        'libtorrent.dht_bootstrap': JSON.stringify(contacts().map(at => `[${at.ip}]:${at.port}`)),
      },
    })
    atEnd(() => node.stop())
  })

  const isAnnounced = (infoHash: InfoHash, by: string): Promise<unknown> =>
    waitFor(`an announce by ${by}`, () => announced.has(infoHash), LIMIT_MS)
  const prepare = async (name: string): Promise<{ made: MadeTorrent; torrent: string; from: string; to: string }> => {
    const made = makeTorrent({ name, length: 3 * MIB + 5, pieceLength: 256 * 1024 })
    const from = await folder.sub(`${name}-from`)
    await writeContent(made, from, name)
    return { made, torrent: await writeTorrent(made, folder.path), from, to: await folder.sub(`${name}-to`) }
  }
  /** Peers and DHT at an IPv6 address; the control of Transmission stays at an IPv4 one. */
  const start = async (peer: Six, home: string): Promise<Finder> => {
    const sources = { dht: contacts(FRIENDS), ip6: nextIp() }
    const client = await FINDERS[peer](hosts.next(), await folder.sub(home), sources)
    clients.push(client)
    return client
  }

  for (const peer of Object.keys(SKIPS) as Six[]) {
    test(`${peer} to node`, { timeout: 2 * LIMIT_MS, skip: SKIPS[peer] }, async () => {
      const title = `six-to-node-${peer}`
      const { made, torrent, from, to } = await prepare(title)
      const client = await start(peer, `${title}-home`)
      await client.add(torrent, from)
      await isAnnounced(made.infoHash, peer)
      await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}`, to)
      await downloadComplete(node, made.infoHash, LIMIT_MS)
      assert.deepEqual(await differences(made, to, title), [])
      cell('DHT IPv6', peer, 'to node')
    })

    test(`node to ${peer}`, { timeout: 2 * LIMIT_MS, skip: SKIPS[peer] }, async () => {
      const title = `six-from-node-${peer}`
      const { made, torrent, from, to } = await prepare(title)
      await addDownload(node, torrent, from)
      await downloadComplete(node, made.infoHash)
      await isAnnounced(made.infoHash, 'the node')
      const client = await start(peer, `${title}-home`)
      await client.add(torrent, to)
      await client.complete(LIMIT_MS)
      assert.deepEqual(await differences(made, to, title), [])
      cell('DHT IPv6', peer, 'from node')
    })
  }
})
