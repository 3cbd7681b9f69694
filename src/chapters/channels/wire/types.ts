// Values of channels: records, heads, votes. Types and limits only; codecs lie beside this file, meaning in fold.ts.

import type { InfoHash } from '../../../base/ids.ts'

declare const channelIdBrand: unique symbol
declare const recordIdBrand: unique symbol

/**
 * SHA-1 of the channel's raw Ed25519 public key, 40 lower-case hexadecimal digits: the dispersy_cid, and the BEP 44
 * target of its head.
 */
export type ChannelId = string & { readonly [channelIdBrand]: true }

/** SHA-256 of a record's whole encoding, 64 lower-case hexadecimal digits. */
export type RecordId = string & { readonly [recordIdBrand]: true }

/** Who may do what besides the owner and those granted: see fold.ts. */
export type ChannelMode = 'open' | 'semi-open' | 'closed'

/** Longest encoding of a record with its signature, bytes. */
export const MAX_RECORD_BYTES = 8192
/** Most records of a channel. */
export const MAX_CHANNEL_RECORDS = 1_000_000
/** Longest names, characters (decisions part 3). */
export const MAX_NAME_CHARACTERS = 255
/** Longest descriptions and comments, characters (decisions part 3). */
export const MAX_DESCRIPTION_CHARACTERS = 1023
/** Records and heads from further in the future are refused, seconds. */
export const MAX_FUTURE_S = 600

/** A file of a torrent as channels name it; only so many as fit are in the record. */
export interface ChannelFile {
  /** Parts joined by `/`, safe (wire/safe-path.ts). */
  readonly path: string
  readonly size: number
}

/** What a torrent record tells. */
export interface TorrentContent {
  readonly kind: 'torrent'
  readonly infoHash: InfoHash
  readonly name: string
  readonly description: string
  /** Bytes; 0 = not known. */
  readonly size: number
  /** The first files, see ChannelFile; `fileCount` tells how many there are in all. */
  readonly files: readonly ChannelFile[]
  readonly fileCount: number
  readonly trackers: readonly string[]
  /** Lower-case word: video, audio, document, compressed, image, software, other, xxx. */
  readonly category: string
}

/** What a record says. */
export type RecordContent =
  | { readonly kind: 'channel'; readonly name: string; readonly description: string; readonly mode: ChannelMode }
  | TorrentContent
  | { readonly kind: 'playlist'; readonly name: string; readonly description: string }
  | { readonly kind: 'entry'; readonly playlist: RecordId; readonly infoHash: InfoHash }
  | {
      readonly kind: 'edit'
      readonly target: RecordId
      /** null = stays as it is. */
      readonly name: string | null
      readonly description: string | null
    }
  /** Deletes torrents, playlists, entries, edits and comments; 1 to 128 of them. */
  | { readonly kind: 'deletion'; readonly targets: readonly RecordId[] }
  /** By the owner alone. Both false: the grant is taken back. The newest of a key counts. */
  | { readonly kind: 'grant'; readonly contributor: Uint8Array; readonly add: boolean; readonly moderate: boolean }
  /** Of a torrent or playlist, or of the channel (null). */
  | { readonly kind: 'comment'; readonly target: RecordId | null; readonly text: string }

/** A kind of record. */
export type RecordKind = RecordContent['kind']

/** What is signed: one statement of one author in one channel. */
export interface UnsignedRecord {
  readonly channel: ChannelId
  /** The author's Ed25519 public key, 32 bytes; the owner's is the channel's own. */
  readonly author: Uint8Array
  /**
   * Logical clock of the author in this channel: 1, 2, 3 ...; two records of an author never share one (the smaller id
   * wins where they do). Below 2^48.
   */
  readonly clock: number
  /** Seconds since 1970, by the author's clock. */
  readonly timeS: number
  readonly content: RecordContent
}

/** A decoded record; its signature is not checked by decoding (verifyRecord). */
export interface ChannelRecord extends UnsignedRecord {
  readonly id: RecordId
  /** The whole encoding, signature included: what travels and is stored. */
  readonly bytes: Uint8Array
}

/**
 * The head of a channel: what its owner says its content is. It IS a BEP 44 mutable item without salt, so that a head
 * that came by gossip can be stored with the DHT by any holder, and the other way round.
 */
export interface ChannelHead {
  readonly channel: ChannelId
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** The item's seq, from 1; a higher one replaces a lower one. */
  readonly sequence: number
  /** Records in the set. */
  readonly records: number
  /** Root of the tree over the ids of the set (tree.ts), 32 bytes. */
  readonly root: Uint8Array
  readonly timeS: number
  /** Info hash of the torrent of record files that holds this very set (`ih`, BEP 46); null: there is none. */
  readonly pack: InfoHash | null
  /** Raw bencode of the item: `{ih, n, r, t}`. */
  readonly value: Uint8Array
  /** 64 bytes over BEP 44's signed bytes. */
  readonly signature: Uint8Array
}

/** What a node says of a channel; the newest of a voter counts. */
export interface ChannelVote {
  readonly channel: ChannelId
  /** The voter's Ed25519 public key, 32 bytes. */
  readonly voter: Uint8Array
  /** 1: subscribed; -1: spam; 0: taken back. */
  readonly value: 1 | 0 | -1
  readonly timeS: number
  /** The whole encoding, signature included. */
  readonly bytes: Uint8Array
}

/**
 * A node of the tree over the sorted ids of a set: the ids whose hexadecimal form starts with `prefix` (0 to 64
 * digits). At most MAX_LEAF_IDS ids make a leaf, more an inner node with a child for each next digit that occurs.
 */
export type TreeNode =
  | { readonly kind: 'leaf'; readonly ids: readonly RecordId[] }
  | {
      readonly kind: 'inner'
      /** In the order of their digits. */
      readonly children: readonly { readonly digit: number; readonly count: number; readonly hash: Uint8Array }[]
    }

/** Most ids of a leaf of the tree. */
export const MAX_LEAF_IDS = 32
