// v2 and hybrid torrents (BEP 52): ours as libtorrent reads them, and libtorrent's as we do: the same info hashes,
// files, padding and pieces.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { decodeMetainfo, encodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { encodeInfo } from '../../src/wire/metainfo/info-writer.ts'
import { missingLayers, pieceTree } from '../../src/wire/metainfo/piece-layers.ts'
import { leavesOf, rootOf } from '../../src/wire/metainfo/merkle.ts'
import type { Metainfo, V2Content } from '../../src/wire/metainfo/torrent-types.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { makeV2Torrent } from '../kit/content/make-v2-torrent.ts'
import { needs } from '../kit/requirements.ts'

const KIB = 1024
const skip = needs('netns', 'libtorrent')

const FILES = [
  { path: 'a/long.bin', length: 700 * KIB + 1 },
  { path: 'b-empty.txt', length: 0 },
  { path: 'c short.bin', length: 5 },
  { path: 'd.bin', length: 64 * KIB },
  { path: 'ü/e.bin', length: 100 * KIB },
]

interface Read {
  readonly v1: string
  readonly v2: string
  readonly pieces: number
  readonly piece_length: number
  readonly files: readonly (readonly [string, number, boolean])[]
}

describe('v2 torrents and libtorrent', { skip, concurrency: 1 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  let peer: LibtorrentPeer

  before(async () => {
    peer = await LibtorrentPeer.start(hosts.next())
    atEnd(() => peer.stop())
  })

  async function libtorrentReads(name: string, torrent: Uint8Array): Promise<Read> {
    const path = join(folder.path, `${name}.torrent`)
    writeFileSync(path, torrent)
    return (await peer.call('read', { torrent: path })) as unknown as Read
  }

  /** What both must agree on; names of padding are everybody's own. */
  function assertSame(meta: Metainfo, read: Read): void {
    const v2 = meta.v2 as V2Content
    assert.equal(read.v2, v2.infoHash)
    assert.equal(read.v1 === '' ? read.v2.slice(0, 40) : read.v1, meta.infoHash)
    assert.deepEqual([read.pieces, read.piece_length], [meta.pieceCount, meta.pieceLength])
    const rows = meta.files.map(file => [file.path.join('/'), file.length, file.padding] as const)
    const names = (files: Read['files']) =>
      files.map(([path, length, padding]) => [padding ? '' : path, length, padding])
    assert.deepEqual(names(read.files), names(rows))
  }

  for (const hybrid of [false, true]) {
    const kind = hybrid ? 'hybrid' : 'v2'

    test(`libtorrent reads a ${kind} torrent of ours`, async () => {
      for (const single of [false, true]) {
        const made = makeV2Torrent(single ? { hybrid } : { files: FILES, name: 'many', hybrid, noTail: true })
        const meta = decodeMetainfo(made.torrent)
        const files = made.files.map(({ path, content, root }) => {
          return { parts: path.split('/'), length: content.length, root }
        })
        const pieceHashes = hybrid ? meta.pieceHashes : null
        const { name, pieceLength, v2 } = meta
        const infoBytes = encodeInfo({ name, pieceLength, files, single, pieceHashes, v2: true })
        const ours = encodeMetainfo({ infoBytes, announceTiers: [], v2 })
        assertSame(decodeMetainfo(ours), await libtorrentReads(`ours-${kind}-${single}`, ours))
      }
    })

    test(`a ${kind} torrent that libtorrent made is read, with the hashes of its pieces`, async () => {
      const root = join(folder.path, `made-${kind}`, 'many')
      const made = makeV2Torrent({ files: FILES })
      for (const { path, content } of made.files) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), content)
      }
      const torrent = join(folder.path, `theirs-${kind}.torrent`)
      await peer.call('make', { path: root, torrent, piece_length: 32 * KIB, kind })
      const meta = decodeMetainfo(readFileSync(torrent))
      assertSame(meta, await libtorrentReads(`again-${kind}`, encodeMetainfo(meta)))
      const v2 = meta.v2 as V2Content
      assert.deepEqual(missingLayers(v2), [])
      for (const file of v2.files) {
        const path = meta.files[file.index]?.path.slice(1).join('/')
        const content = made.files.find(one => one.path === path)?.content
        assert.ok(content, path)
        for (let piece = 0; piece < file.pieceCount; piece++) {
          const tree = pieceTree(v2, meta.pieceLength, file.firstPiece + piece)
          assert.ok(tree)
          const bytes: Uint8Array = content.subarray(piece * meta.pieceLength, (piece + 1) * meta.pieceLength)
          assert.equal(tree.length, bytes.length)
          assert.deepEqual(Buffer.from(rootOf(leavesOf(bytes), 0, tree.height)), Buffer.from(tree.root))
        }
      }
    })
  }
})
