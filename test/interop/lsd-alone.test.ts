// Trackers, DHT and peer exchange off: by local discovery alone a node finds another client in its network, and is
// found by it. They run on two hosts that a wire joins; the last to add the torrent is the one that is found. A private
// torrent is not announced.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { after, before, describe, test } from 'node:test'
import type { InfoHash } from '../../src/base/ids.ts'
import { OUR_IDS } from '../../src/torrent/peers/own-handshake.ts'
import { decodeLsdAnnounce, LSD_GROUPS, LSD_PORT } from '../../src/wire/net/lsd.ts'
import { UT_PEX } from '../../src/wire/peer/ut-pex.ts'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { hostPrefix } from '../kit/nodes/daemon-process.ts'
import { FINDERS } from '../kit/nodes/finders.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { holdNamespace } from '../kit/nodes/two-hosts.ts'
import { waitFor } from '../kit/wait-for.ts'
import { WatchingPeer } from '../kit/peers/watching-peer.ts'

const MIB = 1024 * 1024
/** The test and the node, and the others: some clients cannot be heard on their own host. */
const NEAR = { device: 'lan0', ip: '10.80.9.1' }
const FAR = { device: 'lan1', ip: '10.80.9.2' }
const SKIPS = {
  libtorrent: needs('netns', 'libtorrent'),
  Transmission: needs('netns', 'transmission-daemon'),
  aria2: needs('netns', 'aria2c'),
  webtorrent: needs('netns', 'webtorrent'),
}

/** Joins both by a wire; answers what runs a command on the far one, and its end. */
async function makeHosts(): Promise<{ readonly prefix: readonly string[]; readonly holder: ChildProcess }> {
  const holder = await holdNamespace()
  const prefix = ['nsenter', '-t', `${holder.pid ?? 0}`, '-n']
  const run = (before: readonly string[], text: string): void => {
    const [program = '', ...args] = [...before, ...text.split(' ')]
    execFileSync(program, args)
  }
  run([], `ip link add ${NEAR.device} type veth peer name ${FAR.device} netns ${holder.pid ?? 0}`)
  for (const [before, at] of [
    [[], NEAR],
    [prefix, FAR],
  ] as const) {
    run(before, `ip addr add ${at.ip}/24 dev ${at.device}`)
    run(before, `ip link set ${at.device} up`)
    run(before, `ip route add 224.0.0.0/4 dev ${at.device}`)
  }
  run(prefix, 'ip link set lo up')
  return { prefix, holder }
}

/** Hears announces to the group: info hashes by the port of their peer. */
async function listen(told: Map<string, Set<number>>): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.on('message', bytes => {
    const { infoHashes, port } = decodeLsdAnnounce(bytes)
    for (const infoHash of infoHashes) told.set(infoHash, (told.get(infoHash) ?? new Set()).add(port))
  })
  await new Promise<void>(resolve => socket.bind(LSD_PORT, resolve))
  socket.addMembership(LSD_GROUPS[4], NEAR.ip)
  return socket
}

describe('found by local discovery alone', { skip: needs('netns', 'nsenter'), concurrency: 16 }, () => {
  let folder: TestFolder
  let node: NodeProcess
  let ear: Socket
  let hosts: Awaited<ReturnType<typeof makeHosts>>
  const told = new Map<string, Set<number>>()

  before(async () => {
    folder = await makeTestFolder()
    hosts = await makeHosts()
    ear = await listen(told)
    const settings = { 'libtorrent.interface': '', 'libtorrent.utp': true, 'libtorrent.lsd': true }
    node = await startNode({ settings: { ...settings, 'network.allow_private': '127.0.0.0/8' } })
  })
  after(async () => {
    await node?.stop()
    ear?.close()
    hosts?.holder.kill('SIGKILL')
    await folder?.remove()
  })

  const isTold = (infoHash: InfoHash): Promise<unknown> => waitFor('an announce', () => told.has(infoHash), 30_000)

  const prepare = async (title: string): Promise<{ made: MadeTorrent; torrent: string; from: string; to: string }> => {
    const made = makeTorrent({ name: title, length: 3 * MIB + 5, pieceLength: 256 * 1024 })
    const from = await folder.sub(`${title}-from`)
    await writeContent(made, from, title)
    return { made, torrent: await writeTorrent(made, folder.path), from, to: await folder.sub(`${title}-to`) }
  }

  for (const peer of Object.keys(SKIPS) as (keyof typeof SKIPS)[]) {
    test(`${peer} and the node`, { timeout: 120_000, skip: SKIPS[peer] }, async () => {
      const start = async (home: string) => {
        const path = await folder.sub(home)
        return hostPrefix.run(hosts.prefix, () => FINDERS[peer](FAR.ip, path, { lsd: true }))
      }
      const title = `${peer}-tells`
      const first = await prepare(title)
      await addDownload(node, first.torrent, first.to)
      await isTold(first.made.infoHash)
      const seed = await start(`${title}-home`)
      try {
        await seed.add(first.torrent, first.from)
        await downloadComplete(node, first.made.infoHash, 60_000)
      } finally {
        await seed.stop()
      }
      assert.deepEqual(await differences(first.made, first.to, title), [])
      cell('LSD', peer, 'to node')

      const back = `${peer}-told`
      const second = await prepare(back)
      const leecher = await start(`${back}-home`)
      try {
        await leecher.add(second.torrent, second.to)
        await isTold(second.made.infoHash)
        await addDownload(node, second.torrent, second.from)
        await leecher.complete(60_000)
      } finally {
        await leecher.stop()
      }
      assert.deepEqual(await differences(second.made, second.to, back), [])
      cell('LSD', peer, 'from node')
    })
  }

  test('a private torrent is not told of', { timeout: 60_000 }, async () => {
    const secret = makeTorrent({ name: 'private', length: MIB, pieceLength: 65_536, private: true })
    const open = makeTorrent({ name: 'open', length: MIB, pieceLength: 65_536 })
    for (const made of [secret, open]) await addDownload(node, await writeTorrent(made, folder.path), folder.path)
    // Both would be told of in the same datagram.
    await isTold(open.infoHash)
    assert.ok(!told.has(secret.infoHash))
  })

  test('a private magnet is announced neither while metadata comes nor afterwards', { timeout: 90_000 }, async t => {
    const secret = makeTorrent({ name: 'private-magnet', length: MIB, pieceLength: 65_536, private: true })
    const names = { ip: '127.0.0.1', port: 1 }
    const options = { torrent: secret, names, pexId: OUR_IDS[UT_PEX] ?? 1, dhtPort: 1 }
    const peer = await WatchingPeer.start(options, false)
    t.after(() => peer.raw.stop())
    /** Told of in the same datagram as what would be told of beside it. */
    const openIsTold = async (name: string): Promise<void> => {
      const open = makeTorrent({ name, length: MIB, pieceLength: 65_536 })
      await addDownload(node, await writeTorrent(open, folder.path), folder.path)
      await isTold(open.infoHash)
    }
    const uri = `magnet:?xt=urn:btih:${secret.infoHash}&x.pe=127.0.0.1:${peer.raw.port}`
    await addDownload(node, uri, folder.path)
    await waitFor('a call', () => peer.raw.open > 0, 30_000)
    await openIsTold('open-before')
    assert.ok(!told.has(secret.infoHash))
    peer.give()
    type List = { downloads: { infohash: string; size: number }[] }
    await node.until<List>('/downloads', ({ downloads }) =>
      downloads.some(({ infohash, size }) => infohash === secret.infoHash && size > 0),
    )
    await openIsTold('open-after')
    assert.ok(!told.has(secret.infoHash))
  })
})
