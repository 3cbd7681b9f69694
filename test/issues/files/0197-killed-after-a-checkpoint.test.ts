// kill -9 after a block was written and before anything was journalled since the last checkpoint: the whole file was
// hashed.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { RecordsDatabase } from '../../../src/records/records-database.ts'
import { packFacts, type PackedResume, unpackResume } from '../../../src/records/packed-progress.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import type { JobMessage } from '../../../src/records/thread-messages.ts'
import { countBits } from '../../../src/base/piece-set.ts'
import { planFromResume } from '../../../src/torrent/pieces/resume-plan.ts'
import type { ResumeData } from '../../../src/ports/progress-journal.ts'
import { bitsOf, hashOf, makeDownload } from '../../unit/records/records-kit.ts'

const CHECKPOINT_MS = 1_000_000
const file = (mtimeMs: number) => [{ index: 0, exists: true, sizeBytes: 2000, mtimeMs }]

interface Story {
  readonly clean?: boolean
  readonly stopped?: boolean
  readonly pieces?: number[]
}

/** What a start knows after a run that took a checkpoint of `pieces` and ended as told. */
function resumeAfter(story: Story): ResumeData {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-'))
  try {
    const options = { path: join(folder, 'a.db'), bootId: 'boot', nowMs: 0 }
    const first = new RecordsDatabase(options)
    const jobs: JobMessage[] = [
      { name: 'download.insert', args: [makeDownload(1, { pieceCount: 20, userStopped: story.stopped ?? false })] },
      {
        name: 'progress.checkpoint',
        args: [hashOf(1), bitsOf(20, story.pieces ?? [0, 1]), packFacts(file(900_000)), CHECKPOINT_MS],
      },
    ]
    assert.deepEqual(
      first.run(jobs).map(answer => answer.ok),
      [true, true],
    )
    if (story.clean === true) first.close()
    else first.abandon()
    const second = new RecordsDatabase(options)
    const [answer] = second.run([{ name: 'progress.resume', args: [hashOf(1)] }])
    second.close()
    assert.ok(answer?.ok === true)
    return runSteps(unpackResume(answer.reply as PackedResume)) as ResumeData
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Pieces that a start hashes when the file was changed at `mtimeMs`. */
function hashed(resume: ResumeData, mtimeMs: number): number {
  const lengths = { totalLength: 2000, pieceLength: 100, pieceCount: 20 }
  const files = [{ index: 0, path: ['a'], length: 2000, offset: 0, padding: false }]
  return countBits(planFromResume(lengths, files, file(mtimeMs), resume).check.buffer)
}

test('a kill between a write and the journal costs no check; other changes of a file do', () => {
  assert.equal(hashed(resumeAfter({}), CHECKPOINT_MS + 31_000), 0)
  assert.equal(hashed(resumeAfter({}), CHECKPOINT_MS + 600_000), 20, 'long after: not ours')
  assert.equal(hashed(resumeAfter({ clean: true }), CHECKPOINT_MS + 1000), 20, 'after an orderly stop')
  assert.equal(hashed(resumeAfter({ stopped: true }), CHECKPOINT_MS + 1000), 20, 'of a stopped download')
  const all = Array.from({ length: 20 }, (_, piece) => piece)
  assert.equal(hashed(resumeAfter({ pieces: all }), CHECKPOINT_MS + 1000), 20, 'of a complete one')
})
