// Asks for the health of one torrent of a channel because a client wants to know it now. What is learned goes into the
// catalogue as with the torrent checker; a budget of its own, so that neither is held up by the other.

import { AppError, errorText } from '../../../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../../base/ids.ts'
import type { ChannelLibrary } from '../ports/channel-library.ts'
import type { SwarmCounts } from '../../../ports/swarm-scrapes.ts'
import { scrapableTrackers } from './check-plan.ts'
import { largerCounts } from './check-round.ts'
import { ScrapeBudget } from './scrape-budget.ts'
import { FRESH_S, type TorrentCheckerDeps } from './torrent-checker.ts'
import type { HealthRow, HealthRows, TorrentHealthService } from './torrent-health-api.ts'

/** Trackers of a torrent that are asked. */
const MAX_TRACKERS = 5
/** Torrents that are asked for at once. */
const MAX_AT_ONCE = 8
const PACES = { total: { burst: 40, refillMs: 1_000 }, perHost: { burst: 5, refillMs: 10_000 } }

/** What it needs of the node. */
export interface TorrentHealthDeps extends Omit<TorrentCheckerDeps, 'library'> {
  readonly library: Pick<ChannelLibrary, 'torrent' | 'checked'>
}

type KnownTorrent = NonNullable<Awaited<ReturnType<ChannelLibrary['torrent']>>>

/** TorrentHealthService. */
export class TorrentHealth implements TorrentHealthService {
  readonly #deps: TorrentHealthDeps
  readonly #budget: ScrapeBudget
  readonly #asking = new Map<InfoHash, Promise<HealthRows>>()
  readonly #stopping = new AbortController()

  constructor(deps: TorrentHealthDeps) {
    this.#deps = deps
    this.#budget = new ScrapeBudget(PACES, deps.clock)
  }

  async health(infohash: string, refresh: boolean, timeoutMs: number): Promise<HealthRows> {
    const infoHash = parseInfoHash(infohash)
    const torrent = infoHash === null ? null : await this.#deps.library.torrent(infoHash)
    if (infoHash === null || torrent === null) throw new AppError('TorrentNotFound')
    const ageS = this.#deps.clock.wallMs() / 1000 - torrent.last_tracker_check
    const refusal = this.#refusal(infoHash)
    if (refusal !== null || (!refresh && ageS < FRESH_S)) return knownRows(infoHash, torrent, refusal)
    const asked = this.#asking.get(infoHash)
    if (asked !== undefined) return asked
    if (this.#asking.size >= MAX_AT_ONCE) throw new AppError('TooManyRequests')
    const asking = this.#ask(infoHash, torrent, timeoutMs).finally(() => this.#asking.delete(infoHash))
    this.#asking.set(infoHash, asking)
    return asking
  }

  /** Gives up what is asked. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#asking.values())
  }

  /** Why nothing is asked; null: it is. */
  #refusal(infoHash: InfoHash): string | null {
    if (!this.#deps.enabled()) return 'Torrents are not checked: setting torrent_checking.enabled is off.'
    return this.#deps.isAnonymous(infoHash) ? 'Nobody is asked for a download over circuits.' : null
  }

  async #ask(infoHash: InfoHash, torrent: KnownTorrent, timeoutMs: number): Promise<HealthRows> {
    const { clock, library } = this.#deps
    const late = new AbortController()
    const timer = clock.after(timeoutMs, () => late.abort())
    const signal = AbortSignal.any([late.signal, this.#stopping.signal])
    const sources = [
      ...scrapableTrackers(torrent.trackers, MAX_TRACKERS).map(({ url, host }) => ({
        name: url,
        ask: () => this.#askTracker(url, host, infoHash, signal),
      })),
      { name: 'DHT', ask: () => this.#deps.scrapes.dht(infoHash) },
    ]
    const told = await Promise.all(
      sources.map(async ({ name, ask }) => [name, await countsOrError(ask, signal)] as const),
    ).finally(() => timer.cancel())
    const best = told.reduce<SwarmCounts | undefined>(
      (sum, [, counts]) => ('error' in counts ? sum : largerCounts(sum, counts)),
      undefined,
    )
    if (best !== undefined && !this.#stopping.signal.aborted) {
      await library.checked([{ infoHash, ...best, checkedS: Math.floor(clock.wallMs() / 1000) }])
    }
    return Object.fromEntries(
      told.map(([name, counts]) => [name, 'error' in counts ? counts : [row(infoHash, counts)]]),
    )
  }

  async #askTracker(url: string, host: string, infoHash: InfoHash, signal: AbortSignal): Promise<SwarmCounts | null> {
    if (!this.#budget.take(host)) throw new Error('it was asked a moment ago; try again later')
    return (await this.#deps.scrapes.tracker(url, [infoHash], signal)).get(infoHash) ?? null
  }
}

function row(infohash: string, { seeders, leechers }: SwarmCounts): HealthRow {
  return { infohash, seeders, leechers }
}

/** What was learned before. */
function knownRows(infoHash: InfoHash, torrent: KnownTorrent, refusal: string | null): HealthRows {
  const { num_seeders: seeders, num_leechers: leechers, last_tracker_check: checkedS } = torrent
  if (checkedS > 0) return { db: [row(infoHash, { seeders, leechers })] }
  return { db: { error: refusal ?? 'It was not checked yet.' } }
}

/** Settles with the signal at the latest. */
async function countsOrError(
  ask: () => Promise<SwarmCounts | null>,
  signal: AbortSignal,
): Promise<SwarmCounts | { error: string }> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true })
  })
  try {
    return (await Promise.race([ask(), late])) ?? { error: 'it does not know the torrent, or cannot be asked' }
  } catch (error) {
    return { error: errorText(error) }
  }
}
