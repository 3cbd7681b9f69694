// Set operations on wire bitfields, compared with plain arrays of booleans.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wantedPieces } from '../../../src/torrent/pieces/file-pieces.ts'
import {
  copyPieceSet,
  countAndNot,
  countBits,
  countMissing,
  emptyPieceSet,
  firstMissing,
  forEachPiece,
  fullPieceSet,
  type PieceSet,
  pieceSetFromBytes,
  setRange,
} from '../../../src/base/piece-set.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'

const bools = fc.array(fc.boolean(), { minLength: 1, maxLength: 70 })

function setOf(bits: readonly boolean[]): PieceSet {
  const set = emptyPieceSet(bits.length)
  for (const [i, bit] of bits.entries()) if (bit) set.set(i, true)
  return set
}

test('counting and comparing sets gives what booleans give', () => {
  fc.assert(
    fc.property(bools, bools, (a, b) => {
      const x = setOf(a)
      const y = setOf(b)
      const onlyA = a.filter((bit, i) => bit && b[i] !== true).length
      assert.equal(countBits(x.buffer), a.filter(Boolean).length)
      // Bytes that do not begin at a word.
      assert.equal(countBits(Uint8Array.of(0xff, ...x.buffer).subarray(1)), a.filter(Boolean).length)
      assert.equal(countAndNot(x.buffer, y.buffer), onlyA)
    }),
  )
})

test('ranges are set, cleared and searched exactly', () => {
  fc.assert(
    fc.property(bools, fc.nat(80), fc.nat(80), fc.boolean(), (bits, a, b, value) => {
      const first = Math.min(a, bits.length - 1)
      const last = Math.min(b, bits.length - 1)
      const set = setOf(bits)
      setRange(set, first, last, value)
      const expected = bits.map((bit, i) => (i >= first && i <= last ? value : bit))
      assert.deepEqual([...set.buffer], [...setOf(expected).buffer])
      const missing = expected.findIndex((bit, i) => i >= first && i <= last && !bit)
      assert.equal(
        firstMissing(set, first, last),
        missing >= 0 ? missing : last < first ? firstMissing(set, first, last) : last + 1,
      )
      assert.equal(countMissing(set, first, last), expected.filter((bit, i) => i >= first && i <= last && !bit).length)
      const seen: number[] = []
      forEachPiece(set, piece => seen.push(piece))
      assert.deepEqual(
        seen,
        expected.flatMap((bit, i) => (bit ? [i] : [])),
      )
    }),
  )
})

test('a wire bitfield of wrong length or with spare bits set is refused', () => {
  assert.equal(pieceSetFromBytes(Uint8Array.of(0xff), 9), null)
  assert.equal(pieceSetFromBytes(Uint8Array.of(0xff, 0xff), 8), null)
  assert.equal(pieceSetFromBytes(Uint8Array.of(0xff, 0xc0), 9), null)
  assert.equal(pieceSetFromBytes(Uint8Array.of(0xff, 0x80), 9)?.get(8), true)
  assert.equal(countBits(fullPieceSet(9).buffer), 9)
})

test('sets keep memory of their own', () => {
  const bytes = Uint8Array.of(0x80)
  const set = pieceSetFromBytes(bytes, 8)
  assert.ok(set)
  const copy = copyPieceSet(set)
  bytes[0] = 0
  set.set(0, false)
  assert.equal(copy.get(0), true)
})

test('selected files need every piece they touch, padding and empty files none', () => {
  const file = (index: number, offset: number, length: number, padding = false): TorrentFile => {
    return { index, path: [`f${index}`], length, offset, padding }
  }
  const files = [file(0, 0, 15), file(1, 15, 0), file(2, 15, 20), file(3, 35, 5, true), file(4, 40, 10)]
  const lengths = { totalLength: 50, pieceLength: 10, pieceCount: 5 }
  const pieces = (selected: number[] | null): number[] => {
    const out: number[] = []
    forEachPiece(wantedPieces(lengths, files, selected), piece => out.push(piece))
    return out
  }
  assert.deepEqual(pieces(null), [0, 1, 2, 3, 4])
  assert.deepEqual(pieces([0]), [0, 1])
  assert.deepEqual(pieces([2]), [1, 2, 3])
  assert.deepEqual(pieces([1, 3, 99]), [])
  assert.deepEqual(pieces([4]), [4])
})
