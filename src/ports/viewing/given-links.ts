// Links that were given away for longer than a day: each is on a list, from which it can be taken.

/** A link, as it is kept. */
export interface GivenLink {
  /** 16 letters, digits, `-`, `_`: part of the token. */
  readonly id: string
  /** For whom or what, in its maker's words. */
  readonly name: string
  readonly infohash: string
  /** Null: the playlist of the download, with all that is in it. */
  readonly fileIndex: number | null
  /** Name of the file or download when it was made. */
  readonly of: string
  /** Milliseconds since 1970. */
  readonly createdMs: number
  /** The same; null = until it is taken back. */
  readonly endsMs: number | null
  /** It opens for the first device that uses it, and no other. */
  readonly oneDevice: boolean
  /** From where that came: an IPv4 address or the first 64 bits of an IPv6 address; '' = nobody has used it yet. */
  readonly device: string
}

/** What a gate asks of the list. */
export interface GivenLinks {
  /** Null: none of this id, or it has ended. */
  find(id: string): GivenLink | null
  /** Whether the link may be used from `device` (GivenLink.device); the first one of a link for one device stays it. */
  admits(id: string, device: string): boolean
}
