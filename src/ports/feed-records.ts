// RSS and Atom feeds of a channel (specification 4.6): which there are, how the last look at each went, and which of
// their items were dealt with, over restarts. Promises settle after the commit and reject as those of ports/records.ts.

/** How the last look at a feed went. */
export interface FeedCheck {
  /** Milliseconds since 1970; null = it was never looked at. */
  readonly checkedAtMs: number | null
  /** What the server gave for conditional requests (RFC 9110, 8.8), in its own words; null = nothing. */
  readonly etag: string | null
  readonly lastModified: string | null
  /** Looks in a row that failed, and why the last one did; 0 and '' after one that did not. */
  readonly failures: number
  readonly error: string
}

/** A feed; channel and address together name it. */
export interface KeptFeed extends FeedCheck {
  /** dispersy_cid of the channel, 40 hexadecimal digits. */
  readonly channel: string
  readonly url: string
  readonly addedAtMs: number
}

/** The durable list. */
export interface FeedRecords {
  /** All, in the order they were added. */
  list(): Promise<KeptFeed[]>
  /** False when the channel has it already. */
  add(channel: string, url: string, addedAtMs: number): Promise<boolean>
  /** Removes it with what is known of its items; false when the channel has no such feed. */
  drop(channel: string, url: string): Promise<boolean>
  /** Those of `items` (names that stay the same: guid, id or link) that were not dealt with yet, in their order. */
  unseen(channel: string, url: string, items: readonly string[]): Promise<string[]>
  /** Notes a look, and all items it found as dealt with; nothing when the feed was removed meanwhile. */
  checked(channel: string, url: string, check: FeedCheck, items: readonly string[]): Promise<void>
}
