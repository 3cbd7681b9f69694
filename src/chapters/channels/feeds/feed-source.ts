// Looking at a feed: a conditional request, and what the feed says, read where hostile XML can do no harm.

import type { ParsedFeed } from './wire/types.ts'

/** Which feed, and what its server gave the last time (RFC 9110, 13.1). */
export interface FeedAsk {
  readonly url: string
  readonly etag: string | null
  readonly lastModified: string | null
}

/** What was there. */
export type FeedAnswer =
  /** Nothing new since then. */
  | { readonly kind: 'same' }
  | {
      readonly kind: 'feed'
      readonly feed: ParsedFeed
      readonly etag: string | null
      readonly lastModified: string | null
    }
  /** The server wants to be left alone for so long, ms (Retry-After). */
  | { readonly kind: 'later'; readonly afterMs: number; readonly error: string }

/** Looking at a feed: a conditional request, and what the feed says, read where hostile XML can do no harm. */
export interface FeedSource {
  /** Rejects with AppError SourceFailed, AddressRefused, BadScheme, or Aborted when `signal` fires or it was closed. */
  look(ask: FeedAsk, signal: AbortSignal): Promise<FeedAnswer>
  close(): Promise<void>
}
