// v2 and hybrid torrents (BEP 52) through the whole node, with libtorrent at the other end: by file and by magnet, in
// both directions, over a restart and out of rest.

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { missingLayers } from '../../src/wire/metainfo/piece-layers.ts'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { startHttpTracker } from '../kit/peers/http-tracker.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { asMadeTorrent, type MadeV2File, type MadeV2Torrent, makeV2Torrent } from '../kit/content/make-v2-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const KIB = 1024
const skip = needs('netns', 'libtorrent')
const NAME = 'many files'

const FILES: readonly MadeV2File[] = [
  // More than 512 pieces: its layer comes in parts.
  { path: 'a/long.bin', length: 20 * 1024 * KIB + 1 },
  { path: 'b-empty.txt', length: 0 },
  { path: 'c short.bin', length: 5 },
  { path: 'd.bin', length: 64 * KIB },
  { path: 'ü/e.bin', length: 300 * KIB },
]

/** What a magnet of the torrent may name. */
const TOPICS = {
  v1: ({ v1Hash }: MadeV2Torrent) => `xt=urn:btih:${v1Hash}`,
  v2: ({ v2Hash }: MadeV2Torrent) => `xt=urn:btmh:1220${v2Hash}`,
  both: (made: MadeV2Torrent) => `${TOPICS.v1(made)}&${TOPICS.v2(made)}`,
} as const

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Fails unless the torrent file that the node gives is whole. */
async function assertExport(node: NodeProcess, made: MadeV2Torrent, name: string): Promise<void> {
  const reply = await node.request('GET', `/downloads/${name}/torrent`)
  assert.equal(reply.status, 200)
  const meta = decodeMetainfo(reply.body)
  assert.deepEqual(Buffer.from(meta.infoBytes), Buffer.from(made.info))
  assert.ok(meta.v2)
  assert.deepEqual(missingLayers(meta.v2), [])
}

