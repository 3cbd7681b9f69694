// Magnets that choose files (BEP 53 `so`), with libtorrent: the node fetches what such a magnet names and no byte more,
// and libtorrent fetches of the node what a link written here names.

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { formatMagnet } from '../../src/wire/metainfo/magnet.ts'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer, type LibtorrentStatus } from '../kit/peers/libtorrent-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const KIB = 1024
const skip = needs('netns', 'libtorrent')

/** Every file begins at a piece, so that none brings bytes of another. */
const LENGTHS = [640 * KIB, 256 * KIB, 1024 * KIB, 64 * KIB, 512 * KIB]
const CHOSEN = [1, 3, 4]
const CHOSEN_BYTES = CHOSEN.reduce((sum, index) => sum + (LENGTHS[index] ?? 0), 0)

describe('magnets with select-only', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()

  const made = makeTorrent({
    name: 'set',
    files: LENGTHS.map((length, index) => ({ path: `${index}.bin`, length })),
    pieceLength: 64 * KIB,
  })

  async function assertChosen(place: string): Promise<void> {
    for (const index of CHOSEN) {
      const bytes = await readFile(join(place, 'set', `${index}.bin`))
      assert.ok(bytes.equals(Buffer.from(made.files[index]?.content ?? [])), `${index}.bin`)
    }
  }

  test('there and back', { timeout: 120_000 }, async () => {
    const from = await folder.sub('from')
    await writeContent(made, from, 'set')
    const torrent = await writeTorrent(made, folder.path)
    const link = (ip: string, port: number) =>
      formatMagnet({ infoHash: made.infoHash, selectedFiles: CHOSEN, peers: [{ ip, port }] })

    const seeder = await LibtorrentPeer.start(hosts.next())
    const taker = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      await seeder.complete(await seeder.add({ torrent, dir: from }))
      const to = await folder.sub('to')
      await addDownload(taker, link(seeder.ip, seeder.port), to)
      await downloadUntil(taker, made.infoHash, record => record.status === 'DLSTATUS_SEEDING')
      assert.equal((await downloadRecord(taker, made.infoHash)).total_down, CHOSEN_BYTES)
      await assertChosen(to)
      for (const index of [0, 2]) await assert.rejects(stat(join(to, 'set', `${index}.bin`)), { code: 'ENOENT' })
      const { files } = await taker.get<{ files: { included: boolean }[] }>(`/downloads/${made.infoHash}/files`)
      assert.deepEqual(
        files.map(file => file.included),
        LENGTHS.map((_, index) => CHOSEN.includes(index)),
      )
    } finally {
      await taker.stop()
      await seeder.stop()
    }

    const ip = hosts.next()
    const node = await startNode({ settings: { 'libtorrent.interface': ip } })
    const client = await LibtorrentPeer.start(hosts.next())
    try {
      await addDownload(node, torrent, from)
      await downloadComplete(node, made.infoHash)
      const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
      const port = variables.ports['libtorrent~port'] ?? 0
      const back = await folder.sub('back')
      const id = await client.add({ magnet: link(ip, port), dir: back, peers: [[ip, port]] })
      let last: LibtorrentStatus | undefined
      const look = async () => (last = await client.status(id)).state === 'finished'
      await waitFor('libtorrent has the files', look, 60_000, () => last)
      await assertChosen(back)
      assert.equal((await downloadRecord(node, made.infoHash)).total_up, CHOSEN_BYTES)
      cell('select-only', 'libtorrent')
    } finally {
      await client.stop()
      await node.stop()
    }
  })
})
