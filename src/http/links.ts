// Signed links: a token in the query that opens one file of one download for reading, for a while, without a key
// (decisions part 1). It is a MAC over infohash, file index and expiry; nothing is stored. Links that are given away
// for longer have the id of their entry in a list too, from which they can be taken (decision 0540).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import type { GivenLink, GivenLinks } from '../ports/viewing/given-links.ts'

const DEFAULT_LIFETIME_MS = 24 * 3600 * 1000
/** Expiry is rounded down to this, so that listings made shortly after each other give the same link. */
const EXPIRY_STEP_S = 600
/** In the place of a file index; no file has it. */
const FEED = 'feed'
/** An expiry that is none. */
const NEVER_S = 999_999_999_999
const TOKEN = /^([1-9][0-9]{0,11})\.(?:([A-Za-z0-9_-]{16})\.)?([A-Za-z0-9_-]{43})$/
const NONE_GIVEN: GivenLinks = { find: () => null, admits: () => false }

/** Makes and checks signed links. */
export class LinkSigner {
  readonly #secret: Uint8Array
  readonly #clock: Clock
  readonly #lifetimeMs: number
  readonly #given: GivenLinks

  /** `secret`: at least 32 bytes, used for nothing else. Throws RangeError for a shorter one. */
  constructor(
    secret: Uint8Array,
    clock: Clock,
    lifetimeMs: number = DEFAULT_LIFETIME_MS,
    given: GivenLinks = NONE_GIVEN,
  ) {
    if (secret.length < 32) throw new RangeError('the secret of signed links needs 32 bytes')
    this.#secret = secret
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
    this.#given = given
  }

  /** The path and query that open file `fileIndex` of the download. */
  streamUrl(infohash: string, fileIndex: number): string {
    return `/downloads/${infohash}/stream/${fileIndex}?token=${this.fileToken(infohash, fileIndex)}`
  }

  /**
   * The same with a name at the end of the path, for players that look at it. `given`: it lasts as long as that link,
   * and is taken back with it.
   */
  namedStreamUrl(infohash: string, fileIndex: number, name: string, given: GivenLink | null = null): string {
    const token = this.fileToken(infohash, fileIndex, given)
    return `/downloads/${infohash}/stream/${fileIndex}/${encodeSegment(name)}?token=${token}`
  }

  /** What opens the file, and what is made of it. `given`: as of namedStreamUrl(). */
  fileToken(infohash: string, fileIndex: number, given: GivenLink | null = null): string {
    const index = String(fileIndex)
    return given === null ? this.#token(infohash, index) : this.#givenToken(given, index)
  }

  /** The path and query that open the playlist of the download, and no file by itself. */
  playlistUrl(infohash: string): string {
    return `/downloads/${infohash}/playlist.m3u?token=${this.#token(infohash, '')}`
  }

  /** The path and query of a link that was given away. */
  givenUrl(link: GivenLink): string {
    const { infohash, fileIndex, of } = link
    if (fileIndex === null) return `/downloads/${infohash}/playlist.m3u?token=${this.#givenToken(link, '')}`
    return this.namedStreamUrl(infohash, fileIndex, of.slice(of.lastIndexOf('/') + 1), link)
  }

  #givenToken({ id, infohash, endsMs }: GivenLink, fileIndex: string): string {
    const expiry = endsMs === null ? NEVER_S : Math.floor(endsMs / 1000)
    return `${expiry}.${id}.${this.#mac(infohash, fileIndex, expiry, id).toString('base64url')}`
  }

  /** The link of the list that a token belongs to, whether it opens anything or not; null: none, or taken back. */
  givenBy(token: string): GivenLink | null {
    const id = TOKEN.exec(token)?.[2]
    return id === undefined ? null : this.#given.find(id)
  }

  /** Whether a link of the list may be used from a device; the first one of a link for one device stays it. */
  admits({ id }: GivenLink, device: string): boolean {
    return this.#given.admits(id, device)
  }

  /**
   * The path and query that open the feed of a channel, and nothing else. Feed readers keep an address for years, so it
   * ends with the secret only.
   */
  feedUrl(cid: string, format: 'atom' | 'rss'): string {
    const mac = this.#mac(cid, FEED, NEVER_S).toString('base64url')
    return `/channels/discovered/${cid}/feed?format=${format}&token=${NEVER_S}.${mac}`
  }

  /** Whether `token` opens the feed of the channel. */
  opensFeed(cid: string, token: string): boolean {
    return this.opens(cid, FEED, token)
  }

  #token(infohash: string, fileIndex: string): string {
    const latest = Math.floor((this.#clock.wallMs() + this.#lifetimeMs) / 1000)
    const expiry = this.#lifetimeMs / 1000 > 2 * EXPIRY_STEP_S ? latest - (latest % EXPIRY_STEP_S) : latest
    return `${expiry}.${this.#mac(infohash, fileIndex, expiry).toString('base64url')}`
  }

  /** Whether `token` opens the file now; `fileIndex` '' = the playlist. Compared in constant time. */
  opens(infohash: string, fileIndex: string, token: string): boolean {
    const match = TOKEN.exec(token)
    if (match === null) return false
    const expiry = Number(match[1])
    const id = match[2]
    const mac = Buffer.from(match[3] ?? '', 'base64url')
    const right = this.#mac(infohash.toLowerCase(), fileIndex, expiry, id)
    if (mac.length !== right.length || !timingSafeEqual(mac, right) || expiry * 1000 <= this.#clock.wallMs())
      return false
    return id === undefined || this.#given.find(id) !== null
  }

  // Neither part can have a slash in it: no text of one kind is one of the other.
  #mac(infohash: string, fileIndex: string, expiry: number, id?: string): Buffer {
    const text = `${infohash}/${fileIndex}/${expiry}`
    return createHmac('sha256', this.#secret)
      .update(id === undefined ? text : `${text}/${id}`)
      .digest()
  }
}

// Lone halves of surrogate pairs have no encoding, and a name of dots would be cut out of the path.
function encodeSegment(name: string): string {
  const encoded = encodeURIComponent(Buffer.from(name).toString())
  return /^\.{1,2}$/.test(encoded) || encoded === '' ? 'file' : encoded
}
