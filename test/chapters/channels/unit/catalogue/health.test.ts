// Health in the catalogue: what is checked next, in fair shares, and what was learned in every list that shows it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInlineCatalogue } from '../../kit/open-catalogue.ts'
import { NOW_MS, NOW_S, torrentOf } from './catalogue-kit.ts'

test('a channel of thousands leaves room for the others, and all of it where nobody else has any', async t => {
  const { library } = openInlineCatalogue(t, () => NOW_MS)
  const big = await library.create('Big', '', 'closed')
  const small = await library.create('Small', '', 'closed')
  for (let n = 1; n <= 100; n++) await library.addTorrent(big.dispersy_cid, torrentOf(n))
  for (let n = 201; n <= 204; n++) await library.addTorrent(small.dispersy_cid, torrentOf(n))
  const next = await library.unchecked(40, NOW_S - 100)
  assert.equal(next.length, 40)
  assert.equal(next.filter(({ infoHash }) => Number.parseInt(infoHash, 16) > 200).length, 4)
  assert.equal((await library.unchecked(500, NOW_S)).length, 104)
  assert.deepEqual(next[0]?.trackers, ['http://tracker.example/announce'])
})

test('what was learned is shown, and asked for again when it is old', async t => {
  let nowMs = NOW_MS
  const { library } = openInlineCatalogue(t, () => nowMs)
  const { dispersy_cid: cid } = await library.create('Films', '', 'closed')
  for (let n = 1; n <= 3; n++) await library.addTorrent(cid, torrentOf(n))
  const { infoHash } = torrentOf(2)
  const health = { infoHash, seeders: 7, leechers: 2, checkedS: NOW_S }
  await library.checked([health, { ...health, infoHash: torrentOf(9).infoHash }])
  assert.deepEqual(await library.health(infoHash), health)
  assert.equal(await library.health(torrentOf(1).infoHash), null)
  const shown = (await library.torrents(cid, true)).find(({ infohash }) => infohash === infoHash)
  assert.deepEqual([shown?.num_seeders, shown?.num_leechers, shown?.last_tracker_check], [7, 2, NOW_S])
  assert.equal((await library.torrent(infoHash))?.num_seeders, 7)
  assert.equal((await library.search('torrent 2', 10, true)).torrents[0]?.num_seeders, 7)
  const stale = async (): Promise<string[]> =>
    (await library.unchecked(10, Math.floor(nowMs / 1000) - 3600)).map(one => one.infoHash)
  assert.ok(!(await stale()).includes(infoHash))
  nowMs += 2 * 3_600_000
  assert.equal((await stale()).at(-1), infoHash, 'after those that were never checked')
  // An edit is no reason to forget it.
  await library.editTorrent(cid, infoHash, { name: 'another name' })
  assert.equal((await library.health(infoHash))?.seeders, 7)
})
