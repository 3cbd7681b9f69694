// Durable records of torrents that are updated (BEP 46): keys that are followed, the newest item of each, and what was
// published under our own. Promises settle after the commit and reject as those of ports/records.ts.

import type { InfoHash } from '../base/ids.ts'

/** A version that was taken up; times in milliseconds since 1970. */
export interface TakenVersion {
  readonly infoHash: InfoHash
  /** Null = named by the link itself. */
  readonly seq: bigint | null
  readonly takenAtMs: number
}

/** What a key said last, in its own words: enough to say it again. */
export interface HeldItem {
  readonly seq: bigint
  /** Raw bencode. */
  readonly value: Uint8Array
  readonly signature: Uint8Array
}

/** A key that is followed. */
export interface FollowedKey {
  /** Where its item lies, 40 hexadecimal digits: the name of this row. */
  readonly target: string
  /** Hexadecimal digits; `salt` is '' for none. */
  readonly publicKey: string
  readonly salt: string
  /** The link it came from. */
  readonly uri: string
  /** What was asked for with the link, as JSON: for the first version. */
  readonly request: string
  readonly addedAtMs: number
  /** Null = nothing was found yet. */
  readonly held: HeldItem | null
  /** Oldest first; the last one is the newest. */
  readonly versions: readonly TakenVersion[]
}

/** A torrent published under our own key; the name is its salt. */
export interface PublishedTorrent extends HeldItem {
  readonly name: string
  readonly infoHash: InfoHash
  readonly publishedAtMs: number
}

/** The durable lists of both. */
export interface UpdateRecords {
  followed(): Promise<FollowedKey[]>
  /** Adds or replaces the row. */
  keepFollowed(key: FollowedKey): Promise<void>
  /** Removes the row; nothing when there is none. */
  dropFollowed(target: string): Promise<void>
  published(): Promise<PublishedTorrent[]>
  keepPublished(torrent: PublishedTorrent): Promise<void>
  dropPublished(name: string): Promise<void>
}
