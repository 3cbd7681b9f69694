// Every download by its info hash, with the store and the engine once they are there: what the parts of the service
// share. It answers no request by itself.
// Invariant: a column of an entry's row changes only after the store has it.

import { AppError } from '../../base/errors.ts'
import { type InfoHash, type InfoHashV2, parseInfoHash, parseInfoHashV2, truncatedInfoHash } from '../../base/ids.ts'
import type { DownloadChange, DownloadRecords } from '../../ports/records.ts'
import { swarmHashes } from '../../wire/metainfo/metainfo.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { DownloadEntry } from './download-entry.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import { QueueOrder } from './queue/queue-order.ts'
import type { CircuitFacts } from '../../ports/overlay-network.ts'
import type { AnonymousEngines, TorrentEngine } from './torrent-engine.ts'

/** The entries of a service. */
export class DownloadSet {
  readonly entries = new Map<InfoHash, DownloadEntry>()
  /** What downloads are known as that have other names too: the whole v2 hash, the v1 hash of a hybrid known by v2. */
  readonly #names = new Map<string, InfoHash>()
  readonly #othersOf = new Map<InfoHash, string[]>()
  #entered = 0
  /** What is done to one download, one after the other. */
  readonly queue = new KeyedQueue<InfoHash>()
  /** Who goes first in the queue. */
  readonly order = new QueueOrder<InfoHash>()
  /** Null until the store is open. */
  records: DownloadRecords | null = null
  /** Null until loading begins. */
  engine: TorrentEngine | null = null
  /** Engines of downloads over circuits; null until loading begins, and where there are none. */
  anonymous: AnonymousEngines | null = null
  /** Every download of the store is here. */
  listed = false
  /** All are loaded, and requests that change something are taken. */
  ready = false
  /** Hears of each download that comes, and whose row names other places of files. */
  placed: (entry: DownloadEntry) => void = () => undefined

  /**
   * The download of that name: what it is known as, or another info hash it has. AppErrors DownloadNotFound, NotReady.
   */
  find(infohash: string): DownloadEntry {
    const entry = this.lookUp(infohash)
    if (entry === null) throw new AppError('DownloadNotFound')
    return entry
  }

  /** The same, null when there is none. AppError NotReady. */
  lookUp(infohash: string): DownloadEntry | null {
    this.checkListed()
    // As nearly every request writes it. No text but an info hash is among them.
    const same = this.entries.get(infohash as InfoHash)
    if (same !== undefined) return same
    const infoHash = parseInfoHash(infohash)
    const other = this.#names.get(parseInfoHashV2(infohash) ?? infoHash ?? '')
    const known = infoHash === null ? undefined : this.entries.get(infoHash)
    return known ?? (other === undefined ? null : (this.entries.get(other) ?? null))
  }

