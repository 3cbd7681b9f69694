// Which pieces may go: in steps that are bounded, whatever the torrent looks like.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPieceSet, fullPieceSet, type PieceSet } from '../../../src/base/piece-set.ts'
import {
  addFile,
  bytesHad,
  bytesOf,
  emptyFrom,
  filesOf,
  firstOf,
  mayGo,
  piecesOf,
} from '../../../src/torrent/session/drop-choice.ts'
import type { TorrentContent } from '../../../src/torrent/session/torrent-core.ts'
import { OpenReaders } from '../../../src/torrent/streams/open-readers.ts'

const PIECE = 16 * 1024

/** A torrent of files of these lengths; a length below 0 is padding. */
function contentOf(lengths: readonly number[], have: (count: number) => PieceSet = fullPieceSet): TorrentContent {
  let offset = 0
  const files = lengths.map((signed, index) => {
    const length = Math.abs(signed)
    const file = { index, path: [`${index}`], length, offset, padding: signed < 0 }
    offset += length
    return file
  })
  const pieceCount = Math.ceil(offset / PIECE)
  const had = have(pieceCount)
  const open = new Set([1])
  let haveCount = 0
  for (let piece = 0; piece < pieceCount; piece++) if (had.get(piece)) haveCount += 1
  return {
    metainfo: { files },
    lengths: { totalLength: offset, pieceLength: PIECE, pieceCount },
    picker: { have: had, haveCount, isOpen: (piece: number) => open.has(piece) },
    doubted: null,
    leaving: null,
  } as unknown as TorrentContent
}

function every(count: number, nth: number): PieceSet {
  const set = emptyPieceSet(count)
  for (let piece = 0; piece < count; piece += nth) set.set(piece, true)
  return set
}

test('of 800,000 pieces a step takes few, and in few holes', () => {
  const content = contentOf([800_000 * PIECE])
  const readers = new OpenReaders(0)
  const free = mayGo(content, readers, emptyPieceSet(800_000))
  assert.equal(firstOf(content, readers.recent.oldest(free), 1e15).length, 4096)
  assert.deepEqual(firstOf(content, readers.recent.oldest(free), 2.5 * PIECE), [0, 1, 2])
  // Every other piece: each is a hole of its own.
  for (let piece = 0; piece < 800_000; piece += 2) readers.recent.used(piece)
  assert.equal(firstOf(content, readers.recent.oldest(free), 1e15).length, 256)
})

test('a step looks at few files, and goes on where they are many', () => {
  // 200,000 files, 160 of them in each piece.
  const content = contentOf(Array.from({ length: 200_000 }, () => 102))
  const pieces = firstOf(content, countUp(1000), 1e15)
  assert.ok(pieces.length >= 5 && pieces.length <= 8, `${pieces.length} pieces`)
  assert.ok(filesOf(content, pieces).size <= 1200)
  // One file more than a step may look at lies in the first piece: it is taken all the same.
  const crowded = contentOf(Array.from({ length: 4000 }, () => 4))
  assert.deepEqual(firstOf(crowded, [0], 1e15), [0])
})

function countUp(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

test('a sweep finds every piece that is empty once, and none that is had or begun', () => {
  const pieces = 200_000
  const content = contentOf([pieces * PIECE], count => every(count, 5))
  const found: number[] = []
  let steps = 0
  for (let at: number | null = 0; at !== null; steps += 1) {
    const step = emptyFrom(content, at)
    assert.ok(step.pieces.length <= 4096)
    found.push(...step.pieces)
    at = step.next
  }
  assert.deepEqual(
    found,
    countUp(pieces).filter(piece => piece % 5 !== 0 && piece !== 1),
  )
  assert.ok(steps > 100)
  // Nothing to be found is found in few steps.
  const whole = contentOf([pieces * PIECE])
  assert.deepEqual(emptyFrom(whole, 0), { pieces: [], next: 65_536 })
  assert.deepEqual(emptyFrom(whole, 199_000), { pieces: [], next: null })
})

test('what is kept, doubted, read, or about to be read does not go', () => {
  const content = contentOf([100 * PIECE, 10 * PIECE + 5, 100 * PIECE])
  const readers = new OpenReaders(0)
  const place = { first: 40, count: 5 }
  const reader = { fileIndex: 0, place } as unknown as Parameters<OpenReaders['add']>[0]
  readers.add(reader)
  readers.windows = { ranges: () => [{ first: 205, last: 100_000 }] } as unknown as OpenReaders['windows']
  const kept = emptyPieceSet(content.lengths.pieceCount)
  addFile(kept, content, 1)
  content.doubted = emptyPieceSet(content.lengths.pieceCount)
  content.doubted.set(7, true)
  const free = mayGo(content, readers, kept)
  const stay = countUp(content.lengths.pieceCount).filter(piece => !free.get(piece))
  assert.deepEqual(stay, [7, 40, 41, 42, 43, 44, ...countUp(11).map(i => 100 + i), ...countUp(6).map(i => 205 + i)])
})

test('files of pieces, padding and empty ones left out; bytes to the end of the torrent', () => {
  const content = contentOf([PIECE / 2, -PIECE / 2, 0, 3 * PIECE, 0, 100])
  assert.deepEqual([...filesOf(content, [0])], [0])
  assert.deepEqual([...filesOf(content, [1, 2])], [3])
  assert.deepEqual([...filesOf(content, [4])], [5])
  assert.equal(bytesHad(content), 4 * PIECE + 100)
  assert.equal(bytesOf(content, piecesOf(content, [{ first: 3, count: 2 }])), PIECE + 100)
})
