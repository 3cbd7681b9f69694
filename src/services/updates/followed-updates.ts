// Following torrents that are updated through the DHT (BEP 46): asks for the item of each key at intervals, takes up a
// version whose sequence number is higher than that of the last, and puts the item again where few nodes have it. Knows
// downloads only through update-versions.ts. Invariants: the sequence number of a key never falls; a row is durable
// before its version is added, so a kill between the two loses nothing; deleting the newest version ends following its
// key.

import { Ending } from '../../base/ending.ts'
import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { FoundSignedItem, MutableItems } from '../../ports/dht-items.ts'
import type { Log } from '../../ports/log.ts'
import type { FileRun } from '../../ports/progress-journal.ts'
import type { Random } from '../../ports/random.ts'
import type { FollowedKey, TakenVersion, UpdateRecords } from '../../ports/update-records.ts'
import { mutableTarget } from '../../wire/dht/dht-item.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { decodeUpdateItem } from '../../wire/update-item.ts'
import type { UpdateLink } from '../../wire/update-link.ts'
import type { AddDownload } from '../downloads/downloads-api.ts'
import type { EventHub } from '../events/events.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import type { FollowedUpdate } from './updates-api.ts'
import { newestOf, type OldVersions, type UpdateVersions } from './update-versions.ts'

/** Keys followed at a time. */
const MAX_FOLLOWED = 500
/** Lookups under way at a time; each asks some tens of nodes. */
const MAX_LOOKUPS = 4
/** The first look after a start comes within this time, so that nodes that start together do not ask together. */
const FIRST_LOOK_MS = 60_000
/** A key without a version yet is looked up again after this time, then twice as long, up to the interval. */
const RETRY_MS = 30_000
/**
 * PUT waits this long for the first version, and asks again after this time: the DHT of a young node knows few nodes
 * yet.
 */
const PATIENCE_MS = 20_000
const ASK_ANEW_MS = 2000
/** Updates are found and kept in the plain DHT. */
const HIDDEN = 'The newest version goes over circuits (anon_hops): the plain DHT is not asked for the next one.'
/** An item that fewer nodes have is put again. */
const WANTED_COPIES = 4

/** Section updates of the settings. */
export interface UpdateSettings {
  readonly intervalMs: number
  readonly oldVersions: OldVersions
}

/** What following needs of the node. */
export interface FollowedUpdatesDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly versions: UpdateVersions
  settings(): UpdateSettings
}

interface Followed {
  key: FollowedKey
  timer: Timer | null
  checkedMs: number
  misses: number
  /** What went wrong last, null = nothing. */
  failure: unknown
  /** The highest sequence number that said something else than a torrent. */
  refused: bigint
}

/**
 * Following torrents that are updated through the DHT (BEP 46): asks for the item of each key at intervals, takes up a
 * version whose sequence number is higher than that of the last, and puts the item again where few nodes have it.
 */
export class FollowedUpdates {
  readonly #deps: FollowedUpdatesDeps
  readonly #followed = new Map<string, Followed>()
  readonly #byVersion = new Map<InfoHash, string>()
  /** Work on one key, one after the other. */
  readonly #queue = new KeyedQueue<string>()
  readonly #waiting: (() => void)[] = []
  /** A lookup may take longer than a node has to stop. */
  readonly #ending = new Ending()
  #lookups = 0
  #records: UpdateRecords | null = null
  #items: MutableItems | null = null

  constructor(deps: FollowedUpdatesDeps) {
    this.#deps = deps
  }

  /** Begins to follow what is stored; `items` is null where there is no DHT. All downloads are loaded. */
  async start(records: UpdateRecords, items: MutableItems | null): Promise<void> {
    this.#items = items
    for (const key of await records.followed()) {
      const entry = this.#enter(key)
      this.#deps.versions.show(key)
      this.#lookIn(entry, this.#deps.random.below(Math.min(FIRST_LOOK_MS, this.#deps.settings().intervalMs)))
    }
    this.#records = records
  }

