// Whose a file is, by its size and by what hashing said: pieces of 100 bytes; a file of 250, one of 30 in a shared
// piece, one of 320.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileFacts, FoundFile, PieceVerdict } from '../../../src/ports/piece-store.ts'
import { FirstLook } from '../../../src/torrent/pieces/first-look.ts'
import { countBits, emptyPieceSet } from '../../../src/base/piece-set.ts'

const lengths = { totalLength: 600, pieceLength: 100, pieceCount: 6 }
const sizes = [250, 30, 320]
const offsets = [0, 250, 280]
const files = sizes.map((length, index) => ({
  index,
  path: [`f${index}`],
  length,
  offset: offsets[index] ?? 0,
  padding: false,
}))
const facts = (...there: (number | null)[]): FileFacts[] =>
  there.map((size, index) => ({ index, exists: size !== null, sizeBytes: size ?? 0, mtimeMs: 0 }))

function look(there: FileFacts[], verdicts: Record<number, PieceVerdict>, own: number[] = []): Map<number, FoundFile> {
  const one = new FirstLook(lengths, files, there, index => own.includes(index))
  one.plan(emptyPieceSet(6), emptyPieceSet(6))
  for (const [piece, verdict] of Object.entries(verdicts)) one.take(Number(piece), verdict)
  return one.found()
}

test('longer is foreign; so is data in a piece of its own where nothing is right', () => {
  assert.deepEqual(look(facts(251, null, null), { 0: 'ok', 1: 'ok', 2: 'ok' }).get(0), 'foreign')
  assert.deepEqual(look(facts(250, null, null), { 0: 'bad-hash', 1: 'zeros', 2: 'missing' }).get(0), 'foreign')
  assert.deepEqual(look(facts(null, null, 320), { 3: 'bad-hash', 4: 'zeros', 5: 'zeros' }).get(2), 'foreign')
})

test('one right piece is enough, a shared one too', () => {
  assert.equal(look(facts(250, null, null), { 0: 'bad-hash', 1: 'ok', 2: 'missing' }).get(0), 'fits')
  const shared = look(facts(250, 30, 320), { 0: 'bad-hash', 1: 'bad-hash', 2: 'ok', 3: 'bad-hash' })
  assert.deepEqual([...shared.values()], ['fits', 'fits', 'fits'])
})

test('what no piece of its own can judge: zeros, what is too short, what shares all its pieces', () => {
  assert.deepEqual(look(facts(250, null, null), { 0: 'zeros', 1: 'zeros', 2: 'bad-hash' }).get(0), { from: 0, to: 200 })
  assert.deepEqual(look(facts(90, null, null), { 0: 'missing', 1: 'missing' }).get(0), { from: 0, to: 200 })
  assert.deepEqual(look(facts(null, 30, null), { 2: 'bad-hash' }).get(1), { from: 30, to: 30 })
  // The first 20 bytes lie in the piece of the file before.
  assert.deepEqual(look(facts(null, null, 320), { 2: 'bad-hash', 3: 'zeros' }).get(2), { from: 20, to: 320 })
  assert.deepEqual(look(facts(0, null, null), {}).get(0), { from: 0, to: 200 })
})

test("what is noted is not looked at, what is not there is nobody's", () => {
  assert.equal(look(facts(999, null, null), { 0: 'bad-hash' }, [0]).size, 0)
  assert.ok(new FirstLook(lengths, files, facts(null, null, null), () => false).isEmpty)
})

test('only files without a piece that is there are hashed again', () => {
  const have = emptyPieceSet(6)
  have.set(1, true)
  const check = emptyPieceSet(6)
  const one = new FirstLook(lengths, files, facts(250, null, 320), () => false)
  one.plan(have, check)
  assert.equal(countBits(check.buffer), 4)
  assert.equal(one.found().get(0), 'fits')
})

test("padding is of no file: a piece that ends in it is the file's own", () => {
  const padded = [
    { index: 0, path: ['a'], length: 50, offset: 0, padding: false },
    { index: 1, path: ['.pad'], length: 50, offset: 50, padding: true },
    { index: 2, path: ['b'], length: 100, offset: 100, padding: false },
  ]
  const one = new FirstLook(
    { totalLength: 200, pieceLength: 100, pieceCount: 2 },
    padded,
    facts(50, null, null),
    () => false,
  )
  one.take(0, 'bad-hash')
  assert.equal(one.found().get(0), 'foreign')
})
