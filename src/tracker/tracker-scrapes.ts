// Scrapes for torrents that this node does not download: strangers named these trackers, so those on private addresses
// are refused, whatever their path. Clients and sockets of its own; a socket is opened with the first question.

import { infoHashBytes, type InfoHash } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { HttpClient } from '../ports/http-get.ts'
import type { NameResolver, ResolvedAddress } from '../ports/name-resolver.ts'
import type { Random } from '../ports/random.ts'
import { MAX_SCRAPE_TORRENTS, type SwarmCounts } from '../ports/swarm-scrapes.ts'
import type { UdpNetwork } from '../ports/udp.ts'
import { DueQueue } from './due-queue.ts'
import { HttpTracker } from './http-tracker.ts'
import { TrackerError } from './tracker-client.ts'
import { UdpTracker } from './udp-tracker.ts'

/** An answer of 32 torrents has 3 KB; trackers that tell of all they know are not read to their end. */
const MAX_ANSWER_BYTES = 256 * 1024
/** Of one question over HTTP. */
const HTTP_TIMEOUT_MS = 15_000
/** Over UDP: 5 s, then 10 s. */
const UDP_RETRY_BASE_MS = 5_000
const UDP_TRIES = 2

/** What questions go through. */
export interface TrackerScrapesDeps {
  readonly clock: Clock
  readonly random: Random
  readonly http: HttpClient
  readonly udp: UdpNetwork
  readonly resolver: NameResolver
  /** Names of UDP trackers go to the proxy behind the sockets unresolved. */
  readonly namesToProxy: boolean
}

/**
 * Scrapes for torrents that this node does not download: strangers named these trackers, so those on private addresses
 * are refused, whatever their path.
 */
export class TrackerScrapes {
  readonly #http: HttpTracker
  readonly #udp: UdpTracker
  readonly #due: DueQueue

  constructor(deps: TrackerScrapesDeps) {
    const { clock, random, http, udp, namesToProxy } = deps
    this.#due = new DueQueue(clock)
    this.#http = new HttpTracker(
      { timeoutMs: HTTP_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES, privateRule: 'refuse' },
      { http },
    )
    this.#udp = new UdpTracker(
      { localIp: null, retryBaseMs: UDP_RETRY_BASE_MS, tries: UDP_TRIES, namesToProxy },
      { udp, resolver: publicOnly(deps.resolver), random, clock, due: this.#due },
    )
  }

  /** See SwarmScrapes.tracker. Rejects with TrackerError. */
  async ask(
    url: string,
    infoHashes: readonly InfoHash[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<InfoHash, SwarmCounts>> {
    if (infoHashes.length > MAX_SCRAPE_TORRENTS) throw new RangeError('too many torrents for one question')
    const client = clientFor(url, { http: this.#http, udp: this.#udp })
    const told = await client.scrape(url, infoHashes.map(infoHashBytes), signal)
    const counts = new Map<InfoHash, SwarmCounts>()
    for (const [index, infoHash] of infoHashes.entries()) {
      const row = told[index] ?? null
      if (row !== null) counts.set(infoHash, { seeders: row.seeders, leechers: row.leechers })
    }
    return counts
  }

  /** Ends what waits over UDP and closes the sockets; the HttpClient is its maker's to close. */
  async close(): Promise<void> {
    await this.#udp.close()
    this.#due.close()
  }
}

function clientFor(url: string, { http, udp }: { http: HttpTracker; udp: UdpTracker }): HttpTracker | UdpTracker {
  if (/^https?:\/\//i.test(url)) return http
  if (/^udp:\/\//i.test(url)) return udp
  throw new TrackerError('the tracker has no address that can be used')
}

/** A resolver that refuses all private addresses. */
function publicOnly(resolver: NameResolver): NameResolver {
  const judged = (address: ResolvedAddress): ResolvedAddress =>
    address.class === 'private' ? { ...address, class: 'refused' } : address
  return { resolve: async host => (await resolver.resolve(host)).map(judged) }
}
