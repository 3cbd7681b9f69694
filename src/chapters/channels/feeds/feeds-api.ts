// What crosses the interface of RSS and Atom feeds of channels (specification 2.5 and 4.6; decision 0418). Times are
// Unix times in seconds, 0 = never. All reject with NotReady while the node is starting.

/** A feed of a channel. */
export interface FeedRecord {
  url: string
  time_added: number
  /** When it was looked at last, and when that is next. */
  last_check: number
  next_check: number
  /** Looks in a row that failed. */
  failures: number
  /** Readable; '' = the last look went well. */
  error: string
}

/** How a channel is written as a feed: RFC 4287 or RSS 2.0. */
export type FeedFormat = 'atom' | 'rss'

/** A text for feed readers. */
export interface FeedText {
  contentType: string
  text: string
  /** Changes when the text does. */
  etag: string
}

/** Feeds into own channels, and channels as feeds. AppError ChannelNotFound of all. */
export interface FeedsService {
  /** AppError NotChannelOwner. */
  list(cid: string): Promise<FeedRecord[]>
  /** AppErrors NotChannelOwner, FeedExists, BadScheme, InvalidParameter (no address, too many feeds). */
  add(cid: string, url: string): Promise<void>
  /** AppErrors NotChannelOwner, FeedNotFound. */
  remove(cid: string, url: string): Promise<void>
  /**
   * Looks at all feeds of the channel; settles when each was read once, also when one failed. AppError NotChannelOwner.
   */
  recheck(cid: string): Promise<void>
  /** The newest torrents of any channel as a feed, by the family filter. `self`: where readers find it. */
  channelFeed(cid: string, format: FeedFormat, self: string): Promise<FeedText>
}
