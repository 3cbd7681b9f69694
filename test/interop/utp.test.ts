// uTP with libtorrent in another network namespace, over the wire and over lines that lose, delay and mix, each way,
// with and without encryption; compared byte for byte. libtorrent's TCP is off, so what arrives came by uTP, also where
// its TCP port takes connections to end them. Speed:
// bench/flow/utp.ts.

import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { type FarLibtorrent, startFarLibtorrent } from '../kit/peers/far-libtorrent.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { makeUtpHosts, type UtpHosts } from '../kit/sim/utp-hosts.ts'
import { startUtpLine, type UtpLineShape } from '../kit/sim/utp-line.ts'
import { waitFor } from '../kit/wait-for.ts'

const KIB = 1024
const NAME = 'by-utp.bin'
const ONLY_UTP = {
  enable_outgoing_utp: true,
  enable_incoming_utp: true,
  enable_outgoing_tcp: false,
  enable_incoming_tcp: false,
  // A packet that got lost three times, its default, ends the connection without a word.
  utp_num_resends: 12,
}
/** libtorrent: encryption is a must, RC4 alone. */
const ONLY_RC4 = { in_enc_policy: 0, out_enc_policy: 0, allowed_enc_level: 2 }

interface Case {
  readonly name: string
  readonly kib: number
  readonly line: UtpLineShape
  readonly encrypted?: true
}

const cases: readonly Case[] = [
  { name: 'a good line', kib: 16 * KIB, line: { loss: 0, delayMs: 0 } },
  { name: 'a good line, encrypted', kib: 4 * KIB, line: { loss: 0, delayMs: 0 }, encrypted: true },
  { name: '0 % loss, 50 ms', kib: 2 * KIB, line: { loss: 0, delayMs: 50 } },
  { name: '2 % loss, 50 ms', kib: 256, line: { loss: 0.02, delayMs: 50 } },
  { name: '10 % loss, 50 ms', kib: 96, line: { loss: 0.1, delayMs: 50 } },
  {
    name: '2 % loss, 10 % out of order, 10 % twice',
    kib: 256,
    line: { loss: 0.02, delayMs: 10, reorder: 0.1, duplicate: 0.1 },
  },
]

describe('uTP with libtorrent', { skip: needs('netns', 'libtorrent', 'nsenter'), concurrency: 3 }, () => {
  let hosts: UtpHosts
  let folder: TestFolder

  before(async () => {
    hosts = await makeUtpHosts()
    folder = await makeTestFolder()
  })
  after(async () => {
    await folder?.remove()
    await hosts?.stop()
  })

  const startPair = async (t: TestContext, one: Case): Promise<{ node: NodeProcess; far: FarLibtorrent }> => {
    const { near, far } = hosts
    const other = await startFarLibtorrent({ prefix: () => far.prefix }, far.ip)
    t.after(() => other.stop())
    await other.call('settings', { settings: { ...ONLY_UTP, ...(one.encrypted ? ONLY_RC4 : {}) } })
    const node = await startNode({
      settings: { 'libtorrent.interface': near.ip, 'libtorrent.utp': true, 'api.http_host': near.ip },
      prefix: near.prefix,
    })
    t.after(() => node.stop())
    return { node, far: other }
  }

  for (const [index, one] of cases.entries()) {
    // Who fetches connects.
    for (const toNode of [true, false]) {
      test(`${one.name}: ${toNode ? 'libtorrent to node' : 'node to libtorrent'}`, { timeout: 150_000 }, async t => {
        const { node, far } = await startPair(t, one)
        const made = makeTorrent({ name: NAME, length: one.kib * KIB + 77, pieceLength: 64 * KIB })
        const [from, to] = [await folder.sub(`from-${index}-${toNode}`), await folder.sub(`to-${index}-${toNode}`)]
        await writeContent(made, from, NAME)
        const torrent = await writeTorrent(made, from)
        const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
        const at = { ip: hosts.near.ip, port: variables.ports['libtorrent~port'] ?? 0 }
        const line = await startUtpLine(hosts, at, { ip: hosts.far.ip, port: far.port }, one.line)
        t.after(() => line.stop())
        if (toNode) {
          await far.call('add', { torrent, dir: from, seed_mode: true })
          const { ip, port } = line.farSeen
          const infoHash = await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${ip}:${port}`, to)
          await downloadComplete(node, infoHash)
        } else {
          await downloadComplete(node, await addDownload(node, torrent, from))
          await far.call('add', { torrent, dir: to, peers: [[line.nearSeen.ip, line.nearSeen.port]] })
          let last: unknown
          const done = async (): Promise<boolean> => {
            const status = await far.call('status', { id: 0 })
            last = status
            return status['seeding'] === true
          }
          await waitFor('libtorrent complete', done, 120_000, () => last)
        }
        assert.deepEqual(await differences(made, to, NAME, true), [])
        const { peers } = (await far.call('peers', { id: 0 })) as { peers: { utp: boolean }[] }
        // It may have left, as both are complete.
        assert.ok(peers.every(peer => peer.utp))
        cell('uTP', 'libtorrent', toNode ? 'to node' : 'from node')
      })
    }
  }

  test('a port that takes TCP and ends it, near, without encryption: uTP at once', { timeout: 60_000 }, async t => {
    const { node, far } = await startPair(t, { name: 'near', kib: KIB, line: { loss: 0, delayMs: 0 } })
    const made = makeTorrent({ name: NAME, length: KIB * KIB + 77, pieceLength: 64 * KIB })
    const [from, to] = [await folder.sub('from-near'), await folder.sub('to-near')]
    await writeContent(made, from, NAME)
    await far.call('add', { torrent: await writeTorrent(made, from), dir: from, seed_mode: true })
    const begin = performance.now()
    const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${hosts.far.ip}:${far.port}`
    await downloadComplete(node, await addDownload(node, magnet, to))
    const ms = performance.now() - begin
    // Addresses are called again after 10 s and more.
    assert.ok(ms < 9000, `${ms.toFixed()} ms`)
    assert.deepEqual(await differences(made, to, NAME, true), [])
  })
})