  /** Its v1 info hash, where it is known that it has one. */
  v1Of({ stored }: DownloadEntry): InfoHash {
    const { infoHash, infoHashV2 } = stored
    if (infoHashV2 === null || truncatedInfoHash(infoHashV2) !== infoHash) return infoHash
    const v1 = (this.#othersOf.get(infoHash) ?? []).find(name => name !== infoHashV2)
    return (v1 as InfoHash | undefined) ?? infoHash
  }

  /** Takes a download in, under all its names. */
  enter(entry: DownloadEntry): void {
    if (entry.number === 0) entry.number = ++this.#entered
    const { infoHash, position, queueOrder = position } = entry.stored
    this.entries.set(infoHash, entry)
    const order = this.order.enter(infoHash, queueOrder)
    if (order !== queueOrder) entry.setQueueOrder(order)
    entry.placed = this.placed
    this.placed(entry)
    this.#nameV2(entry)
  }

  /** The metadata of a download is known, and with it all its info hashes. */
  named(entry: DownloadEntry, metainfo: Metainfo): void {
    const { stored } = entry
    const infoHashV2 = metainfo.v2?.infoHash ?? null
    if (infoHashV2 === null) return
    if (stored.infoHashV2 !== infoHashV2) entry.stored = { ...stored, infoHashV2 }
    this.#nameV2(entry)
    for (const name of swarmHashes(metainfo)) this.#name(entry, name)
  }

  /** The download is gone. */
  forget(infoHash: InfoHash): void {
    for (const name of this.#othersOf.get(infoHash) ?? []) this.#names.delete(name)
    this.#othersOf.delete(infoHash)
    this.order.forget(infoHash)
    this.entries.delete(infoHash)
  }

  /** What a torrent is known as here that is called `infoHash` and, where it is known, `infoHashV2`. */
  knownAs(infoHash: InfoHash, infoHashV2: InfoHashV2 | null): InfoHash {
    const names = [infoHash, ...(infoHashV2 === null ? [] : [truncatedInfoHash(infoHashV2), infoHashV2])]
    for (const name of names) {
      const known = this.#names.get(name) ?? (name as InfoHash)
      if (this.entries.has(known)) return known
    }
    return infoHash
  }

  /** Another download that is the same torrent, and has its metadata: two magnets may lead to one hybrid. */
  twinOf({ stored }: DownloadEntry, metainfo: Metainfo): InfoHash | null {
    const names = [...swarmHashes(metainfo), ...(metainfo.v2 === null ? [] : [metainfo.v2.infoHash])]
    const twins = names.map(name => this.#names.get(name) ?? (name as InfoHash))
    const hasMetadata = (known: InfoHash): boolean => (this.entries.get(known)?.stored.pieceCount ?? 0) > 0
    return twins.find(known => known !== stored.infoHash && hasMetadata(known)) ?? null
  }

  #nameV2(entry: DownloadEntry): void {
    const { infoHashV2 } = entry.stored
    if (infoHashV2 === null) return
    this.#name(entry, infoHashV2)
    this.#name(entry, truncatedInfoHash(infoHashV2))
  }

  /** A download that has a name already keeps it. */
  #name({ stored }: DownloadEntry, name: string): void {
    const { infoHash } = stored
    if (name === infoHash || this.#names.has(name)) return
    this.#names.set(name, infoHash)
    this.#othersOf.set(infoHash, [...(this.#othersOf.get(infoHash) ?? []), name])
  }

  /** AppError NotReady until it is known which downloads there are. */
  checkListed(): void {
    if (!this.listed) throw new AppError('NotReady')
  }

  /** AppError NotReady until all are loaded, and once the service stops. */
  checkReady(): void {
    if (!this.ready) throw new AppError('NotReady')
  }

  /** AppError NotReady before it is open. */
  get store(): DownloadRecords {
    if (this.records === null) throw new AppError('NotReady')
    return this.records
  }

  /** AppError NotReady before it is there. */
  get running(): TorrentEngine {
    if (this.engine === null) throw new AppError('NotReady')
    return this.engine
  }

  /** The engine of a hop count. Rejects with AppError NotReady, CircuitsUnavailable, Aborted. */
  async engineOf(hops: number): Promise<TorrentEngine> {
    if (hops === 0) return this.running
    if (this.anonymous === null) throw new AppError('CircuitsUnavailable')
    return this.anonymous.engine(hops)
  }

  /** Tells what is known of the circuits of a hop count; null where none are needed. */
  factsOf(hops: number): (() => CircuitFacts) | null {
    const { anonymous } = this
    return hops === 0 || anonymous === null ? null : () => anonymous.facts(hops)
  }

  /** Writes the change to the store, then to the entry. Rejects as the store does. */
  async update(entry: DownloadEntry, change: DownloadChange): Promise<void> {
    await this.store.update(entry.stored.infoHash, change)
    const { infoBytes: _info, pieceLayers: _layers, ownFiles: _own, ...columns } = change
    entry.stored = { ...entry.stored, ...columns }
  }
}
