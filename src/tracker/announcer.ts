// All trackers of all torrents: makes one announcer a torrent and holds what they share: the due queue, the limits on
// announces at once, the clients for HTTP and UDP, the listen port.

import type { AnnouncerParams, Announcers, HashAnnouncer } from '../ports/announcer.ts'
import type { Clock } from '../ports/clock.ts'
import type { HttpClient } from '../ports/http-get.ts'
import type { KeptAnnounces } from '../ports/kept-announces.ts'
import type { Log } from '../ports/log.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import type { Random } from '../ports/random.ts'
import type { UdpNetwork } from '../ports/udp.ts'
import { AnnounceGate } from './announce-gate.ts'
import { type AnnounceSpread, ONE_TRACKER } from './announce-lanes.ts'
import { type Due, DueQueue } from './due-queue.ts'
import { HttpTracker } from './http-tracker.ts'
import { TorrentAnnouncer, type TorrentAnnouncerDeps, type TorrentAnnouncerOptions } from './torrent-announcer.ts'
import type { TrackerClient } from './tracker-client.ts'
import { UdpTracker } from './udp-tracker.ts'

/** Every bound of announcing; see trackerDefaults. */
export interface TrackerOptions extends TorrentAnnouncerOptions {
  /**
   * Address UDP announces leave from (setting libtorrent.interface); null = any. HTTP has its own in the HttpClient.
   */
  readonly localIp: string | null
  /** Announces at once, in all and to one tracker host. */
  readonly maxRunning: number
  readonly maxPerHost: number
  /**
   * `stopped` at once, in all and to one tracker host: a thousand have little more than a second at the end of a node.
   */
  readonly maxFarewells: number
  readonly maxFarewellsPerHost: number
  /** Torrents a second that begin to announce without wanting peers (seeds at a start); the others begin at once. */
  readonly seedStartsPerSec: number
  /**
   * Announces that are due in a minute or later wait for the next multiple of this, ms: one that comes alone finds all
   * caches cold.
   */
  readonly togetherMs: number
  readonly httpTimeoutMs: number
  readonly maxAnswerBytes: number
  readonly udpRetryBaseMs: number
  readonly udpTries: number
  /** Names of UDP trackers go to the proxy behind the sockets unresolved. */
  readonly namesToProxy: boolean
}

/** The values in use; reasons in decision 0140. */
export const trackerDefaults: TrackerOptions = {
  localIp: null,
  minIntervalSec: 60,
  maxIntervalSec: 86_400,
  defaultIntervalSec: 1_800,
  backoffBaseSec: 15,
  backoffMaxSec: 3_600,
  maxNumWant: 200,
  stopGraceMs: 1_000,
  maxRunning: 50,
  maxPerHost: 8,
  maxFarewells: 400,
  maxFarewellsPerHost: 256,
  seedStartsPerSec: 50,
  togetherMs: 5_000,
  httpTimeoutMs: 20_000,
  maxAnswerBytes: 1024 * 1024,
  udpRetryBaseMs: 15_000,
  udpTries: 2,
  namesToProxy: false,
}

/** What announcing needs of the node. */
export interface TrackerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly http: HttpClient
  readonly udp: UdpNetwork
  readonly resolver: NameResolver
  /** A tracker says at which address it sees us (BEP 24). */
  externalIp?(ip: string, host: string): void
  /** What outlives the process of when trackers may be asked; absent: nothing does. */
  readonly kept?: KeptAnnounces | undefined
}

/** Announcers over HTTP(S) and UDP trackers. Announcing begins once setListenPort told a port above 0. */
export class TorrentAnnouncers implements Announcers<HashAnnouncer> {
  readonly #options: TrackerOptions
  readonly #due: DueQueue
  readonly #http: HttpTracker
  readonly #udp: UdpTracker
  readonly #shared: TorrentAnnouncerDeps
  readonly #waitForPort = new Set<Due>()
  readonly #clock: Clock
  readonly #random: Random
  #listenPort = 0
  #spread: AnnounceSpread = ONE_TRACKER
  #nextSeedMs = Number.NEGATIVE_INFINITY

  constructor(options: Partial<TrackerOptions>, deps: TrackerDeps) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.#options = { ...trackerDefaults, ...options }
    const { httpTimeoutMs, maxAnswerBytes, maxRunning, maxPerHost } = this.#options
    const { maxFarewells, maxFarewellsPerHost } = this.#options
    this.#due = new DueQueue(deps.clock, this.#options.togetherMs)
    this.#http = new HttpTracker({ timeoutMs: httpTimeoutMs, maxAnswerBytes, privateRule: 'tracker-paths' }, deps)
    const { localIp, udpRetryBaseMs: retryBaseMs, udpTries: tries, namesToProxy } = this.#options
    this.#udp = new UdpTracker({ localIp, retryBaseMs, tries, namesToProxy }, { ...deps, due: this.#due })
    this.#shared = {
      clock: deps.clock,
      random: deps.random,
      log: deps.log,
      due: this.#due,
      gate: new AnnounceGate({ maxRunning, maxPerHost, maxFarewells, maxFarewellsPerHost }),
      clientFor: url => this.#clientFor(url),
      startDelayMs: wantsPeers => (wantsPeers ? 0 : this.#seedDelayMs()),
      listenPort: () => this.#listenPort,
      whenPort: waiting => void this.#waitForPort.add(waiting),
      spread: () => this.#spread,
      externalIp: (ip, host) => deps.externalIp?.(ip, host),
      kept: deps.kept,
    }
  }

  create(params: AnnouncerParams): HashAnnouncer {
    return new TorrentAnnouncer(this.#options, this.#shared, params)
  }

  setListenPort(port: number): void {
    this.#listenPort = port
    if (port === 0) return
    for (const waiting of this.#waitForPort) waiting.set(0)
    this.#waitForPort.clear()
  }

  /** How many trackers are to hear of each torrent, from its next announce on. */
  setSpread(spread: AnnounceSpread): void {
    this.#spread = spread
  }

  /** Closes the UDP sockets and the timer. Stop the announcers before; the HttpClient is its maker's to close. */
  async close(): Promise<void> {
    await this.#udp.close()
    this.#due.close()
  }

  /**
   * One second's starts may come together; those beyond them each have a place of their own, with a little chance in
   * it.
   */
  #seedDelayMs(): number {
    const nowMs = this.#clock.now()
    const placeMs = 1000 / this.#options.seedStartsPerSec
    this.#nextSeedMs = Math.max(this.#nextSeedMs + placeMs, nowMs - 1000)
    const delayMs = this.#nextSeedMs - nowMs
    return delayMs <= 0 ? 0 : delayMs + (placeMs * this.#random.below(1000)) / 1000
  }

  #clientFor(url: string): TrackerClient | null {
    if (/^https?:\/\//i.test(url)) return this.#http
    return /^udp:\/\//i.test(url) ? this.#udp : null
  }
}
