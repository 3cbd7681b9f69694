// Wrong records and heads from peers: refused with a counter, nothing stored, no other peer disturbed.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { CATALOGUE_FILE_NAME } from '../../../../../src/chapters/channels/catalogue/file-name.ts'
import { MAX_CHANNEL_BYTES } from '../../../../../src/chapters/channels/catalogue/arrivals.ts'
import { NEW_CHANNELS_PER_HOUR } from '../../../../../src/chapters/channels/catalogue/network-side.ts'
import { RecordRows } from '../../../../../src/chapters/channels/catalogue/record-rows.ts'
import { encodeVote } from '../../../../../src/chapters/channels/wire/vote-codec.ts'
import type { ChannelRecord } from '../../../../../src/chapters/channels/wire/types.ts'
import { nodeEd25519 } from '../../../../../src/io/ed25519.ts'
import { openInlineCatalogue } from '../../kit/open-catalogue.ts'
import { Author, NOW_MS, NOW_S, torrentOf } from './catalogue-kit.ts'

const OWNER = new Author(1)
const STRANGER = new Author(2)
const CID = OWNER.channel

function info(mode: 'open' | 'closed', clock = 1): ChannelRecord {
  return OWNER.record(CID, clock, { kind: 'channel', name: 'theirs', description: '', mode })
}

