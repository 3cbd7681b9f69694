// Upgrades from every schema that was ever released, with data in every table of that time.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import type { KeptFeed } from '../../../src/ports/feed-records.ts'
import type { LoadedDownload, StoredMetainfo } from '../../../src/ports/records.ts'
import type { AnnounceRow } from '../../../src/records/announce-rows.ts'
import type { JobName } from '../../../src/records/jobs.ts'
import type { UpgradeNote } from '../../../src/records/thread-messages.ts'
import { openDatabase } from '../../../src/records/open-database.ts'
import { RecordsDatabase } from '../../../src/records/records-database.ts'
import { RowTexts, type PackedPage } from '../../../src/records/row-texts.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import { type Migration, migrations } from '../../../src/records/schema.ts'
import { copyPath } from '../../../src/records/database-file.ts'
import { openUpgraded } from '../../../src/records/upgrade-database.ts'
import { makeOldDatabase, OLD_PIECES, oldDownload, oldMetainfo } from './old-databases.ts'
import { bitsOf, codeOf, hashOf, temporaryFolder } from './records-kit.ts'

const DOWNLOADS = 40
const NOW_MS = 1_700_000_000_000
const CLEAN = { clean: true, bootId: 'a' }

/** Hashes of the released steps, oldest first: what was released is never changed. */
const RELEASED = [
  ...['567bd086f475c759', '37a318accfd4deb8', '374b248613ebb82a', '4d22ba3e96243cb2', '2ba12efbd1fdcc7a'],
  ...['c71396a305323357', 'dd365464f9d124f8', 'b5837fcadec1a469'],
]

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

function optionsOf(path: string, bootId = 'a') {
  return { path, bootId, nowMs: NOW_MS }
}

function reply(database: RecordsDatabase, name: JobName, ...args: unknown[]): unknown {
  const [answer] = database.run([{ name, args }])
  assert.ok(answer?.ok, JSON.stringify(answer))
  return answer.reply
}

/** What today's program makes of the row that an old one wrote. */
function assertDownload({ download, stored, resume }: LoadedDownload, schema: number, n: number): void {
  const old = oldDownload(schema, n)
  const parsed = (column: string, absent: unknown): unknown =>
    typeof old[column] === 'string' ? JSON.parse(old[column]) : absent
  assert.deepEqual(download, {
    infoHash: hashOf(n),
    infoHashV2: old['info_hash_v2'] ?? null,
    name: old['name'],
    sourceUri: old['source_uri'],
    destination: old['destination'],
    announceTiers: parsed('announce_tiers', null),
    webSeeds: parsed('web_seeds', []),
    peers: [{ ip: '10.0.0.1', port: 6881 }],
    addedAtMs: old['added_at'],
    hops: old['hops'],
    safeSeeding: old['safe_seeding'] === 1,
    selectedFiles: parsed('selected_files', null),
    userStopped: old['user_stopped'] === 1,
    totalUp: old['total_up'],
    totalDown: old['total_down'],
    finishedAtMs: old['finished_at'],
    error: old['error'],
    position: n,
    ...('queue_order' in old && { queueOrder: old['queue_order'] }),
    pieceCount: OLD_PIECES,
    controls: parsed('controls', null),
    seededSec: old['seeded_sec'] ?? 0,
    goalReached: old['goal_reached'] === 1,
    movingTo: old['moving_to'] ?? null,
    movedFrom: old['moved_from'] ?? null,
    ...(typeof old['renames'] === 'string' ? { renames: JSON.parse(old['renames']) as unknown } : {}),
  })
  assertMetainfo(stored, schema, n)
  assert.deepEqual(resume?.have, bitsOf(OLD_PIECES, [1, 3, n % OLD_PIECES]))
  assert.deepEqual(resume.suspect, [])
  assert.deepEqual(resume.files, [{ index: 0, exists: true, sizeBytes: 20, mtimeMs: 7 }])
}

function assertMetainfo(stored: StoredMetainfo | null, schema: number, n: number): void {
  const old = oldMetainfo(schema, n)
  assert.deepEqual(Buffer.from(stored?.infoBytes ?? []), old['info'])
  assert.deepEqual(stored?.notes, {
    comment: old['comment'] ?? null,
    createdBy: null,
    creationDateSec: old['creation_date'] ?? null,
  })
  assert.deepEqual(stored.pieceLayers === null ? null : Buffer.from(stored.pieceLayers), old['piece_layers'] ?? null)
}

