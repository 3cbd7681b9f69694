// Resume data of other clients: any bytes give a state that fits the torrent, or a DecodeError.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { encodeBencode } from '../../src/wire/bencode.ts'
import { libtorrentState, openLibtorrentResume } from '../../src/wire/resume/libtorrent-resume.ts'
import type { OtherState } from '../../src/wire/resume/other-state.ts'
import { transmissionResume } from '../../src/wire/resume/transmission-resume.ts'
import { runSteps } from '../../src/wire/steps.ts'
import { fuzz } from '../kit/sim/fuzz.ts'

const SHAPE = { totalLength: 9 * 16_384, pieceLength: 32_768, pieceCount: 5, fileCount: 3 }
const limit = { 'speed-Bps': 1, 'use-speed-limit': 1 }
const transmission = encodeBencode({
  destination: '/d',
  dnd: [0, 1, 0],
  files: ['a', 'b', 'c'],
  labels: ['x'],
  priority: [1, 0, -1],
  progress: { blocks: Uint8Array.of(0xff, 0x80), 'time-checked': [1, [5, 1, 2], 0], pieces: Uint8Array.of(0xf8) },
  'ratio-limit': { 'ratio-limit': '1.5', 'ratio-mode': 1 },
  'speed-limit-up': limit,
})
const libtorrent = encodeBencode({
  'file-format': 'libtorrent resume file',
  'file sizes': [
    [1, 2],
    [3, 4],
    [5, 6],
  ],
  file_priority: [0, 1, 7],
  'info-hash': new Uint8Array(20).fill(1),
  mapped_files: ['a', 'b', 'c'],
  pieces: Uint8Array.of(1, 3, 0, 1, 1),
  'qBt-tags': ['x', 'y'],
  seed_mode: 1,
  trackers: [['http://a.example/announce']],
})

function checked(read: () => OtherState): void {
  let state: OtherState
  try {
    state = read()
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    return
  }
  const { have, doubted, priorities, paths, times } = state
  for (const bits of [have, doubted]) assert.ok(bits === null || (bits.length === 1 && ((bits[0] ?? 0) & 7) === 0))
  for (const list of [priorities, paths, times?.seconds]) assert.ok((list?.length ?? 0) <= SHAPE.fileCount)
  assert.ok(state.labels.every(label => label.length <= 64 && !label.includes(',')))
}

fuzz('Transmission', 0.5, source => {
  const bytes = source.mutate(transmission)
  checked(() => runSteps(transmissionResume(bytes, SHAPE)))
})

fuzz('libtorrent', 0.5, source => {
  const bytes = source.mutate(libtorrent)
  checked(() => runSteps(libtorrentState(runSteps(openLibtorrentResume(bytes)), SHAPE)))
})
