// Where films go on, when they count as watched, and what the service makes of names and numbers of strangers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import type { InfoHash } from '../../../../src/base/ids.ts'
import type { WatchedFile, WatchedNote, WatchingRecords } from '../../../../src/ports/viewing/watching-records.ts'
import { continueAtMs, isNearEnd } from '../../../../src/services/watching/continue-at.ts'
import { Watching } from '../../../../src/services/watching/watching.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const HASH = 'ab'.repeat(20) as InfoHash

/** The records in memory. */
class MemoryRecords implements WatchingRecords {
  readonly notes: WatchedNote[] = []
  rows: WatchedFile[] = []

  note(note: WatchedNote): Promise<WatchedFile> {
    this.notes.push(note)
    const old = this.rows.find(({ file }) => file === note.file)
    const row = {
      ...note,
      positionMs: note.positionMs ?? old?.positionMs ?? 0,
      durationMs: note.durationMs ?? old?.durationMs ?? null,
      watched: note.watched ?? old?.watched ?? false,
    }
    this.rows = [...this.rows.filter(({ file }) => file !== note.file), row]
    return Promise.resolve(row)
  }

  of(): Promise<WatchedFile[]> {
    return Promise.resolve(this.rows)
  }

  recent(limit: number) {
    return Promise.resolve(this.rows.slice(0, limit).map(row => ({ ...row, download: 'Film' })))
  }

  forget(_: InfoHash, file: number): Promise<boolean> {
    const there = this.rows.some(row => row.file === file)
    this.rows = this.rows.filter(row => row.file !== file)
    return Promise.resolve(there)
  }
}

function serviceOf(paths: readonly string[][] | null): { watching: Watching; records: MemoryRecords } {
  const records = new MemoryRecords()
  const files = paths?.map((path, index) => ({ index, path, length: 1, offset: 0, padding: false }))
  const watching = new Watching({
    clock: new VirtualClock(),
    downloads: {
      record: infohash => {
        if (infohash !== HASH) throw new AppError('DownloadNotFound')
        return Promise.resolve({ infohash: HASH } as never)
      },
      knownMetainfo: () => Promise.resolve(files === undefined ? null : ({ files, multiFile: true } as never)),
    },
  })
  watching.open(records)
  return { watching, records }
}

test('where a film goes on, and when it is at its end', () => {
  const table: [positionMs: number, durationMs: number | null, goesOn: number, end: boolean][] = [
    [0, null, 0, false],
    [9999, null, 0, false],
    [10_000, null, 10_000, false],
    [101_000, 5_400_000, 101_000, false],
    [4_859_999, 5_400_000, 4_859_999, false],
    [4_860_000, 5_400_000, 0, true],
    [6_000_000, 5_400_000, 0, true],
    [6_000_000, 0, 6_000_000, false],
  ]
  for (const [position, duration, goesOn, end] of table) {
    assert.equal(continueAtMs(position, duration), goesOn, `${position} of ${duration}`)
    assert.equal(isNearEnd(position, duration), end, `${position} of ${duration}`)
  }
})

test('watched is set near the end, stays when it is played again, and is taken back by hand', async () => {
  const { watching } = serviceOf([['Film', 'a.mkv']])
  const note = (change: object) => watching.note(HASH, '0', change)
  assert.equal((await note({ position: 100, duration: 1000 })).watched, false)
  const end = await note({ position: 900, duration: 1000 })
  assert.deepEqual([end.watched, end.continue_at, end.position], [true, 0, 900])
  const again = await note({ position: 50.25, duration: 1000 })
  assert.deepEqual([again.watched, again.continue_at, again.name], [true, 50.25, 'a.mkv'])
  assert.equal((await note({ watched: false })).watched, false)
  assert.equal((await watching.one(HASH, '0')).position, 50.25)
  assert.equal((await watching.recent(10, false)).length, 1)
  assert.deepEqual(await watching.forget(HASH, '0'), { infohash: HASH, fileindex: 0, removed: true })
  assert.deepEqual(await watching.of(HASH), [])
  assert.equal((await watching.one(HASH, '0')).time, 0)
})

test('a length that was told once counts for places that come without one', async () => {
  const { watching } = serviceOf([['Film', 'a.mkv']])
  const note = (change: object) => watching.note(HASH, '0', change)
  assert.equal((await note({ position: 950 })).watched, false, 'nobody knows its length')
  assert.equal((await note({ position: 100, duration: 1000 })).watched, false)
  assert.equal((await note({ position: 500 })).watched, false)
  const { watched, continue_at: goesOn } = await note({ position: 950 })
  assert.deepEqual([watched, goesOn], [true, 0])
  assert.equal((await note({ position: 960, watched: false })).watched, false)
})

test('a name of 4,000 bytes is cut between characters; nothing else of it is changed', async () => {
  const { watching, records } = serviceOf([['Film', '\u{1F600}'.repeat(1000)]])
  const { name } = await watching.note(HASH, '0', { position: 1 })
  assert.ok(name.length <= 301 && /^(?:\u{1F600})+…$/u.test(name), name)
  assert.equal(records.notes.length, 1)
})

test('what does not exist is answered as such', async () => {
  const { watching, records } = serviceOf([['Film', 'a.mkv']])
  const none = serviceOf(null).watching
  const refused: [Promise<unknown>, string][] = [
    [watching.note(HASH, '1', { position: 1 }), 'FileNotFound'],
    [watching.note(HASH, '-1', { position: 1 }), 'FileNotFound'],
    [watching.one(HASH, '0x1'), 'FileNotFound'],
    [watching.note(HASH, '0', { duration: 5 }), 'MissingParameter'],
    [watching.note('cd'.repeat(20), '0', { position: 1 }), 'DownloadNotFound'],
    [none.note(HASH, '0', { position: 1 }), 'MetadataNotFound'],
  ]
  for (const [answer, code] of refused) await assert.rejects(answer, { code })
  assert.equal(records.notes.length, 0)
})