function loadedIn(database: RecordsDatabase): LoadedDownload[] {
  return runSteps(new RowTexts().page(reply(database, 'download.load', 0, 1000, 1e9) as PackedPage))
}

/** Everything an old database held is there for today's program. */
function assertAllReadable(database: RecordsDatabase, schema: number): void {
  const loaded = loadedIn(database)
  assert.equal(loaded.length, DOWNLOADS)
  for (const [index, download] of loaded.entries()) assertDownload(download, schema, index + 1)
  const events = reply(database, 'event.read', 0, 1000) as { id: number; type: string; payload: string }[]
  assert.deepEqual(
    events.slice(0, 3).map(event => JSON.parse(event.payload) as unknown),
    [{ infohash: '1' }, { infohash: '2' }, { infohash: '3' }],
  )
  assert.equal(Buffer.from(reply(database, 'node.get', 'link-secret') as Uint8Array).toString(), 'secret')
  const followed = reply(database, 'update.followed') as { seq: string; versions: string }[]
  const published = reply(database, 'update.published') as { name: string; seq: string }[]
  assert.deepEqual(
    followed.map(row => row.seq),
    schema < 5 ? [] : ['9223372036854775807'],
  )
  assert.deepEqual(
    published.map(row => [row.name, row.seq]),
    schema < 5 ? [] : [['dataset', '8']],
  )
  assertLaterTables(database, schema)
}

function assertLaterTables(database: RecordsDatabase, schema: number): void {
  const seen = { path: '/watch/a.torrent', size: 3, mtimeMs: 4, goneAtMs: null }
  assert.deepEqual(reply(database, 'seen.list', '', 10), schema < 6 ? [] : [seen])
  const change = { id: 1, atMs: 5, option: 'a.b', value: '1', origin: 'request' }
  assert.deepEqual(reply(database, 'settings.list', 100, 10), schema < 7 ? [] : [change])
  const info = reply(database, 'metadata.get', hashOf(9)) as Uint8Array | null
  assert.equal(info === null ? null : Buffer.from(info).toString(), schema < 7 ? null : 'de')
  const [feed] = reply(database, 'feed.list') as KeptFeed[]
  assert.equal(feed?.etag, schema < 8 ? undefined : '"x"')
  const unseen = reply(database, 'feed.unseen', hashOf(5), 'http://feeds.test/', ['guid-1', 'guid-2'])
  assert.deepEqual(unseen, schema < 8 ? ['guid-1', 'guid-2'] : ['guid-2'])
  const kept = reply(database, 'announce.list', ['', ''], 10) as AnnounceRow[]
  assert.deepEqual(
    kept.map(row => [row.infoHash, row.tracker, row.mayAskAtMs, row.peers]),
    schema < 11 ? [] : [[hashOf(1), 'http://t1/announce', 2_000_000_000_000, '[{"ip":"10.0.0.1","port":1}]']],
  )
  const left = {
    infoHash: hashOf(1),
    file: 2,
    name: 'b.mkv',
    positionMs: 101_000,
    durationMs: null,
    watched: true,
    atMs: 5,
  }
  assert.deepEqual(reply(database, 'watching.of', hashOf(1)), schema < 13 ? [] : [left])
  const [rates] = reply(database, 'rates.read', [hashOf(1)]) as (Uint8Array | null)[]
  assert.equal(rates == null ? null : Buffer.from(rates).toString(), schema < 17 ? null : 'sums')
}

/** Writes to every table, as a running node would. */
function assertAllWritable(database: RecordsDatabase): void {
  assert.equal(reply(database, 'download.update', hashOf(1), { name: 'new', movingTo: '/x', webSeeds: [] }), true)
  assert.equal(reply(database, 'download.delete', hashOf(2)), true)
  reply(database, 'progress.verified', hashOf(1), [5], 1)
  assert.equal(typeof reply(database, 'event.append', 1, ['tribler_started'], ['null']), 'number')
}