function broken(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

test('records that are forged, unreadable, from the future or of another channel are refused one by one', async t => {
  const { network, library } = openInlineCatalogue(t, () => NOW_MS)
  await library.subscribe(CID, true)
  const good = [info('closed'), OWNER.record(CID, 2, torrentOf(1))]
  const late = OWNER.record(CID, 3, torrentOf(2), NOW_S + 601)
  const foreign = STRANGER.record(STRANGER.channel, 1, torrentOf(3))
  const [first, second] = good.map(({ bytes }) => bytes)
  assert.ok(first && second)
  const bad = [broken(second, second.length - 1), new Uint8Array(9000), late.bytes, foreign.bytes]
  const verdict = await network.offerRecords(CID, [first, ...bad, second], 'wanted', 'liar')
  assert.deepEqual(verdict, { kept: 2, known: 0, refused: 4 })
  const head = OWNER.head(
    5,
    good.map(({ id }) => id),
  )
  await network.offerHead(head, 'liar')
  assert.equal(await network.adopt(head, { added: good.map(({ id }) => id), removed: [], whole: true }), true)
  assert.equal((await library.torrents(CID, true)).length, 1)
  const { refused } = await library.counts()
  assert.deepEqual(refused, { forged: 1, 'from the future': 1, 'of another channel': 1, unreadable: 1 })
})

test('a set is adopted whole or not at all', async t => {
  const { network, library } = openInlineCatalogue(t, () => NOW_MS)
  await library.subscribe(CID, true)
  const records = [info('closed'), ...[1, 2, 3].map(n => OWNER.record(CID, n + 1, torrentOf(n)))]
  const ids = records.map(({ id }) => id)
  await network.offerRecords(
    CID,
    records.slice(0, 3).map(({ bytes }) => bytes),
    'wanted',
    'peer',
  )
  const head = OWNER.head(5, ids)
  const all = { added: ids, removed: [], whole: true }
  await network.offerHead(head, 'peer')
  assert.equal(await network.adopt(head, all), false, 'a record is missing')
  assert.equal((await network.known(CID))?.heldSequence, 0)
  const fewer = OWNER.head(4, ids.slice(0, 3))
  assert.equal(await network.adopt(fewer, all), false, 'other records than those of the head')
  assert.deepEqual(await library.torrents(CID, true), [])
  await network.offerRecords(
    CID,
    records.map(({ bytes }) => bytes),
    'wanted',
    'peer',
  )
  assert.equal(await network.adopt({ ...head, signature: broken(head.signature, 3) }, all), false, 'a forged head')
  assert.equal(await network.adopt(head, all), true)
  assert.equal((await library.torrents(CID, true)).length, 3)
  const lacking = OWNER.head(6, ids.slice(0, 2))
  assert.equal(await network.adopt(lacking, { added: [], removed: ids.slice(2), whole: false }), true)
  assert.deepEqual(await network.lacking(CID, ids), ids.slice(2), 'what the owner took out is gone')
  const again = await network.offerRecords(CID, [records[3]?.bytes ?? new Uint8Array()], 'extra', 'peer')
  assert.equal(again.refused, 1, 'and does not come back')
})

test('heads: forged, old and future ones are refused; one giver names so many new channels in an hour', async t => {
  let nowMs = NOW_MS
  const { network, library } = openInlineCatalogue(t, () => nowMs)
  const head = OWNER.head(5, [info('closed').id])
  assert.equal(await network.offerHead({ ...head, signature: broken(head.signature, 0) }, 'liar'), 'refused')
  assert.equal(await network.known(CID), null)
  assert.equal(await network.offerHead(OWNER.head(6, [info('closed').id], NOW_S + 700), 'liar'), 'refused')
  assert.equal(await network.offerHead(head, 'peer'), 'new')
  assert.equal(await network.offerHead(head, 'peer'), 'known')
  assert.equal(await network.offerHead(OWNER.head(4, []), 'peer'), 'known')
  assert.equal(await network.offerHead(new Author(3).head(1, []), 'peer'), 'refused', 'empty from its beginning')
  let taken = 0
  for (let n = 10; n < NEW_CHANNELS_PER_HOUR + 20; n++) {
    const verdict = await network.offerHead(new Author(n).head(1, [info('closed').id]), 'flooder')
    taken += Number(verdict === 'new')
  }
  assert.equal(taken, NEW_CHANNELS_PER_HOUR)
  nowMs += 1000
  assert.equal(await network.offerHead(STRANGER.head(1, [info('closed').id]), 'somebody else'), 'new')
  assert.ok((await library.counts()).refused['forged'])
})

test('extras: strangers add nothing to a closed channel, and to an open one only while it is open', async t => {
  const { network, library } = openInlineCatalogue(t, () => NOW_MS)
  await library.subscribe(CID, true)
  const closed = info('closed')
  const adopt = async (sequence: number, records: readonly ChannelRecord[]): Promise<boolean> => {
    const ids = records.map(({ id }) => id)
    await network.offerRecords(
      CID,
      records.map(({ bytes }) => bytes),
      'wanted',
      'peer',
    )
    return network.adopt(OWNER.head(sequence, ids), { added: ids, removed: [], whole: true })
  }
  assert.equal(await adopt(1, [closed]), true)
  const extra = STRANGER.record(CID, 1, torrentOf(1))
  assert.equal((await network.offerRecords(CID, [extra.bytes], 'extra', 'peer')).refused, 1)
  assert.equal(await adopt(2, [closed, info('open', 2)]), true)
  assert.equal((await network.offerRecords(CID, [extra.bytes], 'extra', 'peer')).kept, 1)
  assert.equal((await library.torrents(CID, true)).length, 1)
  assert.deepEqual(await network.extras(CID, 10), [extra.id])
  assert.equal(await adopt(3, [closed, info('open', 2), info('closed', 3)]), true)
  assert.deepEqual(await library.torrents(CID, true), [], 'it does not count any more')
  assert.deepEqual(await network.extras(CID, 10), [])
})

test('votes count once a key, the newest, and only when they are signed', async t => {
  const { network, library } = openInlineCatalogue(t, () => NOW_MS)
  await network.offerHead(OWNER.head(1, [info('closed').id]), 'peer')
  const vote = (n: number, value: 1 | 0 | -1, timeS: number) => {
    const seed = Buffer.alloc(32, n)
    const voter = nodeEd25519.publicKey(seed)
    return encodeVote({ channel: CID, voter, value, timeS }, bytes => nodeEd25519.sign(bytes, seed))
  }
  const first = vote(7, 1, NOW_S - 10)
  const forged = { ...vote(9, 1, NOW_S), bytes: broken(vote(9, 1, NOW_S).bytes, 120) }
  assert.equal(await network.offerVotes([first, first, vote(8, -1, NOW_S), forged, vote(6, 1, NOW_S + 900)], 'peer'), 2)
  const listed = async (): Promise<number[]> => {
    const { votes, spam } = await library.channel(CID)
    return [votes, spam]
  }
  assert.deepEqual(await listed(), [1, 1])
  assert.equal(await network.offerVotes([vote(7, -1, NOW_S - 20)], 'peer'), 0, 'an older one')
  assert.equal(await network.offerVotes([vote(7, -1, NOW_S)], 'peer'), 1)
  assert.deepEqual(await listed(), [0, 2])
  await library.subscribe(CID, false)
  assert.deepEqual(await listed(), [1, 2], 'our own')
  await library.unsubscribe(CID)
  assert.deepEqual(await listed(), [0, 2])
  assert.equal((await network.votes(CID, 10)).length, 3)
})

test('the quota forgets the worst ranked of the discovered channels, never those that are subscribed to or own', async t => {
  const { network, library, tend } = openInlineCatalogue(t, () => NOW_MS, { quotaBytes: 12_000 })
  const mine = await library.create('mine', '', 'closed')
  const old = 40 * 86_400
  const announce = async (n: number, timeS: number): Promise<string> => {
    const owner = new Author(n)
    const record = owner.record(
      owner.channel,
      1,
      { kind: 'channel', name: `channel ${n}`, description: '', mode: 'closed' },
      timeS,
    )
    await network.offerHead(owner.head(1, [record.id], timeS), 'peer')
    await network.offerRecords(owner.channel, [record.bytes], 'preview', 'peer')
    return owner.channel
  }
  const kept = await announce(3, NOW_S - old)
  await library.subscribe(kept, false)
  for (let n = 10; n < 30; n++) await announce(n, NOW_S - n * 86_400)
  await tend()
  const left = (await library.discovered(true)).map(({ name }) => name)
  assert.ok(left.includes('channel 3') && left.includes('mine'), left.join())
  assert.ok(left.includes('channel 10') && !left.includes('channel 29'), left.join())
  assert.ok(left.length < 15)
  assert.equal((await library.own())[0]?.dispersy_cid, mine.dispersy_cid)
})

test('many grants of a hostile owner are read when they come, not for each record of a stranger', async t => {
  const { network, library } = openInlineCatalogue(t, () => NOW_MS)
  await library.subscribe(CID, true)
  const contributor = (n: number): Uint8Array => Buffer.alloc(32, n)
  const grants = Array.from({ length: 40 }, (_, n) =>
    OWNER.record(CID, n + 2, { kind: 'grant', contributor: contributor(n), add: true, moderate: false }),
  )
  const records = [info('closed'), ...grants]
  const ids = records.map(({ id }) => id)
  for (const { bytes } of records) await network.offerRecords(CID, [bytes], 'wanted', 'peer')
  assert.equal(await network.adopt(OWNER.head(1, ids), { added: ids, removed: [], whole: true }), true)
  const { mock } = t.mock.method(RecordRows.prototype, 'ofKind')
  for (let n = 1; n <= 30; n++) {
    const { refused } = await network.offerRecords(CID, [STRANGER.record(CID, n, torrentOf(n)).bytes], 'extra', 'peer')
    assert.equal(refused, 1)
  }
  assert.ok(mock.callCount() <= 2, `${mock.callCount()} times`)
})

test('a channel takes no more bytes than one may', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-bytes-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { network, library } = openInlineCatalogue(t, () => NOW_MS, { folder })
  await library.subscribe(CID, true)
  const [first, second] = [info('closed'), OWNER.record(CID, 2, torrentOf(1))]
  assert.equal((await network.offerRecords(CID, [first.bytes], 'wanted', 'peer')).kept, 1)
  const file = new Database(join(folder, CATALOGUE_FILE_NAME))
  const setBytes = (bytes: number): unknown => file.prepare('UPDATE channels SET bytes = ?').run(bytes)
  try {
    setBytes(MAX_CHANNEL_BYTES)
    assert.equal((await network.offerRecords(CID, [second.bytes], 'wanted', 'peer')).refused, 1)
    assert.equal((await library.counts()).refused['no room'], 1)
    setBytes(1000)
    assert.equal((await network.offerRecords(CID, [second.bytes], 'wanted', 'peer')).kept, 1)
  } finally {
    file.close()
  }
})
