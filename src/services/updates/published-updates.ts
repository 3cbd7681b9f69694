// Publishing torrents that are updated (BEP 46): one item of the DHT a name, under this node's key, put again before
// nodes forget it. Invariants: a sequence number is durable before it leaves this node and never used for two torrents;
// a private torrent (BEP 27) or one over circuits is not named in the DHT.

import { Ending } from '../../base/ending.ts'
import { AppError, errorText } from '../../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { FoundSignedItem, MutableItems } from '../../ports/dht-items.ts'
import type { Ed25519 } from '../../ports/ed25519.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { PublishedTorrent, UpdateRecords } from '../../ports/update-records.ts'
import { MAX_SALT_BYTES, signedBytes } from '../../wire/dht/dht-item.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { decodeUpdateItem, encodeUpdateItem } from '../../wire/update-item.ts'
import { formatUpdateLink } from '../../wire/update-link.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import type { PublishedUpdate } from './updates-api.ts'

/** Names at a time. */
const MAX_PUBLISHED = 200
/** Items end after two hours (BEP 44); this leaves room for a failure. */
const PUT_EVERY_MS = 45 * 60_000
/** Pause after a put that no node took; then twice as long. */
const RETRY_MS = 30_000
/** The item would name the torrent to everybody, from this node's address. */
const HIDDEN = 'A download over circuits (anon_hops) is not named in the DHT.'
const MAX_SEQ = 2n ** 63n - 1n

/** What publishing needs of the node. */
export interface PublishedUpdatesDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly ed25519: Ed25519
  /**
   * The seed of this node's key pair, 32 bytes, made when it is asked for first. AppErrors StateUnreadable, DiskFull,
   * DiskError.
   */
  openSeed(): Promise<Uint8Array>
  /** Null: no download, or its metadata is not known. AppErrors DownloadNotFound, NotReady. */
  metainfo(infoHash: InfoHash): Promise<Metainfo | null>
  /** It is a download over circuits. */
  hidden(infoHash: InfoHash): boolean
}

interface Published {
  torrent: PublishedTorrent
  timer: Timer | null
  copies: number
  misses: number
  error: string
}

/**
 * Publishing torrents that are updated (BEP 46): one item of the DHT a name, under this node's key, put again before
 * nodes forget it.
 */
export class PublishedUpdates {
  readonly #deps: PublishedUpdatesDeps
  readonly #published = new Map<string, Published>()
  readonly #queue = new KeyedQueue<string>()
  readonly #ending = new Ending()
  #records: UpdateRecords | null = null
  #items: MutableItems | null = null
  #seed: Uint8Array | null = null

  constructor(deps: PublishedUpdatesDeps) {
    this.#deps = deps
  }

  /** Goes on publishing what is stored; `items` is null where there is no DHT. */
  async start(records: UpdateRecords, items: MutableItems | null): Promise<void> {
    this.#items = items
    const rows = await records.published()
    if (rows.length > 0) this.#seed = await this.#deps.openSeed()
    for (const torrent of rows) this.#putIn(this.#enter(torrent), this.#deps.random.below(RETRY_MS))
    this.#records = records
  }

