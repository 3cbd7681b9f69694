// How far readers are from standing still, and which of them count.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { levelOf, type ReaderDemand } from '../../../../src/torrent/streams/stream-level.ts'
import { StreamWindows } from '../../../../src/torrent/streams/stream-window.ts'

const MIB = 1024 * 1024
const NOW = 1_000_000

function demand(over: Partial<ReaderDemand> = {}): ReaderDemand {
  const position = over.position ?? 0
  return {
    offset: 0,
    length: 100 * MIB,
    position,
    windowBytes: 8 * MIB,
    filmRate: MIB,
    from: { position, atMs: NOW },
    ...over,
  }
}

const level = (demands: readonly ReaderDemand[], ahead: (demand: ReaderDemand) => number): number | null =>
  levelOf(demands, NOW, ahead).levelSec

test('seconds that are there ahead of the reader with the least', () => {
  assert.equal(
    level([demand(), demand({ position: 50 * MIB })], ({ position }) => (position === 0 ? 3 * MIB : 2 * MIB)),
    2,
  )
  assert.deepEqual(
    levelOf([demand(), demand({ filmRate: 500 })], NOW, () => 0),
    { levelSec: 0, need: MIB + 500, frontier: 0 },
  )
  assert.equal(
    level([], () => 0),
    null,
  )
})

test('a full window, or all up to the end, is enough', () => {
  assert.equal(
    level([demand()], () => 8 * MIB),
    Number.POSITIVE_INFINITY,
  )
  assert.equal(
    level([demand({ position: 97 * MIB })], () => 3 * MIB),
    Number.POSITIVE_INFINITY,
  )
  assert.equal(
    level([demand({ position: 97 * MIB })], () => 2 * MIB),
    2,
  )
})

test('who takes a film faster than it is played, by more than a minute of it, copies it', () => {
  const from = { position: 10 * MIB, atMs: NOW - 20_000 }
  assert.equal(
    level([demand({ position: 80 * MIB, from })], () => 0),
    0,
  )
  assert.equal(
    level([demand({ position: 91 * MIB, from })], () => 0),
    null,
  )
  assert.equal(
    level([demand({ position: 91 * MIB, from: { ...from, atMs: NOW - 22_000 } })], () => 0),
    0,
  )
})

test('what is not known to be a film counts for its first 8 MiB, as with nothing ahead', () => {
  const from = { position: 0, atMs: NOW }
  assert.equal(
    level([demand({ filmRate: 0, position: 8 * MIB - 1, from })], () => MIB),
    0,
  )
  assert.equal(
    level([demand({ filmRate: 0, position: 8 * MIB, from })], () => 0),
    null,
  )
  assert.equal(
    level([demand({ filmRate: 0, position: 50 * MIB })], () => 0),
    null,
    'one request of many',
  )
})

test('who waits for what nobody has does not count; how far the foremost of the others has it', () => {
  const demands = [demand(), demand({ position: 50 * MIB })]
  const canCome = (place: number): boolean => place > 10 * MIB
  assert.deepEqual(
    levelOf(demands, NOW, () => MIB, canCome),
    { levelSec: 1, need: 2 * MIB, frontier: 51 * MIB },
  )
  assert.equal(
    levelOf(
      demands,
      NOW,
      () => MIB,
      () => false,
    ).levelSec,
    null,
  )
})

test('a film that says that it is played at any rate counts as the quickest there is', () => {
  assert.equal(
    level([demand({ filmRate: 1e12, windowBytes: 80_000_000 })], () => 40_000_000),
    2,
  )
})

/** Takes a film of 1 MiB/s by requests of 4 MiB, in so many seconds each; how far ahead of playing it still counts. */
function copiedUntil(secondsEach: number, jumps = false): number {
  const file = 900 * MIB
  const windows = new StreamWindows({ totalLength: file, pieceLength: MIB, pieceCount: 900 }, () => undefined, {
    limits: {},
  })
  for (let request = 0; request < 100; request += 1) {
    const nowMs = NOW + request * secondsEach * 1000
    const begin = (jumps ? ((request * 37) % 100) * 8 : request * 4) * MIB
    const reader = windows.open(0, file, nowMs)
    reader.setFilm({ bytesPerSecond: MIB, index: [], keys: null })
    reader.moveTo(begin, nowMs)
    for (let part = 1; part <= 4; part += 1) reader.moveTo(begin + part * MIB, nowMs)
    if (levelOf(windows.demands(), nowMs, () => 0).levelSec === null) return request * 4 - request * secondsEach
    reader.close()
  }
  return Number.POSITIVE_INFINITY
}

test('who copies a film by many requests is one program; who jumps is a player each time', () => {
  const until = copiedUntil(1)
  assert.ok(until > 50 && until < 62, `${until} s`)
  assert.equal(copiedUntil(4), Number.POSITIVE_INFINITY, 'as fast as it is played')
  assert.equal(copiedUntil(1, true), Number.POSITIVE_INFINITY)
})

test('what many readers left is forgotten, the oldest first', () => {
  const windows = new StreamWindows({ totalLength: 900 * MIB, pieceLength: MIB, pieceCount: 900 }, () => undefined, {
    limits: {},
  })
  const readAt = (megabyte: number, nowMs: number): number => {
    const reader = windows.open(0, 900 * MIB, nowMs)
    reader.moveTo(megabyte * MIB, nowMs)
    const at = windows.demands()[0]?.from.atMs ?? -1
    reader.close()
    return at
  }
  for (let i = 0; i < 9; i += 1) readAt(100 * (i + 1) - 50, i)
  assert.equal(readAt(50, 100), 100, 'the ninth before')
  assert.equal(readAt(251, 101), 2)
  assert.equal(readAt(251, 102), 2, 'left again, as since then')
})
