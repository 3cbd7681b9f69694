// How a check is cut: neighbours only, each piece once, longer while runs come back quickly, short towards the end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PieceRun } from '../../../src/base/piece-run.ts'
import { CheckRuns } from '../../../src/torrent/pieces/check-runs.ts'

const MIB = 1024 * 1024
const upTo = (count: number) => Array.from({ length: count }, (_, piece) => piece)

function all(runs: CheckRuns, tookMs: number): PieceRun[] {
  const found: PieceRun[] = []
  for (let run = runs.next(); run !== null; run = runs.next()) {
    found.push(run)
    runs.took(tookMs)
  }
  return found
}

function piecesOf(runs: readonly PieceRun[]): number[] {
  return runs.flatMap(({ first, count }) => upTo(count).map(i => first + i))
}

test('every piece is in one run of neighbours, in order', () => {
  const pieces = [...upTo(10), 12, 13, 20, ...upTo(300).map(i => 30 + i)]
  const runs = all(new CheckRuns(pieces, MIB / 4, 2), 1)
  assert.deepEqual(piecesOf(runs), pieces)
  assert.deepEqual(runs.slice(0, 4), [
    { first: 0, count: 8 },
    { first: 8, count: 2 },
    { first: 12, count: 2 },
    { first: 20, count: 1 },
  ])
})

test('runs grow to 32 MiB while they come back quickly, and shrink to 2 MiB when they do not', () => {
  const runs = new CheckRuns(upTo(10_000), MIB, 4)
  const next = (tookMs: number) => {
    runs.took(tookMs)
    return runs.next()?.count
  }
  assert.equal(runs.next()?.count, 2)
  assert.deepEqual([1, 1, 1, 1, 1].map(next), [4, 8, 16, 32, 32])
  assert.deepEqual([25, 41, 25, 41, 41, 14].map(next), [32, 16, 16, 8, 4, 8])
})

test('the last runs are short, so that all lanes end together', () => {
  const counts = all(new CheckRuns(upTo(64), MIB, 4), 1).map(run => run.count)
  assert.equal(Math.max(...counts), 7)
  assert.deepEqual(counts.slice(-4), [2, 2, 2, 2])
})

test('at most 512 small pieces a run, and a piece larger than a run by itself', () => {
  const small = all(new CheckRuns(upTo(100_000), 1024, 1), 1)
  assert.equal(Math.max(...small.map(run => run.count)), 512)
  assert.deepEqual(all(new CheckRuns([0, 1], 64 * MIB, 4), 1), [
    { first: 0, count: 1 },
    { first: 1, count: 1 },
  ])
})
