// One round of the torrent checker: trackers first, many torrents a question; then the DHT for a few of those that no
// tracker knows. Of the answers the largest numbers count; they are bounded, as anybody can run a tracker.

import { errorText } from '../../../base/errors.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { UncheckedTorrent } from '../ports/channel-library.ts'
import type { Log } from '../../../ports/log.ts'
import type { SwarmCounts, SwarmScrapes } from '../../../ports/swarm-scrapes.ts'
import { planQuestions, type TrackerQuestion } from './check-plan.ts'
import type { ScrapeBudget } from './scrape-budget.ts'

/** Questions at once. */
const TRACKER_LANES = 4
const DHT_LANES = 2
/** Look-ups of a round: each sends some fifty datagrams. */
const DHT_PER_ROUND = 10
/** More is believed of no swarm. */
const MAX_COUNT = 1_000_000

/** What a round goes through. */
export interface CheckRoundDeps {
  readonly scrapes: SwarmScrapes
  readonly budget: ScrapeBudget
  readonly log: Log
}

/** What a round learned. */
export interface RoundResult {
  readonly counts: ReadonlyMap<InfoHash, SwarmCounts>
  /** Torrents without an answer from any tracker or the DHT. */
  readonly silent: readonly InfoHash[]
  /** True when anything answered: the network is there. */
  readonly heard: boolean
}

/** The larger numbers of both. */
export function largerCounts(a: SwarmCounts | undefined, b: SwarmCounts): SwarmCounts {
  const larger = (one: number, other: number): number => Math.min(MAX_COUNT, Math.max(one, other))
  return { seeders: larger(a?.seeders ?? 0, b.seeders), leechers: larger(a?.leechers ?? 0, b.leechers) }
}

/** One round of checks of torrents; run() once. */
export class CheckRound {
  readonly #deps: CheckRoundDeps
  readonly #signal: AbortSignal
  readonly #counts = new Map<InfoHash, SwarmCounts>()
  /** To be asked when there is leave again. */
  readonly #postponed = new Set<InfoHash>()
  #heard = false

  constructor(deps: CheckRoundDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
  }

  /** Never rejects; what is not answered when the signal fires is left. */
  async run(torrents: readonly UncheckedTorrent[]): Promise<RoundResult> {
    const { budget } = this.#deps
    const questions = planQuestions(torrents, host => budget.isResting(host))
    await inLanes(TRACKER_LANES, questions, question => this.#askTracker(question))
    const left = torrents.map(({ infoHash }) => infoHash).filter(infoHash => !this.#isSettled(infoHash))
    const silent = await this.#askDht(left)
    return { counts: this.#counts, silent, heard: this.#heard }
  }

  #isSettled(infoHash: InfoHash): boolean {
    return this.#counts.has(infoHash) || this.#postponed.has(infoHash)
  }

  async #askTracker({ url, host, infoHashes }: TrackerQuestion): Promise<void> {
    const { budget, scrapes, log } = this.#deps
    if (this.#signal.aborted) return
    if (!budget.take(host)) {
      // One that failed a moment ago is no reason to wait.
      if (!budget.isResting(host)) for (const infoHash of infoHashes) this.#postponed.add(infoHash)
      return
    }
    try {
      const told = await scrapes.tracker(url, infoHashes, this.#signal)
      budget.answered(host)
      this.#heard = true
      for (const [infoHash, counts] of told) this.#take(infoHash, counts)
    } catch (error) {
      if (this.#signal.aborted) return
      budget.failed(host)
      log.debug('a tracker told no counts', { host, error: errorText(error) })
    }
  }

  /** Resolves with those it found nothing about. A DHT that reaches no node, as at the start, is asked another time. */
  async #askDht(infoHashes: readonly InfoHash[]): Promise<readonly InfoHash[]> {
    const { scrapes } = this.#deps
    if (!scrapes.hasDht()) return infoHashes
    let isThere = true
    await inLanes(DHT_LANES, infoHashes.slice(0, DHT_PER_ROUND), async infoHash => {
      const counts = isThere && !this.#signal.aborted ? await scrapes.dht(infoHash) : null
      if (counts === null) isThere = false
      else {
        this.#heard = true
        this.#take(infoHash, counts)
      }
    })
    return []
  }

  #take(infoHash: InfoHash, counts: SwarmCounts): void {
    this.#counts.set(infoHash, largerCounts(this.#counts.get(infoHash), counts))
  }
}

/** Runs `run` for each item, `lanes` at once. */
async function inLanes<T>(lanes: number, items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const lane = async (): Promise<void> => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
