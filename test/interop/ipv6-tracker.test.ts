// A tracker of another project (built into qbittorrent-nox) over IPv6 between the node and each client, all at IPv6
// addresses: by it alone the node finds who announced there, and is found (BEP 7). It tells the node its address (BEP
// 24).

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { AddressPolicy } from '../../src/io/net/address-policy.ts'
import { SystemClock } from '../../src/io/clock.ts'
import { DnsResolver } from '../../src/io/net/dns-resolver.ts'
import { GuardedHttp } from '../../src/io/net/guarded-http.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import { TorrentAnnouncers } from '../../src/tracker/announcer.ts'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { type Finder, FINDERS, type FinderSources } from '../kit/nodes/finders.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { type QbittorrentTracker, startQbittorrentTracker } from './qbittorrent-tracker.ts'
import { claimAddress6 } from '../kit/peers/real-dht.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'
import { strictLog } from '../unit/tracker/tracker-kit.ts'

const MIB = 1024 * 1024
/** Of this test alone. */
const NETWORK = 'fd77:6'
const TRACKER_IP = `${NETWORK}::1`
const NODE_IP = `${NETWORK}::2`
const SKIPS = {
  libtorrent: needs('netns', 'libtorrent'),
  Transmission: needs('netns', 'transmission-daemon'),
  aria2: needs('netns', 'aria2c'),
  webtorrent: needs('netns', 'webtorrent'),
}

describe('an IPv6 tracker of another project', { skip: needs('netns', 'qbittorrent-nox'), concurrency: 8 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  let tracker: QbittorrentTracker
  let node: NodeProcess
  let last = 0x10

  before(async () => {
    for (const ip of [TRACKER_IP, NODE_IP]) claimAddress6(ip)
    tracker = await startQbittorrentTracker(await folder.sub('tracker'), hosts.next())
    atEnd(() => tracker.stop())
    node = await startNode({ settings: { 'libtorrent.interface': NODE_IP, 'libtorrent.utp': true } })
    atEnd(() => node.stop())
  })

  const url = (): string => `http://[${TRACKER_IP}]:${tracker.port}/announce`
  const prepare = async (name: string): Promise<{ made: MadeTorrent; torrent: string; from: string; to: string }> => {
    const made = makeTorrent({ name, length: 2 * MIB + 5, pieceLength: 131_072, announce: [[url()]] })
    const from = await folder.sub(`${name}-from`)
    await writeContent(made, from, name)
    return { made, torrent: await writeTorrent(made, folder.path), from, to: await folder.sub(`${name}-to`) }
  }
  /** Asks as somebody who looks for one peer. */
  const isSeeded = async ({ infoHash }: MadeTorrent): Promise<boolean> => {
    const query = `info_hash=${infoHash.replace(/../g, '%$&')}&peer_id=-XX0000-abcdefghijkl&port=9&left=1&compact=1`
    const reply = await fetch(`${url()}?${query}`, { headers: { connection: 'close' } })
    return Buffer.from(await reply.arrayBuffer())
      .toString('latin1')
      .includes('8:completei1e')
  }
  /** At an IPv6 address; its control stays at an IPv4 one. */
  const start = async (peer: keyof typeof SKIPS, home: string): Promise<Finder> => {
    const ip6 = `${NETWORK}::${(++last).toString(16)}`
    claimAddress6(ip6)
    const sources: FinderSources = { ip6 }
    return FINDERS[peer](peer === 'libtorrent' ? ip6 : hosts.next(), await folder.sub(home), sources)
  }

  for (const peer of Object.keys(SKIPS) as (keyof typeof SKIPS)[]) {
    test(`${peer} and the node`, { timeout: 200_000, skip: SKIPS[peer] }, async () => {
      const there = `${peer}-to-node`
      const first = await prepare(there)
      const seed = await start(peer, `${there}-home`)
      try {
        await seed.add(first.torrent, first.from)
        await waitFor(`${peer} at the tracker`, () => isSeeded(first.made), 60_000)
        await addDownload(node, first.torrent, first.to)
        await downloadComplete(node, first.made.infoHash, 60_000)
      } finally {
        await seed.stop()
      }
      assert.deepEqual(await differences(first.made, first.to, there), [])
      cell('IPv6 tracker', peer, 'to node')

      const back = `node-to-${peer}`
      const second = await prepare(back)
      await addDownload(node, second.torrent, second.from)
      await waitFor('the node at the tracker', () => isSeeded(second.made), 60_000)
      const client = await start(peer, `${back}-home`)
      try {
        await client.add(second.torrent, second.to)
        await client.complete(60_000)
      } finally {
        await client.stop()
      }
      assert.deepEqual(await differences(second.made, second.to, back), [])
      cell('IPv6 tracker', peer, 'from node')
    })
  }

  test('the tracker tells us our address', { timeout: 60_000 }, async () => {
    const policy = new AddressPolicy()
    const resolver = new DnsResolver({ policy })
    const http = new GuardedHttp({ userAgent: 'Tributary/test', localIp: NODE_IP }, { policy, resolver })
    const random = new SystemRandom()
    const told: string[] = []
    const announcers = new TorrentAnnouncers(
      {},
      {
        clock: new SystemClock(),
        random,
        log: strictLog,
        http,
        udp: new DgramNetwork(),
        resolver,
        externalIp: (ip, host) => void told.push(`${ip} says ${host}`),
      },
    )
    announcers.setListenPort(5001)
    const announcer = announcers.create({
      infoHash: makeTorrent({ name: 'address', length: 5, pieceLength: 16_384 }).infoHash,
      peerId: random.bytes(20),
      tiers: [[url()]],
      isPrivate: () => false,
      wantedPeers: () => 50,
      counters: () => ({ uploaded: 0, downloaded: 0, left: 5 }),
      onPeers: () => undefined,
    })
    announcer.start()
    await waitFor(
      'an answer',
      () => told.length > 0,
      20_000,
      () => announcer.rows(),
    )
    await announcer.stop(2000)
    await announcers.close()
    await http.close()
    assert.ok(told[0]?.startsWith(`${NODE_IP} says `), told[0])
    cell('external address', 'other', 'the tracker of qbittorrent-nox')
    cell('IPv6 tracker', 'other', 'the tracker of qbittorrent-nox')
  })
})
