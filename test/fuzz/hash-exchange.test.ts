// Hash exchange of BEP 52: whatever a peer answers, nothing counts that the root does not prove; whatever it asks is
// taken or refused at once. Also file trees made of any bytes.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { HashFetch } from '../../src/torrent/pieces/hash-fetch.ts'
import { treeFiles } from '../../src/wire/metainfo/file-tree.ts'
import { provesRange, uncleCount } from '../../src/wire/metainfo/hash-proof.ts'
import { HASH_BYTES, isZeroHash, layersAbove } from '../../src/wire/metainfo/merkle.ts'
import { MerkleNodes } from '../../src/wire/metainfo/merkle-nodes.ts'
import { decodeInfo, decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { encodeHashes, encodeHashRequest, type HashRange, type PeerMessage } from '../../src/wire/peer/messages.ts'
import { layerOf, pieceLayerOf } from '../../src/wire/metainfo/piece-layers.ts'
import { runSteps } from '../../src/wire/steps.ts'
import type { V2Content, V2File } from '../../src/wire/metainfo/torrent-types.ts'
import { fuzz } from '../kit/sim/fuzz.ts'
import { Asker, hashSeed, keptMessage } from '../kit/content/hash-seed.ts'
import { makeV2Torrent } from '../kit/content/make-v2-torrent.ts'

const made = makeV2Torrent({
  pieceLength: 16 * 1024,
  files: [
    { path: 'a', length: 300_000 },
    { path: 'b', length: 30_000 },
    { path: 'c', length: 5 },
  ],
})
const whole = decodeMetainfo(made.torrent)
const v2 = whole.v2 as V2Content

/** The right answer to a range of the piece layer. */
function right({ root, index, count, proofLayers }: HashRange): Uint8Array {
  const file = v2.files.find(one => Buffer.from(one.root).equals(root)) as V2File
  const nodes = new MerkleNodes(layerOf(v2, file), pieceLayerOf(whole.pieceLength))
  const parts: Uint8Array[] = []
  for (let i = 0; i < count; i++) parts.push(runSteps(nodes.node(0, index + i)))
  for (let i = 0; i < uncleCount({ count, proofLayers }); i++) {
    const up = layersAbove(count) + i
    parts.push(runSteps(nodes.node(up, Math.floor(index / 2 ** up) ^ 1)))
  }
  return Buffer.concat(parts)
}

/** The message that `bytes` are, null when they are none. */
function decoded(bytes: Uint8Array): PeerMessage | null {
  if (bytes.length < 5) return null
  try {
    return keptMessage(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

fuzz('only what the root proves is believed', 0.4, source => {
  const known: Uint8Array[] = []
  const guilty: string[] = []
  const fetch = new HashFetch(decodeInfo(made.info, []).v2 as V2Content, whole.pieceLength, {
    layersKnown: roots => known.push(roots),
    leavesKnown: () => assert.fail('nobody asked for leaves'),
    guilty: key => guilty.push(key),
  })
  const ranges: HashRange[] = []
  const peer = { key: 'p', ask: (range: HashRange) => ranges.push(range) }
  for (let round = 0; round < 6; round++) {
    fetch.ask(peer, round * 20_000)
    for (const range of ranges.splice(0)) {
      const bytes = encodeHashes(range, right(range))
      const message = decoded(source.below(3) === 0 ? bytes : source.mutate(bytes))
      try {
        if (message?.type === 'hashes') fetch.hashes(peer.key, message, message.hashes)
        else if (message?.type === 'hash-reject') fetch.rejected(peer.key, message, round * 20_000)
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error
      }
    }
    fetch.tick((round + 1) * 20_000)
  }
  assert.ok(known.length <= 1)
  for (const roots of known) assert.deepEqual(Buffer.from(roots), Buffer.from(v2.pieceRoots))
})

fuzz('a request is taken, or refused at once', 0.3, source => {
  const file = source.pick(v2.files)
  const range: HashRange = {
    root: file.root,
    baseLayer: source.below(6),
    index: source.below(40),
    count: source.pick([1, 2, 3, 4, 8, 16, 31, 32, 33]),
    proofLayers: source.below(7),
  }
  const asker = new Asker()
  const bytes = encodeHashRequest(range)
  const message = decoded(source.below(4) === 0 ? source.mutate(bytes) : bytes)
  if (message?.type !== 'hash-request') return
  const accepted = hashSeed(whole, made.content).request(asker, message)
  assert.equal(asker.got.length, accepted ? 0 : 1)
  if (!accepted) assert.equal(asker.got[0]?.type, 'hash-reject')
})

fuzz('proofs of any length prove nothing but the truth', 0.1, source => {
  const count = source.pick([1, 2, 4, 8])
  const { root } = v2.files[0] as V2File
  const range = { root, baseLayer: 0, index: count * source.below(3), count, proofLayers: 4 }
  const truth = right(range)
  assert.ok(provesRange(range, truth, range.root))
  const changed = source.mutate(truth)
  if (!Buffer.from(changed).equals(truth)) assert.equal(provesRange(range, changed, range.root), false)
})

const TREE = Buffer.concat([
  Buffer.from('d1:ad0:d6:lengthi0eee1:bd1:cd0:d4:attr1:x6:lengthi5e11:pieces root32:'),
  Buffer.alloc(32, 1),
  Buffer.from('eeeee'),
])

fuzz('any bytes give a file tree or a DecodeError', 0.2, source => {
  try {
    for (const { length, root } of runSteps(treeFiles(source.mutate(TREE)))) {
      assert.ok(length >= 0)
      assert.equal(root === null, length === 0)
      if (root === null) continue
      assert.equal(root.length, HASH_BYTES)
      assert.ok(!isZeroHash(root))
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
})
