// Signed links: a token in the query that opens one file of one download for reading, for a while, without a key
// (decisions part 1). It is a MAC over infohash, file index and expiry; nothing is stored.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'

const DEFAULT_LIFETIME_MS = 24 * 3600 * 1000
/** Expiry is rounded down to this, so that listings made shortly after each other give the same link. */
const EXPIRY_STEP_S = 600
/** In the place of a file index; no file has it. */
const FEED = 'feed'
/** An expiry that is none. */
const NEVER_S = 999_999_999_999
const TOKEN = /^([1-9][0-9]{0,11})\.([A-Za-z0-9_-]{43})$/

/** Makes and checks signed links. */
export class LinkSigner {
  readonly #secret: Uint8Array
  readonly #clock: Clock
  readonly #lifetimeMs: number

  /** `secret`: at least 32 bytes, used for nothing else. Throws RangeError for a shorter one. */
  constructor(secret: Uint8Array, clock: Clock, lifetimeMs: number = DEFAULT_LIFETIME_MS) {
    if (secret.length < 32) throw new RangeError('the secret of signed links needs 32 bytes')
    this.#secret = secret
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  /** The path and query that open file `fileIndex` of the download. */
  streamUrl(infohash: string, fileIndex: number): string {
    return `/downloads/${infohash}/stream/${fileIndex}?token=${this.#token(infohash, String(fileIndex))}`
  }

  /** The same with a name at the end of the path, for players that look at it. */
  namedStreamUrl(infohash: string, fileIndex: number, name: string): string {
    const token = this.#token(infohash, String(fileIndex))
    return `/downloads/${infohash}/stream/${fileIndex}/${encodeSegment(name)}?token=${token}`
  }

  /** The path and query that open the playlist of the download, and no file by itself. */
  playlistUrl(infohash: string): string {
    return `/downloads/${infohash}/playlist.m3u?token=${this.#token(infohash, '')}`
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
    const mac = Buffer.from(match[2] ?? '', 'base64url')
    const right = this.#mac(infohash.toLowerCase(), fileIndex, expiry)
    return mac.length === right.length && timingSafeEqual(mac, right) && expiry * 1000 > this.#clock.wallMs()
  }

  #mac(infohash: string, fileIndex: string, expiry: number): Buffer {
    return createHmac('sha256', this.#secret).update(`${infohash}/${fileIndex}/${expiry}`).digest()
  }
}

// Lone halves of surrogate pairs have no encoding, and a name of dots would be cut out of the path.
function encodeSegment(name: string): string {
  const encoded = encodeURIComponent(Buffer.from(name).toString())
  return /^\.{1,2}$/.test(encoded) || encoded === '' ? 'file' : encoded
}
