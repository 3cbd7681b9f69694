// Holepunching (BEP 55) between hosts behind routers of their own, which cannot be reached from outside: a peer that
// both know introduces them, and one fetches a torrent of the other by uTP. libtorrent introduces nodes, nodes and
// libtorrent are introduced by a node.

import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { PeerRecord } from '../../src/services/api.ts'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { makeNattedHosts, type NattedHost, type NattedHosts } from './natted-hosts.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const NAME = 'punched.bin'
const made = makeTorrent({ name: NAME, length: 4 * MIB + 3, pieceLength: 256 * 1024 })
const UTP = { enable_outgoing_utp: true, enable_incoming_utp: true }
const SETTINGS = { 'libtorrent.utp': true, 'libtorrent.pex': true, 'libtorrent.encryption': 'off' }
/** What the one in the middle may fetch: it is to have nothing to give. */
const TRICKLE = 1000

/** Who knows everybody: it has the torrent and no data. */
interface Relay {
  readonly port: number
}

describe('hosts behind routers', { skip: needs('netns', 'libtorrent', 'nft', 'nsenter'), concurrency: 1 }, () => {
  let net: NattedHosts
  let folder: TestFolder
  let torrent = ''
  let round = 0

  before(async () => {
    net = await makeNattedHosts()
    folder = await makeTestFolder()
    torrent = await writeTorrent(made, folder.path)
  })
  after(async () => {
    await net?.stop()
    await folder?.remove()
  })

  /**
   * `pex`: it hears of others, and calls them by itself. The first host does not: two that call each other need nobody.
   */
  const inside = async (t: TestContext, host: NattedHost, pex: boolean): Promise<NodeProcess> => {
    const node = await startNode({
      settings: {
        ...SETTINGS,
        'libtorrent.pex': pex,
        'libtorrent.interface': host.ip,
        'api.http_host': host.controlIp,
      },
      prefix: host.prefix,
    })
    t.after(() => node.stop())
    return node
  }
  const libtorrentRelay = async (t: TestContext): Promise<Relay> => {
    const peer = await LibtorrentPeer.start(net.publicIp)
    t.after(() => peer.stop())
    await peer.call('settings', { settings: UTP })
    await peer.add({ torrent, dir: await folder.sub(`relay-${round}`), download_limit: TRICKLE })
    return peer
  }
  const nodeRelay = async (t: TestContext): Promise<Relay> => {
    const node = await startNode({ settings: { ...SETTINGS, 'libtorrent.interface': net.publicIp } })
    t.after(() => node.stop())
    await addDownload(node, torrent, await folder.sub(`relay-${round}`), { max_download_speed: TRICKLE })
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    return { port: variables.ports['libtorrent~port'] ?? 0 }
  }
  const magnetBy = ({ port }: Relay): string => `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${net.publicIp}:${port}`
  const join = async (node: NodeProcess, relay: Relay, dir: string): Promise<void> => {
    await addDownload(node, torrent, dir)
    // A second PUT brings the peer.
    await addDownload(node, magnetBy(relay), dir)
  }
  const whole = async (): Promise<string> => {
    const dir = await folder.sub(`from-${round}`)
    await writeContent(made, dir, NAME)
    return dir
  }
  const rows = async (node: NodeProcess): Promise<PeerRecord[]> =>
    (await downloadRecord(node, made.infoHash, '?get_peers=1')).peers ?? []

  /** The node at the second host fetches; who gave it is the first host, by uTP. */
  const fetched = async (t: TestContext, relay: Relay): Promise<void> => {
    const [first, second] = net.hosts
    const node = await inside(t, second, true)
    const dir = await folder.sub(`to-${round}`)
    await join(node, relay, dir)
    const direct = async () => (await rows(node)).find(row => row.ip === first.outsideIp)
    const row = await waitFor('the other host is reached', direct, 60_000, () => rows(node))
    assert.equal(row.connection_type, 3)
    await downloadComplete(node, made.infoHash, 60_000)
    assert.deepEqual(await differences(made, dir, NAME), [])
  }

  for (const kind of ['libtorrent', 'node'] as const) {
    test(`a ${kind} introduces a node to a node`, { timeout: 180_000 }, async t => {
      round += 1
      const relay = kind === 'node' ? await nodeRelay(t) : await libtorrentRelay(t)
      const seed = await inside(t, net.hosts[0], false)
      await addDownload(seed, torrent, await whole(), { max_upload_speed: 256 * 1024 })
      await downloadComplete(seed, made.infoHash)
      await addDownload(seed, magnetBy(relay), folder.path)
      await waitFor('the relay is reached', async () => (await rows(seed)).length > 0, 30_000)
      await fetched(t, relay)
    })

    test(`a ${kind} introduces a node to libtorrent`, { timeout: 180_000 }, async t => {
      round += 1
      const relay = kind === 'node' ? await nodeRelay(t) : await libtorrentRelay(t)
      const [first] = net.hosts
      const seed = await LibtorrentPeer.start(first.ip, first.prefix)
      t.after(() => seed.stop())
      await seed.call('settings', { settings: UTP })
      const peers = [[net.publicIp, relay.port]] as const
      const id = await seed.add({
        torrent,
        dir: await whole(),
        seed_mode: true,
        no_pex: true,
        peers,
        upload_limit: 256 * 1024,
      })
      await waitFor('the relay is reached', async () => (await seed.peers(id)).length > 0, 30_000)
      await fetched(t, relay)
      cell('holepunch', 'libtorrent', kind === 'node' ? 'to node' : 'from node')
    })
  }
})
