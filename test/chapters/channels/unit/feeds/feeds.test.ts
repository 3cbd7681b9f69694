// Feeds of channels on a clock moved by hand: when they are looked at, that each item is taken exactly once over
// restarts and failures, and that nothing comes after a removal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../../src/base/errors.ts'
import type { ChannelLibrary, ListedChannel } from '../../../../../src/chapters/channels/ports/channel-library.ts'
import type { FeedCheck, FeedRecords, KeptFeed } from '../../../../../src/ports/feed-records.ts'
import type { FeedAnswer, FeedAsk, FeedSource } from '../../../../../src/chapters/channels/feeds/feed-source.ts'
import { MAX_ITEMS_A_LOOK, MAX_TRIES } from '../../../../../src/chapters/channels/feeds/feed-look.ts'
import { FEED_EVERY_MS, Feeds } from '../../../../../src/chapters/channels/feeds/feeds.ts'
import type { FeedItem } from '../../../../../src/chapters/channels/feeds/wire/types.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { waitFor } from '../../../../kit/wait-for.ts'
import { HandClock } from '../../../../unit/services/service-doubles.ts'

const OWN = 'a'.repeat(40)
const OTHER = 'b'.repeat(40)
const URL_A = 'https://feeds.example/a.xml'
const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code
const turns = async (): Promise<void> => {
  for (let at = 0; at < 50; at++) await new Promise(resolve => setImmediate(resolve))
}

/** The durable list, in memory. */
class MemoryFeeds implements FeedRecords {
  readonly rows = new Map<string, KeptFeed>()
  readonly seen = new Map<string, Set<string>>()

  async list(): Promise<KeptFeed[]> {
    return [...this.rows.values()]
  }

  async add(channel: string, url: string, addedAtMs: number): Promise<boolean> {
    if (this.rows.has(channel + url)) return false
    const check = { checkedAtMs: null, etag: null, lastModified: null, failures: 0, error: '' }
    this.rows.set(channel + url, { channel, url, addedAtMs, ...check })
    return true
  }

  async drop(channel: string, url: string): Promise<boolean> {
    this.seen.delete(channel + url)
    return this.rows.delete(channel + url)
  }

  async unseen(channel: string, url: string, items: readonly string[]): Promise<string[]> {
    return items.filter(item => this.seen.get(channel + url)?.has(item) !== true)
  }

  async checked(channel: string, url: string, check: FeedCheck, items: readonly string[]): Promise<void> {
    const row = this.rows.get(channel + url)
    if (row === undefined) return
    const { checkedAtMs, etag, lastModified, failures, error } = check
    this.rows.set(channel + url, { ...row, checkedAtMs, etag, lastModified, failures, error })
    const seen = this.seen.get(channel + url) ?? new Set()
    for (const item of items) seen.add(item)
    this.seen.set(channel + url, seen)
  }
}

const item = (key: string, ...sources: string[]): FeedItem => ({ key, title: key, description: '', sources })

