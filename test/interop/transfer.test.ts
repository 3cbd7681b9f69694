// Whole transfers with clients of other projects: libtorrent, Transmission, aria2, rtorrent and WebTorrent, each to the
// node and from the node, single-file and multi-file, compared byte for byte.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Aria2Peer } from '../kit/peers/aria2-peer.ts'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import type { Peer } from '../kit/runners/interop-features.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { RtorrentPeer } from '../kit/peers/rtorrent-peer.ts'
import { TransmissionPeer } from '../kit/peers/transmission-peer.ts'
import { WebTorrentPeer } from '../kit/peers/webtorrent-peer.ts'

const MIB = 1024 * 1024
const skip = needs('netns', 'libtorrent', 'transmission-daemon', 'aria2c', 'rtorrent', 'webtorrent')

/** A peer of another project with one torrent. */
interface OtherClient {
  add(torrentPath: string, dir: string): Promise<void>
  complete(): Promise<void>
  stop(): Promise<void>
}

async function startLibtorrent(ip: string): Promise<OtherClient> {
  const peer = await LibtorrentPeer.start(ip)
  let id = -1
  return {
    add: async (torrent, dir) => {
      id = await peer.add({ torrent, dir })
    },
    complete: () => peer.complete(id),
    stop: () => peer.stop(),
  }
}

async function startWebTorrent(): Promise<OtherClient> {
  const peer = await WebTorrentPeer.start()
  return {
    add: (torrent, dir) => peer.add({ torrent, dir }),
    complete: () => peer.complete(),
    stop: () => peer.stop(),
  }
}

const clients: readonly [Peer, (ip: string, home: string) => Promise<OtherClient>][] = [
  ['libtorrent', startLibtorrent],
  ['Transmission', (ip, home) => TransmissionPeer.start(ip, home)],
  ['aria2', (ip, home) => Aria2Peer.start(ip, home)],
  ['rtorrent', (ip, home) => RtorrentPeer.start(ip, home)],
  ['webtorrent', startWebTorrent],
]

/** What a torrent of many kinds of file is: empty, unicode, tiny, a piece across three files. */
function manyFiles(announce: string): MadeTorrent {
  const files = [
    { path: 'empty.txt', length: 0 },
    { path: 'Füße und 日本語/жук 🐞.bin', length: 3 * MIB + 77 },
    { path: 'small/one.bin', length: 1000 },
    { path: 'small/two.bin', length: 2000 },
    { path: 'small/three.bin', length: 3 },
    { path: 'large.bin', length: 9 * MIB + 1 },
  ]
  return makeTorrent({ name: 'many files', files, pieceLength: 256 * 1024, announce: [[announce]] })
}

describe('transfers with other clients', { skip, concurrency: 1 }, () => {
  const { hosts, folder, tracker } = trackerPlace()
  const kinds: { name: string; made: MadeTorrent }[] = []

  before(async () => {
    const single = makeTorrent({ name: 'single.bin', length: 300 * MIB, pieceLength: MIB, announce: [[tracker.url]] })
    kinds.push({ name: 'single.bin', made: single }, { name: 'many files', made: manyFiles(tracker.url) })
  })

  const withNode = async (run: (node: NodeProcess) => Promise<void>) => {
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      await run(node)
    } finally {
      const end = await node.stop()
      assert.equal(end.code, 0, end.stderr)
    }
  }

  const transfer = async (client: OtherClient, made: MadeTorrent, name: string, toNode: boolean, place: string) => {
    const [from, to] = [await folder.sub(`${place}-from`), await folder.sub(`${place}-to`)]
    await writeContent(made, from, name)
    const torrent = await writeTorrent(made, folder.path)
    await withNode(async node => {
      const infoHash = await addDownload(node, torrent, toNode ? to : from)
      assert.equal(infoHash, made.infoHash)
      if (!toNode) await downloadComplete(node, infoHash)
      await client.add(torrent, toNode ? from : to)
      if (toNode) await downloadComplete(node, infoHash)
      else await client.complete()
      // Transmission 3.00 does not make files of no bytes.
      assert.deepEqual(await differences(made, to, name, !toNode), [])
    })
  }

  for (const [clientName, start] of clients) {
    for (const kind of [0, 1]) {
      for (const toNode of [true, false]) {
        const route = toNode ? `${clientName} to node` : `node to ${clientName}`
        test(`${route}, ${kind === 0 ? 'one file of 300 MiB' : 'many files'}`, { timeout: 180_000 }, async () => {
          const { made, name } = kinds[kind] as { name: string; made: MadeTorrent }
          const place = `${clientName}-${kind}-${toNode}`
          const client = await start(hosts.next(), await folder.sub(`${place}-home`))
          try {
            await transfer(client, made, name, toNode, place)
          } finally {
            await client.stop()
          }
          cell('TCP transfer', clientName, toNode ? 'to node' : 'from node')
        })
      }
    }
  }
})