describe('transfers of v2 and hybrid torrents', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()
  let seeds = 0

  const make = (hybrid: boolean): MadeV2Torrent => {
    seeds += 1
    const own = { path: 'd2.bin', content: Buffer.alloc(100 + seeds, seeds) }
    return makeV2Torrent({ files: FILES.toSpliced(4, 0, own), name: NAME, hybrid, pieceLength: 32 * KIB, noTail: true })
  }

  const libtorrentSeeds = async (made: MadeV2Torrent, place: string): Promise<LibtorrentPeer> => {
    const dir = await folder.sub(`${place}-from`)
    await writeContent(asMadeTorrent(made), dir, NAME)
    const peer = await LibtorrentPeer.start(hosts.next())
    const id = await peer.add({ torrent: await writeTorrent(asMadeTorrent(made), folder.path), dir })
    await peer.complete(id)
    return peer
  }

  const portOf = async (node: NodeProcess): Promise<number> => {
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    return variables.ports['libtorrent~port'] ?? 0
  }

  for (const kind of ['v2', 'hybrid'] as const) {
    const magnets = kind === 'v2' ? (['v2'] as const) : (['v1', 'v2', 'both'] as const)

    test(`${kind}: from libtorrent by a file and by magnets`, { timeout: 120_000 }, async () => {
      const made = make(kind === 'hybrid')
      const seeder = await libtorrentSeeds(made, `${kind}-down`)
      const short = made.v2Hash.slice(0, 40)
      const peer = `&x.pe=${seeder.ip}:${seeder.port}`
      try {
        for (const by of ['file', ...magnets] as const) {
          const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
          try {
            const to = await folder.sub(`${kind}-${by}-to`)
            const uri =
              by === 'file'
                ? await writeTorrent(asMadeTorrent(made), folder.path)
                : `magnet:?${TOPICS[by](made)}${peer}`
            const infoHash = await addDownload(node, uri, to)
            assert.equal(infoHash, kind === 'v2' || by === 'v2' ? short : made.v1Hash)
            // A file names no peer; a second request brings one.
            if (by === 'file')
              await addDownload(node, `magnet:?${TOPICS[kind === 'v2' ? 'v2' : 'v1'](made)}${peer}`, to)
            const record = await downloadComplete(node, infoHash)
            assert.equal(record.infohash_v2, made.v2Hash)
            assert.deepEqual(await differences(asMadeTorrent(made), to, NAME), [])
            assert.equal(await exists(join(to, NAME, '.pad')), false, 'padding is not written')
            const { files } = await node.get<{ files: { name: string }[] }>(`/downloads/${made.v2Hash}/files`)
            assert.deepEqual(
              files.map(file => file.name),
              made.files.map(file => file.path),
            )
            // Whoever found a hybrid by v1 alone has never asked for the layers.
            if (by !== 'v1') await assertExport(node, made, made.v2Hash)
            if (by === 'v2') cell('magnet btmh', 'libtorrent', 'to node')
          } finally {
            await node.stop()
          }
        }
        cell(kind, 'libtorrent', 'to node')
      } finally {
        await seeder.stop()
      }
    })

    test(`${kind}: to libtorrent by a file and by magnets, also after restarts`, { timeout: 120_000 }, async () => {
      const made = make(kind === 'hybrid')
      const from = await folder.sub(`${kind}-up-from`)
      await writeContent(asMadeTorrent(made), from, NAME)
      const torrent = await writeTorrent(asMadeTorrent(made), folder.path)
      const stateDir = await folder.sub(`${kind}-state`)
      const ip = hosts.next()
      const settings = { 'libtorrent.interface': ip }
      let node = await startNode({ stateDir, settings })
      const infoHash = await addDownload(node, torrent, from)
      await downloadComplete(node, infoHash)
      try {
        for (const by of ['file', ...magnets] as const) {
          const peer = await LibtorrentPeer.start(hosts.next())
          try {
            const dir = await folder.sub(`${kind}-up-${by}`)
            const peers = [[ip, await portOf(node)]] as const
            const what = by === 'file' ? { torrent } : { magnet: `magnet:?${TOPICS[by](made)}` }
            await peer.complete(await peer.add({ ...what, dir, peers }), 30_000)
            assert.deepEqual(await differences(asMadeTorrent(made), dir, NAME), [])
          } finally {
            await peer.stop()
          }
          // Killed or stopped, it wakes from its row, and has the layers that the next one asks for.
          await node.kill(by === 'file' ? 'SIGKILL' : 'SIGTERM')
          node = await startNode({ stateDir, settings })
          await downloadComplete(node, infoHash)
        }
        await assertExport(node, made, infoHash)
        // A check of everything finds everything right.
        assert.equal((await node.request('PATCH', `/downloads/${made.v2Hash}`, { state: 'recheck' })).status, 200)
        const checked = await downloadComplete(node, infoHash)
        assert.equal(checked.infohash_v2, made.v2Hash)
        assert.equal(checked.error, '')
        cell(kind, 'libtorrent', 'from node')
        cell('magnet btmh', 'libtorrent', 'from node')
      } finally {
        await node.stop()
      }
    })
  }

  test('hybrid: found by v1 alone, the layers come from a peer of the next connection and stay', {
    timeout: 60_000,
  }, async () => {
    const made = make(true)
    const seeder = await libtorrentSeeds(made, 'late')
    const stateDir = await folder.sub('late-state')
    const settings = { 'libtorrent.interface': hosts.next() }
    const to = await folder.sub('late-to')
    let node = await startNode({ stateDir, settings })
    try {
      const magnet = `magnet:?${TOPICS.v1(made)}&x.pe=${seeder.ip}:${seeder.port}`
      const infoHash = await addDownload(node, magnet, to)
      await downloadComplete(node, infoHash)
      await assert.rejects(assertExport(node, made, infoHash))
      // Whoever connects to the node offers v2, and may be asked.
      const leecher = await LibtorrentPeer.start(hosts.next())
      const dir = await folder.sub('late-from-node')
      const peers = [[settings['libtorrent.interface'], await portOf(node)]] as const
      const torrent = join(folder.path, `${made.v1Hash}.torrent`)
      await leecher.complete(await leecher.add({ torrent, dir, peers }))
      await waitFor(
        'the layers',
        () =>
          assertExport(node, made, infoHash).then(
            () => true,
            () => false,
          ),
        20_000,
      )
      await leecher.stop()
      await node.kill('SIGTERM')
      node = await startNode({ stateDir, settings })
      await downloadComplete(node, infoHash)
      await assertExport(node, made, infoHash)
    } finally {
      await node.stop()
      await seeder.stop()
    }
  })

  test('hybrid: trackers hear both hashes, and libtorrent finds the node by either', { timeout: 90_000 }, async () => {
    const made = make(true)
    const from = await folder.sub('tracked-from')
    await writeContent(asMadeTorrent(made), from, NAME)
    const tracker = await startHttpTracker(hosts.next())
    const tr = `&tr=${encodeURIComponent(tracker.url)}`
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      const infoHash = await addDownload(node, await writeTorrent(asMadeTorrent(made), folder.path), from)
      await downloadComplete(node, infoHash)
      const url = tracker.url
      assert.equal((await node.request('PUT', `/downloads/${infoHash}/trackers`, { url })).status, 200)
      for (const by of ['v1', 'v2'] as const) {
        const peer = await LibtorrentPeer.start(hosts.next())
        try {
          const dir = await folder.sub(`tracked-${by}`)
          // Encrypted connections name the torrent by a hash of their own.
          const settings = { in_enc_policy: 0, out_enc_policy: 0 }
          if (by === 'v2') await peer.call('settings', { settings })
          await peer.complete(await peer.add({ magnet: `magnet:?${TOPICS[by](made)}${tr}`, dir }), 30_000)
          assert.deepEqual(await differences(asMadeTorrent(made), dir, NAME), [])
        } finally {
          await peer.stop()
        }
      }
      const port = await portOf(node)
      const ours = tracker.announces.filter(one => one.port === port).map(one => one.infoHash)
      assert.deepEqual(new Set(ours), new Set([made.v1Hash, made.v2Hash.slice(0, 40)]))
    } finally {
      await node.stop()
      await tracker.stop()
    }
  })

  test('so= of a magnet: libtorrent gives the files that were chosen, and nothing else is fetched', {
    timeout: 60_000,
  }, async () => {
    const made = make(false)
    const seeder = await libtorrentSeeds(made, 'so')
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      const to = await folder.sub('so-to')
      const meta = decodeMetainfo(made.torrent)
      const [third, fifth] = ['d.bin', 'e.bin'].map(name => meta.files.find(file => file.path.at(-1) === name)?.index)
      const magnet = `magnet:?${TOPICS.v2(made)}&so=${third},${fifth}&x.pe=${seeder.ip}:${seeder.port}`
      const infoHash = await addDownload(node, magnet, to)
      const record = await downloadUntil(node, infoHash, one => one.status === 'DLSTATUS_SEEDING')
      assert.equal(record.total_down, 364 * KIB)
      const { files } = await node.get<{ files: { index: number; included: boolean; progress: number }[] }>(
        `/downloads/${infoHash}/files`,
      )
      const included = files.filter(file => file.included)
      assert.deepEqual(
        included.map(file => [file.index, file.progress]),
        [
          [third, 1],
          [fifth, 1],
        ],
      )
      assert.equal((await readFile(join(to, NAME, 'd.bin'))).equals(Buffer.from(made.files[3]?.content ?? [])), true)
      assert.equal(await exists(join(to, NAME, 'a', 'long.bin')), false)
    } finally {
      await node.stop()
      await seeder.stop()
    }
  })
})
