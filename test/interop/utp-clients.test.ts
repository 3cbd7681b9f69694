// uTP with Transmission and WebTorrent, each way, compared byte for byte. They cannot be told to leave TCP alone, so
// the kernel refuses it between them and the node: what arrives came by uTP.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, type TestContext, test } from 'node:test'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { TransmissionPeer } from '../kit/peers/transmission-peer.ts'
import { WebTorrentPeer } from '../kit/peers/webtorrent-peer.ts'

const KIB = 1024
const NAME = 'by-utp.bin'

/** A client with uTP, and one torrent. */
interface UtpClient {
  readonly ip: string
  add(torrentPath: string, dir: string): Promise<void>
  complete(): Promise<void>
  stop(): Promise<void>
}

async function startWebTorrent(): Promise<UtpClient> {
  const peer = await WebTorrentPeer.start({ utp: true })
  return {
    ip: peer.ip,
    add: (torrent, dir) => peer.add({ torrent, dir }),
    complete: () => peer.complete(),
    stop: () => peer.stop(),
  }
}

const clients = {
  Transmission: (ip: string, home: string): Promise<UtpClient> =>
    TransmissionPeer.start(ip, home, { 'utp-enabled': true }),
  webtorrent: startWebTorrent,
} as const

/** No TCP between two addresses of the namespace, with an answer, as from a closed port. */
function refuseTcp(t: TestContext, a: string, b: string): void {
  const table = `utp_${process.pid}_${b.replaceAll('.', '_')}`
  const between = (from: string, to: string): string =>
    `ip saddr ${from} ip daddr ${to} meta l4proto tcp reject with tcp reset`
  const rules = `table inet ${table} {
    chain in { type filter hook input priority 0; policy accept; ${between(a, b)}; ${between(b, a)}; }
  }`
  execFileSync('nft', ['-f', '-'], { input: rules })
  t.after(() => execFileSync('nft', ['delete', 'table', 'inet', table]))
}

describe('uTP with other clients', {
  skip: needs('netns', 'nft', 'transmission-daemon', 'webtorrent', 'utp-native'),
  concurrency: 1,
}, () => {
  const { hosts, folder, tracker } = trackerPlace()

  for (const [name, start] of Object.entries(clients) as [keyof typeof clients, (typeof clients)['Transmission']][]) {
    for (const toNode of [true, false]) {
      test(toNode ? `${name} to node` : `node to ${name}`, { timeout: 150_000 }, async t => {
        const place = `${name}-${toNode}`
        const made = makeTorrent({
          name: NAME,
          length: 6 * KIB * KIB + 77,
          pieceLength: 64 * KIB,
          announce: [[`${tracker.url}?${place}`]],
        })
        const [from, to] = [await folder.sub(`${place}-from`), await folder.sub(`${place}-to`)]
        await writeContent(made, from, NAME)
        const torrent = await writeTorrent(made, from)
        const client = await start(hosts.next(), await folder.sub(`${place}-home`))
        t.after(() => client.stop())
        const ip = hosts.next()
        refuseTcp(t, client.ip, ip)
        const node = await startNode({ settings: { 'libtorrent.interface': ip, 'libtorrent.utp': true } })
        t.after(() => node.stop())
        const infoHash = await addDownload(node, torrent, toNode ? to : from)
        if (!toNode) await downloadComplete(node, infoHash)
        await client.add(torrent, toNode ? from : to)
        if (toNode) await downloadComplete(node, infoHash)
        else await client.complete()
        assert.deepEqual(await differences(made, to, NAME, true), [])
        cell('uTP', name, toNode ? 'to node' : 'from node')
      })
    }
  }
})