for (let schema = 1; schema <= migrations.length; schema++) {
  test(`a database of schema ${schema} is read whole by this version`, async t => {
    const path = join(temporaryFolder(t), 'a.db')
    makeOldDatabase(path, schema, DOWNLOADS, CLEAN)
    const notes: UpgradeNote[] = []
    const opened = await openUpgraded(optionsOf(path), note => notes.push(note))
    assert.deepEqual(opened.facts, { created: false, cleanStop: true, otherBoot: false, schemaBefore: schema })
    const database = new RecordsDatabase(optionsOf(path), opened)
    assertAllReadable(database, schema)
    const events = reply(database, 'event.read', 3, 1000) as { id: number; type: string; payload: string }[]
    assert.deepEqual(
      events.map(({ id, type, payload }) => ({
        id,
        type,
        text: (JSON.parse(payload) as { text: string } | null)?.text ?? null,
      })),
      notes,
      'what was told is in the log',
    )
    assertAllWritable(database)
    assert.deepEqual(opened.database.pragma('integrity_check'), [{ integrity_check: 'ok' }])
    assert.deepEqual(opened.database.pragma('foreign_key_check'), [])
    assert.equal(opened.database.pragma('foreign_keys', { simple: true }), 1)
    database.close()
    assert.equal(existsSync(copyPath(path, schema)), schema < migrations.length)
    if (schema < migrations.length) assertCopy(copyPath(path, schema), schema)
  })
}

/** The copy is what the version before can use. */
function assertCopy(path: string, schema: number): void {
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const copy = new Database(path)
  assert.equal(copy.pragma('user_version', { simple: true }), schema)
  assert.deepEqual(copy.pragma('integrity_check'), [{ integrity_check: 'ok' }])
  assert.equal(copy.prepare('SELECT count(*) FROM downloads').pluck().get(), DOWNLOADS)
  assert.equal(copy.prepare('SELECT name FROM downloads WHERE id = 7').pluck().get(), oldDownload(schema, 7)['name'])
  copy.close()
}

test('released steps are what they were', () => {
  assert.deepEqual(
    migrations.slice(0, RELEASED.length).map(step => sha256(step.sql)),
    RELEASED,
  )
})

test('an upgrade tells that it begins, how far it is, and that it is over', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, 1, 2000, CLEAN)
  const notes: UpgradeNote[] = []
  const { database } = await openUpgraded(optionsOf(path), note => notes.push(note))
  database.close()
  const types = notes.map(note => note.type)
  assert.deepEqual([types[0], types.at(-1)], ['upgrader_started', 'upgrader_finished'])
  assert.deepEqual(new Set(types.slice(1, -1)), new Set(['upgrader_tick']))
  assert.deepEqual(
    notes.map(note => note.id),
    notes.map((_, index) => index + 4),
  )
  const texts = notes.map(note => note.text ?? '')
  assert.ok(
    texts.includes(`Upgrading the database from schema 1 to ${migrations.length}: making a copy (0 %).`),
    `${texts}`,
  )
  const steps = migrations.length - 1
  for (const [index, { adds }] of migrations.slice(1).entries()) {
    const percent = Math.floor((index / steps) * 100)
    assert.ok(
      texts.includes(`Upgrading the database: step ${index + 1} of ${steps}, ${adds} (${percent} % done).`),
      adds,
    )
  }
  const again: UpgradeNote[] = []
  ;(await openUpgraded(optionsOf(path), note => again.push(note))).database.close()
  assert.deepEqual(again, [], 'nothing is left to do')
})

const LATER: Migration = { adds: 'a colour', sql: 'ALTER TABLE downloads ADD COLUMN colour TEXT' }

test('a step that fails leaves the data whole, and says where the copy is', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, migrations.length, DOWNLOADS, CLEAN)
  const bad = { adds: 'nothing', sql: 'CREATE TABLE half (x); SELECT * FROM nowhere' }
  await assert.rejects(openUpgraded(optionsOf(path), undefined, [...migrations, LATER, bad]), {
    code: 'StateUnreadable',
    message: new RegExp(
      `cannot be brought to schema ${migrations.length + 2} .*whole at schema ${migrations.length + 1}, and .*schema-${migrations.length} is a copy`,
    ),
  })
  const database = new Database(path)
  assert.equal(database.pragma('user_version', { simple: true }), migrations.length + 1)
  assert.equal(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get(), 0)
  assert.equal(database.prepare('SELECT count(*) FROM downloads').pluck().get(), DOWNLOADS)
  database.close()
  assertCopy(copyPath(path, migrations.length), migrations.length)
  // A version that can goes on from there.
  const { database: mended, facts } = await openUpgraded(optionsOf(path), undefined, [...migrations, LATER, LATER2])
  assert.equal(facts.schemaBefore, migrations.length + 1)
  mended.close()
})

