// What the interface asks of channels (spec 4.3 to 4.5; decisions part 3; decision 0415). Rows are those of
// ports/channel-library.ts. All reject with NotReady while the node is starting, and ChannelNotFound for a channel that
// is not known here.

import type {
  ListedChannel,
  ListedComment,
  ListedGrant,
  ListedPlaylist,
  ListedTorrent,
} from '../ports/channel-library.ts'
import type { NetworkStanding } from '../ports/channel-network.ts'

/** Who may write beside the owner. */
export type ChannelModeName = 'open' | 'semi-open' | 'closed'

/** What of a channel is to change; absent = stays. */
export interface ChannelChange {
  readonly name?: string
  readonly description?: string
  readonly mode?: ChannelModeName
}

/** What of a torrent or playlist is to change; absent = stays. */
export interface TextChange {
  readonly name?: string
  readonly description?: string
}

/** A torrent of any channel, with where it is from. */
export type KnownTorrent = ListedTorrent & {
  readonly trackers: readonly string[]
  readonly channels: readonly string[]
}

/** Channels themselves. */
export interface ChannelsService {
  /** Best first. `unfiltered`: the family filter is off for this request. */
  discovered(unfiltered: boolean): Promise<ListedChannel[]>
  /** How this node stands in their network. */
  standing(): NetworkStanding
  /** Most subscribed first. */
  popular(limit: number): Promise<ListedChannel[]>
  subscribed(): Promise<ListedChannel[]>
  channel(cid: string): Promise<ListedChannel>
  /** AppErrors DuplicateChannelIdError, InvalidParameter (a name of blanks). */
  create(name: string, description: string, mode: ChannelModeName): Promise<ListedChannel>
  /** False: there was nothing to change. AppErrors NotChannelOwner, DuplicateChannelIdError, InvalidParameter. */
  change(cid: string, change: ChannelChange): Promise<boolean>
  /** Ends an own channel. AppError NotChannelOwner. */
  remove(cid: string): Promise<void>
  /** Looks for an unknown channel for a while. AppErrors AlreadySubscribed, TooManyRequests. */
  subscribe(cid: string): Promise<void>
  /** AppError NotSubscribed. */
  unsubscribe(cid: string): Promise<void>
  /** Calls it spam, or takes that back. */
  callSpam(cid: string, spam: boolean): Promise<void>
  /** The first own channel. AppError ChannelNotFound: there is none. */
  mine(): Promise<ListedChannel>
  /** The key under which this node writes in channels of others, 64 hexadecimal digits. */
  author(): Promise<string>
  /** Who may write in it beside the owner. */
  grants(cid: string): Promise<ListedGrant[]>
  /** Both false takes it back. AppError NotChannelOwner. */
  grant(cid: string, contributor: string, add: boolean, moderate: boolean): Promise<void>
}

/** What is in channels. Writing where the mode does not allow it: AppError NotChannelOwner. */
export interface ChannelContentsService {
  torrents(cid: string, unfiltered: boolean): Promise<ListedTorrent[]>
  /** AppErrors ChannelTorrentError, DuplicateTorrentFileError. */
  addUpload(cid: string, base64: string, description: string): Promise<void>
  /**
   * Of an http(s) address or magnet link. AppErrors BadScheme, ChannelTorrentError, DuplicateTorrentFileError, Aborted.
   */
  addUri(cid: string, uri: string, description: string, signal: AbortSignal): Promise<void>
  /** False: there was nothing to change. AppError TorrentNotFound. */
  editTorrent(cid: string, infohash: string, change: TextChange): Promise<boolean>
  /** Those that could not be removed; the others were. */
  removeTorrents(cid: string, infohashes: readonly string[]): Promise<string[]>
  playlists(cid: string, unfiltered: boolean): Promise<ListedPlaylist[]>
  createPlaylist(cid: string, name: string, description: string): Promise<void>
  /** AppErrors PlaylistNotFound, NothingToChange. */
  changePlaylist(cid: string, id: number, change: TextChange): Promise<void>
  /** AppError PlaylistNotFound. */
  removePlaylist(cid: string, id: number): Promise<void>
  /** AppErrors PlaylistNotFound, TorrentNotFound, StateConflict. */
  addToPlaylist(cid: string, id: number, infohash: string): Promise<void>
  /** AppErrors PlaylistNotFound, TorrentNotFound. */
  removeFromPlaylist(cid: string, id: number, infohash: string): Promise<void>
  comments(cid: string): Promise<ListedComment[]>
  /**
   * On a torrent, or the channel ('' as `infohash`). AppErrors TorrentNotFound, InvalidParameter (a text of blanks).
   */
  comment(cid: string, infohash: string, text: string): Promise<void>
  removeComment(cid: string, id: number): Promise<void>
  /** AppError TorrentNotFound. */
  torrent(infohash: string): Promise<KnownTorrent>
}

/** Searching. */
export interface SearchService {
  /** Begins; results come as events, each channel and torrent once. AppErrors InvalidParameter, TooManyRequests. */
  search(text: string): Promise<void>
  /** Words and names that go on from `text`. */
  completions(text: string): Promise<string[]>
}
