// Feeds by HTTP(S): conditional requests, judged addresses, 8 MiB decoded, 30 s in all; what came is read by a thread.

import { AppError } from '../../../base/errors.ts'
import type { FeedAnswer, FeedAsk, FeedSource } from '../feeds/feed-source.ts'
import type { SourceFetch } from '../../../ports/source-fetch.ts'
import type { FeedDocument, ParsedFeed } from '../feeds/wire/types.ts'
import type { SourceFetchDeps } from '../../../io/net/guarded-fetch.ts'
import { GuardedHttp, type GuardedResult, header } from '../../../io/net/guarded-http.ts'

/** Feeds of the field have 10 KiB to 2 MiB. */
const MAX_FEED_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 30_000
/** Longest ETag and Last-Modified that are kept, characters. */
const MAX_FIELD_CHARACTERS = 1_024
/** No server is left alone for longer than this. */
const MAX_LATER_MS = 24 * 3600 * 1000
const ACCEPT = 'application/rss+xml, application/atom+xml, application/rdf+xml, application/xml;q=0.9, */*;q=0.5'

/** Bounds and identity. */
export interface GuardedFeedOptions {
  readonly userAgent: string
  readonly maxBytes?: number
  readonly timeoutMs?: number
}

/** What it needs beside judged addresses. */
export interface GuardedFeedDeps extends SourceFetchDeps {
  /** Reads a feed; rejects with AppError SourceFailed or Aborted. */
  read(document: FeedDocument, signal: AbortSignal): Promise<ParsedFeed>
  /**
   * Circuits to ask through where new downloads have hops, without conditions; null = plainly. AppError
   * CircuitsUnavailable.
   */
  hidden(): SourceFetch | null
  /** Milliseconds since 1970. */
  wallMs(): number
}

/** FeedSource with judged addresses. */
export class GuardedFeed implements FeedSource {
  readonly #http: GuardedHttp
  readonly #options: GuardedFeedOptions
  readonly #deps: GuardedFeedDeps
  readonly #closed = new AbortController()

  constructor(options: GuardedFeedOptions, deps: GuardedFeedDeps) {
    this.#options = options
    this.#deps = deps
    const { userAgent } = options
    this.#http = new GuardedHttp({ userAgent, localIp: null, connectionsPerOrigin: 2, keepAliveMs: 1_000 }, deps)
  }

  async look(ask: FeedAsk, signal: AbortSignal): Promise<FeedAnswer> {
    const either = AbortSignal.any([signal, this.#closed.signal])
    const hidden = this.#deps.hidden()
    if (hidden !== null) return this.#lookThrough(hidden, ask.url, either)
    const { maxBytes = MAX_FEED_BYTES, timeoutMs = TIMEOUT_MS } = this.#options
    const order = { url: ask.url, maxBytes, timeoutMs, privateRule: 'refuse', signal: either } as const
    const answer = await this.#http.follow({ ...order, fields: fieldsOf(ask) }, () => false)
    if (answer.status === 304) return { kind: 'same' }
    if (answer.status === 429 || answer.status === 503) return this.#later(answer)
    if (answer.status !== 200)
      throw new AppError('SourceFailed', `The feed answered with HTTP status ${answer.status}.`)
    const document = { bytes: answer.body, contentType: header(answer.headers, 'content-type'), url: answer.url }
    const feed = await this.#deps.read(document, either)
    return { kind: 'feed', feed, etag: kept(answer, 'etag'), lastModified: kept(answer, 'last-modified') }
  }

  async #lookThrough(hidden: SourceFetch, url: string, signal: AbortSignal): Promise<FeedAnswer> {
    const fetched = await hidden.fetch(url, signal)
    if (fetched.kind === 'magnet') throw new AppError('SourceFailed', 'The feed redirects to a magnet link.')
    const feed = await this.#deps.read({ bytes: fetched.bytes, contentType: '', url }, signal)
    return { kind: 'feed', feed, etag: null, lastModified: null }
  }

  close(): Promise<void> {
    this.#closed.abort()
    return this.#http.close()
  }

  /** Retry-After as seconds or as a date (RFC 9110, 10.2.3). */
  #later({ status, headers }: GuardedResult): FeedAnswer {
    const text = header(headers, 'retry-after')
    const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - this.#deps.wallMs()
    const afterMs = Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_LATER_MS) : 0
    return { kind: 'later', afterMs, error: `The feed answered with HTTP status ${status}.` }
  }
}

function fieldsOf({ etag, lastModified }: FeedAsk): Record<string, string> {
  return {
    accept: ACCEPT,
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  }
}

/** A field that can be sent back; null = there is none of the kind. */
function kept({ headers }: GuardedResult, name: string): string | null {
  const text = header(headers, name)
  return text !== '' && text.length <= MAX_FIELD_CHARACTERS && /^[\x20-\x7e]+$/.test(text) ? text : null
}
