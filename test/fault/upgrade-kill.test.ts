// kill -9 in the middle of an upgrade, at each thing it tells of and between them: the data is whole afterwards, this
// version goes on with it, and the version before can use the copy, or the file itself while it was not touched.

import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import type { JobMessage } from '../../src/records/thread-messages.ts'
import { RowTexts, type PackedPage } from '../../src/records/row-texts.ts'
import { runSteps } from '../../src/wire/steps.ts'
import { RecordsDatabase } from '../../src/records/records-database.ts'
import { migrations } from '../../src/records/schema.ts'
import { copyPath } from '../../src/records/database-file.ts'
import { openUpgraded } from '../../src/records/upgrade-database.ts'
import { makeOldDatabase, oldDownload } from '../unit/records/old-databases.ts'
import { temporaryFolder } from '../unit/records/records-kit.ts'
import { killAfter } from './killed-child.ts'

const UPGRADER = new URL('./database-upgrader.js', import.meta.url)
const DOWNLOADS = 3000
const OLD = 1

/** The file as it is, seen by an old program: its schema, and that its rows are whole. */
function assertWhole(path: string): number {
  const raw = new Database(path)
  try {
    assert.deepEqual(raw.pragma('integrity_check'), [{ integrity_check: 'ok' }])
    assert.equal(raw.prepare('SELECT count(*) FROM downloads').pluck().get(), DOWNLOADS)
    assert.equal(raw.prepare('SELECT count(*) FROM metainfo').pluck().get(), DOWNLOADS)
    return raw.pragma('user_version', { simple: true }) as number
  } finally {
    raw.close()
  }
}

async function assertGoesOn(path: string): Promise<void> {
  const options = { path, bootId: 'a', nowMs: 1_700_000_000_000 }
  const database = new RecordsDatabase(options, await openUpgraded(options))
  const load: JobMessage = { name: 'download.load', args: [0, DOWNLOADS + 1, 1e9] }
  const last: JobMessage = { name: 'event.read', args: [0, 1000] }
  const [loaded, events] = database.run([load, last]).map(answer => (answer.ok ? answer.reply : answer))
  assert.deepEqual(
    runSteps(new RowTexts().page(loaded as PackedPage)).map(({ download }) => download.name),
    Array.from({ length: DOWNLOADS }, (_, index) => oldDownload(OLD, index + 1)['name']),
  )
  assert.equal((events as { type: string }[]).at(-1)?.type, 'upgrader_finished')
  database.close()
}

test('an upgrade killed at any moment leaves the data usable', { timeout: 180_000 }, async t => {
  const folder = temporaryFolder(t)
  const old = join(folder, 'old.db')
  makeOldDatabase(old, OLD, DOWNLOADS, { clean: true, bootId: 'a' })
  const seen = new Set<number>()
  let killed = 0
  for (let round = 0; ; round++) {
    const path = join(folder, `round-${round}.db`)
    copyFileSync(old, path)
    // Every second kill comes a little after what it waits for: inside the step or the copy.
    const after = 1 + Math.floor(round / 2)
    const inside = round % 2 === 1
    const told = await killAfter(UPGRADER, [path, inside ? 'slow' : String(after)], after, { lateMs: inside ? 4 : 0 })
    const schema = assertWhole(path)
    seen.add(schema)
    killed++
    if (existsSync(copyPath(path, OLD))) assert.equal(assertWhole(copyPath(path, OLD)), OLD)
    else assert.equal(schema, OLD, 'it was changed before there was a copy')
    await assertGoesOn(path)
    // A kill that comes late on a busy machine may find it finished: those that come where they are to decide.
    if (!inside && told.includes('upgrader_finished')) break
  }
  t.diagnostic(`${killed} kills, at schemas ${[...seen].join(', ')}`)
  for (let schema = OLD; schema <= migrations.length; schema++) assert.ok(seen.has(schema), `never killed at ${schema}`)
})
