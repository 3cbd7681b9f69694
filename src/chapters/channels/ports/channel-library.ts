// The catalogue of channels as services see it: what clients list, search and change. Own writes are signed, stored and
// in the head of an own channel when the promise settles. Rejects with the AppErrors named, and those of
// ports/channel-catalogue.ts.

import type { InfoHash } from '../../../base/ids.ts'
import type { ChannelMode, RecordId, TorrentContent } from '../wire/types.ts'

/** A row of a list of channels; names as in the specification, 2.2. */
export interface ListedChannel {
  readonly id: number
  readonly dispersy_cid: string
  readonly name: string
  readonly description: string
  readonly subscribed: boolean
  readonly votes: number
  readonly torrents: number
  readonly spam: number
  /** Seconds since 1970. */
  readonly modified: number
  readonly can_edit: boolean
  /** (extra) */
  readonly mode: ChannelMode
  readonly own: boolean
}

/** A torrent of a channel; names as in the specification, 2.3. */
export interface ListedTorrent {
  readonly id: number
  readonly infohash: string
  readonly name: string
  readonly size: number
  readonly category: string
  readonly num_seeders: number
  readonly num_leechers: number
  readonly last_tracker_check: number
}

/** A torrent as the feed of its channel tells of it (extra). */
export interface NewestTorrent {
  readonly infohash: string
  readonly name: string
  readonly description: string
  readonly size: number
  readonly category: string
  /** Of its record, seconds since 1970. */
  readonly time: number
  readonly trackers: readonly string[]
}

/** A playlist; names as in the specification, 2.4. */
export interface ListedPlaylist {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly torrents: readonly ListedTorrent[]
}

/** A comment (extra). */
export interface ListedComment {
  readonly id: number
  /** Public key of its author, 64 hexadecimal digits. */
  readonly author: string
  readonly text: string
  readonly timestamp: number
  /** Info hash of the torrent it is about; null: the channel. */
  readonly infohash: string | null
}

/** A key that may write (extra). */
export interface ListedGrant {
  readonly contributor: string
  readonly add: boolean
  readonly moderate: boolean
}

/** A torrent that a search found, with what its download starts from. */
export interface FoundTorrent extends ListedTorrent {
  readonly dispersy_cid: string
  readonly relevance_score: number
  readonly trackers: readonly string[]
}

/** Found by a search: a row, the channel it is in, and how well it fits (higher is better). */
export interface SearchResults {
  readonly channels: readonly (ListedChannel & { readonly relevance_score: number })[]
  readonly torrents: readonly FoundTorrent[]
}

/** What was learned of a swarm. */
export interface SwarmHealth {
  readonly infoHash: InfoHash
  readonly seeders: number
  readonly leechers: number
  /** Seconds since 1970. */
  readonly checkedS: number
}

/** A torrent whose health is worth asking for. */
export interface UncheckedTorrent {
  readonly infoHash: InfoHash
  readonly trackers: readonly string[]
  readonly checkedS: number
}

/** Figures. */
export interface LibraryCounts {
  readonly channels: number
  readonly torrents: number
  readonly bytes: number
  /** Records, heads and votes that were refused, by reason. */
  readonly refused: Readonly<Record<string, number>>
}

/**
 * The catalogue of channels as services see it: what clients list, search and change. Unknown channels: AppError
 * ChannelNotFound. `hideXxx`: the family filter is on.
 */
