// Packs of channels: makes those of own channels and says so in their heads, downloads those of subscribed channels
// whose set did not come otherwise, and seeds both. Each channel has one step at a time, which is found again from what
// the catalogue says: what one look missed, the next one sees.

import { Ending } from '../../../base/ending.ts'
import { AppError } from '../../../base/errors.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { CatalogueHappening, ChannelCatalogue, KnownChannel } from '../ports/channel-catalogue.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { KEEP_PACK, type PackTorrents } from '../ports/pack-torrents.ts'
import type { Random } from '../../../ports/random.ts'
import { packName, packObjection } from '../wire/pack-files.ts'
import type { ChannelHead, ChannelId } from '../wire/types.ts'
import { makePack } from './pack-making.ts'
import { takePack } from './pack-taking.ts'

/** An own set is packed when it has not changed for so long, and at the latest so long after the first change. */
const QUIET_MS = 3000
const LATEST_MS = 20_000
/** With the overlay, small differences come by it: it is given so long before the whole pack is fetched. */
const OVERLAY_FIRST_MS = 30_000
/** The files of a set that came by the overlay are written for others after so long. */
const SHARE_MS = 60_000
/** Downloads at a time, and how long one may take. */
const MAX_FETCHES = 4
const FETCH_LIMIT_MS = 30 * 60_000
/** A download looks so often whether it is needed any more. */
const STILL_WANTED_MS = 10_000
/** While it takes long, the head is asked for so often. */
const ASK_HEAD_MS = 60_000
/** After a failure, then twice as long. */
const RETRY_MS = 30_000
const MAX_RETRY_MS = 60 * 60_000
/** Everything is looked at again after this: events may have been missed. */
const LOOK_AGAIN_MS = 10 * 60_000
/** Start: looks are spread over this. */
const SPREAD_MS = 5000

/** What it needs of the node. */
export interface PackKeeperDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly packs: PackTorrents
  readonly catalogue: Pick<
    ChannelCatalogue,
    'wanted' | 'known' | 'offerRecords' | 'adopt' | 'heldRecords' | 'signPack' | 'watch'
  >
  /** Whether records come by an overlay too. */
  overlay(): boolean
  /** Asks for a newer head: what is being downloaded may have no seeders any more. */
  lookForHead(channel: ChannelId): void
}

interface Entry {
  readonly channel: ChannelId
  timer: Timer | null
  dueMs: number
  /** When the first change came that is not packed yet; null: none is. */
  changedMs: number | null
  working: boolean
  again: boolean
  misses: number
  /** In the engine. */
  seeded: InfoHash | null
  /** Ends the download under way. */
  fetching: AbortController | null
  /** Ends it if it is not wanted any more. */
  stillWanted: (() => void) | null
  gone: boolean
}

/** How it goes. */
export interface PackCounts {
  readonly made: number
  readonly fetched: number
  readonly adopted: number
  readonly failed: number
  /** Records of packs that were refused. */
  readonly refused: number
  readonly seeded: number
}

/**
 * Packs of channels: makes those of own channels and says so in their heads, downloads those of subscribed channels
 * whose set did not come otherwise, and seeds both. start() once, stop() once.
 */
export class PackKeeper {
  readonly #deps: PackKeeperDeps
  readonly #entries = new Map<ChannelId, Entry>()
  readonly #ending = new Ending()
  readonly #stopped = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  #making: Promise<unknown> = Promise.resolve()
  #fetches = 0
  #unwatch: () => void = () => undefined
  #counts = { made: 0, fetched: 0, adopted: 0, failed: 0, refused: 0 }

  constructor(deps: PackKeeperDeps) {
    this.#deps = deps
  }

