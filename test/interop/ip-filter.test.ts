// The IP filter of a built node: libtorrent in the lists is neither called nor taken, a tracker in them is not asked,
// who is connected is dropped when the file changes, and everybody is back when it changes again.

import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const NAME = 'filtered.bin'

describe('the IP filter', { skip: needs('netns', 'libtorrent'), concurrency: 1 }, () => {
  const { hosts, folder, tracker } = trackerPlace()

  test('lists are obeyed both ways, and changes of them at once', { timeout: 120_000 }, async t => {
    const made = makeTorrent({ name: NAME, length: 8 * MIB, pieceLength: 256 * 1024, announce: [[tracker.url]] })
    const torrent = await writeTorrent(made, folder.path)
    const from = await folder.sub('from')
    await writeContent(made, from, NAME)
    const peer = await LibtorrentPeer.start(hosts.next())
    t.after(() => peer.stop())
    const id = await peer.add({ torrent, dir: from, seed_mode: true, upload_limit: MIB })

    const list = join(folder.path, 'list.p2p')
    const write = async (...lines: string[]) => {
      await writeFile(`${list}.new`, lines.map(line => `${line}\n`).join(''))
      await rename(`${list}.new`, list)
    }
    const trackerIp = new URL(tracker.url).hostname
    await write(`nobody:${peer.ip}-${peer.ip}`, `${trackerIp}/32`)
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    t.after(() => node.stop())
    const set = await node.request('POST', '/settings', { network: { ip_filter: [list] } })
    assert.equal(set.status, 200, set.body.toString())

    const to = await folder.sub('to')
    const infoHash = await addDownload(node, torrent, to)
    await addDownload(node, `magnet:?xt=urn:btih:${infoHash}&x.pe=${peer.ip}:${peer.port}`, to)
    const refused = await downloadUntil(
      node,
      infoHash,
      record => record.trackers[0]?.status.startsWith('Error') === true,
    )
    assert.equal(tracker.announces.filter(one => one.ip !== peer.ip).length, 0, 'the tracker is not asked')
    const reasons = async () => {
      const { reasons: list } = await node.get<{ reasons: { code: string }[] }>(`/downloads/${infoHash}/explain`)
      return list.map(reason => reason.code)
    }
    await waitFor('the reason is told', async () => (await reasons()).includes('no_tracker_answers'), 10_000, reasons)
    assert.equal(refused.num_connected_peers, 0)
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const nodeIp = String(
      (await node.get<{ settings: Record<string, Record<string, unknown>> }>('/settings')).settings['libtorrent']?.[
        'interface'
      ],
    )
    const call = () => peer.call('connect', { id, ip: nodeIp, port: variables.ports['libtorrent~port'] })
    await call()
    assert.equal((await downloadRecord(node, infoHash)).total_down, 0)

    await write('9.9.9.9')
    await waitFor(
      'libtorrent gets in',
      async () => {
        await call()
        return (await downloadRecord(node, infoHash)).total_down > MIB
      },
      30_000,
    )
    await write('9.9.9.9', peer.ip)
    const alone = await downloadUntil(node, infoHash, record => record.num_connected_peers === 0, 30_000)
    assert.ok(alone.progress < 1, 'it was dropped in the middle')
    await call()
    const { total_down: kept } = await downloadRecord(node, infoHash)
    await waitFor('the file is read again', async () => {
      const off = await node.request('POST', '/settings', { network: { ip_filter: [] } })
      return off.status === 200
    })
    assert.ok(kept < made.content.length)
    await call()
    await downloadComplete(node, infoHash, 60_000)
    assert.deepEqual(await differences(made, to, NAME), [])
    cell('IP filter', 'other')
  })
})