export interface ChannelLibrary {
  /** Discovered channels, best first (fresh, subscribed, seeded): all but those that were never named. */
  discovered(hideXxx: boolean): Promise<ListedChannel[]>
  subscribed(): Promise<ListedChannel[]>
  own(): Promise<ListedChannel[]>
  channel(cid: string): Promise<ListedChannel>
  /** AppError DuplicateChannelIdError. Answers the row. */
  create(name: string, description: string, mode: ChannelMode): Promise<ListedChannel>
  /** Changes name, description or mode of an own channel. AppErrors NotChannelOwner, DuplicateChannelIdError. */
  change(
    cid: string,
    change: { readonly name?: string; readonly description?: string; readonly mode?: ChannelMode },
  ): Promise<void>
  /** Ends an own channel: a last empty set is signed, its key is kept. AppError NotChannelOwner. */
  remove(cid: string): Promise<void>
  /** False: it was so already. An unknown id is taken in as a channel without head when `unknownToo`. */
  subscribe(cid: string, unknownToo: boolean): Promise<boolean>
  unsubscribe(cid: string): Promise<boolean>
  /** Calls it spam (-1), or takes that back (0). */
  vote(cid: string, value: -1 | 0): Promise<void>
  torrents(cid: string, hideXxx: boolean): Promise<ListedTorrent[]>
  /** The newest `limit` torrents of a channel by the time of their records, the newest first. */
  newest(cid: string, limit: number, hideXxx: boolean): Promise<NewestTorrent[]>
  /** AppErrors DuplicateTorrentFileError, NotChannelOwner. */
  addTorrent(cid: string, torrent: TorrentContent): Promise<RecordId>
  /** Changes name or description of a torrent of the channel. AppErrors TorrentNotFound, NotChannelOwner. */
  editTorrent(
    cid: string,
    infoHash: string,
    change: { readonly name?: string; readonly description?: string },
  ): Promise<void>
  /** Those that could not be removed: not in the channel, or not ours to remove. */
  removeTorrents(cid: string, infoHashes: readonly string[]): Promise<string[]>
  playlists(cid: string, hideXxx: boolean): Promise<ListedPlaylist[]>
  /** AppError NotChannelOwner. */
  createPlaylist(cid: string, name: string, description: string): Promise<void>
  /** AppErrors PlaylistNotFound, NotChannelOwner. */
  changePlaylist(
    cid: string,
    id: number,
    change: { readonly name?: string; readonly description?: string },
  ): Promise<void>
  removePlaylist(cid: string, id: number): Promise<void>
  /** AppErrors PlaylistNotFound, TorrentNotFound (not in the channel), StateConflict (in it already). */
  addToPlaylist(cid: string, id: number, infoHash: string): Promise<void>
  removeFromPlaylist(cid: string, id: number, infoHash: string): Promise<void>
  comments(cid: string): Promise<ListedComment[]>
  /**
   * On a torrent of the channel, or the channel (null). AppErrors TorrentNotFound, NotChannelOwner (the mode forbids
   * it).
   */
  comment(cid: string, infoHash: string | null, text: string): Promise<void>
  /** AppErrors CommentNotFound, NotChannelOwner. */
  removeComment(cid: string, id: number): Promise<void>
  grants(cid: string): Promise<ListedGrant[]>
  /** `contributor`: 64 hexadecimal digits. Both false takes it back. AppError NotChannelOwner. */
  grant(cid: string, contributor: string, add: boolean, moderate: boolean): Promise<void>
  /** The public key under which this node writes in channels of others, 64 hexadecimal digits. */
  author(): Promise<string>
  /** Full text, each channel and torrent once, best first. */
  search(text: string, limit: number, hideXxx: boolean): Promise<SearchResults>
  /** Words and names that go on from `text`. */
  completions(text: string, limit: number, hideXxx: boolean): Promise<string[]>
  /** Rows of what the network brought for a search: those of `records` that fit `text` and the filter. */
  takeFound(text: string, records: readonly Uint8Array[], hideXxx: boolean): Promise<SearchResults>
  /** Torrents to check next: of own, subscribed and well ranked channels, those never checked and the stalest first. */
  unchecked(limit: number, olderThanS: number): Promise<UncheckedTorrent[]>
  checked(healths: readonly SwarmHealth[]): Promise<void>
  health(infoHash: string): Promise<SwarmHealth | null>
  /** What is known of a torrent of any channel; null: nothing. */
  torrent(
    infoHash: string,
  ): Promise<(ListedTorrent & { readonly trackers: readonly string[]; readonly channels: readonly string[] }) | null>
  counts(): Promise<LibraryCounts>
}
