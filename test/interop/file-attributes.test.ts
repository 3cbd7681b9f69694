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
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { makeTorrent, seededBytes } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
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

  // No program makes such, but one may: padding that is longer than a piece, and at the end.
  test('pieces of nothing but padding: from libtorrent, to another node, and back', { timeout: 90_000 }, async () => {
    const made = makeTorrent({
      name: 'padded',
      pieceLength: 16_384,
      files: [
        { path: 'a', length: 20_000 },
        { path: '.pad/62000', length: 62_000, attr: 'p' },
        { path: 'z', length: 30_000 },
        { path: '.pad/50000', length: 50_000, attr: 'p' },
      ],
    })
    const torrent = await writeTorrent(made, folder.path)
    const from = await folder.sub('padded-from')
    await writeContent(made, from, 'padded')
    const peers = [await LibtorrentPeer.start(hosts.next()), await LibtorrentPeer.start(hosts.next())] as const
    const [seeder, leecher] = peers
    const ips = [hosts.next(), hosts.next()] as const
    const nodes = [await nodeAt(ips[0]), await nodeAt(ips[1])] as const
    const addressOf = async (at: 0 | 1): Promise<readonly [string, number]> => {
      const { variables } = await nodes[at].get<{ variables: { ports: Record<string, number> } }>('/variables')
      return [ips[at], variables.ports['libtorrent~port'] ?? 0]
    }
    try {
      await seeder.complete(await seeder.add({ torrent, dir: from }))
      const sources = [[seeder.ip, seeder.port] as const, await addressOf(0)] as const
      for (const at of [0, 1] as const) {
        const to = await folder.sub(`padded-${at}`)
        const infoHash = await addDownload(nodes[at], torrent, to)
        const [ip, port] = sources[at]
        await addDownload(nodes[at], `magnet:?xt=urn:btih:${infoHash}&x.pe=${ip}:${port}`, to)
        await downloadComplete(nodes[at], infoHash)
        await assertPadded(to)
      }
      const back = await folder.sub('padded-back')
      await leecher.complete(await leecher.add({ torrent, dir: back, peers: [await addressOf(1)] }), 30_000)
      await assertPadded(back)
      // What is there already is found so, without a peer.
      const again = await nodeAt(hosts.next())
      try {
        await downloadComplete(again, await addDownload(again, torrent, from))
      } finally {
        await again.stop()
      }
    } finally {
      for (const each of [...nodes, ...peers]) await each.stop()
    }

    async function assertPadded(place: string): Promise<void> {
      assert.deepEqual((await readdir(join(place, 'padded'))).toSorted(), ['a', 'z'])
      for (const { path, content, padding } of made.files)
        if (!padding) assert.ok((await readFile(join(place, 'padded', path))).equals(Buffer.from(content)), path)
    }
  })
})

function nodeAt(ip: string): Promise<NodeProcess> {
  return startNode({ settings: { 'libtorrent.interface': ip } })
}
