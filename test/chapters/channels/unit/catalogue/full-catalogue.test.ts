// A catalogue that is full of channels without subscribers: new ones still come in, the worst go; and what a lying
// tracker is worth.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { CATALOGUE_FILE_NAME } from '../../../../../src/chapters/channels/catalogue/file-name.ts'
import { ADMITTED_BEFORE_EVICTION, MAX_DISCOVERED } from '../../../../../src/chapters/channels/catalogue/limits.ts'
import { rankOf } from '../../../../../src/chapters/channels/catalogue/ranking.ts'
import { openInlineCatalogue } from '../../kit/open-catalogue.ts'
import { Author, NOW_MS, NOW_S } from './catalogue-kit.ts'

test('junk that came first does not keep others out', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-full-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { network, library, tend } = openInlineCatalogue(t, () => NOW_MS, { folder })
  const other = new Database(join(folder, CATALOGUE_FILE_NAME))
  t.after(() => other.close())
  const insert = other.prepare('INSERT INTO channels (cid, standing, found_at) VALUES (?, 0, 1)')
  other.transaction(() => {
    for (let n = 0; n < MAX_DISCOVERED + ADMITTED_BEFORE_EVICTION - 1; n++) insert.run(n.toString(16).padStart(40, '0'))
  })()
  const newcomer = new Author(9)
  const note = newcomer.record(newcomer.channel, 1, { kind: 'channel', name: 'New', description: '', mode: 'closed' })
  assert.equal(await network.offerHead(newcomer.head(1, [note.id], NOW_S), 'peer'), 'new')
  await network.offerRecords(newcomer.channel, [note.bytes], 'preview', 'peer')
  await tend()
  assert.deepEqual(
    (await library.discovered(true)).map(({ name }) => name),
    ['New'],
  )
  assert.equal(other.prepare('SELECT count(*) FROM channels').pluck().get(), MAX_DISCOVERED)
})

test('seeders that a tracker claims cannot lift a channel above one that many like', () => {
  const liked = { modified: NOW_S - 86_400, votes: 30, spam: 0, seeders: 20 }
  const claimed = { modified: NOW_S, votes: 0, spam: 0, seeders: 1_000_000_000 }
  assert.ok(rankOf(liked, NOW_S) > rankOf(claimed, NOW_S))
  assert.ok(rankOf({ ...liked, seeders: 200 }, NOW_S) > rankOf(liked, NOW_S))
})
