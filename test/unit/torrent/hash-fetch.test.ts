// Fetching hashes: from seeds that answer as hash-serve.ts does, from liars, from the silent and from those that
// refuse.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { HashFetch } from '../../../src/torrent/pieces/hash-fetch.ts'
import { leavesOf } from '../../../src/wire/metainfo/merkle.ts'
import { decodeInfo, decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { encodeHashRequest, type HashRange } from '../../../src/wire/peer/messages.ts'
import type { Metainfo, V2Content } from '../../../src/wire/metainfo/torrent-types.ts'
import { Asker, hashSeed, keptMessage, settle } from '../../kit/content/hash-seed.ts'
import { type MadeV2Torrent, makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'

const KIB = 1024
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A peer that is asked; it keeps the ranges. */
class Asked {
  readonly key: string
  readonly ranges: HashRange[] = []

  constructor(key = '1.2.3.4:5>') {
    this.key = key
  }

  ask(range: HashRange): void {
    this.ranges.push(range)
  }
}

class Rig {
  readonly made: MadeV2Torrent
  /** As the seed has it, and as a magnet gives it. */
  readonly whole: Metainfo
  readonly fetch: HashFetch
  readonly guilty: string[] = []
  readonly leaves = new Map<number, Uint8Array>()
  pieceRoots: Uint8Array | null = null

  constructor(made: MadeV2Torrent, from: 'magnet' | 'file' = 'magnet') {
    this.made = made
    this.whole = decodeMetainfo(made.torrent)
    const meta = from === 'magnet' ? decodeInfo(made.info, []) : this.whole
    this.fetch = new HashFetch(meta.v2 as V2Content, meta.pieceLength, {
      layersKnown: roots => {
        assert.equal(this.pieceRoots, null)
        this.pieceRoots = roots
      },
      leavesKnown: (piece, leaves) => this.leaves.set(piece, leaves),
      guilty: key => this.guilty.push(key),
    })
  }

  /** What a true seed answers. */
  async answer(range: HashRange): Promise<Uint8Array> {
    const seed = hashSeed(this.whole, this.made.content)
    const asker = new Asker()
    // As it would come over the wire.
    const sent = keptMessage(encodeHashRequest(range))
    assert.ok(sent.type === 'hash-request')
    seed.request(asker, sent)
    await settle(seed, asker, 1)
    const [answer] = asker.got
    assert.ok(answer?.type === 'hashes', `the seed refuses ${JSON.stringify(range)}`)
    return answer.hashes
  }

  /** Lets `peer` answer all that it is asked, and is asked then. */
  async serve(peer: Asked, nowMs = 0): Promise<void> {
    this.fetch.ask(peer, nowMs)
    for (let range = peer.ranges.shift(); range !== undefined; range = peer.ranges.shift()) {
      this.fetch.hashes(peer.key, range, await this.answer(range))
      this.fetch.ask(peer, nowMs)
    }
  }
}

function manyFiles(): MadeV2Torrent {
  const same = new Uint8Array(90 * KIB).fill(3)
  return makeV2Torrent({
    files: [
      { path: 'a', length: 40 * KIB },
      { path: 'b', length: 10 },
      { path: 'c', length: 200 * KIB },
      { path: 'd', content: same },
      { path: 'e', content: same },
      { path: 'f', length: 64 * KIB },
    ],
  })
}

test('the piece layers of all files, equal ones once', async () => {
  const rig = new Rig(manyFiles())
  assert.equal(rig.fetch.complete, false)
  const peer = new Asked()
  rig.fetch.ask(peer, 0)
  assert.equal(peer.ranges.length, 4, 'so many requests are open at a peer')
  assert.ok(peer.ranges.every(range => range.baseLayer === 1))
  await rig.serve(peer)
  assert.ok(rig.fetch.complete)
  assert.equal(hex(rig.pieceRoots ?? new Uint8Array(0)), hex(rig.whole.v2?.pieceRoots ?? new Uint8Array(1)))
  assert.deepEqual(rig.guilty, [])
  rig.fetch.ask(peer, 0)
  assert.deepEqual(peer.ranges, [])
})

test('long layers come in parts of 512 with one uncle a layer; the last part may be all padding but for one', async () => {
  const content = new Uint8Array(1025 * 16 * KIB)
  for (let leaf = 0; leaf < 1025; leaf++) content[leaf * 16 * KIB + leaf] = 1 + (leaf % 255)
  const rig = new Rig(makeV2Torrent({ pieceLength: 16 * KIB, files: [{ path: 'a', content }] }))
  const peer = new Asked()
  rig.fetch.ask(peer, 0)
  assert.deepEqual(
    peer.ranges.map(({ index, count, proofLayers }) => [index, count, proofLayers]),
    [
      [0, 512, 10],
      [512, 512, 10],
      [1024, 2, 10],
    ],
  )
  await rig.serve(peer)
  assert.ok(rig.fetch.complete)
  assert.equal(hex(rig.pieceRoots ?? new Uint8Array(0)), hex(rig.whole.v2?.pieceRoots ?? new Uint8Array(1)))
})

test('hashes that their root does not prove: the peer is guilty, and another is asked', async () => {
  const rig = new Rig(makeV2Torrent({ files: [{ path: 'a', length: 300 * KIB }] }))
  const liar = new Asked('6.6.6.6:6>')
  rig.fetch.ask(liar, 0)
  const [range] = liar.ranges
  assert.ok(range)
  const right = await rig.answer(range)
  const wrong: Uint8Array[] = [new Uint8Array(0), right.subarray(32), Buffer.concat([right, right.subarray(0, 32)])]
  for (const at of [0, right.length - 1, 40]) {
    const changed = Uint8Array.from(right)
    changed[at] = (changed[at] ?? 0) ^ 0x80
    wrong.push(changed)
  }
  // The right hashes in another order.
  wrong.push(Buffer.concat([right.subarray(32, 64), right.subarray(0, 32), right.subarray(64)]))
  for (const [i, hashes] of wrong.entries()) {
    rig.fetch.hashes(liar.key, range, hashes)
    assert.deepEqual(rig.guilty.length, i + 1)
    assert.equal(rig.fetch.complete, false)
    // A liar that is not banned would be asked again.
    rig.fetch.ask(liar, 0)
  }
  assert.deepEqual(new Set(rig.guilty), new Set([liar.key]))
  rig.fetch.peerGone(liar.key)
  await rig.serve(new Asked())
  assert.ok(rig.fetch.complete)
})

test('answers nobody asked for are an offence; those that come too late are not', async () => {
  const rig = new Rig(makeV2Torrent({ files: [{ path: 'a', length: 300 * KIB }] }))
  const peer = new Asked()
  const other = new Asked('2.2.2.2:2>')
  rig.fetch.ask(peer, 0)
  const [range] = peer.ranges
  assert.ok(range)
  const right = await rig.answer(range)
  const unasked = (key: string, change: Partial<HashRange>) => () =>
    rig.fetch.hashes(key, { ...range, ...change }, right)
  assert.throws(unasked(other.key, {}), DecodeError)
  assert.throws(unasked(peer.key, { index: 2 }), DecodeError)
  assert.throws(unasked(peer.key, { proofLayers: 0 }), DecodeError)
  assert.throws(unasked(peer.key, { root: Buffer.alloc(32) }), DecodeError)
  assert.throws(() => rig.fetch.rejected(other.key, range, 0), DecodeError)
  rig.fetch.tick(9_000)
  rig.fetch.ask(other, 9_000)
  assert.equal(other.ranges.length, 0, 'a range is open at one peer')
  rig.fetch.tick(10_000)
  rig.fetch.ask(other, 10_000)
  assert.equal(other.ranges.length, 1)
  rig.fetch.hashes(peer.key, range, right)
  assert.equal(rig.fetch.complete, false, 'what comes late does not count')
  assert.throws(unasked(peer.key, {}), DecodeError)
  peer.ranges.length = 0
  rig.fetch.ask(peer, 10_000)
  assert.equal(peer.ranges.length, 0, 'the silent one has a pause')
  await rig.serve(other, 10_000)
  assert.ok(rig.fetch.complete)
})

test('who refuses has a pause, who goes gives its ranges back', async () => {
  const rig = new Rig(makeV2Torrent({ files: [{ path: 'a', length: 300 * KIB }] }))
  const peer = new Asked()
  rig.fetch.ask(peer, 0)
  rig.fetch.rejected(peer.key, peer.ranges[0] as HashRange, 0)
  peer.ranges.length = 0
  rig.fetch.ask(peer, 14_999)
  assert.equal(peer.ranges.length, 0)
  rig.fetch.ask(peer, 15_000)
  assert.equal(peer.ranges.length, 1)
  rig.fetch.peerGone(peer.key)
  const other = new Asked('2.2.2.2:2>')
  await rig.serve(other, 15_000)
  assert.ok(rig.fetch.complete)
})

test('leaf hashes of failed pieces: of longer files, of a file of one piece, of the last piece', async () => {
  const made = makeV2Torrent({
    pieceLength: 64 * KIB,
    files: [
      { path: 'a', length: 150 * KIB },
      { path: 'b', length: 33 * KIB },
      { path: 'c', length: 1 },
    ],
  })
  const rig = new Rig(made, 'file')
  assert.ok(rig.fetch.complete)
  for (const piece of [0, 2, 3, 4]) rig.fetch.wantLeaves(piece)
  const peer = new Asked()
  await rig.serve(peer)
  const part = (from: number, length: number): string => hex(leavesOf(made.content.subarray(from, from + length)))
  assert.deepEqual(
    [...rig.leaves].map(([piece, leaves]) => [piece, hex(leaves)]).toSorted(),
    [
      [0, part(0, 64 * KIB)],
      [2, part(128 * KIB, 22 * KIB)],
      [3, part(192 * KIB, 33 * KIB)],
    ],
    'a piece of one leaf has no others',
  )
  assert.equal(rig.fetch.busy, false)
})

test('leaf hashes of a piece of more than 512 come in parts, proved by the hash of the piece', async () => {
  const content = new Uint8Array(1000 * 16 * KIB - 1)
  for (let leaf = 0; leaf < 1000; leaf++) content[leaf * 16 * KIB] = 1 + (leaf % 251)
  const rig = new Rig(makeV2Torrent({ pieceLength: 16 * KIB * KIB, files: [{ path: 'a', content }] }), 'file')
  rig.fetch.wantLeaves(0)
  const peer = new Asked()
  rig.fetch.ask(peer, 0)
  assert.deepEqual(peer.ranges.map(({ index, count, proofLayers }) => [index, count, proofLayers]).toSorted(), [
    [0, 512, 9],
    [512, 512, 9],
  ])
  await rig.serve(peer)
  assert.equal(hex(rig.leaves.get(0) ?? new Uint8Array(0)), hex(leavesOf(content)))
})

test('what leaf hashes may cost is bounded', () => {
  const made = makeV2Torrent({ files: [{ path: 'a', length: 20 * 32 * KIB }] })
  const rig = new Rig(made, 'file')
  for (let piece = 0; piece < 20; piece++) rig.fetch.wantLeaves(piece)
  const peer = new Asked()
  for (let round = 0; round < 20; round++) {
    rig.fetch.ask(peer, round * 20_000)
    for (const range of peer.ranges.splice(0)) rig.fetch.rejected(peer.key, range, round * 20_000)
    if (round === 0) assert.ok(rig.fetch.busy)
  }
  // Ten peers at most are asked for each of eight pieces, four at a time.
  assert.equal(rig.fetch.busy, false)
  rig.fetch.wantLeaves(3)
  assert.ok(rig.fetch.busy)
  rig.fetch.forgetLeaves(3)
  assert.equal(rig.fetch.busy, false)
  peer.ranges.length = 0
  rig.fetch.ask(peer, 1_000_000)
  assert.deepEqual(peer.ranges, [])
})
