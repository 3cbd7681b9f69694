// What of an earlier run is trusted. Two files of ten pieces each, sharing none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileFacts } from '../../../src/ports/piece-store.ts'
import type { ResumeData } from '../../../src/ports/progress-journal.ts'
import { countBits, piecesOf } from '../../../src/base/piece-set.ts'
import { planFromResume, planWithoutResume } from '../../../src/torrent/pieces/resume-plan.ts'

const PIECE = 1000
const lengths = { totalLength: 20_000, pieceLength: PIECE, pieceCount: 20 }
const files = [0, 1].map(index => ({
  index,
  path: [`f${index}`],
  length: 10_000,
  offset: index * 10_000,
  padding: false,
}))
const fact = (index: number, sizeBytes = 10_000, mtimeMs = 1000): FileFacts => ({
  index,
  exists: true,
  sizeBytes,
  mtimeMs,
})
const gone = (index: number): FileFacts => ({ index, exists: false, sizeBytes: 0, mtimeMs: 0 })
const all = Uint8Array.of(0xff, 0xff, 0xf0)

function counts(facts: FileFacts[], resume: Partial<ResumeData> = {}): [number, number] {
  const plan = planFromResume(lengths, files, facts, {
    have: all,
    suspect: [],
    files: [fact(0), fact(1)],
    newestMs: 0,
    ...resume,
  })
  return [countBits(plan.have.buffer), countBits(plan.check.buffer)]
}

test('nothing known: only pieces of files that hold something are hashed', () => {
  const plan = planWithoutResume(lengths, files, [fact(0, 10), gone(1)])
  assert.deepEqual([countBits(plan.have.buffer), countBits(plan.check.buffer)], [0, 10])
  assert.equal(countBits(planWithoutResume(lengths, files, [gone(0), gone(1)]).check.buffer), 0)
})

test('unchanged files are trusted, suspect pieces are not', () => {
  assert.deepEqual(counts([fact(0), fact(1)]), [20, 0])
  assert.deepEqual(counts([fact(0), fact(1)], { suspect: [3, 19, 77, -1] }), [18, 2])
})

test('a changed, shorter, longer, older or missing file is hashed alone', () => {
  const changed = [fact(1, 10_000, 2000), fact(1, 9999), fact(1, 10_001), fact(1, 10_000, 500), gone(1)]
  for (const now of changed) assert.deepEqual(counts([fact(0), now]), [10, 10], JSON.stringify(now))
})

test('our own writes after the checkpoint are no change; those of others long after are', () => {
  const then = [fact(0), fact(1, 3000, 1000)]
  assert.deepEqual(counts([fact(0), fact(1, 10_000, 50_000)], { files: then, newestMs: 49_000 }), [20, 0])
  assert.deepEqual(counts([fact(0), fact(1, 10_000, 150_000)], { files: then, newestMs: 49_000 }), [10, 10])
})

test('a journal without a checkpoint is trusted when the files are as old as it', () => {
  assert.deepEqual(counts([fact(0, 10_000, 5000), fact(1, 10_000, 5000)], { files: [], newestMs: 5000 }), [20, 0])
  assert.deepEqual(counts([gone(0), fact(1, 10_000, 5000)], { files: [], newestMs: 5000 }), [10, 10])
})

test('progress of another shape says nothing', () => {
  assert.deepEqual(counts([fact(0), gone(1)], { have: Uint8Array.of(0xff) }), [0, 10])
  assert.deepEqual(counts([fact(0), gone(1)], { have: Uint8Array.of(0xff, 0xff, 0xff) }), [0, 10])
})

test('pieces of nothing but padding are hashed at a start, whatever is there, until they are had', () => {
  // 500 bytes, padding up to 4200, 300 bytes, padding in two parts to the end.
  const parts: readonly (readonly [number, boolean])[] = [
    [500, false],
    [3700, true],
    [0, false],
    [300, false],
    [1200, true],
    [0, true],
    [2100, true],
  ]
  let offset = 0
  const padded = parts.map(([length, padding], index) => {
    const file = { index, path: [`f${index}`], length, offset, padding }
    offset += length
    return file
  })
  const shape = { totalLength: 7800, pieceLength: PIECE, pieceCount: 8 }
  const nothing = padded.map(({ index }) => gone(index))
  assert.deepEqual([...piecesOf(planWithoutResume(shape, padded, nothing).check)], [1, 2, 3, 5, 6, 7])
  const resume = { suspect: [], files: nothing, newestMs: 0 }
  const without = planFromResume(shape, padded, nothing, { have: Uint8Array.of(0b0001_0000), ...resume })
  assert.deepEqual([...piecesOf(without.check)], [1, 2, 5, 6, 7])
  const all = planFromResume(shape, padded, nothing, { have: Uint8Array.of(0b0111_0111), ...resume })
  assert.deepEqual([countBits(all.have.buffer), countBits(all.check.buffer)], [6, 0])
})

test('of padding without end no more than a gigabyte is hashed at a start', () => {
  const pieceLength = 2 ** 20
  const huge = { totalLength: 2 ** 33, pieceLength, pieceCount: 2 ** 13 }
  const file = { index: 0, path: ['pad'], length: 2 ** 32, offset: 0, padding: true }
  const plan = planWithoutResume(huge, [file, { ...file, index: 1, offset: 2 ** 32 }], [])
  assert.equal(countBits(plan.check.buffer), 2 ** 10)
})
