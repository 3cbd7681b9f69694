// The database without its thread: boots, schemas, damage, failing jobs.

import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { AppError } from '../../../src/base/errors.ts'
import { EventRows, MAX_EVENT_AGE_MS } from '../../../src/records/event-rows.ts'
import type { JobMessage } from '../../../src/records/thread-messages.ts'
import { databaseError } from '../../../src/records/database-trouble.ts'
import { openDatabase } from '../../../src/records/open-database.ts'
import { RowTexts } from '../../../src/records/row-texts.ts'
import { RecordsDatabase } from '../../../src/records/records-database.ts'
import { type PackedResume, unpackResume } from '../../../src/records/packed-progress.ts'
import type { ResumeData } from '../../../src/ports/progress-journal.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import { migrations } from '../../../src/records/schema.ts'
import { bitsOf, hashOf, makeDownload, openStore, temporaryFolder } from './records-kit.ts'

function refusal(path: string, steps = migrations): AppError {
  try {
    openDatabase({ path, bootId: 'a', nowMs: 0 }, steps).database.close()
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'StateUnreadable')
    return error
  }
  return assert.fail('it was opened')
}

/** Runs jobs in one life of the database; `clean` false = the process is killed after them. */
function live(path: string, bootId: string | null, jobs: JobMessage[], clean: boolean): unknown[] {
  const database = new RecordsDatabase({ path, bootId, nowMs: 0 })
  const replies = database.run(jobs).map(answer => (answer.ok ? answer.reply : answer))
  if (clean) database.close()
  else database.abandon()
  return replies
}

const insert: JobMessage = { name: 'download.insert', args: [makeDownload(1)] }
const verified = (piece: number): JobMessage => ({ name: 'progress.verified', args: [hashOf(1), [piece], 5] })
const resume: JobMessage = { name: 'progress.resume', args: [hashOf(1)] }

function trusted(replies: unknown[]): ResumeData {
  return runSteps(unpackResume(replies.at(-1) as PackedResume)) as ResumeData
}

test('journalled pieces are trusted after kill -9 in the same boot', t => {
  const path = join(temporaryFolder(t), 'a.db')
  live(path, 'one', [insert, verified(3)], false)
  const { have, suspect } = trusted(live(path, 'one', [resume], false))
  assert.deepEqual([have, suspect], [bitsOf(20, [3]), []])
})

test('journalled pieces are trusted after a clean stop, also in another boot', t => {
  const path = join(temporaryFolder(t), 'a.db')
  live(path, 'one', [insert, verified(3)], true)
  const { have, suspect } = trusted(live(path, 'two', [resume], false))
  assert.deepEqual([have, suspect], [bitsOf(20, [3]), []])
})

test('journalled pieces are suspect after an unclean stop in another boot, checkpointed ones are not', t => {
  const path = join(temporaryFolder(t), 'a.db')
  const checkpoint: JobMessage = {
    name: 'progress.checkpoint',
    args: [hashOf(1), bitsOf(20, [1]), new Uint8Array(0), 5],
  }
  live(path, 'one', [insert, verified(1), checkpoint, verified(4), verified(3)], false)
  const second = trusted(live(path, 'two', [resume], false))
  assert.deepEqual([second.have, second.suspect], [bitsOf(20, [1]), [3, 4]])
  // Still suspect when the second life ended before it had hashed them; trusted once it has.
  const third = trusted(live(path, 'two', [verified(4), resume], true))
  assert.deepEqual([third.have, third.suspect], [bitsOf(20, [1, 4]), [3]])
  const fourth = trusted(live(path, 'three', [resume], true))
  assert.deepEqual([fourth.have, fourth.suspect], [bitsOf(20, [1, 4]), [3]])
})

test('an unknown boot counts as another one', t => {
  const path = join(temporaryFolder(t), 'a.db')
  live(path, null, [insert, verified(3)], false)
  assert.deepEqual(trusted(live(path, null, [resume], false)).suspect, [3])
})

test('a bad job fails alone; its neighbours in the batch are committed', t => {
  const path = join(temporaryFolder(t), 'a.db')
  const bad: JobMessage = { name: 'download.insert', args: [{ ...makeDownload(2), name: null }] }
  const good: JobMessage = { name: 'download.insert', args: [makeDownload(3)] }
  const replies = live(path, 'one', [insert, bad, good], false)
  assert.equal(replies[0], true)
  assert.equal((replies[1] as { code: string }).code, 'Bug')
  assert.equal(replies[2], true)
  const [list] = live(path, 'one', [{ name: 'download.list', args: [0, 10] }], false) as [string]
  assert.equal(new RowTexts().unpack(list).length, 2)
})