  /** Puts no more; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#ending.end(new AppError('Aborted', 'The node is stopping.'))
    for (const { timer } of this.#published.values()) timer?.cancel()
    await this.#queue.drained()
  }

  list(): PublishedUpdate[] {
    return [...this.#published.values()].map(entry => this.#record(entry))
  }

  /** See UpdatesService.publish. */
  async publish(name: string, infohash: string): Promise<PublishedUpdate> {
    const records = this.#ready()
    checkName(name)
    const infoHash = await this.#publishable(infohash)
    const items = this.#items
    if (items === null) throw new AppError('DhtUnavailable')
    if (!this.#published.has(name) && this.#published.size >= MAX_PUBLISHED)
      throw new AppError('StateConflict', `No more than ${MAX_PUBLISHED} names are published.`)
    this.#seed ??= await this.#deps.openSeed()
    const seed = this.#seed
    return this.#queue.run(name, async () => {
      const key = this.#deps.ed25519.publicKey(seed)
      // Another computer may have published under the same key, and this one may have lost its records.
      const found = await this.#ending.until(items.find(key, saltOf(name)))
      const say = async (highest: FoundSignedItem | null): Promise<FoundSignedItem | null> => {
        const torrent = this.#next(name, infoHash, highest, seed)
        await records.keepPublished(torrent)
        return this.#put(this.#enter(torrent), items)
      }
      // A young node may have seen nothing at first, and meets a newer item only where it puts its own.
      const newer = await say(found)
      if (newer !== null) await say(newer)
      return this.#record(this.#get(name))
    })
  }

  /** See UpdatesService.withdraw. */
  async withdraw(name: string): Promise<{ name: string; removed: boolean }> {
    const records = this.#ready()
    if (!this.#published.has(name)) throw new AppError('UpdateNotFound')
    await this.#queue.run(name, async () => {
      await records.dropPublished(name)
      this.#published.get(name)?.timer?.cancel()
      this.#published.delete(name)
    })
    return { name, removed: true }
  }

  #ready(): UpdateRecords {
    if (this.#records === null || this.#ending.over) throw new AppError('NotReady')
    return this.#records
  }

  #get(name: string): Published {
    const entry = this.#published.get(name)
    if (entry === undefined) throw new AppError('UpdateNotFound')
    return entry
  }

  async #publishable(infohash: string): Promise<InfoHash> {
    const infoHash = parseInfoHash(infohash)
    if (infoHash === null) throw new AppError('DownloadNotFound')
    const metainfo = await this.#deps.metainfo(infoHash)
    if (metainfo === null) throw new AppError('MetadataNotFound')
    if (this.#deps.hidden(infoHash)) throw new AppError('StateConflict', HIDDEN)
    if (metainfo.private) throw new AppError('StateConflict', 'A private torrent is not named in the DHT.')
    return infoHash
  }

  /** What to put next: the same again under its number, something new under a higher one than any seen. */
  #next(name: string, infoHash: InfoHash, found: FoundSignedItem | null, seed: Uint8Array): PublishedTorrent {
    const before = this.#published.get(name)?.torrent ?? null
    const highest = [before?.seq ?? 0n, found?.seq ?? 0n].reduce((a, b) => (a > b ? a : b))
    if (before?.infoHash === infoHash && before.seq === highest && this.#isOurs(before)) return before
    if (highest >= MAX_SEQ) throw new AppError('StateConflict', 'The sequence numbers of this name are used up.')
    const seq = highest + 1n
    const value = encodeUpdateItem(infoHash)
    const signature = this.#deps.ed25519.sign(signedBytes(saltOf(name), seq, value), seed)
    return { name, infoHash, seq, value, signature, publishedAtMs: this.#deps.clock.wallMs() }
  }

  /** Signed with the key of now. */
  #isOurs({ name, seq, value, signature }: PublishedTorrent): boolean {
    const { ed25519 } = this.#deps
    if (this.#seed === null) return false
    return ed25519.verify(signature, signedBytes(saltOf(name), seq, value), ed25519.publicKey(this.#seed))
  }

  #enter(torrent: PublishedTorrent): Published {
    const known = this.#published.get(torrent.name)
    const entry = known ?? { torrent, timer: null, copies: 0, misses: 0, error: '' }
    entry.torrent = torrent
    this.#published.set(torrent.name, entry)
    return entry
  }

  #putIn(entry: Published, delayMs: number): void {
    entry.timer?.cancel()
    const items = this.#items
    if (this.#ending.over || items === null) return
    const { name } = entry.torrent
    const run = async (): Promise<void> => {
      if (this.#published.get(name) === entry && !this.#ending.over) await this.#put(entry, items)
    }
    entry.timer = this.#deps.clock.after(delayMs, () => void this.#queue.run(name, run))
  }

  /** Stores it with the DHT: a newer item that was met, else null. Never rejects. */
  async #put(entry: Published, items: MutableItems): Promise<FoundSignedItem | null> {
    const { torrent } = entry
    let met: FoundSignedItem | null = null
    try {
      if (this.#seed === null || !this.#isOurs(torrent))
        throw new AppError('StateConflict', 'The key of this node is another one now: publish it again.')
      if (this.#deps.hidden(torrent.infoHash)) throw new AppError('StateConflict', HIDDEN)
      const item = { key: this.#deps.ed25519.publicKey(this.#seed), salt: saltOf(torrent.name), ...torrent }
      const { stored, newer } = await this.#ending.until(items.store(item))
      met = newer
      entry.copies = stored
      entry.error = newer === null ? '' : supersededBy(newer)
      entry.misses = stored > 0 ? 0 : entry.misses + 1
    } catch (error) {
      entry.misses++
      entry.error = errorText(error)
      if (!this.#ending.over) this.#deps.log.warn('an update could not be published', { name: torrent.name, error })
    }
    this.#putIn(entry, this.#delay(entry))
    return met
  }

  #delay({ misses }: Published): number {
    const wanted = misses === 0 ? PUT_EVERY_MS : Math.min(PUT_EVERY_MS, RETRY_MS * 2 ** Math.min(misses - 1, 20))
    return wanted - this.#deps.random.below(Math.floor(wanted / 5))
  }

  #record({ torrent, copies, error }: Published): PublishedUpdate {
    const { name, infoHash, seq, publishedAtMs } = torrent
    const publicKey = this.#seed === null ? '' : hex(this.#deps.ed25519.publicKey(this.#seed))
    const salt = hex(saltOf(name))
    return {
      name,
      infohash: infoHash,
      uri: formatUpdateLink({ publicKey, salt, name }),
      public_key: publicKey,
      salt,
      seq: `${seq}`,
      time_published: Math.floor(publishedAtMs / 1000),
      copies,
      error,
    }
  }
}

function saltOf(name: string): Uint8Array {
  return Buffer.from(name, 'utf8')
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** AppError InvalidParameter. */
function checkName(name: string): void {
  const bytes = Buffer.byteLength(name, 'utf8')
  if (bytes === 0 || bytes > MAX_SALT_BYTES || /\p{Cc}/u.test(name))
    throw new AppError('InvalidParameter', `name: must have 1 to ${MAX_SALT_BYTES} bytes and no control characters.`)
}

/** The error when another node publishes under the same key. */
function supersededBy({ seq, value }: FoundSignedItem): string {
  try {
    return `Another computer has published ${decodeUpdateItem(value)} as number ${seq} under this key.`
  } catch {
    return `Another computer has published number ${seq} under this key.`
  }
}
