// The built node and its downloads over circuits, on loopback: what it says while there is no overlay, what is refused,
// and a small network of whole nodes: one fetches from a plain seed, and two from each other without an exit.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord } from '../../../../src/services/api.ts'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../../../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, type NodeReply, startNode } from '../../../kit/nodes/node-process.ts'

const MIB = 1024 * 1024
const COMMUNITY = '7472696275746172792d6c6f6f706261636b2d32'
const NAME = 'file.bin'
const SAFE = { safe_seeding: true } as const
const made = makeTorrent({ name: NAME, length: 6 * MIB, pieceLength: 256 * 1024 })

const codeOf = (reply: NodeReply): string => reply.json<{ error: { code: string } }>().error.code

describe('a node that knows nobody', () => {
  let folder: TestFolder
  let node: NodeProcess
  before(async () => {
    folder = await makeTestFolder()
    node = await startNode({ stateDir: await folder.sub('state'), settings: { 'ipv8.port': 0 } })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  test('downloads wait for circuits and say why; so after a restart; without hops they go on', async () => {
    const torrent = await writeTorrent(made, folder.path)
    const infoHash = await addDownload(node, torrent, folder.path, { anon_hops: 2, ...SAFE })
    const waits = (record: DownloadRecord): boolean => record.status === 'DLSTATUS_CIRCUITS'
    const record = await downloadUntil(node, infoHash, waits)
    const { candidates, exits, ready } = record.circuits ?? {}
    assert.deepEqual([record.hops, candidates, exits, ready], [2, 0, 0, 0])
    const { reasons } = await node.get<{ reasons: { code: string }[] }>(`/downloads/${infoHash}/explain`)
    assert.equal(reasons[0]?.code, 'no_relays_known')
    const { stateDir } = node
    await node.kill('SIGKILL')
    node = await startNode({ stateDir, settings: { 'ipv8.port': 0 } })
    const again = await downloadUntil(node, infoHash, waits)
    assert.deepEqual([again.hops, again.safe_seeding, again.time_added], [2, true, record.time_added])
    await node.request('PATCH', `/downloads/${infoHash}`, { anon_hops: 0 })
    const plain = await downloadUntil(node, infoHash, one => one.status === 'DLSTATUS_DOWNLOADING')
    assert.deepEqual([plain.hops, plain.circuits], [0, undefined])
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('https, links that are updated and settings that forbid circuits are refused', async () => {
    const put = (body: object) => node.request('PUT', '/downloads', { destination: folder.path, ...SAFE, ...body })
    const https = await put({ uri: 'https://127.0.0.1:9/x.torrent', anon_hops: 1 })
    assert.deepEqual([https.status, codeOf(https)], [400, 'BadScheme'])
    const update = await put({ uri: `magnet:?xs=urn:btpk:${'ab'.repeat(32)}`, anon_hops: 1 })
    assert.deepEqual([update.status, codeOf(update)], [400, 'InvalidParameter'])
    const { stateDir } = node
    await node.kill('SIGTERM')
    node = await startNode({ stateDir, settings: { 'tunnel_community.enabled': false } })
    const off = await put({ uri: `magnet:?xt=urn:btih:${made.infoHash}`, anon_hops: 1 })
    assert.deepEqual([off.status, codeOf(off)], [503, 'CircuitsUnavailable'])
    const look = await node.request('GET', `/torrentinfo?anon_hops=1&torrent=magnet:?xt=urn:btih:${made.infoHash}`)
    assert.deepEqual([look.status, codeOf(look)], [503, 'CircuitsUnavailable'])
  })
})

describe('a network of whole nodes on loopback', () => {
  let folder: TestFolder
  const nodes: NodeProcess[] = []
  let ports: number[] = []

  async function overlayNode(settings: Record<string, string | number | boolean> = {}): Promise<NodeProcess> {
    const node = await startNode({
      settings: {
        'ipv8.port': 0,
        'ipv8.address': '127.0.0.1',
        'ipv8.start': 'always',
        'ipv8.bootstrap_override': ports.length === 0 ? ':' : ports.map(port => `127.0.0.1:${port}`).join(','),
        'tunnel_community.community_id': COMMUNITY,
        'tunnel_community.exit_allow_private': true,
        'tunnel_community.random_slots': 100,
        'network.allow_private': '127.0.0.0/8',
        'libtorrent.utp': true,
        ...settings,
      },
    })
    nodes.push(node)
    return node
  }

  /** The port of the node's overlay, once it runs. */
  async function overlayPort(node: NodeProcess): Promise<number> {
    type Overlays = { dispersy_community_statistics: { classification: string }[] }
    await node.until<Overlays>('/statistics/communities', ({ dispersy_community_statistics: rows }) =>
      rows.some(row => row.classification === 'TunnelCommunity'),
    )
    const { dispersy_statistics: row } = await node.get<{ dispersy_statistics: { lan_address: string } }>(
      '/statistics/dispersy',
    )
    return Number(row.lan_address.split(':').at(-1))
  }

  before(async () => {
    folder = await makeTestFolder()
  })
  after(async () => {
    for (const node of nodes) await node.stop()
    await folder?.remove()
  })

  test('a download over two hops from a plain seed', { timeout: 120_000 }, async () => {
    ports = [await overlayPort(await overlayNode())]
    await Promise.all([overlayNode(), overlayNode({ 'tunnel_community.exitnode_enabled': true })])
    const seed = await startNode({ settings: { 'libtorrent.utp': true } })
    nodes.push(seed)
    const from = await folder.sub('seed')
    await writeContent(made, from, NAME)
    const torrent = await writeTorrent(made, folder.path)
    await downloadComplete(seed, await addDownload(seed, torrent, from))
    const { variables } = await seed.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const leech = await overlayNode()
    const to = await folder.sub('leech')
    const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`
    const infoHash = await addDownload(leech, magnet, to, { anon_hops: 2, ...SAFE })
    await downloadComplete(leech, infoHash, 100_000)
    assert.deepEqual(await differences(made, to, NAME, true), [])
    assert.equal((await downloadRecord(leech, infoHash)).hops, 2)
    await leech.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
    // Fetched plainly, seeded over circuits.
    await addDownload(leech, magnet, to, { anon_hops: 0, ...SAFE })
    const hidden = await downloadUntil(
      leech,
      infoHash,
      record => record.hops === 1 && record.status === 'DLSTATUS_SEEDING',
    )
    assert.deepEqual([hidden.anon_download, hidden.safe_seeding, hidden.progress], [true, true, 1])
  })
})
