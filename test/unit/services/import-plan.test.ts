// What of another client's word is taken. Two files of four pieces each, one piece shared.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileFacts } from '../../../src/ports/piece-store.ts'
import { type ImportPlan, planImport } from '../../../src/services/import/import-plan.ts'
import { countBits } from '../../../src/base/piece-set.ts'
import { planFromResume } from '../../../src/torrent/pieces/resume-plan.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import type { OtherState } from '../../../src/wire/resume/other-state.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'

const PIECE = 32_768
const LENGTH = 3.5 * PIECE
const metainfo = decodeMetainfo(
  makeTorrent({
    files: [
      { path: 'a', length: LENGTH },
      { path: 'b', length: LENGTH },
    ],
  }).torrent,
)
const RESUME_MS = 1_000_000_000
const SEEN_SEC = 900_000
const ALL = Uint8Array.of(0b1111_1110)

const nothing: OtherState = {
  folders: ['/d'],
  have: ALL,
  doubted: null,
  times: null,
  paths: null,
  priorities: null,
  paused: false,
  labels: [],
  ratio: -2,
  seedingMinutes: -2,
  downLimit: 0,
  upLimit: 0,
  uploaded: 0,
  downloaded: 0,
  added: 0,
  finished: 0,
  seededSec: 0,
  sequential: false,
  superSeeding: false,
  trackers: null,
  webSeeds: null,
}

function fact(index: number, change: Partial<FileFacts> = {}): FileFacts {
  return { index, exists: true, sizeBytes: LENGTH, mtimeMs: SEEN_SEC * 1000 + 500, ...change }
}

const gone = (index: number): FileFacts => ({ index, exists: false, sizeBytes: 0, mtimeMs: 0 })

function plan(state: Partial<OtherState>, facts: readonly FileFacts[] = [fact(0), fact(1)]): ImportPlan {
  return planImport(metainfo, { ...nothing, ...state }, facts, RESUME_MS)
}

/** Kept, to check, codes of the reasons. */
function seen({ piecesKept, piecesToCheck, reasons }: ImportPlan): unknown[] {
  return [piecesKept, piecesToCheck, reasons.map(({ code }) => code)]
}

test('files that fit are taken, and every later start takes them too', () => {
  const taken = plan({})
  assert.deepEqual(seen(taken), [7, 0, []])
  assert.ok(taken.resume !== null && taken.found)
  const { check } = planFromResume(metainfo, metainfo.files, [fact(0), fact(1)], taken.resume)
  assert.equal(countBits(check.buffer), 0)
})

test('a file that is too short, too long or younger than the resume file is hashed alone, also at a start after a kill', () => {
  const cases: [Partial<FileFacts>, string][] = [
    [{ sizeBytes: LENGTH - 1 }, 'size_differs'],
    [{ sizeBytes: LENGTH + 1 }, 'size_differs'],
    [{ mtimeMs: RESUME_MS + 1001 }, 'time_differs'],
  ]
  for (const [change, code] of cases) {
    const facts = [fact(0), fact(1, change)]
    const made = plan({}, facts)
    assert.deepEqual(seen(made), [3, 4, [code]])
    // A kill makes starts more trusting (decision 0131), not here.
    const resume = { ...made.resume!, newestMs: RESUME_MS * 2 }
    assert.equal(countBits(planFromResume(metainfo, metainfo.files, facts, resume).check.buffer), 4)
  }
  assert.deepEqual(seen(plan({}, [fact(0), fact(1, { mtimeMs: RESUME_MS + 999 })])), [7, 0, []])
})

test('a file needs no more than its last verified piece, and none without such a piece', () => {
  const have = Uint8Array.of(0b1100_0000)
  assert.deepEqual(seen(plan({ have }, [fact(0, { sizeBytes: 2 * PIECE }), fact(1, { mtimeMs: RESUME_MS * 2 })])), [
    2,
    0,
    [],
  ])
  assert.deepEqual(seen(plan({ have }, [fact(0, { sizeBytes: 2 * PIECE - 1 }), gone(1)])), [0, 4, ['size_differs']])
})

test('times that the other client noted count for complete files', () => {
  const times = (rule: 'same' | 'latest', ...seconds: number[]) => ({ times: { rule, seconds } })
  const [late, other] = [SEEN_SEC + 5, SEEN_SEC - 5]
  assert.deepEqual(seen(plan(times('same', SEEN_SEC, SEEN_SEC))), [7, 0, []])
  assert.deepEqual(seen(plan(times('same', SEEN_SEC, late))), [3, 4, ['time_differs']])
  assert.deepEqual(seen(plan(times('latest', SEEN_SEC, late))), [7, 0, []])
  assert.deepEqual(seen(plan(times('latest', other, late))), [3, 4, ['time_differs']])
  // Its clock may be late by that much when it notes the time of its own last write.
  assert.deepEqual(seen(plan(times('latest', SEEN_SEC - 2, late))), [7, 0, []])
  assert.deepEqual(seen(plan(times('latest', SEEN_SEC - 3, late))), [3, 4, ['time_differs']])
  assert.deepEqual(seen(plan(times('latest', SEEN_SEC, 0))), [3, 4, ['not_verified']])
  // Of a file that is not complete its client notes no time that could be compared.
  const have = Uint8Array.of(0b1111_1000)
  assert.deepEqual(seen(plan({ have, ...times('same', SEEN_SEC, 0) })), [5, 0, []])
})

test('pieces that the other client doubts make their files be hashed', () => {
  assert.deepEqual(seen(plan({ doubted: Uint8Array.of(0b0000_0010) })), [3, 4, ['not_verified']])
})

test('a missing file has no pieces; nobody minds when it was not wanted', () => {
  const missing = plan({}, [fact(0), gone(1)])
  assert.deepEqual([seen(missing), missing.missing, missing.found], [[3, 0, ['file_missing']], [1], true])
  const unwanted = plan({ priorities: [4, 0] }, [fact(0), gone(1)])
  assert.deepEqual([seen(unwanted), unwanted.missing, unwanted.found], [[3, 0, []], [], true])
  const none = plan({}, [gone(0), gone(1)])
  assert.deepEqual([seen(none), none.found], [[0, 0, ['file_missing']], false])
})

test('without a word about pieces everything that is there is hashed', () => {
  const made = plan({ have: null }, [fact(0), gone(1)])
  assert.deepEqual([seen(made), made.resume], [[0, 4, ['nothing_known']], null])
  assert.equal(plan({ have: Uint8Array.of(1, 2, 3) }).resume, null)
})
