// Trackers, DHT and local discovery off: by peer exchange alone a node finds the seed of another client's swarm, and
// other clients find the seed that only the node knows. The seed is a libtorrent session that neither tells nor
// listens. All cases run side by side, because each waits for the minute between two messages. Only the client that
// tells the node has its seed from a tracker: most tell of those alone that they connected to. The node has magnets
// without trackers.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { type Finder, FINDERS } from '../kit/nodes/finders.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
/** Slow enough that the swarm is still there when its members are named to each other, bytes/s. */
const SLOW = 30 * 1024
/** Longer than anybody waits before telling (90 s in Transmission). */
const LIMIT_MS = 170_000
const SKIPS: Record<keyof typeof FINDERS, false | string> = {
  libtorrent: needs('netns', 'libtorrent'),
  Transmission: needs('netns', 'transmission-daemon'),
  aria2: needs('netns', 'aria2c'),
  rtorrent: needs('netns', 'rtorrent'),
  webtorrent: needs('netns', 'webtorrent'),
}

/** A swarm of a slow seed, a client and perhaps the node. */
interface Swarm {
  readonly made: MadeTorrent
  readonly title: string
  readonly seed: LibtorrentPeer
  readonly client: Finder
  /** Addresses connected to the seed. */
  guests(): Promise<string[]>
  /** Takes the brake off. */
  hurry(): Promise<void>
  stop(): Promise<void>
}

describe('found by peer exchange alone', { skip: needs('netns', 'libtorrent'), concurrency: 16 }, () => {
  const { hosts, folder, tracker, atEnd } = trackerPlace()
  let node: NodeProcess
  let nodeIp: string

  before(async () => {
    nodeIp = hosts.next()
    node = await startNode({ settings: { 'libtorrent.interface': nodeIp, 'libtorrent.pex': true } })
    atEnd(() => node.stop())
  })

  /** `knows`: the client has the seed's address from a tracker. */
  const makeSwarm = async (peer: keyof typeof FINDERS, title: string, knows: boolean): Promise<Swarm> => {
    const layout = { name: title, length: 12 * MIB + 7, pieceLength: 128 * 1024 }
    // Rtorrent takes no torrent without a tracker.
    const made = makeTorrent({ ...layout, announce: [[tracker.url]] })
    const from = await folder.sub(`${title}-seed`)
    await writeContent(made, from, title)
    const tracked = await writeTorrent(made, folder.path)
    const plain = await writeTorrent(makeTorrent(layout), await folder.sub('plain'))
    const seed = await LibtorrentPeer.start(hosts.next())
    const client = await FINDERS[peer](hosts.next(), await folder.sub(`${title}-home`), { pex: true })
    const more = { dir: from, seed_mode: true, upload_limit: SLOW, no_pex: true }
    const id = await seed.add({ torrent: knows ? tracked : plain, ...more })
    const isKnown = () => tracker.announces.some(one => one.infoHash === made.infoHash)
    if (knows) await waitFor('the seed at the tracker', isKnown)
    await client.add(tracked, await folder.sub(`${title}-client`))
    return {
      made,
      title,
      seed,
      client,
      guests: async () => {
        const { peers } = (await seed.call('peers', { id })) as { peers: { ip: string }[] }
        return peers.map(({ ip }) => ip)
      },
      hurry: () => seed.call('limit', { id, upload: 0, download: 0 }).then(() => undefined),
      stop: async () => {
        await client.stop()
        await seed.stop()
      },
    }
  }

  const arrives = (swarm: Swarm, ip: string, what: string): Promise<unknown> =>
    waitFor(what, async () => (await swarm.guests()).includes(ip), LIMIT_MS)

  for (const peer of Object.keys(FINDERS) as (keyof typeof FINDERS)[]) {
    // WebTorrent listens and tells nobody.
    const tells = peer === 'webtorrent' ? 'tells nobody' : SKIPS[peer]
    test(`${peer} tells the node`, { timeout: 240_000, skip: tells }, async () => {
      const swarm = await makeSwarm(peer, `${peer}-tells`, true)
      try {
        const { client, made, title } = swarm
        await arrives(swarm, client.ip, `${peer} at the seed`)
        const to = await folder.sub(`${title}-node`)
        await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${client.ip}:${client.port}`, to)
        await arrives(swarm, nodeIp, 'the node at the seed')
        await swarm.hurry()
        await downloadComplete(node, made.infoHash)
        assert.deepEqual(await differences(made, to, title), [])
        cell('PEX', peer, 'to node')
      } finally {
        await swarm.stop()
      }
    })

    test(`the node tells ${peer}`, { timeout: 240_000, skip: SKIPS[peer] }, async () => {
      const swarm = await makeSwarm(peer, `${peer}-told`, false)
      try {
        const { client, made, title } = swarm
        const told = [client, swarm.seed].map(({ ip, port }) => `&x.pe=${ip}:${port}`)
        await addDownload(
          node,
          `magnet:?xt=urn:btih:${made.infoHash}${told.join('')}`,
          await folder.sub(`${title}-node`),
        )
        await arrives(swarm, nodeIp, 'the node at the seed')
        await arrives(swarm, client.ip, `${peer} at the seed`)
        await swarm.hurry()
        await client.complete()
        assert.deepEqual(await differences(made, await folder.sub(`${title}-client`), title), [])
        cell('PEX', peer, peer === 'webtorrent' ? '' : 'from node')
      } finally {
        await swarm.stop()
      }
    })
  }
})
