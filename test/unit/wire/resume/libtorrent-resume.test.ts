// Resume data of libtorrent and qBittorrent: what their versions write, and hostile files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { type BencodeInput, encodeBencode } from '../../../../src/wire/bencode.ts'
import {
  type LibtorrentResume,
  libtorrentState,
  openLibtorrentResume,
} from '../../../../src/wire/resume/libtorrent-resume.ts'
import type { OtherState, ResumeShape } from '../../../../src/wire/resume/other-state.ts'
import { runSteps } from '../../../../src/wire/steps.ts'

const SHAPE: ResumeShape = { totalLength: 9 * 16_384, pieceLength: 16_384, pieceCount: 9, fileCount: 2 }
const HEAD = { 'file-format': 'libtorrent resume file', 'info-hash': new Uint8Array(20).fill(0xab) }

function open(value: { [key: string]: BencodeInput }): LibtorrentResume {
  return runSteps(openLibtorrentResume(encodeBencode({ ...HEAD, ...value })))
}

function read(value: { [key: string]: BencodeInput }, shape: ResumeShape | null = SHAPE): OtherState {
  return runSteps(libtorrentState(open(value), shape))
}

test('what qBittorrent writes', () => {
  const state = read({
    added_time: 1000,
    auto_managed: 0,
    completed_time: 2000,
    download_rate_limit: 100,
    file_priority: [1, 0],
    paused: 1,
    pieces: Uint8Array.of(1, 0, 3, 2, 1, 1, 1, 1, 1),
    'qBt-category': 'films/hd',
    'qBt-ratioLimit': 1500,
    'qBt-savePath': '/q',
    'qBt-seedingTimeLimit': 90,
    'qBt-tags': ['x', 'y', 'films/hd'],
    save_path: '/d',
    seeding_time: 60,
    super_seeding: 1,
    total_downloaded: 5,
    total_uploaded: 6,
    trackers: [['http://a.example/announce', 'no tracker'], [], ['udp://b.example:1']],
    upload_rate_limit: -1,
    'url-list': ['http://w.example/'],
  })
  assert.deepEqual([...(state.have ?? [])], [0b1010_1111, 0b1000_0000])
  assert.deepEqual([state.doubted, state.folders, state.labels], [null, ['/d', '/q'], ['films/hd', 'x', 'y']])
  assert.deepEqual([state.priorities, state.ratio, state.seedingMinutes, state.paused], [[4, 0], 1.5, 90, true])
  assert.deepEqual([state.downLimit, state.upLimit, state.superSeeding, state.seededSec], [100, 0, true, 60])
  assert.deepEqual(state.trackers, [['http://a.example/announce'], ['udp://b.example:1']])
  assert.deepEqual([state.webSeeds, state.added, state.finished], [['http://w.example/'], 1000, 2000])
})

test('paused and managed is waiting in the queue; libtorrent counts priorities otherwise than qBittorrent', () => {
  assert.equal(read({ paused: 1, auto_managed: 1 }).paused, false)
  assert.deepEqual(read({ file_priority: [1, 7] }).priorities, [1, 7])
  assert.equal(read({ file_priority: [4, 4] }).priorities, null)
  // Of v2 torrents libtorrent may count padding that the torrent does not have.
  assert.equal(read({ file_priority: [1, 0, 1] }).priorities, null)
  assert.equal(read({ mapped_files: ['a', 'b', 'c'] }).paths, null)
  assert.deepEqual(read({ mapped_files: ['t\\a', 't/b'] }).paths, ['t/a', 't/b'])
})

test('seed mode was told, not verified; nothing said is nothing known', () => {
  const pieces = Uint8Array.of(1, 3, 1, 1, 1, 1, 1, 1, 1)
  assert.deepEqual([...(read({ seed_mode: 1, pieces }).doubted ?? [])], [0b1011_1111, 0b1000_0000])
  assert.deepEqual([read({ pieces: '' }).have, read({}).have], [null, null])
  assert.deepEqual(
    read({
      'file sizes': [
        [10, 55],
        [20, 66],
      ],
    }).times,
    { rule: 'same', seconds: [55, 66] },
  )
})

test('goals: as the settings, none, or a number', () => {
  const goals = (ratio: number, minutes: number): number[] => {
    const state = read({ 'qBt-ratioLimit': ratio, 'qBt-seedingTimeLimit': minutes })
    return [state.ratio, state.seedingMinutes]
  }
  assert.deepEqual(
    [goals(-2000, -2), goals(-1000, -1), goals(0, 0), goals(-5, -7)],
    [
      [-2, -2],
      [-1, -1],
      [0, 0],
      [-2, -2],
    ],
  )
})

test('the torrent it names, by either hash', () => {
  assert.equal(open({}).infoHash, 'ab'.repeat(20))
  const v2 = new Uint8Array(32).fill(0xcd)
  const only = open({ 'info-hash': new Uint8Array(20), 'info-hash2': v2 })
  assert.deepEqual([only.infoHash, only.infoHashV2], ['cd'.repeat(20), 'cd'.repeat(32)])
  assert.equal(read({ pieces: Uint8Array.of(1) }, null).have, null)
  assert.throws(() => open({ 'info-hash': 'short' }), /names no torrent/)
  assert.throws(() => open({ 'file-format': 'other' }), /no resume data of libtorrent/)
})

test('what does not fit the torrent is refused', () => {
  assert.throws(() => read({ pieces: Uint8Array.of(1, 1) }), /pieces .* has 2 bytes, not 9/)
  assert.throws(
    () =>
      read({
        'file sizes': [
          [1, 1],
          [1, 1],
          [1, 1],
        ],
      }),
    DecodeError,
  )
  for (const bytes of ['', 'le', 'd4:info', `d4:info${'d1:a'.repeat(80)}i1e${'e'.repeat(80)}e`]) {
    assert.throws(() => runSteps(openLibtorrentResume(Buffer.from(bytes))), DecodeError, bytes)
  }
})