const LATER2: Migration = { adds: 'a size', sql: 'ALTER TABLE downloads ADD COLUMN size INTEGER' }

test('a step that leaves rows that refer to nothing is undone', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, migrations.length, DOWNLOADS, CLEAN)
  const orphaning = { adds: 'orphans', sql: 'DELETE FROM downloads WHERE id = 1' }
  await assert.rejects(openUpgraded(optionsOf(path), undefined, [...migrations, orphaning]), /rows refer to nothing/)
  const database = new RecordsDatabase(optionsOf(path))
  assert.equal(new RowTexts().unpack(reply(database, 'download.list', 0, 1000) as string).length, DOWNLOADS)
  database.close()
})

test('after an unclean stop the file is checked before anything of it is changed', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, 2, 400, { clean: false, bootId: 'a' })
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4096 * 20, 4096 * 26)
  writeFileSync(path, bytes)
  const notes: UpgradeNote[] = []
  await assert.rejects(
    openUpgraded(optionsOf(path), note => notes.push(note)),
    { code: 'StateUnreadable', message: /is damaged/ },
  )
  assert.deepEqual(notes, [])
  assert.equal(existsSync(copyPath(path, 2)), false)
})

test('an unclean stop of the version before counts as such: pieces of another boot are suspect', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, 1, 1, { clean: false, bootId: 'a' })
  const opened = await openUpgraded(optionsOf(path, 'b'))
  assert.deepEqual(opened.facts, { created: false, cleanStop: false, otherBoot: true, schemaBefore: 1 })
  const database = new RecordsDatabase(optionsOf(path, 'b'), opened)
  const [loaded] = loadedIn(database)
  assert.deepEqual(loaded?.resume?.suspect, [3])
  database.close()
})

test('an upgrade that was killed after its last step is finished by the next start', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, migrations.length, 1, CLEAN)
  const raw = new Database(path)
  raw.prepare("INSERT INTO node VALUES ('upgrading', ?)").run(Buffer.from('1'))
  raw.close()
  const notes: UpgradeNote[] = []
  const { database } = await openUpgraded(optionsOf(path), note => notes.push(note))
  assert.deepEqual(
    notes.map(note => note.type),
    ['upgrader_started', 'upgrader_tick', 'upgrader_finished'],
  )
  assert.equal(database.prepare("SELECT count(*) FROM node WHERE key = 'upgrading'").pluck().get(), 0)
  database.close()
})

test('without an upgrade an older schema is not opened', t => {
  const path = join(temporaryFolder(t), 'a.db')
  makeOldDatabase(path, 1, 1, CLEAN)
  assert.throws(() => openDatabase(optionsOf(path)), /must be upgraded first/)
})

test('a copy that cannot be made stops the upgrade before it has changed anything', async t => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'a.db')
  makeOldDatabase(path, 1, 1, CLEAN)
  // A folder in the place of the copy cannot be replaced by it.
  mkdirSync(join(copyPath(path, 1), 'in-the-way'), { recursive: true })
  assert.equal(await codeOf(openUpgraded(optionsOf(path))), 'StateUnreadable')
  const raw = new Database(path)
  assert.equal(raw.pragma('user_version', { simple: true }), 1)
  raw.close()
})

test('the newest three copies are kept, and nothing else is touched', async t => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'a.db')
  makeOldDatabase(path, 4, 1, CLEAN)
  const old = ['a.db.schema-1', 'a.db.schema-2', 'a.db.schema-3']
  const mine = ['a.db.schema-3.mine', 'a.db.schema-', 'b.db.schema-1']
  for (const [age, name] of [...mine, ...old].entries()) {
    writeFileSync(join(folder, name), '')
    utimesSync(join(folder, name), 1000 + age, 1000 + age)
  }
  ;(await openUpgraded(optionsOf(path))).database.close()
  const left = readdirSync(folder).filter(name => name.includes('schema'))
  assert.deepEqual(left.toSorted(), [...mine, ...old.slice(1), 'a.db.schema-4'].toSorted())
})
