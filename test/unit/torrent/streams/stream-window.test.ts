// Ranges that readers ask for: order of kinds, seek, close, adaption, pauses, many readers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StreamRange, StreamWindows } from '../../../../src/torrent/streams/stream-window.ts'

const MIB = 1024 * 1024
const LENGTHS = { totalLength: 1000 * MIB, pieceLength: MIB, pieceCount: 1000 }

function windows(aheadSec = 30): { windows: StreamWindows; changes: () => number } {
  let changes = 0
  const made = new StreamWindows(
    LENGTHS,
    () => {
      changes++
    },
    { limits: { streamAheadSec: aheadSec } },
  )
  return { windows: made, changes: () => changes }
}

/** 'cursor 3-4 | window 3-10' with neighbouring ranges of a kind joined. */
function draw(ranges: readonly StreamRange[]): string {
  const joined: { kind: string; first: number; last: number }[] = []
  for (const range of ranges) {
    const before = joined.at(-1)
    if (before?.kind === range.kind && range.first >= before.first && range.first <= before.last + 1) {
      before.last = Math.max(before.last, range.last)
    } else {
      joined.push({ ...range })
    }
  }
  return joined.map(range => `${range.kind} ${range.first}-${range.last}`).join(' | ')
}

test('a reader at the start: cursor, window of 8 MiB, index zones of its file', () => {
  const { windows: w, changes } = windows()
  w.open(100 * MIB, 200 * MIB, 0)
  assert.equal(changes(), 1)
  assert.equal(draw(w.ranges()), 'cursor 100-100 | window 100-107 | index 100-104 | index 299-299')
})

test('a cursor near the end of a piece includes the next one', () => {
  const { windows: w } = windows()
  w.open(0, 200 * MIB, 0).moveTo(10.75 * MIB, 0)
  assert.ok(draw(w.ranges()).startsWith('cursor 10-11 | window 10-18 |'))
})

test('a seek moves cursor and window at once, also backwards; the file end cuts them', () => {
  const { windows: w } = windows()
  const reader = w.open(0, 200 * MIB, 0)
  reader.moveTo(150 * MIB, 1)
  assert.ok(draw(w.ranges()).startsWith('cursor 150-150 | window 150-157 |'))
  reader.moveTo(20 * MIB, 2)
  assert.ok(draw(w.ranges()).startsWith('cursor 20-20 | window 20-27 |'))
  reader.moveTo(198 * MIB, 3)
  assert.ok(draw(w.ranges()).startsWith('cursor 198-198 | window 198-199 |'))
  reader.moveTo(200 * MIB, 4)
  assert.equal(draw(w.ranges()), 'index 0-4 | index 199-199')
})

test('closing restores: no range is left', () => {
  const { windows: w, changes } = windows()
  const a = w.open(0, 50 * MIB, 0)
  const b = w.open(0, 50 * MIB, 0)
  a.close()
  a.close()
  assert.equal(w.size, 1)
  b.close()
  assert.deepEqual(w.ranges(), [])
  assert.equal(changes(), 4)
})

test('cursors of all readers come before any window, and windows take turns', () => {
  const { windows: w } = windows()
  w.open(0, 100 * MIB, 0)
  w.open(500 * MIB, 100 * MIB, 0)
  const text = draw(w.ranges())
  assert.ok(
    text.startsWith('cursor 0-0 | cursor 500-500 | window 0-1 | window 500-501 | window 2-3 | window 502-503'),
    text,
  )
  assert.ok(text.indexOf('index') > text.lastIndexOf('window'), text)
})

test('the window grows with what the reader consumes, up to 64 MiB, and not by seeks', () => {
  const { windows: w } = windows()
  const reader = w.open(0, 900 * MIB, 0)
  const ahead = (): number => {
    const window = w.ranges().filter(range => range.kind === 'window')
    return (window.at(-1)?.last ?? 0) - (window[0]?.first ?? 0) + 1
  }
  let position = 0
  for (let ms = 100; ms <= 20_000; ms += 100) reader.moveTo((position += 0.2 * MIB), ms)
  assert.ok(ahead() >= 18 && ahead() <= 22, `2 MiB/s for 10 s, got ${ahead()}`)
  reader.moveTo(400 * MIB, 20_001)
  assert.ok(ahead() >= 18 && ahead() <= 22, `${ahead()}`)
  position = 400 * MIB
  for (let ms = 20_100; ms <= 40_000; ms += 100) reader.moveTo((position += 2 * MIB), ms)
  assert.ok(ahead() >= 60 && ahead() <= 66, `${ahead()}`)
})

test('a paused reader keeps its window behind the others and has no cursor; moving ends the pause', () => {
  const { windows: w } = windows()
  const paused = w.open(0, 100 * MIB, 0)
  w.open(500 * MIB, 100 * MIB, 0)
  paused.pause()
  assert.equal(draw(w.ranges().filter(range => range.kind !== 'index')), 'cursor 500-500 | window 500-507 | window 0-7')
  paused.moveTo(0, 1)
  assert.ok(draw(w.ranges()).startsWith('cursor 0-0 | cursor 500-500'))
})

test('a thousand readers at one place ask once; nothing is computed when nothing moved', () => {
  const { windows: w } = windows()
  for (let i = 0; i < 1000; i++) w.open(0, 900 * MIB, 0)
  const ranges = w.ranges()
  assert.ok(ranges.length < 20, `${ranges.length}`)
  assert.equal(w.ranges(), ranges)
})

