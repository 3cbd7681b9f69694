// How a file was left, and what a look at it proves: each rule alone. What the rules come to over real files is in
// test/unit/pools/piece-store-looks.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileNotes } from '../../../src/io/files/file-notes.ts'
import type { FileLook } from '../../../src/io/files/safe-files.ts'
import { type FileFacts, unfitFacts } from '../../../src/ports/piece-store.ts'

const LENGTH = 1000
const seen = (change: Partial<FileLook> = {}): FileLook => ({
  dev: 1n,
  ino: 10n,
  sizeBytes: LENGTH,
  mtimeMs: 5_000_123,
  ...change,
})
const fact = (change: Partial<FileFacts> = {}): FileFacts => ({
  index: 0,
  exists: true,
  sizeBytes: LENGTH,
  mtimeMs: 5_000_123,
  ...change,
})

/** Notes of one file that was looked at once. */
function looked(): FileNotes {
  const notes = new FileNotes(
    () => LENGTH,
    () => 'a.bin',
  )
  assert.equal(notes.judge(0)(seen()), null)
  return notes
}

const changeOf = (notes: FileNotes, look: FileLook): string | null => notes.judge(0)(look)?.change ?? null

test('another inode is another file, on another device too', () => {
  assert.equal(changeOf(looked(), seen()), null)
  assert.equal(changeOf(looked(), seen({ ino: 11n })), 'replaced')
  assert.equal(changeOf(looked(), seen({ dev: 2n })), 'replaced')
})

test('what was found changed stays so until it is accepted, also when it looks as it did before', () => {
  const notes = looked()
  assert.equal(changeOf(notes, seen({ mtimeMs: 9_000_123 })), 'changed')
  assert.deepEqual(notes.kept([fact()], notes.version), [unfitFacts(0)], 'what is stored fits no file')
  notes.accept(0)
  assert.deepEqual(notes.kept([fact()], notes.version), [fact()])
  assert.equal(changeOf(notes, seen({ mtimeMs: 9_000_123 })), null)
})

test('facts that are stored are judged as a look is: what nobody has seen yet fits no file either', () => {
  const notes = looked()
  assert.deepEqual(notes.kept([fact()], notes.version), [fact()])
  for (const other of [{ mtimeMs: 9_000_123 }, { sizeBytes: 7 }, { sizeBytes: 7000 }])
    assert.deepEqual(notes.kept([fact(other)], notes.version), [unfitFacts(0)])
  const gone = fact({ exists: false, sizeBytes: 0, mtimeMs: 0 })
  assert.deepEqual(notes.kept([gone], notes.version), [gone])
})

test('facts from before a write prove nothing of what is after it', () => {
  const notes = looked()
  const before = notes.version
  notes.writing(0)
  notes.wrote(0, LENGTH)
  notes.settling(0)(seen({ mtimeMs: 9_000_123 }))
  assert.deepEqual(notes.kept([fact()], before), [fact()])
  assert.deepEqual(notes.kept([fact()], notes.version), [unfitFacts(0)])
})

test('a look that began before a write ended proves nothing but the inode', () => {
  const notes = looked()
  for (const ended of [
    () => {
      notes.writing(0)
      notes.wrote(0, LENGTH)
    },
    () => notes.accept(0),
  ]) {
    const judge = notes.judge(0)
    ended()
    assert.equal(judge(seen({ sizeBytes: 500 })), null)
  }
  // Nor is anything learnt from it.
  assert.equal(changeOf(notes, seen({ ino: 30n, mtimeMs: 7_000_123 })), null)
  assert.equal(changeOf(notes, seen({ ino: 30n, mtimeMs: 8_000_123 })), 'changed')
})

test('a flush settles a file unless it was written to meanwhile', () => {
  const notes = looked()
  const written = (): void => {
    notes.writing(0)
    notes.wrote(0, LENGTH)
  }
  const later = seen({ mtimeMs: 6_000_123 })
  written()
  const first = notes.settling(0)
  written()
  first(later)
  assert.equal(changeOf(notes, seen({ mtimeMs: 7_000_123 })), null, 'our own write has this time')
  notes.writing(0)
  const second = notes.settling(0)
  second(later)
  assert.equal(changeOf(notes, seen({ mtimeMs: 7_000_123 })), null, 'a write is under way')
  notes.wrote(0, LENGTH)
  notes.settling(0)(later)
  assert.equal(changeOf(notes, later), null)
  assert.equal(changeOf(notes, seen({ mtimeMs: 7_000_123 })), 'changed')
})

test('a flush learns nothing of a file that is not as it was left, while it is written too', () => {
  for (const [look, change] of [
    [seen({ sizeBytes: 500 }), 'cut'],
    [seen({ sizeBytes: 2000 }), 'grown'],
    [seen({ ino: 11n }), 'replaced'],
  ] as const) {
    for (const ends of [true, false]) {
      const notes = looked()
      notes.writing(0)
      if (ends) notes.wrote(0, 10)
      notes.settling(0)(look)
      assert.equal(changeOf(notes, look), change)
    }
  }
})

test('while it is written a file may come to its length, not beyond it, and not become shorter', () => {
  const notes = looked()
  notes.writing(0)
  assert.equal(changeOf(notes, seen({ mtimeMs: 8_000_123 })), null)
  assert.equal(changeOf(notes, seen({ sizeBytes: LENGTH + 1 })), 'grown')
  assert.equal(changeOf(notes, seen({ sizeBytes: LENGTH - 1 })), 'cut')
})

test('a file that is not there any more is created again: its note goes, others stay', () => {
  const notes = looked()
  notes.judge(1)(seen({ ino: 20n }))
  notes.keepOnly(file => file === 1)
  assert.equal(changeOf(notes, seen({ ino: 99n, mtimeMs: 9_000_123 })), null)
  assert.equal(notes.judge(1)(seen({ ino: 21n }))?.change, 'replaced')
})

test('facts of the records take the place of everything that was noted', () => {
  const notes = looked()
  assert.equal(changeOf(notes, seen({ ino: 11n })), 'replaced')
  notes.expect([fact({ mtimeMs: 6_000_123 })], 0)
  assert.equal(changeOf(notes, seen({ ino: 11n, mtimeMs: 6_000_123 })), null)
  assert.equal(changeOf(notes, seen({ ino: 11n, mtimeMs: 7_000_123 })), 'changed')
})

test('a file in doubt in the records is changed, not cut, whatever it looks like', () => {
  const notes = new FileNotes(
    () => LENGTH,
    () => 'a.bin',
  )
  notes.expect([unfitFacts(0)], 9_000_000)
  assert.equal(changeOf(notes, seen()), 'changed')
  notes.accept(0)
  assert.equal(changeOf(notes, seen()), null)
})
