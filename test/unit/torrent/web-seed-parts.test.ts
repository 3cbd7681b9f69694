// The small parts of web seeds: files under a stretch of bytes, the longest gap, room at servers, one run of blocks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockRequest } from '../../../src/base/block-request.ts'
import { emptyPieceSet, fullPieceSet, type PieceSet } from '../../../src/base/piece-set.ts'
import { fileParts } from '../../../src/torrent/pieces/file-parts.ts'
import { HostGate } from '../../../src/torrent/web-seeds/host-gate.ts'
import { longestGap } from '../../../src/torrent/pieces/longest-gap.ts'
import { WebSeedRun } from '../../../src/torrent/web-seeds/web-seed-run.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { WebSeedRig } from '../../kit/sim/web-seed-rig.ts'

const BLOCK = 16_384
const KEY = 'web-seed-0:0'

function filesOf(...lengths: number[]): TorrentFile[] {
  let offset = 0
  return lengths.map((length, index) => {
    const file = { index, path: [`${index}`], length, offset, padding: false }
    offset += length
    return file
  })
}

function setOf(drawing: string): PieceSet {
  const set = emptyPieceSet(drawing.length)
  for (const [i, mark] of [...drawing].entries()) if (mark === '#') set.set(i, true)
  return set
}

test('the files of a stretch, without empty ones', () => {
  const files = filesOf(0, 10, 0, 0, 5, 20, 0)
  const parts = (offset: number, length: number) =>
    fileParts(files, offset, length).map(part => `${part.file.index}:${part.offset}+${part.length}`)
  assert.deepEqual(parts(0, 35), ['1:0+10', '4:0+5', '5:0+20'])
  assert.deepEqual(parts(9, 2), ['1:9+1', '4:0+1'])
  assert.deepEqual(parts(10, 5), ['4:0+5'])
  assert.deepEqual(parts(15, 1), ['5:0+1'])
  assert.deepEqual(parts(34, 1), ['5:19+1'])
  assert.deepEqual(parts(35, 1), [])
})

test('the longest gap of wanted pieces that nobody has begun', () => {
  const gap = (wanted: string, have: string, taken: string, most = 100) =>
    longestGap(setOf(wanted), setOf(have), wanted.length, piece => taken[piece] === '#', most)
  assert.deepEqual(gap('##########', '..........', '..........'), { first: 0, count: 10 })
  assert.deepEqual(gap('##########', '..#....#..', '..........'), { first: 3, count: 4 })
  assert.deepEqual(gap('##########', '..#....#..', '....#.....'), { first: 0, count: 2 })
  assert.deepEqual(gap('.....#####', '.......#..', '..........'), { first: 5, count: 2 })
  assert.deepEqual(gap('##########', '..#....#..', '..........', 2), { first: 3, count: 2 })
  assert.equal(gap('##########', '##########', '..........'), null)
  assert.equal(gap('..........', '..........', '..........'), null)
  assert.equal(gap('###', '...', '###'), null)
})

test('a gap may reach to the last piece, whatever bits lie behind it', () => {
  const pieceCount = 13
  const gap = longestGap(fullPieceSet(pieceCount), emptyPieceSet(pieceCount), pieceCount, () => false, 100)
  assert.deepEqual(gap, { first: 0, count: 13 })
})

test('room at one host, at all hosts, given back once', () => {
  const gate = new HostGate(2, 3)
  const first = gate.take('a')
  assert.ok(first && gate.take('a'))
  assert.equal(gate.take('a'), null)
  const other = gate.take('b')
  assert.ok(other)
  assert.equal(gate.take('c'), null)
  first()
  first()
  assert.equal(gate.taken, 2)
  assert.ok(gate.take('c'))
  assert.equal(gate.take('a'), null, 'all are taken again')
})

/** A run of all blocks of a torrent with `blocks` blocks in pieces of two. */
function runOf(blocks: number): { rig: WebSeedRig; run: WebSeedRun; requests: BlockRequest[] } {
  const rig = new WebSeedRig(makeTorrent({ length: blocks * BLOCK, pieceLength: 2 * BLOCK }), { urls: [], slots: 64 })
  rig.picker.addPeer(KEY, 'all')
  const requests = rig.picker
    .pick(KEY, blocks, { nowMs: 0, slow: false, allowedFast: null, onlyStarted: false })
    .sort((a, b) => a.piece - b.piece || a.block - b.block)
  for (const _ of requests) assert.ok(rig.budget.take())
  return { rig, run: new WebSeedRun(rig, rig.content, KEY, requests), requests }
}

test('a run takes bytes in chunks of any size straight into slots', async () => {
  const { rig, run } = runOf(6)
  assert.deepEqual(run.spans(), [{ offset: 0, length: 6 * BLOCK }])
  const { content } = rig.torrent
  for (const [from, to] of [
    [0, 1],
    [1, BLOCK],
    [BLOCK, 3 * BLOCK + 5],
    [3 * BLOCK + 5, 6 * BLOCK],
  ]) {
    const chunk = Uint8Array.from(content.subarray(from, to))
    run.take(chunk)
    chunk.fill(0)
  }
  run.take(new Uint8Array(100))
  assert.equal(run.done, true)
  run.end()
  await rig.finish()
  rig.assertHolds()
  await rig.close()
})

test('blocks that came from elsewhere are passed over, and their credits come back', async () => {
  const { rig, run } = runOf(6)
  run.take(rig.torrent.content.subarray(0, BLOCK))
  rig.deliver(0, 1)
  rig.deliver(1, 0)
  assert.equal(run.sweep(), 2 * BLOCK, 'bytes until the next one that is needed')
  assert.equal(rig.budget.used, 3 + 3, 'three credits, three blocks in memory')
  run.take(rig.torrent.content.subarray(BLOCK))
  await rig.finish()
  rig.assertHolds()
  await rig.close()
})

test('what ends in the middle of a block gives back its slot, its credits and its requests', async () => {
  const { rig, run } = runOf(6)
  run.take(rig.torrent.content.subarray(0, BLOCK + 100))
  assert.equal(rig.budget.used, 6)
  run.end()
  run.end()
  assert.equal(rig.budget.used, 1, 'the whole block stays')
  assert.equal(rig.picker.pick(KEY, 10, { nowMs: 0, slow: false, allowedFast: null, onlyStarted: false }).length, 5)
  rig.picker.removePeer(KEY)
  await rig.close()
})

test('zeroes fill blocks as bytes do; gaps make spans', async () => {
  const { rig, run } = runOf(4)
  run.zeroes(BLOCK + 10)
  assert.equal(rig.budget.used, 4)
  run.zeroes(3 * BLOCK)
  assert.equal(run.done, true)
  await rig.clock.advance(10)
  assert.deepEqual(rig.failedPieces.toSorted(), [0, 1], 'they were not zeroes')
  const requests: BlockRequest[] = [0, 1, 3].map(block => ({
    piece: block >> 1,
    block: block & 1,
    begin: (block & 1) * BLOCK,
    length: BLOCK,
  }))
  const gaps = new WebSeedRun(rig, rig.content, KEY, requests)
  assert.deepEqual(gaps.spans(), [
    { offset: 0, length: 2 * BLOCK },
    { offset: 3 * BLOCK, length: BLOCK },
  ])
  assert.equal(gaps.hasAny(new Set([1])), true)
  assert.equal(gaps.hasAny(new Set([2])), false)
  await rig.close()
})
