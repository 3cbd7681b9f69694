// Seeds that are not whole: Transmission and the node as partial seeds (BEP 21), WebTorrent taking back a piece (BEP
// 54).

import { describe, test } from 'node:test'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { TransmissionPeer } from '../kit/peers/transmission-peer.ts'
import { waitFor } from '../kit/wait-for.ts'
import { WebTorrentPeer } from '../kit/peers/webtorrent-peer.ts'

const MIB = 1024 * 1024
const NAME = 'single.bin'
const SIZE = 12 * MIB + 77
const SLOW = 3 * MIB

interface Closes {
  after(end: () => Promise<void>): void
}

describe('seeds that are not whole', { concurrency: 1 }, () => {
  const { hosts, folder, tracker } = trackerPlace()

  const node = async (closes: Closes): Promise<NodeProcess> => {
    const started = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    closes.after(async () => void (await started.stop()))
    return started
  }
  const made = (seed: number) =>
    makeTorrent({ name: NAME, length: SIZE, pieceLength: 64 * 1024, seed, announce: [[tracker.url]] })

  test('Transmission and the node as partial seeds', {
    timeout: 240_000,
    skip: needs('netns', 'transmission-daemon'),
  }, async t => {
    const files = [
      { path: 'wanted.bin', length: 3 * MIB },
      { path: 'not.bin', length: 3 * MIB },
    ]
    const torrent = makeTorrent({ name: 'two', files, pieceLength: 256 * 1024, announce: [[tracker.url]] })
    const from = await folder.sub('partial')
    await writeContent(torrent, from, 'two')
    const path = await writeTorrent(torrent, folder.path)
    const client = async (place: string, unwanted: number[]): Promise<TransmissionPeer> => {
      const peer = await TransmissionPeer.start(hosts.next(), await folder.sub(`${place}-home`))
      t.after(() => peer.stop())
      await peer.add(path, await folder.sub(place), unwanted)
      return peer
    }
    const whole = await node(t)
    await downloadComplete(whole, await addDownload(whole, path, from))
    const theirs = await client('theirs', [1])
    await theirs.complete()
    const ours = await node(t)
    await addDownload(ours, path, await folder.sub('ours'), { selected_files: [0] })
    await downloadComplete(ours, torrent.infoHash)
    await whole.stop()

    const wanting = await client('wanting', [])
    await waitFor(
      'Transmission has what the partial seeds have',
      async () => (await wanting.missing()) === 3 * MIB,
      60_000,
    )
    await Promise.all([wanting.stop(), ours.stop()])

    const last = await node(t)
    await addDownload(last, path, await folder.sub('last'))
    await downloadUntil(last, torrent.infoHash, record => record.progress >= 0.5, 60_000)
    const rows = async () => (await downloadRecord(last, torrent.infoHash, '?get_peers=1')).peers ?? []
    const told = async () => (await rows()).some(row => row.ip === theirs.ip && row.upload_only && !row.seed)
    await waitFor('the node hears that Transmission is a partial seed', told, 30_000, rows)
    cell('partial seeds', 'Transmission')
  })

  test('WebTorrent takes back a piece, and the node asks somebody else', {
    timeout: 120_000,
    skip: needs('netns', 'webtorrent'),
  }, async t => {
    const torrent = made(3)
    const from = await folder.sub('webtorrent-from')
    await writeContent(torrent, from, NAME)
    const path = await writeTorrent(torrent, folder.path)
    const client = await WebTorrentPeer.start()
    t.after(() => client.stop())
    await client.add({ torrent: path, dir: from })
    await client.complete()
    const fetching = await node(t)
    await addDownload(fetching, path, await folder.sub('webtorrent-to'), { max_download_speed: SLOW / 2 })
    await waitFor('they are connected', async () => (await client.status()).wires.length > 0, 60_000)
    const last = Math.floor(SIZE / (64 * 1024))
    for (const piece of [last, last - 1]) await client.call('donthave', { piece })
    const rows = async () => (await downloadRecord(fetching, torrent.infoHash, '?get_peers=1')).peers ?? []
    await waitFor('the node believes it', async () => (await rows()).some(row => !row.seed), 30_000, rows)
    cell('lt_donthave', 'webtorrent')
  })
})
