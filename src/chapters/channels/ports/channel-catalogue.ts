// The catalogue of channels as the network parts see it: heads, trees, records and votes, all checked by its owner (the
// catalogue's thread) before they are kept. Promises settle after the commit and reject with AppErrors StateUnreadable,
// DiskFull, DiskError, PoolBusy, Aborted. Hostile bytes never reject: they are counted and refused.

import type { ChannelHead, ChannelId, ChannelVote, RecordId, TreeNode } from '../wire/types.ts'

/** How much of a channel is wanted here. */
export type ChannelStanding = 'own' | 'subscribed' | 'discovered'

/** A channel as the network sees it. */
export interface KnownChannel {
  readonly head: ChannelHead | null
  readonly channel: ChannelId
  readonly standing: ChannelStanding
  /** Sequence of the head whose whole set is held; 0: none. */
  readonly heldSequence: number
}

/**
 * What became of a head: `new`: the channel was not known; `newer`; `known`: this very one or an older one; `refused`:
 * forged, from the future, or not admitted.
 */
export type HeadVerdict = 'new' | 'newer' | 'known' | 'refused'

/**
 * What became of records that came: how many were kept, were known before, and were refused (forged, from the future,
 * not allowed, no room).
 */
export interface RecordsVerdict {
  readonly kept: number
  readonly known: number
  readonly refused: number
}

/**
 * What records are taken as. `wanted`: part of the set of a head, after a walk; `extra`: allowed by the channel's mode
 * and grants but in no head yet; `preview`: a few of a channel that is not subscribed.
 */
export type RecordRole = 'wanted' | 'extra' | 'preview'

/** What a search finds, as the network carries it: each record can be checked by its receiver. */
export interface FoundRecords {
  readonly heads: readonly ChannelHead[]
  /** Encodings of channel and torrent records. */
  readonly records: readonly Uint8Array[]
}

/** What happened in the catalogue. */
export type CatalogueHappening =
  /** A channel of ours has a new head, or a stored head was replaced. */
  | { readonly kind: 'head'; readonly channel: ChannelId; readonly own: boolean }
  /** The standing of a channel changed (subscribed, left, made, removed: null). */
  | { readonly kind: 'standing'; readonly channel: ChannelId; readonly standing: ChannelStanding | null }
  /** A record by us that no head has yet, in a channel of another owner. */
  | { readonly kind: 'extra'; readonly channel: ChannelId }
  /** The first time the name of a channel is known. */
  | { readonly kind: 'channel-found'; readonly channel: ChannelId; readonly name: string; readonly description: string }
  /** A torrent that was in no channel here before. At most so many a second are reported. */
  | {
      readonly kind: 'torrent-found'
      readonly channel: ChannelId
      readonly infohash: string
      readonly name: string
      readonly trackers: readonly string[]
      readonly files: readonly { readonly name: string; readonly size: number }[]
      readonly timestamp: number
    }

/**
 * The catalogue of channels as the network has it. `from`: who gave it, the hexadecimal mid of a peer, `dht` or `pack`;
 * admission is limited by giver.
 */
export interface ChannelCatalogue {
  /** Channels worth telling others, best first: own, subscribed, then by rank. */
  worthAnnouncing(limit: number): Promise<KnownChannel[]>
  /** Own and subscribed channels. */
  wanted(): Promise<KnownChannel[]>
  known(channel: ChannelId): Promise<KnownChannel | null>
  offerHead(head: ChannelHead, from: string): Promise<HeadVerdict>
  /**
   * A node of the tree of the set that is held; null: nothing is held, or there is no such node. `sequence` is that of
   * its head.
   */
  treeNode(channel: ChannelId, prefix: string): Promise<{ readonly sequence: number; readonly node: TreeNode } | null>
  /** Those of `ids` that are not here in any role. */
  lacking(channel: ChannelId, ids: readonly RecordId[]): Promise<RecordId[]>
  /** Encodings of those of `ids` that are here, in that order, at most `maxBytes` of them together. */
  records(channel: ChannelId, ids: readonly RecordId[], maxBytes: number): Promise<Uint8Array[]>
  offerRecords(
    channel: ChannelId,
    records: readonly Uint8Array[],
    role: RecordRole,
    from: string,
  ): Promise<RecordsVerdict>
  /**
   * Makes the set of `head` the held one: the held set plus `added` minus `removed`, or exactly `added` where `whole`.
   * True when its root and count are those of the head and every record is here; else nothing changes.
   */
  adopt(
    head: ChannelHead,
    change: { readonly added: readonly RecordId[]; readonly removed: readonly RecordId[]; readonly whole: boolean },
  ): Promise<boolean>
  /** Ids of the records that are in no head yet, the newest first. */
  extras(channel: ChannelId, limit: number): Promise<RecordId[]>
  /** The channel's own record and its newest torrents. */
  preview(channel: ChannelId, limit: number): Promise<Uint8Array[]>
  /** For a peer that asks; `limit` records at most. */
  searchFor(text: string, limit: number): Promise<FoundRecords>
  votes(channel: ChannelId, limit: number): Promise<ChannelVote[]>
  /** How many were new. */
  offerVotes(votes: readonly ChannelVote[], from: string): Promise<number>
  /** All encodings of the held set, for making its pack, a part at a time in the order of their ids. */
  heldRecords(
    channel: ChannelId,
    after: RecordId | null,
    maxBytes: number,
  ): Promise<{ readonly id: RecordId; readonly bytes: Uint8Array }[]>
  /**
   * Own channels: signs the head again with the pack of its set (same set, next sequence); null: the set has changed
   * since `sequence`, or it is not ours.
   */
  signPack(channel: ChannelId, sequence: number, pack: string): Promise<ChannelHead | null>
  /** Calls `happened` until the answer is called. */
  watch(happened: (event: CatalogueHappening) => void): () => void
}
