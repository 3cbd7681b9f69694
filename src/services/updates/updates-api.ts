// What crosses the interface of torrents that are updated through the DHT (BEP 46; extra). Times are Unix times in
// seconds, 0 = never; sequence numbers are decimal text, since they have 63 bits.

/** A version of a followed torrent. */
export interface UpdateVersion {
  infohash: string
  /** '' = named by the link itself. */
  seq: string
  time: number
}

/** A key that is followed. */
export interface FollowedUpdate {
  /** Where its item lies in the DHT, 40 hexadecimal digits: the name of this entry. */
  target: string
  uri: string
  public_key: string
  salt: string
  /** The newest version; '' = none was found yet. */
  infohash: string
  seq: string
  /**
   * searching: nothing was found yet; following; paused: the newest version is stopped, so nothing is looked up; off:
   * this node has no DHT.
   */
  state: 'searching' | 'following' | 'paused' | 'off'
  time_added: number
  /** When the DHT was asked last. */
  time_checked: number
  /** When the newest version was taken up. */
  time_updated: number
  /** Oldest first. */
  versions: UpdateVersion[]
  /** Readable; '' = none. */
  error: string
}

/** A torrent published under this node's key. */
export interface PublishedUpdate {
  /** The salt of its item. */
  name: string
  infohash: string
  /** The link that others add. */
  uri: string
  public_key: string
  salt: string
  seq: string
  time_published: number
  /** Nodes of the DHT that took it last; 0 = none yet: it is tried again. */
  copies: number
  error: string
}

/** Following and publishing. */
export interface UpdatesService {
  followed(): FollowedUpdate[]
  /** Looks now. AppErrors UpdateNotFound, DhtUnavailable, NotReady. */
  check(target: string): Promise<{ target: string; infohash: string; seq: string; updated: boolean }>
  /** Stops following; downloads stay. AppErrors UpdateNotFound, NotReady. */
  unfollow(target: string): Promise<{ target: string; removed: boolean }>
  published(): PublishedUpdate[]
  /**
   * Says under `name` (1 to 64 bytes) that the newest version is this download. AppErrors DownloadNotFound,
   * MetadataNotFound, StateConflict (private, or too many), InvalidParameter, DhtUnavailable, NotReady.
   */
  publish(name: string, infohash: string): Promise<PublishedUpdate>
  /** Says it no more; what nodes hold ends within two hours. AppErrors UpdateNotFound, NotReady. */
  withdraw(name: string): Promise<{ name: string; removed: boolean }>
}