/** A node's feeds over doubles; `again()` is the same node after a restart. */
function bench(records = new MemoryFeeds(), clock = new HandClock()) {
  const added: string[] = []
  const asks: FeedAsk[] = []
  const failing = new Map<string, AppError>()
  const state = { answer: null as FeedAnswer | AppError | null, gone: false, held: null as Promise<void> | null }
  const source: FeedSource = {
    look: async (ask, signal) => {
      asks.push(ask)
      if (signal.aborted) throw new AppError('Aborted')
      if (state.answer instanceof AppError) throw state.answer
      return state.answer ?? { kind: 'same' }
    },
    close: async () => undefined,
  }
  const library = {
    channel: async (cid: string) => {
      if (state.gone || (cid !== OWN && cid !== OTHER)) throw new AppError('ChannelNotFound')
      return { dispersy_cid: cid, own: cid === OWN, can_edit: true } as ListedChannel
    },
  } as unknown as ChannelLibrary
  const addNew = async (_cid: string, uri: string, _description: string, signal: AbortSignal): Promise<boolean> => {
    await state.held
    if (signal.aborted) throw new AppError('Aborted')
    const wrong = failing.get(uri)
    if (wrong !== undefined) throw wrong
    if (state.gone) throw new AppError('ChannelNotFound')
    if (added.includes(uri)) return false
    added.push(uri)
    return true
  }
  const feeds = new Feeds({
    clock,
    log: silentLog,
    source,
    library: async () => library,
    torrents: () => ({ addNew }),
    random: { below: () => 50, bytes: count => new Uint8Array(count) },
    familyFilter: () => true,
  })
  const serve = (...items: FeedItem[]): void => {
    state.answer = { kind: 'feed', feed: { title: '', items }, etag: '"1"', lastModified: 'Tue' }
  }
  /** Lets time pass and all looks end. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    await turns()
  }
  return { records, clock, added, asks, failing, state, feeds, serve, pass }
}

async function started(...parts: Parameters<typeof bench>) {
  const made = bench(...parts)
  await made.feeds.start(made.records)
  return made
}

const sourceError = (code: ErrorCode): AppError =>
  new AppError('ChannelTorrentError', 'no', { cause: new AppError(code) })

test('a feed is looked at two seconds after it was added, then every half hour, with what its server gave', async () => {
  const node = await started()
  node.serve(item('2', 'u2'), item('1', 'u1'))
  await node.feeds.add(OWN, URL_A)
  await node.pass(1_999)
  assert.equal(node.asks.length, 0)
  await node.pass(1)
  assert.deepEqual(node.added, ['u1', 'u2'], 'the oldest first')
  node.state.answer = { kind: 'same' }
  await node.pass(FEED_EVERY_MS)
  assert.deepEqual(node.asks, [
    { url: URL_A, etag: null, lastModified: null },
    { url: URL_A, etag: '"1"', lastModified: 'Tue' },
  ])
  const [row] = await node.feeds.list(OWN)
  assert.deepEqual([row?.url, row?.failures, row?.error], [URL_A, 0, ''])
  assert.equal(row?.last_check, Math.floor(node.clock.wallMs() / 1000))
  assert.equal(row?.next_check, Math.floor((node.clock.wallMs() + FEED_EVERY_MS) / 1000))
  await node.feeds.stop()
})

test('each item once: in further looks, after a restart, and when the node died before it was noted', async () => {
  const node = await started()
  node.serve(item('1', 'u1'))
  await node.feeds.add(OWN, URL_A)
  await node.pass(2_000)
  await node.feeds.stop()

  const second = await started(node.records, node.clock)
  second.serve(item('2', 'u2'), item('1', 'u1'))
  await second.pass(FEED_EVERY_MS * 2)
  assert.deepEqual(second.added, ['u2'])
  // As though the node had died between the channel and the note: the channel says that it has it.
  node.records.seen.clear()
  await second.feeds.recheck(OWN)
  assert.deepEqual(second.added, ['u2', 'u1'], 'u1 was in no channel of this double')
  await second.feeds.recheck(OWN)
  assert.deepEqual(second.added, ['u2', 'u1'])
  assert.deepEqual([...(node.records.seen.get(OWN + URL_A) ?? [])].toSorted(), ['1', '2'])
  await second.feeds.stop()
})

test('a failing feed is asked less and less, at most daily, and as before once it answers; Retry-After is heeded', async () => {
  const node = await started()
  node.state.answer = new AppError('SourceFailed', 'it is broken')
  await node.feeds.add(OWN, URL_A)
  await node.pass(2_000)
  for (const factor of [2, 4, 8, 16, 32, 48, 48]) {
    const [row] = await node.feeds.list(OWN)
    assert.equal(row?.error, 'it is broken')
    assert.equal((row?.next_check ?? 0) - (row?.last_check ?? 0), (FEED_EVERY_MS * factor) / 1000)
    await node.pass(FEED_EVERY_MS * factor)
  }
  node.state.answer = { kind: 'later', afterMs: 3 * 24 * 3600_000, error: '503' }
  await node.pass(24 * 3600_000)
  const [row] = await node.feeds.list(OWN)
  assert.equal((row?.next_check ?? 0) - (row?.last_check ?? 0), 3 * 24 * 3600)
  node.serve()
  await node.feeds.recheck(OWN)
  const [well] = await node.feeds.list(OWN)
  assert.deepEqual([well?.failures, well?.error], [0, ''])
  await node.feeds.stop()
})

test('a torrent that cannot be had now is tried in later looks, in the whole feed, a few times; others go on', async () => {
  const node = await started()
  node.serve(item('2', 'u2'), item('1', 'bad', 'worse'))
  node.failing.set('bad', sourceError('SourceFailed')).set('worse', sourceError('TorrentUnreadable'))
  await node.feeds.add(OWN, URL_A)
  await node.pass(2_000)
  assert.deepEqual(node.added, ['u2'])
  assert.equal(node.records.rows.get(OWN + URL_A)?.etag, null, 'the server must not say that nothing is new')
  node.failing.delete('bad')
  await node.pass(FEED_EVERY_MS)
  assert.deepEqual(node.added, ['u2', 'bad'])
  assert.equal(node.records.rows.get(OWN + URL_A)?.etag, '"1"')

  node.serve(item('3', 'gone'), item('4', 'never'))
  node.failing.set('gone', sourceError('MetadataTimeout')).set('never', sourceError('TorrentUnreadable'))
  for (let look = 1; look <= MAX_TRIES; look++) {
    const seen = node.records.seen.get(OWN + URL_A)
    assert.equal(seen?.has('3'), false, `look ${look}`)
    await node.feeds.recheck(OWN)
    assert.equal(node.records.seen.get(OWN + URL_A)?.has('4'), true, 'what is no torrent never will be')
  }
  assert.equal(node.records.seen.get(OWN + URL_A)?.has('3'), true)
  await node.feeds.stop()
})

test('a node that is busy counts nothing against an item', async () => {
  const node = await started()
  node.serve(item('1', 'u1'))
  node.failing.set('u1', new AppError('TooManyRequests'))
  await node.feeds.add(OWN, URL_A)
  await node.pass(2_000)
  for (let look = 0; look <= MAX_TRIES; look++) await node.feeds.recheck(OWN)
  assert.equal((await node.feeds.list(OWN))[0]?.failures, 0)
  node.failing.clear()
  await node.feeds.recheck(OWN)
  assert.deepEqual(node.added, ['u1'])
  await node.feeds.stop()
})

test('two looks at a time; the others wait for their turn, and go with their feed', async () => {
  const node = await started()
  node.serve(item('1', 'u1'))
  let release = (): void => undefined
  node.state.held = new Promise(resolve => {
    release = resolve
  })
  for (const at of [1, 2, 3, 4]) await node.feeds.add(OWN, `${URL_A}?${at}`)
  await node.pass(2_000)
  assert.equal(node.asks.length, 2)
  await node.feeds.remove(OWN, `${URL_A}?3`)
  release()
  await turns()
  assert.deepEqual(
    node.asks.map(({ url }) => url),
    [1, 2, 4].map(at => `${URL_A}?${at}`),
  )
  await node.feeds.stop()
})

test('very many new items come in several looks', async () => {
  const node = await started()
  node.serve(...Array.from({ length: MAX_ITEMS_A_LOOK + 30 }, (_, at) => item(String(at), `u${at}`)))
  await node.feeds.add(OWN, URL_A)
  await node.pass(2_000)
  await waitFor('the first part', () => node.added.length === MAX_ITEMS_A_LOOK)
  await turns()
  await node.pass(5_000)
  assert.equal(node.added.length, MAX_ITEMS_A_LOOK + 30)
  assert.equal(node.asks[1]?.etag, null)
  await node.feeds.stop()
})

test('nothing comes into the channel after a removal, which is for good', async () => {
  const node = await started()
  node.serve(item('1', 'u1'))
  let release = (): void => undefined
  node.state.held = new Promise(resolve => {
    release = resolve
  })
  await node.feeds.add(OWN, URL_A)
  await node.pass(2_000)
  const removed = node.feeds.remove(OWN, URL_A)
  await turns()
  release()
  await removed
  assert.deepEqual(node.added, [])
  assert.equal(node.records.rows.size, 0)
  await node.pass(FEED_EVERY_MS * 3)
  assert.equal(node.asks.length, 1)
  await node.feeds.stop()
})

test('refusals: unknown and foreign channels, twice, what is no http address, what is not there, before the start', async () => {
  const node = await started()
  await node.feeds.add(OWN, URL_A)
  await assert.rejects(node.feeds.add(OWN, URL_A), refuses('FeedExists'))
  await assert.rejects(node.feeds.add(OWN, 'ftp://x.example/'), refuses('BadScheme'))
  await assert.rejects(node.feeds.add(OWN, 'x'), refuses('InvalidParameter'))
  await assert.rejects(node.feeds.remove(OWN, `${URL_A}?`), refuses('FeedNotFound'))
  for (const [cid, code] of [
    [OTHER, 'NotChannelOwner'],
    ['c'.repeat(40), 'ChannelNotFound'],
  ] as const) {
    await assert.rejects(node.feeds.list(cid), refuses(code))
    await assert.rejects(node.feeds.add(cid, URL_A), refuses(code))
    await assert.rejects(node.feeds.remove(cid, URL_A), refuses(code))
    await assert.rejects(node.feeds.recheck(cid), refuses(code))
  }
  await assert.rejects(bench().feeds.add(OWN, URL_A), refuses('NotReady'))
  await node.feeds.stop()
  await assert.rejects(node.feeds.add(OWN, `${URL_A}2`), refuses('NotReady'))
})

test('a recheck answers when every feed was read, also when one failed, and does not wait long for torrents', async () => {
  const node = await started()
  node.state.answer = new AppError('SourceFailed')
  await node.feeds.add(OWN, URL_A)
  await node.feeds.recheck(OWN)
  assert.equal((await node.feeds.list(OWN))[0]?.failures, 1)
  node.serve(item('1', 'u1'))
  let release = (): void => undefined
  node.state.held = new Promise(resolve => {
    release = resolve
  })
  let answered = false
  const recheck = node.feeds.recheck(OWN).then(() => {
    answered = true
  })
  await turns()
  assert.equal(answered, false)
  await node.pass(20_000)
  await recheck
  release()
  await node.feeds.stop()
})

test('feeds of a channel that is gone are forgotten', async () => {
  const node = await started()
  node.serve(item('1', 'u1'))
  await node.feeds.add(OWN, URL_A)
  node.state.gone = true
  await node.pass(2_000)
  assert.equal(node.records.rows.size, 0)
  assert.equal(node.asks.length, 0, 'nobody is asked for them')
  await node.feeds.stop()
})
