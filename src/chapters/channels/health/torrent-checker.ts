// The torrent checker: learns how many seeders and leechers the torrents of channels have, a bounded number of
// questions a minute, and writes it into the catalogue. Torrents downloaded over circuits are never asked for. Nothing
// waits for it.

import { errorText } from '../../../base/errors.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { ChannelLibrary, SwarmHealth, UncheckedTorrent } from '../ports/channel-library.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { SwarmScrapes } from '../../../ports/swarm-scrapes.ts'
import { CheckRound, type RoundResult } from './check-round.ts'
import { ScrapeBudget } from './scrape-budget.ts'

/** From the end of a round to the next one. */
const ROUND_MS = 60_000
/** A node that starts or has just subscribed has other things to do. */
const FIRST_AFTER_MS = 15_000
/** Rows asked of the catalogue for a round. */
const BATCH = 256
/** Counts are good for so long, seconds. */
export const FRESH_S = 4 * 3600
/** Without an answer for so long the network counts as gone, and silence says nothing about torrents. */
const GONE_MS = 10 * 60_000
/** Torrents that may not be asked for now make room for others for so long; at most so many. */
const LATER_MS = 10 * 60_000
const MAX_LATER = 1024
/** At most 20 questions to trackers a minute, one a minute to the same one after a first two. */
const PACES = { total: { burst: 20, refillMs: 3_000 }, perHost: { burst: 2, refillMs: 60_000 } }

/** What the checker needs of the node. */
export interface TorrentCheckerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly library: Pick<ChannelLibrary, 'unchecked' | 'checked'>
  readonly scrapes: SwarmScrapes
  /** Setting torrent_checking.enabled; asked for each round. */
  enabled(): boolean
  /** This is a download over circuits: no tracker is asked for it. */
  isAnonymous(infoHash: InfoHash): boolean
}

/**
 * The torrent checker: learns how many seeders and leechers the torrents of channels have, a bounded number of
 * questions a minute, and writes it into the catalogue.
 */
export class TorrentChecker {
  readonly #deps: TorrentCheckerDeps
  readonly #budget: ScrapeBudget
  readonly #stopping = new AbortController()
  #timer: Timer | null = null
  #working: Promise<void> = Promise.resolve()
  #heardMs = Number.NEGATIVE_INFINITY
  /** When they may be asked for again, in the order of that. */
  readonly #later = new Map<InfoHash, number>()

  constructor(deps: TorrentCheckerDeps) {
    this.#deps = deps
    this.#budget = new ScrapeBudget(PACES, deps.clock)
  }

  /** Begins, the first round soon. */
  start(): void {
    this.#next(FIRST_AFTER_MS)
  }

  /** Gives up what is asked; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#timer?.cancel()
    await this.#working
  }

  #next(afterMs: number): void {
    if (this.#stopping.signal.aborted) return
    // Nodes that were started together ask at different times.
    const waitMs = afterMs * (0.8 + this.#deps.random.below(400) / 1000)
    this.#timer = this.#deps.clock.after(waitMs, () => {
      this.#working = this.#round().then(() => this.#next(ROUND_MS))
    })
  }

  /** Never rejects. */
  async #round(): Promise<void> {
    const { library, log, scrapes } = this.#deps
    if (!this.#deps.enabled()) return
    try {
      const torrents = await this.#batch()
      if (torrents.length === 0) return
      const round = new CheckRound({ scrapes, budget: this.#budget, log }, this.#stopping.signal)
      const result = await round.run(torrents)
      const healths = this.#healthsOf(result)
      if (torrents.length === BATCH) this.#postpone(torrents, result)
      if (healths.length > 0 && !this.#stopping.signal.aborted) await library.checked(healths)
    } catch (error) {
      log.warn('torrents were not checked', { error: errorText(error) })
    }
  }

  async #batch(): Promise<UncheckedTorrent[]> {
    const { library, clock } = this.#deps
    for (const [infoHash, atMs] of this.#later) if (atMs <= clock.now()) this.#later.delete(infoHash)
    const beforeS = Math.floor(clock.wallMs() / 1000) - FRESH_S
    const stale = await library.unchecked(BATCH + this.#later.size, beforeS)
    const wanted = stale.filter(({ infoHash }) => !this.#later.has(infoHash) && !this.#deps.isAnonymous(infoHash))
    return wanted.slice(0, BATCH)
  }

  /** Others wait: those that were not asked for make room. */
  #postpone(torrents: readonly UncheckedTorrent[], { counts, silent }: RoundResult): void {
    const settled = new Set([...counts.keys(), ...silent])
    const atMs = this.#deps.clock.now() + LATER_MS
    for (const { infoHash } of torrents) if (!settled.has(infoHash)) this.#later.set(infoHash, atMs)
    for (const oldest of this.#later.keys()) {
      if (this.#later.size <= MAX_LATER) break
      this.#later.delete(oldest)
    }
  }

  #healthsOf({ counts, silent, heard }: RoundResult): SwarmHealth[] {
    const { clock } = this.#deps
    const checkedS = Math.floor(clock.wallMs() / 1000)
    if (heard) this.#heardMs = clock.now()
    const healths: SwarmHealth[] = [...counts].map(([infoHash, told]) => ({ infoHash, ...told, checkedS }))
    // A swarm that none knows has no peers, as far as we can see: written down, so that others get their turn.
    if (clock.now() - this.#heardMs > GONE_MS) return healths
    return [...healths, ...silent.map(infoHash => ({ infoHash, seeders: 0, leechers: 0, checkedS }))]
  }
}
