// Resume files of Transmission: what 3.00 and 4.x write, and hostile files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { type BencodeInput, encodeBencode } from '../../../../src/wire/bencode.ts'
import type { OtherState, ResumeShape } from '../../../../src/wire/resume/other-state.ts'
import { transmissionResume } from '../../../../src/wire/resume/transmission-resume.ts'
import { runSteps } from '../../../../src/wire/steps.ts'

/** Three pieces of two blocks; the last one has one. */
const SHAPE: ResumeShape = { totalLength: 5 * 16_384 - 7, pieceLength: 32_768, pieceCount: 3, fileCount: 2 }

function read(value: { [key: string]: BencodeInput }, shape = SHAPE): OtherState {
  return runSteps(transmissionResume(encodeBencode(value), shape))
}

function refused(value: { [key: string]: BencodeInput }, text: RegExp): void {
  assert.throws(
    () => read(value),
    error => error instanceof DecodeError && text.test(error.message),
  )
}

test('a whole torrent of 3.00', () => {
  const state = read({
    'added-date': 1000,
    destination: '/d',
    dnd: [0, 1],
    'done-date': 2000,
    downloaded: 5,
    'incomplete-dir': '/i',
    labels: ['foo', 'a,b', 'foo', '\u0001'],
    paused: 1,
    priority: [1, 0],
    progress: { blocks: 'all', have: 'all', 'time-checked': [3000, [2000, 7, 9]] },
    'ratio-limit': { 'ratio-limit': '2.500000', 'ratio-mode': 1 },
    'seeding-time-seconds': 60,
    'speed-limit-down': { 'speed-Bps': 100, 'use-speed-limit': 1 },
    'speed-limit-up': { 'speed-Bps': 100, 'use-speed-limit': 0 },
    uploaded: 6,
  })
  assert.deepEqual([...(state.have ?? [])], [0b1110_0000])
  assert.deepEqual(state.times, { rule: 'latest', seconds: [3000, 2007] })
  assert.deepEqual(
    [state.folders, state.labels, state.priorities],
    [
      ['/d', '/i'],
      ['foo', 'a b'],
      [7, 0],
    ],
  )
  assert.deepEqual([state.ratio, state.downLimit, state.upLimit, state.paused], [2.5, 100, 0, true])
  const { uploaded, downloaded, added, finished, seededSec } = state
  assert.deepEqual([uploaded, downloaded, added, finished, seededSec], [6, 5, 1000, 2000, 60])
})

test('blocks become pieces: all of its blocks, or none of it', () => {
  const have = (bits: number): number[] => [...(read({ progress: { blocks: Uint8Array.of(bits) } }).have ?? [])]
  assert.deepEqual(have(0b1110_1000), [0b1010_0000])
  assert.deepEqual(have(0b0111_0000), [0b0100_0000])
  assert.deepEqual([...(read({ progress: { blocks: 'none' } }).have ?? [])], [0])
  assert.equal(read({}).have, null)
  // Pieces smaller than a block are counted one by one, others that are no multiple of one cannot be told.
  const small = { totalLength: 9 * 8192, pieceLength: 8192, pieceCount: 9, fileCount: 1 }
  assert.deepEqual([...(read({ progress: { blocks: Uint8Array.of(0xff, 0x80) } }, small).have ?? [])], [0xff, 0x80])
  assert.equal(read({ progress: { blocks: Uint8Array.of(0xff) } }, { ...SHAPE, pieceLength: 24_576 }).have, null)
})

test('4.x: times of change, pieces that were not checked, names with underscores', () => {
  const progress = { blocks: 'all', mtimes: [5, 0], pieces: Uint8Array.of(0b1011_1111) }
  const state = read({ added_date: 9, progress, files: ['two/a', 'two/b'], sequential_download: 1 })
  assert.deepEqual(state.times, { rule: 'same', seconds: [5, 0] })
  assert.deepEqual([...(state.doubted ?? [])], [0b0100_0000])
  assert.deepEqual([state.added, state.paths, state.sequential], [9, ['two/a', 'two/b'], true])
})

test('a piece that was never checked, and modes of the ratio', () => {
  assert.deepEqual(read({ progress: { 'time-checked': [[2000, 0, 9]] } }).times?.seconds, [0])
  const ratio = (mode: number, text: string): number =>
    read({ 'ratio-limit': { 'ratio-limit': text, 'ratio-mode': mode } }).ratio
  assert.deepEqual(
    [ratio(0, '2'), ratio(1, 'x'), ratio(1, '0.5'), ratio(2, '2'), ratio(1, '-3')],
    [-2, -2, 0.5, -1, -2],
  )
})

test('what does not fit the torrent, or is no resume file, is refused', () => {
  refused({ progress: { blocks: Uint8Array.of(1, 2) } }, /blocks .* has 2 bytes, not 1/)
  refused({ progress: { blocks: 'all', pieces: Uint8Array.of(1, 2, 3) } }, /pieces .* has 3 bytes, not 1/)
  refused({ progress: { mtimes: [1, 2, 3] } }, /more files/)
  refused({ dnd: [0, 0, 0] }, /more files/)
  refused({ files: ['a', 'b', 'c'] }, /more files/)
  const keys = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`k${at}`, 1]))
  refused(keys, /too many keys/)
  for (const bytes of ['', 'i1e', 'd1:ai1e', 'd1:ai1e1:ai1ee', `d1:a${'l'.repeat(100)}${'e'.repeat(100)}e`]) {
    assert.throws(() => runSteps(transmissionResume(Buffer.from(bytes), SHAPE)), DecodeError, bytes)
  }
})

test('values of other types say nothing', () => {
  const state = read({
    destination: 7,
    labels: 'x',
    paused: 'yes',
    progress: { blocks: 9 },
    uploaded: -5,
    'added-date': [],
  })
  assert.deepEqual([state.folders, state.labels, state.paused, state.have], [[], [], false, null])
  assert.deepEqual([state.uploaded, state.added], [0, 0])
  assert.deepEqual(read({ destination: 'a\0b' }).folders, [])
})

test('pieces of many blocks, wherever one is missing', () => {
  // Two pieces of 17 blocks: neither begins or ends with a byte of the bits.
  const shape = { totalLength: 34 * 16_384, pieceLength: 17 * 16_384, pieceCount: 2, fileCount: 1 }
  for (let missing = 0; missing < 34; missing++) {
    const blocks = new Uint8Array(5).fill(0xff)
    blocks[missing >> 3] = 0xff & ~(0x80 >> (missing & 7))
    const have = read({ progress: { blocks } }, shape).have
    assert.deepEqual([...(have ?? [])], [missing < 17 ? 0b0100_0000 : 0b1000_0000], `${missing}`)
  }
})