  get counts(): PackCounts {
    const seeded = [...this.#entries.values()].filter(entry => entry.seeded !== null).length
    return { ...this.#counts, seeded }
  }

  /** Looks after the channels that are wanted, from now on. Packs of others are thrown away. */
  async start(): Promise<void> {
    const { catalogue, packs, random } = this.#deps
    this.#unwatch = catalogue.watch(event => this.#happened(event))
    const wanted = await catalogue.wanted()
    const names = new Set(wanted.flatMap(({ head }) => (head === null ? [] : [packName(head)])))
    for (const pack of await packs.list()) if (!names.has(pack)) await packs.discard(pack)
    for (const { channel } of wanted) this.#lookIn(this.#enter(channel), random.below(SPREAD_MS))
  }

  /** Settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#unwatch()
    this.#ending.end(new AppError('Aborted', 'The node is stopping.'))
    this.#stopped.abort()
    for (const { timer, fetching } of this.#entries.values()) {
      timer?.cancel()
      fetching?.abort(KEEP_PACK)
    }
    await Promise.allSettled(this.#underWay)
  }

  /** Looks at this channel now. */
  hurry(channel: ChannelId): void {
    const entry = this.#entries.get(channel)
    if (entry !== undefined) this.#lookIn(entry, 0)
  }

  #happened(event: CatalogueHappening): void {
    if (event.kind === 'standing') {
      if (event.standing === 'own' || event.standing === 'subscribed') this.#lookIn(this.#enter(event.channel), 0)
      else this.#leave(event.channel)
    } else if (event.kind === 'head') {
      const entry = this.#entries.get(event.channel)
      if (entry === undefined) return
      entry.stillWanted?.()
      this.#lookIn(entry, event.own ? this.#quiet(entry) : 0)
    }
  }

  #enter(channel: ChannelId): Entry {
    const known = this.#entries.get(channel)
    if (known !== undefined) return known
    const nothing = { timer: null, changedMs: null, seeded: null, fetching: null, stillWanted: null }
    const entry = { channel, ...nothing, dueMs: 0, working: false, again: false, misses: 0, gone: false }
    this.#entries.set(channel, entry)
    return entry
  }

