// Feeds and their items, through the real thread and file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FeedCheck } from '../../../src/ports/feed-records.ts'
import { MAX_FEED_ITEMS } from '../../../src/records/feed-rows.ts'
import { openStore, temporaryFolder } from './records-kit.ts'

const MINE = 'aa'.repeat(20)
const OTHER = 'bb'.repeat(20)
const URL_A = 'http://feeds.test/a?ü=1'

const checkAt = (checkedAtMs: number, change: Partial<FeedCheck> = {}): FeedCheck => ({
  checkedAtMs,
  etag: null,
  lastModified: null,
  failures: 0,
  error: '',
  ...change,
})

test('a feed is added once per channel, and its removal takes its items along', async t => {
  const { feeds } = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  assert.deepEqual(await Promise.all([1, 2].map(at => feeds.add(MINE, URL_A, at))), [true, false])
  assert.equal(await feeds.add(OTHER, URL_A, 3), true)
  await feeds.checked(MINE, URL_A, checkAt(4), ['one'])
  assert.deepEqual(await feeds.unseen(MINE, URL_A, ['two', 'one']), ['two'])
  assert.deepEqual(await feeds.unseen(OTHER, URL_A, ['one']), ['one'], 'of another channel')
  assert.deepEqual([await feeds.drop(MINE, URL_A), await feeds.drop(MINE, URL_A)], [true, false])
  assert.deepEqual(
    (await feeds.list()).map(({ channel }) => channel),
    [OTHER],
  )
  await feeds.checked(MINE, URL_A, checkAt(5), ['one'])
  assert.equal(await feeds.add(MINE, URL_A, 6), true)
  assert.deepEqual(await feeds.unseen(MINE, URL_A, ['one']), ['one'], 'a feed that is added again begins anew')
})

test('what was looked at comes back after a restart: state, and which items were dealt with', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  await first.feeds.add(MINE, URL_A, 1)
  await first.feeds.add(MINE, 'http://feeds.test/b', 2)
  const check = checkAt(9, { etag: 'W/"x"', lastModified: 'Sun, 22 Nov 2026 00:00:00 GMT' })
  await first.feeds.checked(MINE, URL_A, check, ['guid', 'long'.repeat(100_000)])
  await first.feeds.checked(MINE, 'http://feeds.test/b', checkAt(9, { failures: 3, error: 'no answer' }), [])
  await first.close(5000)
  const { feeds } = await openStore(t, { path })
  assert.deepEqual(await feeds.list(), [
    { channel: MINE, url: URL_A, addedAtMs: 1, ...check },
    { channel: MINE, url: 'http://feeds.test/b', addedAtMs: 2, ...checkAt(9, { failures: 3, error: 'no answer' }) },
  ])
  assert.deepEqual(await feeds.unseen(MINE, URL_A, ['new', 'guid']), ['new'])
})

test('items that left a feed are forgotten when there are too many; those it still shows never are', async t => {
  const { feeds } = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await feeds.add(MINE, URL_A, 1)
  const old = Array.from({ length: MAX_FEED_ITEMS }, (_, n) => `old ${n}`)
  await feeds.checked(MINE, URL_A, checkAt(10), old)
  await feeds.checked(MINE, URL_A, checkAt(20), ['old 5', 'old 6', 'new'])
  const unseen = await feeds.unseen(MINE, URL_A, [...old, 'new'])
  assert.equal(unseen.length, 1)
  assert.ok(!unseen.includes('old 5') && !unseen.includes('old 6') && !unseen.includes('new'))
})