test('a newer schema, a foreign database and damaged files are refused with one sentence', async t => {
  const folder = temporaryFolder(t)
  const newer = join(folder, 'newer.db')
  live(newer, 'one', [insert], true)
  const raw = new Database(newer)
  raw.pragma('user_version = 99')
  raw.close()
  assert.ok(
    refusal(newer).message.includes(`this one knows up to ${migrations.length}. Start the newer`),
    refusal(newer).message,
  )
  assert.match(refusal(newer).message, /has schema 99, written by a newer version;/)
  assert.match(refusal(newer).message, /Start the newer version again, or choose another --state-dir\.$/)
  // What an upgrade left says how to go back; a copy that is too new for this program as well is none.
  writeFileSync(`${newer}.schema-98`, '')
  assert.doesNotMatch(refusal(newer).message, /go back/)
  for (const schema of [migrations.length - 1, migrations.length]) writeFileSync(`${newer}.schema-${schema}`, '')
  assert.ok(
    refusal(newer).message.includes(
      `or go back: move ${newer} with its -wal and -shm away and put ${newer}.schema-${migrations.length}, `,
    ),
  )

  const foreign = join(folder, 'foreign.db')
  new Database(foreign).exec('CREATE TABLE x (y)').close()
  assert.match(refusal(foreign).message, /is a database of another program\.$/)

  const noise = join(folder, 'noise.db')
  writeFileSync(noise, Buffer.alloc(8192, 'no database '))
  assert.match(
    refusal(noise).message,
    /is damaged \(.*\); restore a copy, or move it and its note \(\.made\) away to start empty\.$/,
  )
  await assert.rejects(openStore(t, { path: noise }), { code: 'StateUnreadable', message: /is damaged/ })

  assert.match(
    refusal(join(folder, 'none', 'a.db')).message,
    /cannot be opened \(ENOENT.*choose another --state-dir\.$/,
  )
  assert.match(refusal(folder).message, /cannot be opened \(EISDIR/)
})

test('damage inside is found after an unclean stop', t => {
  const path = join(temporaryFolder(t), 'a.db')
  const many = Array.from({ length: 300 }, (_, n): JobMessage => ({ name: 'download.insert', args: [makeDownload(n)] }))
  live(path, 'one', many, true)
  live(path, 'one', [], false)
  const bytes = readFileSync(path)
  // Pages in the middle: the first holds the schema, which is read at once.
  bytes.fill(0xa5, 4096 * 4, 4096 * 12)
  writeFileSync(path, bytes)
  assert.match(refusal(path).message, /is damaged/)
})

test('the files of the database are closed to other users', t => {
  const path = join(temporaryFolder(t), 'a.db')
  const database = new RecordsDatabase({ path, bootId: 'a', nowMs: 0 })
  for (const name of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(name).mode & 0o777, 0o600, name)
  database.close()
})

test('ids of events that a power cut may have taken are not given again', t => {
  const path = join(temporaryFolder(t), 'a.db')
  const append: JobMessage = { name: 'event.append', args: [0, ['x'], ['null']] }
  assert.deepEqual(live(path, 'one', [append, append], false), [1, 2])
  assert.deepEqual(live(path, 'one', [append], false), [3])
  const [after] = live(path, 'two', [append], false) as [number]
  assert.ok(after > 1003, `${after}`)
  assert.deepEqual(live(path, 'two', [append], true), [after + 1])
  assert.deepEqual(live(path, 'three', [append], true), [after + 2])
})

test('the event log drops what is too old or too many, and never uses an id twice', t => {
  const { database } = openDatabase({ path: join(temporaryFolder(t), 'a.db'), bootId: 'a', nowMs: 0 })
  const events = new EventRows(database, 300)
  for (let n = 1; n <= 1000; n++) assert.equal(events.append(1000, 'x', 'null'), n)
  const kept = events.bounds()
  assert.equal(kept.newest, 1000)
  assert.ok((kept.oldest ?? 0) > 1000 - 300 - 256, `oldest is ${kept.oldest}`)
  events.trim(1000)
  assert.equal(events.bounds().oldest, 701)
  events.trim(1001 + MAX_EVENT_AGE_MS)
  assert.deepEqual(events.bounds(), { oldest: null, newest: 1000 })
  assert.equal(events.append(2000, 'x', 'null'), 1001)
  database.close()
})

test('a full disk is reported as such, and what was there stays', t => {
  const path = join(temporaryFolder(t), 'a.db')
  live(path, 'one', [insert], false)
  const { database } = openDatabase({ path, bootId: 'one', nowMs: 0 })
  database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true })) + 2}`)
  const big = database.prepare('INSERT INTO node (key, value) VALUES (?, ?)')
  const fill = (): unknown => big.run('big', new Uint8Array(100_000))
  assert.throws(
    () => {
      try {
        fill()
      } catch (error) {
        throw databaseError('The database reported an error', error)
      }
    },
    { code: 'DiskFull', message: /^The database reported an error: the disk is full \(.*\); free some space there\.$/ },
  )
  assert.equal(database.prepare('SELECT count(*) FROM downloads').pluck().get(), 1)
  database.close()
})
