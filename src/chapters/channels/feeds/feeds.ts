// RSS and Atom feeds of own channels (specification 4.6; decision 0418): the list, and when each is looked at: two
// seconds after it was added, then every half hour, twice as long after each failure in a row, up to a day.

import { makeDeferred } from '../../../base/deferred.ts'
import { AppError, errorText } from '../../../base/errors.ts'
import type { ChannelLibrary } from '../ports/channel-library.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { FeedRecords, KeptFeed } from '../../../ports/feed-records.ts'
import type { FeedSource } from './feed-source.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import { channelFeedText } from './channel-feed-text.ts'
import type { ChannelTorrents } from '../service/channel-torrents.ts'
import { type FeedLookDeps, lookAtFeed } from './feed-look.ts'
import type { FeedFormat, FeedRecord, FeedsService, FeedText } from './feeds-api.ts'

/** Between looks. */
export const FEED_EVERY_MS = 30 * 60_000
const LONGEST_MS = 24 * 3600_000
/** After adding; after a start none is looked at sooner. */
const FIRST_AFTER_MS = 2_000
/** The rest of a feed with very many new items. */
const SOON_MS = 5_000
/** Looks at a time: each may hold a feed and a thread. */
const MAX_LOOKS = 2
const MAX_FEEDS = 500
const MAX_URL_CHARACTERS = 4_096
/** Torrents of a channel that its own feed shows. */
const FEED_TORRENTS = 200
/** A recheck waits as long for the torrents of what it has read. */
const RECHECK_ITEMS_MS = 20_000

/** What it needs of the node. */
export interface FeedsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly source: FeedSource
  /** AppErrors of opening the catalogue. */
  library(): Promise<ChannelLibrary>
  torrents(library: ChannelLibrary): Pick<ChannelTorrents, 'addNew'>
  /** The setting general.family_filter. */
  familyFilter(): boolean
}

interface Feed {
  kept: KeptFeed
  readonly tries: Map<string, number>
  timer: Timer | null
  /** Milliseconds since 1970. */
  nextMs: number
  /** The look under way: when the feed was read, and when all is done. Neither rejects. */
  look: { readonly read: Promise<void>; readonly done: Promise<void>; readonly abort: AbortController } | null
}

/**
 * RSS and Atom feeds of own channels (specification 4.6; decision 0418): the list, and when each is looked at: two
 * seconds after it was added, then every half hour, twice as long after each failure in a row, up to a day.
 */
export class Feeds implements FeedsService {
  readonly #deps: FeedsDeps
  readonly #feeds = new Map<string, Feed>()
  #records: FeedRecords | null = null
  #looking = 0
  readonly #waiting: { readonly signal: AbortSignal; readonly go: () => void }[] = []
  #stopped = false

  constructor(deps: FeedsDeps) {
    this.#deps = deps
  }

  /** Takes up the list. Until then all is NotReady. */
  async start(records: FeedRecords): Promise<void> {
    for (const kept of await records.list()) this.#plan(this.#keep(kept), 0)
    this.#records = records
  }