test('a thousand readers at different places are computed in a few milliseconds', () => {
  const { windows: w } = windows()
  const readers = Array.from({ length: 1000 }, () => w.open(0, 900 * MIB, 0))
  for (const [i, reader] of readers.entries()) reader.moveTo(i * 0.9 * MIB, 0)
  w.ranges()
  const start = performance.now()
  for (let round = 1; round <= 10; round++) {
    readers[round]?.moveTo(round * 7 * MIB, 0)
    w.ranges()
  }
  assert.ok((performance.now() - start) / 10 < 20, `${(performance.now() - start) / 10} ms`)
})

test('of a film whose rate is known: a window in seconds, the index of the film alone, from the first request on', () => {
  const { windows: w, changes } = windows()
  const reader = w.open(100 * MIB, 200 * MIB, 0)
  reader.setFilm({ bytesPerSecond: MIB / 2, index: [{ start: 199.9 * MIB, end: 200 * MIB }], keys: null })
  assert.equal(changes(), 2)
  assert.equal(draw(w.ranges()), 'cursor 100-100 | window 100-114 | index 299-299')
  reader.moveTo(50 * MIB, 1)
  assert.equal(draw(w.ranges()), 'cursor 150-150 | window 150-164 | index 299-299')
})

test('the window of a film follows the setting, within 8 and 256 MiB, whatever its facts say', () => {
  const cases: readonly [number, number, number][] = [
    [MIB, 60, 60],
    // Never less than without facts.
    [100, 30, 8],
    [20 * MIB, 30, 256],
    [Number.MAX_VALUE, 30, 256],
    // No rate: as without facts.
    [0, 30, 8],
    [-1, 30, 8],
    [Number.NaN, 30, 8],
    [Number.POSITIVE_INFINITY, 30, 8],
  ]
  for (const [bytesPerSecond, seconds, expected] of cases) {
    const { windows: w } = windows(seconds)
    w.open(0, 900 * MIB, 0).setFilm({ bytesPerSecond, index: [], keys: null })
    assert.equal(draw(w.ranges()), `cursor 0-0 | window 0-${expected - 1}`)
    assert.ok(w.ranges().length < 40, 'in a few portions')
  }
})

test('an index that lies about its place is not believed, and not more than 32 MiB of it', () => {
  const { windows: w } = windows()
  const reader = w.open(100 * MIB, 100 * MIB, 0)
  const index = [
    { start: Number.NaN, end: 5 * MIB },
    { start: 90 * MIB, end: 80 * MIB },
    { start: -5 * MIB, end: MIB },
    { start: 99.5 * MIB, end: 1e18 },
    { start: 20 * MIB, end: 90 * MIB },
    { start: 95 * MIB, end: 96 * MIB },
  ]
  reader.setFilm({ bytesPerSecond: MIB / 10, index, keys: null })
  // 0.5 MiB, twice 1 MiB, and what is left of 32 for the largest.
  assert.equal(
    draw(w.ranges().filter(range => range.kind === 'index')),
    'index 199-199 | index 100-100 | index 195-195 | index 120-149',
  )
  const many = Array.from({ length: 1000 }, (_, i) => ({ start: i * MIB, end: i * MIB + 1 }))
  reader.setFilm({ bytesPerSecond: MIB / 10, index: many, keys: null })
  assert.equal(draw(w.ranges().filter(range => range.kind === 'index')), 'index 100-115')
})

test('what the node reads for itself comes behind the windows of players', () => {
  const { windows: w } = windows()
  w.open(0, 100 * MIB, 0, { background: true }).moveTo(99 * MIB, 0)
  assert.equal(draw(w.ranges()), 'index 99-99')
  w.open(0, 100 * MIB, 0).setFilm({ bytesPerSecond: MIB / 10, index: [], keys: null })
  assert.equal(draw(w.ranges()), 'cursor 0-0 | window 0-7 | index 99-99')
})

test('and before the windows of paused ones: facts are found out for a player that goes on', () => {
  const { windows: w } = windows()
  w.open(500 * MIB, 100 * MIB, 0).pause()
  w.open(0, 100 * MIB, 0, { background: true }).moveTo(99 * MIB, 0)
  const text = draw(w.ranges())
  assert.ok(text.startsWith('index 99-99 | window 500-507'), text)
})

test('who copies a film, or plays one whose rate is a lie, has a window by what it consumes', () => {
  const { windows: w } = windows()
  const reader = w.open(0, 900 * MIB, 0)
  reader.setFilm({ bytesPerSecond: 1000, index: [], keys: null })
  let position = 0
  for (let ms = 50; ms <= 20_000; ms += 50) reader.moveTo((position += 0.2 * MIB), ms)
  const window = w.ranges().filter(({ kind }) => kind === 'window')
  const ahead = (window.at(-1)?.last ?? 0) - (window[0]?.first ?? 0) + 1
  assert.ok(ahead >= 36 && ahead <= 44, `${ahead}`)
})

test('a head with large attachments leaves room for the index itself', () => {
  const { windows: w } = windows()
  const index = [
    { start: 0, end: 40 * MIB },
    { start: 95 * MIB, end: 95.1 * MIB },
  ]
  w.open(0, 100 * MIB, 0).setFilm({ bytesPerSecond: MIB / 10, index, keys: null })
  assert.equal(draw(w.ranges().filter(({ kind }) => kind === 'index')), 'index 95-95 | index 0-31')
})
