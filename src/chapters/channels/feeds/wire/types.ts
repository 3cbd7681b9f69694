// What is read of RSS and Atom feeds. Types and limits only.

/** Most items taken of a feed, in its order. */
export const MAX_FEED_ITEMS_READ = 2_000

/** An item of a feed that may name a torrent. */
export interface FeedItem {
  /** What stays the same of it: guid or id, else its link, else its first source. Up to 2,048 characters. */
  readonly key: string
  /** One line; '' = none. */
  readonly title: string
  /** Plain text; '' = none. */
  readonly description: string
  /** Magnet links and http(s) addresses that may be its torrent, the likeliest first; at least one. */
  readonly sources: readonly string[]
}

/** A feed as it was read. Items without any source are left out. */
export interface ParsedFeed {
  readonly title: string
  /** In the order of the feed, mostly the newest first. */
  readonly items: readonly FeedItem[]
}

/** What a feed is read from. */
export interface FeedDocument {
  readonly bytes: Uint8Array
  /** The Content-Type field; '' = none. */
  readonly contentType: string
  /** Where it lies: links may be relative to it. */
  readonly url: string
}

/** What the thread that reads a feed answers. */
export type FeedThreadAnswer = { readonly feed: ParsedFeed } | { readonly error: string }
