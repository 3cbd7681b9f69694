// Brings wanted channels up to date: walks the tree of the newest head, fetches what is lacking, and has the catalogue
// adopt the set. A few at a time; what fails is tried again later and later, and at once when a holder is heard of. A
// channel that cannot be brought up to date keeps what it holds and disturbs no other.

import { errorText } from '../../../base/errors.ts'
import type { ChannelCatalogue, KnownChannel } from '../ports/channel-catalogue.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { ChannelHead, ChannelId } from '../wire/types.ts'
import { type FetchDeps, fetchRecords } from './fetch.ts'
import { MAX_WALK_IDS } from './limits.ts'
import type { ChannelGossip } from './gossip.ts'
import { WalkFailed, walkTree } from './walk.ts'

/** Walks and fetches at a time. */
const MAX_SYNCS = 4
/** A channel that could not be brought up to date is tried again after this, doubling up to the second. */
const RETRY_MS = 2_000
/** The longest wait before a channel is tried again. */
const MAX_RETRY_MS = 300_000

/** What it works with. */
export interface SyncsDeps extends FetchDeps {
  readonly catalogue: ChannelCatalogue
  readonly clock: Clock
  readonly log: Log
  readonly gossip: ChannelGossip
  /** Nobody that we know holds what is wanted: asks around. */
  seek(channel: ChannelId, known: number): Promise<void>
  /** The set is held: what no head has yet may be asked for. */
  done(channel: ChannelId): void
}

interface Work {
  running: boolean
  again: boolean
  waiting: boolean
  retryMs: number
  timer: Timer | null
}

/**
 * Brings wanted channels up to date: walks the tree of the newest head, fetches what is lacking, and has the catalogue
 * adopt the set.
 */
export class Syncs {
  readonly #deps: SyncsDeps
  readonly #works = new Map<ChannelId, Work>()
  readonly #queue: ChannelId[] = []
  #running = 0
  #closed = false

  constructor(deps: SyncsDeps) {
    this.#deps = deps
  }

  /**
   * The channel may be behind: it is looked after soon. `fresh`: something has changed, so that waiting makes no sense.
   */
  want(channel: ChannelId, fresh = true): void {
    if (this.#closed) return
    const work = this.#works.get(channel) ?? {
      running: false,
      again: false,
      waiting: false,
      retryMs: RETRY_MS,
      timer: null,
    }
    this.#works.set(channel, work)
    if (work.running) {
      work.again ||= fresh
      return
    }
    if (work.waiting || (!fresh && work.timer !== null)) return
    work.timer?.cancel()
    work.timer = null
    work.waiting = true
    this.#queue.push(channel)
    this.#pump()
  }

  /** A request asks for the channel now: earlier failures do not delay it. */
  hurry(channel: ChannelId): void {
    const work = this.#works.get(channel)
    if (work !== undefined) work.retryMs = RETRY_MS
    this.want(channel)
  }

  /** Nothing is begun any more. */
  close(): void {
    this.#closed = true
    this.#queue.length = 0
    for (const { timer } of this.#works.values()) timer?.cancel()
  }

  #pump(): void {
    while (this.#running < MAX_SYNCS && this.#queue.length > 0) {
      const channel = this.#queue.shift() as ChannelId
      const work = this.#works.get(channel)
      if (work === undefined) continue
      work.waiting = false
      work.running = true
      this.#running++
      void this.#run(channel, work)
    }
  }

  async #run(channel: ChannelId, work: Work): Promise<void> {
    const fine = await this.#sync(channel).catch((error: unknown) => {
      if (!(error instanceof WalkFailed))
        this.#deps.log.warn('a channel could not be brought up to date', { channel, error: errorText(error) })
      return false
    })
    this.#running--
    work.running = false
    if (this.#closed) return
    if (fine) work.retryMs = RETRY_MS
    if (work.again) {
      work.again = false
      this.want(channel)
    } else if (fine) this.#works.delete(channel)
    else this.#retryLater(channel, work)
    this.#pump()
  }

  #retryLater(channel: ChannelId, work: Work): void {
    work.timer = this.#deps.clock.after(work.retryMs, () => {
      work.timer = null
      this.want(channel)
    })
    work.retryMs = Math.min(MAX_RETRY_MS, work.retryMs * 2)
  }

  /** True: there is nothing more to do. */
  async #sync(channel: ChannelId): Promise<boolean> {
    const { catalogue, gossip, done } = this.#deps
    const known = await catalogue.known(channel)
    if (known === null || known.standing === 'discovered') return true
    const { head } = known
    if (head !== null && known.heldSequence >= head.sequence) {
      done(channel)
      return true
    }
    if (known.standing === 'own') return true
    if (head === null || !(await this.#bring(known, head))) {
      await this.#deps.seek(channel, head?.sequence ?? 0)
      return false
    }
    gossip.changed(channel)
    done(channel)
    return true
  }

  async #bring({ channel, heldSequence }: KnownChannel, head: ChannelHead): Promise<boolean> {
    const { catalogue, holders } = this.#deps
    if (head.records === 0) return catalogue.adopt(head, { added: [], removed: [], whole: true })
    if (holders.holdersOf(channel, head.sequence).length === 0) return false
    // So many come as a pack (decision 0404); a walk would end at its limit every time.
    if (heldSequence === 0 && head.records > MAX_WALK_IDS) return false
    const { added, removed } = await walkTree(head, heldSequence > 0, this.#deps)
    const lacking = await catalogue.lacking(channel, added)
    const givers = (): ReturnType<typeof holders.holdersOf> => holders.holdersOf(channel)
    const missing = await fetchRecords(lacking, { channel, role: 'wanted', givers }, this.#deps)
    if (missing > 0 || this.#closed) return false
    return catalogue.adopt(head, { added, removed, whole: heldSequence === 0 })
  }
}
