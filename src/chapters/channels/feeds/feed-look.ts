// One look at a feed: its new items become torrents of the channel. Each item is noted as dealt with right after its
// torrent is in the channel; when the node dies between the two, the channel knows the torrent and does not take it
// twice.

import { AppError, type ErrorCode, errorText } from '../../../base/errors.ts'
import type { FeedCheck, FeedRecords, KeptFeed } from '../../../ports/feed-records.ts'
import type { FeedSource } from './feed-source.ts'
import type { Log } from '../../../ports/log.ts'
import type { FeedItem, ParsedFeed } from './wire/types.ts'
import type { ChannelTorrents } from '../service/channel-torrents.ts'

/** Items of one look, and its time for them, ms; what is left comes with the next, soon after. */
export const MAX_ITEMS_A_LOOK = 100
const ITEMS_MS = 120_000
/** Items at a time: most are magnets, and what cannot be found takes its full time. */
const ITEMS_AT_ONCE = 4
/** An item whose torrent cannot be had is tried in so many looks. */
export const MAX_TRIES = 5
/** Failures of a source that may pass. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['SourceFailed', 'AddressRefused', 'MetadataTimeout'])

/** What a look needs. */
export interface FeedLookDeps {
  readonly log: Log
  readonly records: FeedRecords
  readonly source: FeedSource
  readonly torrents: Pick<ChannelTorrents, 'addNew'>
  wallMs(): number
}

/** A feed, and how often its items failed in this run of the node. */
export interface LookedAt {
  readonly feed: KeptFeed
  readonly tries: Map<string, number>
}

/** How a look went. */
export interface LookOutcome {
  readonly check: FeedCheck
  /** The earliest next look, ms; 0 = as always. */
  readonly afterMs: number
  /** Items are left over. */
  readonly soon: boolean
}

/**
 * Looks once; `read` is called when the feed has answered. Rejects with AppError Aborted (`signal`), ChannelNotFound,
 * NotChannelOwner and those of the records; a feed that fails is an outcome.
 */
export async function lookAtFeed(
  { feed, tries }: LookedAt,
  deps: FeedLookDeps,
  signal: AbortSignal,
  read: () => void,
): Promise<LookOutcome> {
  const checkedAtMs = deps.wallMs()
  const failed = (error: string, afterMs: number): LookOutcome => ({
    check: { ...validators(feed), checkedAtMs, failures: feed.failures + 1, error: error.slice(0, 500) },
    afterMs,
    soon: false,
  })
  try {
    const answer = await deps.source.look({ url: feed.url, ...validators(feed) }, signal)
    read()
    if (answer.kind === 'later') return failed(answer.error, answer.afterMs)
    const well = { checkedAtMs, failures: 0, error: '' }
    if (answer.kind === 'same') return { check: { ...validators(feed), ...well }, afterMs: 0, soon: false }
    const left = await takeItems(answer.feed, { feed, tries }, deps, signal)
    // What is left is read again: the server is not to say that nothing is new.
    const kept = left.soon || left.waiting ? { etag: null, lastModified: null } : validators(answer)
    return { check: { ...kept, ...well }, afterMs: 0, soon: left.soon }
  } catch (error) {
    if (signal.aborted || !isPassing(error)) throw error
    return failed(errorText(error), 0)
  } finally {
    read()
  }
}

function validators({ etag, lastModified }: Pick<FeedCheck, 'etag' | 'lastModified'>) {
  return { etag, lastModified }
}

/** The oldest first, so that the newest of the feed is the newest of the channel. */
async function takeItems(
  { items }: ParsedFeed,
  looked: LookedAt,
  deps: FeedLookDeps,
  signal: AbortSignal,
): Promise<{ readonly soon: boolean; readonly waiting: boolean }> {
  const { feed, tries } = looked
  const byKey = new Map(items.toReversed().map(item => [item.key, item]))
  const unseen = await deps.records.unseen(feed.channel, feed.url, [...byKey.keys()])
  forgetOthers(tries, byKey)
  // What failed before comes last, so that it keeps nothing new waiting.
  const queue = unseen.toSorted((a, b) => (tries.get(a) ?? 0) - (tries.get(b) ?? 0))
  const untilMs = deps.wallMs() + ITEMS_MS
  let waiting = false
  let taken = 0
  const work = async (): Promise<void> => {
    while (taken < MAX_ITEMS_A_LOOK && deps.wallMs() < untilMs) {
      const item = byKey.get(queue[taken++] ?? '')
      if (item === undefined) return
      if (await takeItem(item, looked, deps, signal))
        await deps.records.checked(feed.channel, feed.url, feed, [item.key])
      else waiting = true
    }
  }
  await allEnded(Array.from({ length: ITEMS_AT_ONCE }, work))
  return { soon: taken < queue.length, waiting }
}

/** Settles when all have, with the first failure: nothing goes on behind a look that is over. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** True when the item is dealt with: its torrent is in the channel, or it never will be. */
async function takeItem(item: FeedItem, looked: LookedAt, deps: FeedLookDeps, signal: AbortSignal): Promise<boolean> {
  const { feed, tries } = looked
  const about = { host: URL.parse(feed.url)?.host, item: item.title.slice(0, 100) }
  let again = false
  let last = ''
  for (const uri of item.sources) {
    try {
      const added = await deps.torrents.addNew(feed.channel, uri, item.description || item.title, signal)
      if (added) deps.log.info('a torrent of a feed is in the channel', about)
      return true
    } catch (error) {
      if (signal.aborted) throw error
      // The node is busy with other magnets: that says nothing of this one.
      if (error instanceof AppError && error.code === 'TooManyRequests') return false
      if (!isOfTorrent(error)) throw error
      last = errorText(error)
      again ||= isPassing(error.cause)
    }
  }
  const tried = (tries.get(item.key) ?? 0) + 1
  if (again && tried < MAX_TRIES) {
    tries.set(item.key, tried)
    return false
  }
  deps.log.warn('an item of a feed is no torrent that can be had', { ...about, error: last })
  return true
}

/** Only what the feed still has is remembered. */
function forgetOthers(tries: Map<string, number>, present: ReadonlyMap<string, FeedItem>): void {
  for (const key of tries.keys()) if (!present.has(key)) tries.delete(key)
}

function isOfTorrent(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'ChannelTorrentError' || error.code === 'BadScheme')
}

function isPassing(error: unknown): boolean {
  return error instanceof AppError && (PASSING.has(error.code) || error.code === 'BadScheme')
}