  /** Looks no more; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#ending.end(new AppError('Aborted', 'The node is stopping.'))
    for (const entry of this.#followed.values()) entry.timer?.cancel()
    for (const go of this.#waiting.splice(0)) go()
    await this.#queue.drained()
  }

  /** Follows a link: answers with its first version, or that none was found yet. Rejects as adding a download does. */
  async follow(request: AddDownload, link: UpdateLink): Promise<{ started: boolean; infohash: string }> {
    const records = this.#ready()
    if (request.selected_files !== undefined || request.file_priorities !== undefined || link.selectedFiles !== null)
      throw new AppError('InvalidParameter', 'Files cannot be chosen by number: the next version may have others.')
    if (this.#items === null && link.first === null) throw new AppError('DhtUnavailable')
    const target = targetOf(link)
    const known = this.#followed.get(target)
    const entry = known ?? this.#add(target, request, link)
    if (known === undefined) await this.#begin(entry, link, records)
    if (newestOf(entry.key) === null) await this.#firstLook(entry)
    if (known === undefined && this.#deps.versions.missing(entry.key)) {
      // What was asked for cannot be: nothing of it stays.
      await this.unfollow(target)
      throw entry.failure
    }
    const infohash = newestOf(entry.key)?.infoHash ?? ''
    return { started: infohash !== '', infohash }
  }

  /**
   * The metadata of a torrent is known and none of its files was touched: older versions end now. Answers which of its
   * files were theirs.
   */
  async metadataKnown(infoHash: InfoHash, metainfo: Metainfo): Promise<readonly FileRun[]> {
    const entry = this.#followed.get(this.#byVersion.get(infoHash) ?? '')
    if (entry === undefined || newestOf(entry.key)?.infoHash !== infoHash) return []
    return this.#deps.versions.leaveBehind(entry.key, metainfo, this.#deps.settings().oldVersions)
  }

  /**
   * A user removes this download: a key without its newest version is not followed. Called before the download goes.
   */
  async removing(infoHash: InfoHash): Promise<void> {
    const target = this.#byVersion.get(infoHash)
    if (target === undefined) return
    await this.#queue.run(target, async () => {
      const entry = this.#followed.get(target)
      if (entry === undefined) return
      if (newestOf(entry.key)?.infoHash === infoHash) return this.#drop(entry)
      await this.#keep(entry, { versions: entry.key.versions.filter(version => version.infoHash !== infoHash) })
    })
  }

  list(): FollowedUpdate[] {
    return [...this.#followed.values()].map(entry => this.#record(entry))
  }

  /** Looks now. AppErrors UpdateNotFound, DhtUnavailable, StateConflict, NotReady. */
  async check(target: string): Promise<{ target: string; infohash: string; seq: string; updated: boolean }> {
    this.#ready()
    const entry = this.#find(target)
    if (this.#items === null) throw new AppError('DhtUnavailable')
    if (this.#deps.versions.hidden(entry.key)) throw new AppError('StateConflict', HIDDEN)
    const before = newestOf(entry.key)?.infoHash
    await this.#look(entry)
    const { key } = entry
    const newest = newestOf(key)?.infoHash
    return { target, infohash: newest ?? '', seq: seqText(key), updated: newest !== before }
  }

  /** Follows it no more. AppErrors UpdateNotFound, NotReady. */
  async unfollow(target: string): Promise<{ target: string; removed: boolean }> {
    this.#ready()
    const entry = this.#find(target)
    await this.#queue.run(entry.key.target, async () => {
      if (this.#followed.get(entry.key.target) === entry) await this.#drop(entry)
    })
    return { target: entry.key.target, removed: true }
  }

  /** Makes a new key durable, and takes up the version that its link names. */
  async #begin(entry: Followed, { first }: UpdateLink, records: UpdateRecords): Promise<void> {
    try {
      await this.#queue.run(entry.key.target, () => records.keepFollowed(entry.key))
    } catch (error) {
      this.#forget(entry)
      throw error
    }
    if (first === null) return
    const { infoHash } = first
    await this.#inTurn(entry, () => this.#take(entry, { infoHash, seq: null }))
    this.#lookIn(entry, 0)
  }

  #ready(): UpdateRecords {
    if (this.#records === null || this.#ending.over) throw new AppError('NotReady')
    return this.#records
  }

  #find(target: string): Followed {
    const entry = this.#followed.get(target.toLowerCase())
    if (entry === undefined) throw new AppError('UpdateNotFound')
    return entry
  }

  #add(target: string, request: AddDownload, link: UpdateLink): Followed {
    if (this.#followed.size >= MAX_FOLLOWED)
      throw new AppError('StateConflict', `No more than ${MAX_FOLLOWED} keys are followed.`)
    const { uri, ...options } = request
    const { publicKey, salt } = link
    return this.#enter({
      target,
      publicKey,
      salt,
      uri,
      request: JSON.stringify(options),
      addedAtMs: this.#deps.clock.wallMs(),
      held: null,
      versions: [],
    })
  }

  #enter(key: FollowedKey): Followed {
    const entry: Followed = { key, timer: null, checkedMs: 0, misses: 0, failure: null, refused: -1n }
    this.#followed.set(key.target, entry)
    for (const { infoHash } of key.versions) this.#byVersion.set(infoHash, key.target)
    return entry
  }

  #forget(entry: Followed): void {
    entry.timer?.cancel()
    this.#followed.delete(entry.key.target)
    for (const { infoHash } of entry.key.versions) this.#byVersion.delete(infoHash)
    this.#deps.versions.show(entry.key, false)
  }

  async #drop(entry: Followed): Promise<void> {
    await this.#records?.dropFollowed(entry.key.target)
    this.#forget(entry)
  }

  /** The store first, then memory. */
  async #keep(entry: Followed, change: Partial<FollowedKey>): Promise<void> {
    const key = { ...entry.key, ...change }
    await this.#records?.keepFollowed(key)
    for (const { infoHash } of entry.key.versions) this.#byVersion.delete(infoHash)
    entry.key = key
    for (const { infoHash } of key.versions) this.#byVersion.set(infoHash, key.target)
  }

  /** Looks until something is found, as long as a request may wait; the search goes on in the background after that. */
  async #firstLook(entry: Followed): Promise<void> {
    const { clock } = this.#deps
    const wait = (ms: number) => new Promise<void>(resolve => clock.after(ms, resolve))
    const deadlineMs = clock.now() + PATIENCE_MS
    const late = wait(PATIENCE_MS)
    while (clock.now() < deadlineMs && newestOf(entry.key) === null && !this.#ending.over) {
      await Promise.race([this.#look(entry), late])
      if (newestOf(entry.key) === null) await this.#ending.until(Promise.race([wait(ASK_ANEW_MS), late]))
    }
    if (newestOf(entry.key) !== null) return
    entry.misses = 1
    this.#lookIn(entry, this.#delay(entry))
  }

  #lookIn(entry: Followed, delayMs: number): void {
    entry.timer?.cancel()
    if (this.#ending.over || this.#items === null || this.#followed.get(entry.key.target) !== entry) return
    entry.timer = this.#deps.clock.after(delayMs, () => void this.#look(entry))
  }

  /** One look, in its turn; never rejects. The next one is set then. */
  async #look(entry: Followed): Promise<void> {
    entry.timer?.cancel()
    await this.#place()
    await this.#inTurn(entry, () => this.#ask(entry))
    this.#lookups--
    this.#waiting.shift()?.()
    this.#lookIn(entry, this.#delay(entry))
  }

  /** Work on a key that is still followed, in its turn; what goes wrong is noted. */
  async #inTurn(entry: Followed, work: () => Promise<void>): Promise<void> {
    const { target } = entry.key
    try {
      await this.#queue.run(target, async () => {
        if (!this.#ending.over && this.#followed.get(target) === entry) await work()
      })
    } catch (error) {
      entry.failure = error
      if (!this.#ending.over) this.#deps.log.warn('an update could not be taken up', { target, error })
    }
  }

  /** A place among those that look. */
  async #place(): Promise<void> {
    if (this.#lookups >= MAX_LOOKUPS) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#lookups++
  }

  /** The interval, up to a fifth more or less; less after a miss. */
  #delay({ misses }: Followed): number {
    const { intervalMs } = this.#deps.settings()
    const wanted = misses === 0 ? intervalMs : Math.min(intervalMs, RETRY_MS * 2 ** Math.min(misses - 1, 20))
    return wanted - wanted / 5 + this.#deps.random.below(Math.max(1, Math.floor((wanted * 2) / 5)))
  }

  async #ask(entry: Followed): Promise<void> {
    const { versions, clock } = this.#deps
    const items = this.#items
    if (versions.missing(entry.key)) await versions.begin(entry.key, this.#deps.settings().oldVersions)
    if (items === null || versions.paused(entry.key) || versions.hidden(entry.key)) return
    const { publicKey, salt, held } = entry.key
    const lookup = items.find(Buffer.from(publicKey, 'hex'), Buffer.from(salt, 'hex'))
    const found = await this.#ending.until(lookup)
    entry.checkedMs = clock.wallMs()
    entry.misses = found === null ? entry.misses + 1 : 0
    // It was given hops meanwhile.
    if (versions.hidden(entry.key)) return
    if (found !== null && found.seq > (held?.seq ?? -1n)) await this.#newer(entry, found)
    else if (held !== null && (found === null || found.seq < held.seq || found.copies < WANTED_COPIES))
      await this.#putAgain(entry)
  }

  /** Anybody who has an item may put it again; without that it would end with its publisher's computer. */
  async #putAgain({ key }: Followed): Promise<void> {
    if (key.held === null) return
    const item = { key: Buffer.from(key.publicKey, 'hex'), salt: Buffer.from(key.salt, 'hex'), ...key.held }
    if (this.#items !== null) await this.#ending.until(this.#items.store(item))
  }

  async #newer(entry: Followed, found: FoundSignedItem): Promise<void> {
    const { seq, value, signature } = found
    const { target } = entry.key
    let infoHash: InfoHash
    try {
      infoHash = decodeUpdateItem(value)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      if (seq <= entry.refused) return
      entry.refused = seq
      const text = `Item ${seq} is none of a torrent: ${error.message}.`
      entry.failure = new AppError('UpdateUnreadable', text, { cause: error })
      this.#deps.events.emit('torrent_update_refused', { target, seq: `${seq}`, error: text })
      return
    }
    await this.#take(entry, { infoHash, seq }, { seq, value, signature })
  }

  /** Takes up a version; `held`: the item that named it. */
  async #take(
    entry: Followed,
    version: Omit<TakenVersion, 'takenAtMs'>,
    held: FollowedKey['held'] = entry.key.held,
  ): Promise<void> {
    const { clock, versions, events, settings } = this.#deps
    const { target } = entry.key
    const previous = newestOf(entry.key)?.infoHash ?? null
    entry.failure = null
    if (version.infoHash === previous) return this.#keep(entry, { held })
    const others = entry.key.versions.filter(({ infoHash }) => infoHash !== version.infoHash)
    const all = [...others, { ...version, takenAtMs: clock.wallMs() }]
    const kept = versions.kept(all)
    await this.#keep(entry, { held, versions: all })
    await versions.begin(entry.key, settings().oldVersions)
    await this.#keep(entry, { versions: kept })
    await versions.drop(all.filter(one => !kept.includes(one)))
    const seq = version.seq === null ? '' : `${version.seq}`
    events.emit('torrent_updated', { target, infohash: version.infoHash, previous: previous ?? '', seq })
  }

  #record(entry: Followed): FollowedUpdate {
    const { key, checkedMs, failure } = entry
    const newest = newestOf(key)
    return {
      target: key.target,
      uri: key.uri,
      public_key: key.publicKey,
      salt: key.salt,
      infohash: newest?.infoHash ?? '',
      seq: seqText(key),
      state: this.#state(key),
      time_added: seconds(key.addedAtMs),
      time_checked: seconds(checkedMs),
      time_updated: seconds(newest?.takenAtMs ?? 0),
      versions: key.versions.map(({ infoHash, seq, takenAtMs }) => ({
        infohash: infoHash,
        seq: seq === null ? '' : `${seq}`,
        time: seconds(takenAtMs),
      })),
      error: this.#deps.versions.hidden(key) ? HIDDEN : failure === null ? '' : errorText(failure),
    }
  }

  #state(key: FollowedKey): FollowedUpdate['state'] {
    if (this.#items === null) return 'off'
    if (newestOf(key) === null) return 'searching'
    return this.#deps.versions.paused(key) || this.#deps.versions.hidden(key) ? 'paused' : 'following'
  }
}

/** Where the item of a link lies, 40 hexadecimal digits. */
function targetOf({ publicKey, salt }: UpdateLink): string {
  return Buffer.from(mutableTarget(Buffer.from(publicKey, 'hex'), Buffer.from(salt, 'hex'))).toString('hex')
}

function seqText({ held }: FollowedKey): string {
  return held === null ? '' : `${held.seq}`
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
