// Padding and attributes of files (BEP 47) as libtorrent writes them: padding is neither written nor shown, nothing
// becomes executable, links are not made; and what a node has so, libtorrent fetches whole.

import assert from 'node:assert/strict'
import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('netns', 'libtorrent')
const FILES = { a: seededBytes(100, 1), 'run.sh': seededBytes(50_000, 2), z: seededBytes(16_384, 3) }

describe('padding and attributes with libtorrent', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()

  async function assertContent(place: string): Promise<void> {
    for (const [name, bytes] of Object.entries(FILES)) {
      assert.ok((await readFile(join(place, name))).equals(Buffer.from(bytes)), name)
    }
  }

  for (const kind of ['v1', 'v2', 'hybrid'] as const) {
    test(`${kind}: there and back`, { timeout: 60_000 }, async () => {
      const name = `set-${kind}`
      const from = await folder.sub(`${kind}-from`)
      await mkdir(join(from, name))
      for (const [file, bytes] of Object.entries(FILES)) await writeFile(join(from, name, file), bytes)
      await chmod(join(from, name, 'run.sh'), 0o755)
      await symlink('run.sh', join(from, name, 'link'))
      const torrent = join(folder.path, `${kind}.torrent`)
      const seeder = await LibtorrentPeer.start(hosts.next())
      const leecher = await LibtorrentPeer.start(hosts.next())
      const ip = hosts.next()
      const node = await startNode({ settings: { 'libtorrent.interface': ip } })
      try {
        await seeder.call('make', { path: join(from, name), torrent, piece_length: 16_384, kind, links: true })
        const meta = decodeMetainfo(await readFile(torrent))
        const link = meta.files.find(file => file.path.at(-1) === 'link')
        assert.deepEqual(link?.attributes?.link, [name, 'run.sh'])
        assert.equal(meta.files.filter(file => file.padding).length, 2)
        await seeder.complete(await seeder.add({ torrent, dir: from }))

        const to = await folder.sub(`${kind}-to`)
        const infoHash = await addDownload(node, torrent, to)
        const { magnet } = await node.get<{ magnet: string }>(`/downloads/${infoHash}/magnet`)
        await addDownload(node, `${magnet}&x.pe=${seeder.ip}:${seeder.port}`, to)
        await downloadComplete(node, infoHash)
        await assertContent(join(to, name))
        const there = await readdir(join(to, name), { recursive: true })
        assert.ok(
          there.every(entry => ['a', 'link', 'run.sh', 'z'].includes(entry)),
          there.join(),
        )
        for (const entry of there) {
          const facts = await lstat(join(to, name, entry))
          assert.ok(facts.isFile(), `${entry} is a file`)
          assert.equal(facts.mode & 0o111, 0, `${entry} cannot be run`)
        }
        const { files } = await node.get<{ files: { name: string }[] }>(`/downloads/${infoHash}/files`)
        assert.deepEqual(
          files.map(file => file.name),
          ['a', 'link', 'run.sh', 'z'],
        )

        const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
        const back = await folder.sub(`${kind}-back`)
        const peers = [[ip, variables.ports['libtorrent~port'] ?? 0]] as const
        await leecher.complete(await leecher.add({ torrent, dir: back, peers }), 30_000)
        await assertContent(join(back, name))
        // Padding of both kinds was there and back.
        if (kind === 'hybrid') cell('padding and attributes', 'libtorrent')
      } finally {
        await node.stop()
        await leecher.stop()
        await seeder.stop()
      }
    })
  }
})
