// The history of settings and the metadata of previews, through the real thread and file; their bounds without one.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { DiscoveredMetadataRows } from '../../../src/records/discovered-metadata-rows.ts'
import { openDatabase } from '../../../src/records/open-database.ts'
import { SettingsHistoryRows } from '../../../src/records/settings-history-rows.ts'
import { hashOf, openStore, temporaryFolder } from './records-kit.ts'

test('changes of settings come back after a restart, newest first, with the newest of each option', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path, now: () => 5 })
  await first.settingsHistory.note([
    { option: 'a.x', value: '1', origin: 'request' },
    { option: 'a.y', value: '"ü"', origin: 'file' },
  ])
  await first.settingsHistory.note([{ option: 'a.x', value: 'null', origin: 'request' }])
  await first.close(5000)
  const { settingsHistory } = await openStore(t, { path })
  const [newest, second, third] = await settingsHistory.list(null, 10)
  assert.deepEqual(newest, { id: 3, atMs: 5, option: 'a.x', value: 'null', origin: 'request' })
  assert.deepEqual([second?.id, third?.id], [2, 1])
  assert.deepEqual(
    (await settingsHistory.list(3, 1)).map(({ id }) => id),
    [2],
  )
  assert.deepEqual((await settingsHistory.latest()).map(({ option, value }) => [option, value]).sort(), [
    ['a.x', 'null'],
    ['a.y', '"ü"'],
  ])
})

test('metadata comes back after a restart, and what was never found is null', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  await first.metadata.keep(hashOf(1), Uint8Array.of(1, 2))
  await first.close(5000)
  const { metadata } = await openStore(t, { path })
  assert.deepEqual(await metadata.get(hashOf(1)), Uint8Array.of(1, 2))
  assert.equal(await metadata.get(hashOf(2)), null)
})

test('both are bounded: the oldest go', t => {
  const { database } = openDatabase({ path: join(temporaryFolder(t), 'a.db'), bootId: 'a', nowMs: 0 })
  const changes = new SettingsHistoryRows(database)
  const rows = new DiscoveredMetadataRows(database, 10_000)
  database.transaction(() => {
    for (let n = 0; n < 10_050; n++) changes.note([{ option: 'a.x', value: `${n}`, origin: 'request' }], n)
    for (let n = 0; n < 600; n++) rows.keep(hashOf(n), new Uint8Array(4), n)
  })()
  assert.equal(changes.list(1e9, 20_000).length, 10_000)
  assert.equal(changes.list(1e9, 20_000).at(-1)?.value, '50')
  assert.deepEqual([rows.get(hashOf(99)), rows.get(hashOf(100))?.length], [null, 4])
  rows.keep(hashOf(700), new Uint8Array(9000), 700)
  assert.equal(rows.get(hashOf(700))?.length, 9000)
  // 250 of four bytes fit beside it.
  assert.deepEqual([rows.get(hashOf(349)), rows.get(hashOf(350))?.length], [null, 4])
  rows.keep(hashOf(701), new Uint8Array(2 * 2 ** 20), 701)
  assert.equal(rows.get(hashOf(701)), null, 'too long')
  database.close()
})