  /** Gives up all looks; settles when none is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    const feeds = [...this.#feeds.values()]
    for (const feed of feeds) {
      feed.timer?.cancel()
      feed.look?.abort.abort()
    }
    await Promise.all(feeds.map(({ look }) => look?.done ?? Promise.resolve()))
    await this.#deps.source.close()
  }

  async list(cid: string): Promise<FeedRecord[]> {
    await this.#checkOwn(cid)
    return this.#of(cid).map(({ kept, nextMs }) => ({
      url: kept.url,
      time_added: seconds(kept.addedAtMs),
      last_check: seconds(kept.checkedAtMs ?? 0),
      next_check: seconds(nextMs),
      failures: kept.failures,
      error: kept.error,
    }))
  }

  async add(cid: string, url: string): Promise<void> {
    await this.#checkOwn(cid)
    const records = this.#ready()
    checkUrl(url)
    if (this.#feeds.size >= MAX_FEEDS) throw new AppError('InvalidParameter', `There are ${MAX_FEEDS} feeds already.`)
    const addedAtMs = this.#deps.clock.wallMs()
    if (!(await records.add(cid, url, addedAtMs))) throw new AppError('FeedExists')
    const check = { checkedAtMs: null, etag: null, lastModified: null, failures: 0, error: '' }
    this.#plan(this.#keep({ channel: cid, url, addedAtMs, ...check }), 0)
  }

  async remove(cid: string, url: string): Promise<void> {
    await this.#checkOwn(cid)
    this.#ready()
    const feed = this.#feeds.get(nameOf(cid, url))
    if (feed === undefined) throw new AppError('FeedNotFound')
    await this.#drop(feed)
  }

  async recheck(cid: string): Promise<void> {
    await this.#checkOwn(cid)
    this.#ready()
    const looks = this.#of(cid).map(feed => this.#look(feed))
    await Promise.all(looks.map(({ read }) => read))
    const late = makeDeferred<void>()
    const timer = this.#deps.clock.after(RECHECK_ITEMS_MS, () => late.resolve())
    await Promise.race([Promise.all(looks.map(({ done }) => done)), late.promise])
    timer.cancel()
  }

  async channelFeed(cid: string, format: FeedFormat, self: string): Promise<FeedText> {
    const library = await this.#deps.library()
    const channel = await library.channel(cid)
    const torrents = await library.newest(cid, FEED_TORRENTS, this.#deps.familyFilter())
    return channelFeedText({ channel, torrents, format, self })
  }

  #ready(): FeedRecords {
    if (this.#records === null || this.#stopped) throw new AppError('NotReady')
    return this.#records
  }

  async #checkOwn(cid: string): Promise<void> {
    const channel = await (await this.#deps.library()).channel(cid)
    if (!channel.own) throw new AppError('NotChannelOwner')
  }

  #of(cid: string): Feed[] {
    return [...this.#feeds.values()].filter(({ kept }) => kept.channel === cid)
  }

  #keep(kept: KeptFeed): Feed {
    const feed: Feed = { kept, tries: new Map(), timer: null, nextMs: 0, look: null }
    this.#feeds.set(nameOf(kept.channel, kept.url), feed)
    return feed
  }

  /** `atLeastMs`: not before that. */
  #plan(feed: Feed, atLeastMs: number, soon = false): void {
    if (this.#stopped || this.#feeds.get(nameOf(feed.kept.channel, feed.kept.url)) !== feed) return
    const { clock, random } = this.#deps
    const { checkedAtMs, failures } = feed.kept
    const usual = Math.min(LONGEST_MS, FEED_EVERY_MS * 2 ** Math.min(failures, 10))
    // Feeds that were added together are looked at at different times.
    const spread = usual * (0.95 + random.below(100) / 1000)
    const dueMs = checkedAtMs === null || soon ? 0 : checkedAtMs + spread - clock.wallMs()
    const firstMs = soon ? SOON_MS : FIRST_AFTER_MS
    // A clock that was set back must not put a look off for ever.
    const afterMs = Math.max(atLeastMs, Math.min(Math.max(dueMs, firstMs), LONGEST_MS * 1.1))
    feed.timer?.cancel()
    feed.nextMs = clock.wallMs() + afterMs
    feed.timer = clock.after(afterMs, () => void this.#look(feed))
  }

  /** The look that is under way, or a new one. */
  #look(feed: Feed): NonNullable<Feed['look']> {
    if (feed.look !== null) return feed.look
    feed.timer?.cancel()
    const read = makeDeferred<void>()
    const abort = new AbortController()
    const done = this.#lookInTurn(feed, abort.signal, () => read.resolve()).finally(() => {
      read.resolve()
      feed.look = null
    })
    feed.look = { read: read.promise, done, abort }
    return feed.look
  }

  /** Never rejects. */
  async #lookInTurn(feed: Feed, signal: AbortSignal, read: () => void): Promise<void> {
    while (this.#looking >= MAX_LOOKS && !signal.aborted) await this.#place(signal)
    this.#looking++
    try {
      if (!signal.aborted) await this.#lookNow(feed, signal, read)
    } catch (error) {
      if (!signal.aborted) await this.#noteFailure(feed, error)
    } finally {
      this.#looking--
      this.#letNextGo()
    }
  }

  /** Settles when it is the caller's turn, or `signal` fired. */
  #place(signal: AbortSignal): Promise<void> {
    return new Promise<void>(resolve => {
      this.#waiting.push({ signal, go: resolve })
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** The first that still waits. */
  #letNextGo(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.signal.aborted) return next.go()
    }
  }

  async #lookNow(feed: Feed, signal: AbortSignal, read: () => void): Promise<void> {
    const records = this.#ready()
    // The channel may have been ended since: then its feed is not fetched any more.
    await this.#checkOwn(feed.kept.channel)
    const { log, source, clock, library, torrents } = this.#deps
    const deps: FeedLookDeps = {
      log,
      source,
      records,
      torrents: torrents(await library()),
      wallMs: () => clock.wallMs(),
    }
    const { check, afterMs, soon } = await lookAtFeed({ feed: feed.kept, tries: feed.tries }, deps, signal, read)
    await records.checked(feed.kept.channel, feed.kept.url, check, [])
    feed.kept = { ...feed.kept, ...check }
    if (check.error !== '') log.info('a feed could not be read', { host: hostOf(feed), error: check.error })
    this.#plan(feed, afterMs, soon)
  }

  /** The node's own trouble, or a channel that is gone or not ours any more. */
  async #noteFailure(feed: Feed, error: unknown): Promise<void> {
    const gone = error instanceof AppError && (error.code === 'ChannelNotFound' || error.code === 'NotChannelOwner')
    this.#deps.log.warn('a look at a feed ended', { host: hostOf(feed), error: errorText(error) })
    try {
      if (gone) return await this.#forget(feed)
      const failures = feed.kept.failures + 1
      const check = {
        ...feed.kept,
        checkedAtMs: this.#deps.clock.wallMs(),
        failures,
        error: errorText(error).slice(0, 500),
      }
      feed.kept = check
      await this.#records?.checked(feed.kept.channel, feed.kept.url, check, [])
    } catch (inner) {
      this.#deps.log.warn('a look at a feed could not be noted', { host: hostOf(feed), error: errorText(inner) })
    }
    this.#plan(feed, 0)
  }

  /** Ends its look first: nothing of it comes into the channel after that. */
  async #drop(feed: Feed): Promise<void> {
    feed.timer?.cancel()
    feed.look?.abort.abort()
    await feed.look?.done
    await this.#forget(feed)
  }

  async #forget(feed: Feed): Promise<void> {
    feed.timer?.cancel()
    this.#feeds.delete(nameOf(feed.kept.channel, feed.kept.url))
    await this.#records?.drop(feed.kept.channel, feed.kept.url)
  }
}

function checkUrl(url: string): void {
  if (url.length > MAX_URL_CHARACTERS) throw new AppError('InvalidParameter', 'The url is too long.')
  const parsed = URL.parse(url)
  if (parsed === null) throw new AppError('InvalidParameter', 'This is no url.')
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw new AppError('BadScheme')
}

function nameOf(channel: string, url: string): string {
  return `${channel} ${url}`
}

function hostOf({ kept }: Feed): string | undefined {
  return URL.parse(kept.url)?.host
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
