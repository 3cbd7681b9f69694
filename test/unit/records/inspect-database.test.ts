// What is said of a database that no node runs on: each cause by its name, with what to do.

import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { inspectDatabase } from '../../../src/records/inspect-database.ts'
import { openDatabase } from '../../../src/records/open-database.ts'
import { migrations } from '../../../src/records/schema.ts'
import { makeOldDatabase } from './old-databases.ts'
import { codeOf, openStore, temporaryFolder } from './records-kit.ts'

const KNOWN = migrations.length

test('a good database has no problem, before, while and after a node runs on it', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  assert.deepEqual(inspectDatabase(path), {
    bytes: null,
    schema: null,
    knownSchema: KNOWN,
    lastRun: null,
    problem: null,
  })
  const store = await openStore(t, { path })
  const running = inspectDatabase(path)
  assert.deepEqual([running.schema, running.lastRun, running.problem], [KNOWN, 'killed', null])
  await store.close(5000)
  const after = inspectDatabase(path)
  assert.deepEqual([after.schema, after.lastRun, after.problem], [KNOWN, 'clean', null])
  assert.ok((after.bytes ?? 0) > 0)
})

test('an older schema is no problem and is not upgraded', t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, 2, 3, { clean: false, bootId: 'a' })
  for (let look = 0; look < 2; look++) {
    const { schema, lastRun, problem } = inspectDatabase(path)
    assert.deepEqual([schema, lastRun, problem], [2, 'killed', null])
  }
})

test('damage, another program, a newer version: each by its name', t => {
  const folder = temporaryFolder(t)
  const noise = join(folder, 'noise.db')
  writeFileSync(noise, Buffer.alloc(8192, 'no database '))
  assert.match(inspectDatabase(noise).problem?.text ?? '', /it is damaged \(.*\); restore a copy/)
  assert.equal(inspectDatabase(noise).problem?.code, 'StateUnreadable')

  const torn = join(folder, 'torn.db')
  makeOldDatabase(torn, KNOWN, 300, { clean: true, bootId: 'a' })
  const bytes = readFileSync(torn)
  bytes.fill(0xa5, 4096 * 20, 4096 * 26)
  writeFileSync(torn, bytes)
  assert.match(inspectDatabase(torn).problem?.text ?? '', /is damaged \(.*\); restore a copy/)

  const foreign = join(folder, 'foreign.db')
  new Database(foreign).exec('CREATE TABLE x (y)').close()
  assert.match(inspectDatabase(foreign).problem?.text ?? '', /another program/)

  const newer = join(folder, 'newer.db')
  makeOldDatabase(newer, KNOWN, 1, { clean: true, bootId: 'a' })
  const raw = new Database(newer)
  raw.pragma('user_version = 99')
  raw.close()
  assert.match(inspectDatabase(newer).problem?.text ?? '', /written by a newer version.*Start the newer version again/)
})

test('a database that another program holds is refused, and said to be so', t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, KNOWN, 1, { clean: true, bootId: 'a' })
  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  t.after(() => other.close())
  assert.match(inspectDatabase(path).problem?.text ?? '', /locked by another program .*; close that program/)
  assert.throws(() => openDatabase({ path, bootId: 'a', nowMs: 0 }), {
    code: 'StateUnreadable',
    message: /locked by another program .*; close that program/,
  })
  other.exec('ROLLBACK')
  assert.equal(inspectDatabase(path).problem, null)
})

const asRoot = process.getuid?.() === 0

test('a database that may not be written is refused', { skip: asRoot && 'root writes everywhere' }, async t => {
  const folder = join(temporaryFolder(t), 'state')
  mkdirSync(folder)
  const path = join(folder, 'a.db')
  makeOldDatabase(path, KNOWN, 1, { clean: true, bootId: 'a' })
  chmodSync(path, 0o400)
  chmodSync(folder, 0o500)
  t.after(() => chmodSync(folder, 0o700))
  assert.match(inspectDatabase(path).problem?.text ?? '', /may not be written .*; make its folder and files writable/)
  assert.equal(await codeOf(openStore(t, { path })), 'StateUnreadable')
})