  #leave(channel: ChannelId): void {
    const entry = this.#entries.get(channel)
    if (entry === undefined) return
    this.#entries.delete(channel)
    entry.gone = true
    entry.timer?.cancel()
    entry.fetching?.abort()
    if (entry.seeded !== null) void this.#tracked(this.#deps.packs.drop(entry.seeded))
    entry.seeded = null
  }

  /** How long to wait after a change of an own set. */
  #quiet(entry: Entry): number {
    const nowMs = this.#deps.clock.now()
    entry.changedMs ??= nowMs
    return Math.max(0, Math.min(QUIET_MS, entry.changedMs + LATEST_MS - nowMs))
  }

  #lookIn(entry: Entry, delayMs: number): void {
    if (this.#ending.over || entry.gone) return
    entry.timer?.cancel()
    entry.timer = this.#deps.clock.after(delayMs, () => void this.#tracked(this.#look(entry)))
  }

  /** One step, and when to look again. Never rejects. */
  async #look(entry: Entry): Promise<void> {
    if (entry.working) {
      entry.again = true
      return
    }
    entry.working = true
    let nextMs: number
    try {
      nextMs = await this.#step(entry)
      entry.misses = 0
    } catch (error) {
      nextMs = this.#failed(entry, error)
    }
    entry.working = false
    if (entry.gone || this.#ending.over) return
    this.#lookIn(entry, entry.again ? Math.min(nextMs, QUIET_MS) : nextMs)
    entry.again = false
  }

  #failed(entry: Entry, error: unknown): number {
    if (this.#ending.over || entry.gone) return LOOK_AGAIN_MS
    entry.misses++
    this.#counts.failed++
    this.#deps.log.warn('a pack of a channel could not be made or taken', { channel: entry.channel, error })
    return Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(entry.misses - 1, 12))
  }

  /** How long until the next look. */
  async #step(entry: Entry): Promise<number> {
    const known = await this.#deps.catalogue.known(entry.channel)
    if (known === null || known.head === null || known.standing === 'discovered') return LOOK_AGAIN_MS
    const { head } = known
    if (head.records === 0) {
      entry.changedMs = null
      await this.#retire(entry)
    } else if (known.standing === 'own' && head.pack === null) await this.#makeOwn(entry, head)
    else if (known.heldSequence < head.sequence) return this.#bring(entry, known, head)
    else if (head.pack !== null && entry.seeded !== head.pack) return this.#share(entry, head, head.pack)
    else entry.changedMs = null
    return LOOK_AGAIN_MS
  }

  /** The pack of an own set, and the head that names it. */
  async #makeOwn(entry: Entry, head: ChannelHead): Promise<void> {
    entry.changedMs = null
    const metainfo = await this.#made(head)
    if (metainfo === null) return void (entry.again = true)
    const signed = await this.#deps.catalogue.signPack(head.channel, head.sequence, metainfo.infoHash)
    // The set has changed meanwhile: its head says so, and is looked at next.
    if (signed === null) {
      entry.again = true
      if (entry.seeded !== metainfo.infoHash) await this.#deps.packs.discard(packName(head))
      return
    }
    this.#counts.made++
    await this.#seed(entry, metainfo.infoHash, () => this.#deps.packs.seed(metainfo))
  }

  /** One is made at a time. */
  #made(head: ChannelHead) {
    const { catalogue, packs } = this.#deps
    const work = this.#making.then(() => makePack(head, catalogue, packs, this.#stopped.signal))
    this.#making = work.catch(() => undefined)
    return work
  }

  /** Another pack than before is in the engine from now on; the one before goes. */
  async #seed(entry: Entry, infoHash: InfoHash, begin: () => boolean): Promise<void> {
    if (entry.gone) return
    if (entry.seeded !== infoHash) await this.#retire(entry)
    begin()
    entry.seeded = infoHash
  }

  async #retire(entry: Entry): Promise<void> {
    const { seeded } = entry
    entry.seeded = null
    if (seeded !== null) await this.#deps.packs.drop(seeded)
  }

  /** The set of a newer head: the one that is held already, or by its pack. */
  async #bring(entry: Entry, known: KnownChannel, head: ChannelHead): Promise<number> {
    const { catalogue, clock, overlay } = this.#deps
    const same = { added: [], removed: [], whole: false }
    if (known.heldSequence > 0 && (await catalogue.adopt(head, same))) return 0
    if (head.pack === null) return LOOK_AGAIN_MS
    const nowMs = clock.now()
    entry.changedMs ??= nowMs
    const waitMs = overlay() ? entry.changedMs + OVERLAY_FIRST_MS - nowMs : 0
    if (waitMs > 0) return waitMs
    if (this.#fetches >= MAX_FETCHES) return STILL_WANTED_MS
    await this.#fetch(entry, head, head.pack)
    entry.changedMs = null
    return 0
  }

  async #fetch(entry: Entry, head: ChannelHead, pack: InfoHash): Promise<void> {
    const { packs, catalogue } = this.#deps
    const abort = new AbortController()
    entry.fetching = abort
    this.#fetches++
    const watched = this.#watch(head, abort)
    entry.stillWanted = watched.look
    try {
      await packs.fetch(pack, metainfo => packObjection(metainfo, head), abort.signal)
      this.#counts.fetched++
      const { adopted, refused, broken } = await takePack(head, catalogue, packs, abort.signal)
      this.#counts.refused += refused
      if (!adopted) {
        await packs.drop(pack)
        const text = `Its records are not those of the head: ${refused} refused, ${broken} files broken off.`
        throw new AppError('InvalidParameter', text)
      }
      this.#counts.adopted++
      if (entry.gone) return await packs.drop(pack)
      if (entry.seeded !== pack) await this.#retire(entry)
      entry.seeded = pack
    } catch (error) {
      // It is not needed any more: that is no failure.
      if (abort.signal.aborted && !watched.late() && !this.#ending.over) return await packs.drop(pack)
      throw error
    } finally {
      watched.end()
      this.#fetches--
      entry.fetching = null
      entry.stillWanted = null
    }
  }

  /** Ends a download that takes too long, or whose set came otherwise, or that a newer head has replaced. */
  #watch(head: ChannelHead, abort: AbortController): { look(): void; late(): boolean; end(): void } {
    const { clock, catalogue, packs, lookForHead } = this.#deps
    let late = false
    const limit = clock.after(FETCH_LIMIT_MS, () => {
      late = true
      abort.abort()
    })
    const look = async (): Promise<void> => {
      const known = await catalogue.known(head.channel)
      const wanted = known?.head?.sequence === head.sequence && known.heldSequence < head.sequence
      if (!wanted) abort.abort()
    }
    const lookNow = (): void => void this.#tracked(look()).catch(() => undefined)
    const looks = clock.every(STILL_WANTED_MS, () => {
      if (head.pack !== null) packs.lookForPeers(head.pack)
      lookNow()
    })
    const asks = clock.every(ASK_HEAD_MS, () => lookForHead(head.channel))
    return {
      look: lookNow,
      late: () => late,
      end: () => {
        limit.cancel()
        looks.cancel()
        asks.cancel()
      },
    }
  }

  /** Seeds the pack of a held set: the one on the disk, or made again; it is the same torrent, or it is of no use. */
  async #share(entry: Entry, head: ChannelHead, pack: InfoHash): Promise<number> {
    const { packs, clock } = this.#deps
    const stored = await packs.stored(packName(head))
    if (stored?.infoHash === pack) {
      await this.#seed(entry, pack, () => packs.seed(stored))
      return LOOK_AGAIN_MS
    }
    const nowMs = clock.now()
    entry.changedMs ??= nowMs
    const waitMs = entry.changedMs + SHARE_MS - nowMs
    if (waitMs > 0) return waitMs
    entry.changedMs = null
    const made = await this.#made(head)
    if (made?.infoHash === pack) await this.#seed(entry, pack, () => packs.seed(made))
    else if (made !== null) {
      await packs.discard(packName(head))
      this.#deps.log.debug('the pack of a channel was made in another way', { channel: entry.channel })
    }
    return LOOK_AGAIN_MS
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    const done = (): void => void this.#underWay.delete(work)
    work.then(done, done)
    return work
  }
}
