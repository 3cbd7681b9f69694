// Serving hashes: each answer against a tree built whole by node:crypto, the number of uncles that libtorrent expects,
// what is refused, and bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { uncleCount } from '../../../src/wire/metainfo/hash-proof.ts'
import type { HashRange, PeerMessage } from '../../../src/wire/peer/messages.ts'
import { Asker, hashSeed, settle } from '../../kit/content/hash-seed.ts'
import { type MadeV2Torrent, makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'
import { fullTree } from '../../kit/content/merkle-tree.ts'

const KIB = 1024
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Files of 43 leaves in 11 pieces, of one piece with three leaves, of one leaf; pieces of four leaves. */
const made = makeV2Torrent({
  pieceLength: 64 * KIB,
  files: [
    { path: 'a', length: 43 * 16 * KIB - 5 },
    { path: 'b', length: 40 * KIB },
    { path: 'c', length: 7 },
  ],
})
const meta = decodeMetainfo(made.torrent)

function fileOf(torrent: MadeV2Torrent, path: string): { content: Uint8Array; root: Buffer } {
  const file = torrent.files.find(one => one.path === path)
  assert.ok(file?.root)
  return { content: file.content, root: file.root }
}

const trees = new Map<Uint8Array, Buffer[][]>()

/** The tree over `content`, built once. */
function treeOf(content: Uint8Array): Buffer[][] {
  const tree = trees.get(content) ?? fullTree(content)
  trees.set(content, tree)
  return tree
}

/** What BEP 52 says that a range is answered with. */
function expected(torrent: MadeV2Torrent, path: string, range: Omit<HashRange, 'root'>): string {
  const layers = treeOf(fileOf(torrent, path).content)
  const { baseLayer, index, count, proofLayers } = range
  const hashes = (layers[baseLayer] as Buffer[]).slice(index, index + count)
  // The uncle in each proof layer, from the one above the base layer on, unless the hashes cover its sibling's
  // children.
  let width = 1
  while (width < count) width *= 2
  for (let up = Math.log2(width); up <= proofLayers; up++) {
    hashes.push((layers[baseLayer + up] as Buffer[])[Math.floor(index / 2 ** up) ^ 1] as Buffer)
  }
  return hex(Buffer.concat(hashes))
}

async function ask(range: HashRange, serve = hashSeed(meta, made.content)): Promise<PeerMessage> {
  const asker = new Asker()
  serve.request(asker, range)
  await settle(serve, asker, 1)
  assert.equal(asker.got.length, 1)
  return asker.got[0] as PeerMessage
}

test('piece layers and leaves of every subtree, with all their uncles and with some', async () => {
  const { root } = fileOf(made, 'a')
  let asked = 0
  // 64 leaves wide: six layers above the leaves, four above the pieces.
  for (const [baseLayer, height] of [
    [0, 6],
    [2, 4],
  ] as const) {
    for (let width = 0; width <= height; width++) {
      const count = 2 ** width
      for (let index = 0; index + count <= 2 ** height; index += count) {
        for (const proofLayers of new Set([0, Math.floor(height / 2), height - 1])) {
          const range = { root, baseLayer, index, count, proofLayers }
          const answer = await ask(range)
          assert.equal(answer.type, 'hashes', JSON.stringify(range))
          if (answer.type === 'hashes')
            assert.equal(hex(answer.hashes), expected(made, 'a', range), JSON.stringify(range))
          asked++
        }
      }
    }
  }
  assert.ok(asked > 300)
})

test('a file of one piece has leaves, a file of one leaf has nothing to ask for', async () => {
  const { root } = fileOf(made, 'b')
  for (const [index, count, proofLayers] of [
    [0, 2, 1],
    [2, 2, 1],
    [0, 4, 1],
    [3, 1, 1],
  ] as const) {
    const range = { root, baseLayer: 0, index, count, proofLayers }
    const answer = await ask(range)
    assert.ok(answer.type === 'hashes')
    assert.equal(hex(answer.hashes), expected(made, 'b', range))
  }
  const leaf = { root: fileOf(made, 'c').root, baseLayer: 0, index: 0, count: 1, proofLayers: 0 }
  assert.equal((await ask(leaf)).type, 'hash-reject')
})

test('the uncles that other clients count (libtorrent: proof layers less the layers of the hashes, plus one)', () => {
  assert.equal(uncleCount({ count: 512, proofLayers: 9 }), 1)
  assert.equal(uncleCount({ count: 512, proofLayers: 8 }), 0)
  assert.equal(uncleCount({ count: 2, proofLayers: 9 }), 9)
  assert.equal(uncleCount({ count: 1, proofLayers: 9 }), 10)
  assert.equal(uncleCount({ count: 4, proofLayers: 0 }), 0)
})

test('more than 512 pieces: uncles far up', async () => {
  const content = new Uint8Array(1100 * 16 * KIB - 1)
  for (let at = 0; at < content.length; at += 16 * KIB) content[at] = at / (16 * KIB) / 7
  const big = makeV2Torrent({ pieceLength: 16 * KIB, files: [{ path: 'a', content }] })
  const serve = hashSeed(decodeMetainfo(big.torrent), big.content)
  const { root } = fileOf(big, 'a')
  for (const index of [0, 512, 1024, 1536]) {
    const range = { root, baseLayer: 0, index, count: 512, proofLayers: 10 }
    const answer = await ask(range, serve)
    assert.ok(answer.type === 'hashes')
    assert.equal(hex(answer.hashes), expected(big, 'a', range))
  }
  assert.deepEqual(serve.reads, [], 'with pieces of one leaf the piece layer is all there is')
})

test('refuses what the file has not', async () => {
  const { root } = fileOf(made, 'a')
  const good = { root, baseLayer: 2, index: 0, count: 4, proofLayers: 3 }
  const bad: Partial<HashRange>[] = [
    { root: Buffer.alloc(32, 1) },
    { baseLayer: 6 },
    { baseLayer: 0xffffffff },
    { baseLayer: 1 },
    { baseLayer: 3 },
    { index: 2 },
    { index: 16 },
    { index: 0xfffffffc },
    { count: 0 },
    { count: 32 },
    { count: 0xffffffff },
    { proofLayers: 4 },
    { proofLayers: 0xffffffff },
  ]
  assert.equal((await ask(good)).type, 'hashes')
  for (const change of bad) {
    const range = { ...good, ...change }
    const answer = await ask(range)
    assert.ok(answer.type === 'hash-reject', JSON.stringify(change))
    const { type: _type, root: named, ...numbers } = answer
    const { root: askedRoot, ...askedNumbers } = range
    assert.deepEqual([hex(named), numbers], [hex(askedRoot), askedNumbers])
  }
})

test('leaf hashes only of pieces we have, and only while the disk still has them', async () => {
  const { root } = fileOf(made, 'a')
  const range = { root, baseLayer: 0, index: 8, count: 8, proofLayers: 5 }
  const half = hashSeed(meta, made.content, { has: piece => piece !== 3 })
  assert.equal((await ask(range, half)).type, 'hash-reject')
  assert.equal((await ask({ ...range, count: 4 }, half)).type, 'hashes')
  assert.deepEqual(half.reads, [2])
  const rotten = hashSeed(meta, made.content, { spoil: piece => piece === 3 })
  assert.equal((await ask(range, rotten)).type, 'hash-reject')
  assert.equal((await ask({ ...range, index: 0 }, rotten)).type, 'hashes')
})

test('a piece is read once for the ranges of it that come one after the other', async () => {
  const { root } = fileOf(made, 'a')
  const serve = hashSeed(meta, made.content)
  for (const index of [0, 2, 0]) await ask({ root, baseLayer: 0, index, count: 2, proofLayers: 5 }, serve)
  assert.deepEqual(serve.reads, [0])
  serve.forget()
  await ask({ root, baseLayer: 0, index: 0, count: 2, proofLayers: 5 }, serve)
  assert.deepEqual(serve.reads, [0, 0])
})

test('the queue is bounded for each peer and in all; who goes is forgotten', async () => {
  const { root } = fileOf(made, 'a')
  const range = { root, baseLayer: 2, index: 0, count: 4, proofLayers: 3 }
  const serve = hashSeed(meta, made.content)
  const askers = Array.from({ length: 10 }, (_, i) => new Asker(`1.2.3.${i}:5>`))
  for (const asker of askers) for (let i = 0; i < 30; i++) serve.request(asker, range)
  assert.ok(serve.waiting <= 64)
  const refused = askers.map(asker => asker.got.length)
  assert.ok((refused[0] ?? 0) >= 13 && (refused[9] ?? 0) === 30)
  const [first, second] = askers as [Asker, Asker]
  const before = second.got.length
  serve.peerGone(second.key)
  await settle(serve, first, 30)
  assert.equal(first.got.length, 30)
  assert.equal(second.got.length, before)
})
