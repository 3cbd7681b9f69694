// A tracker world in memory: a clock that tests move, an HTTP client whose answers tests write, a log that is silent.

import { AppError } from '../../../src/base/errors.ts'
import { parseInfoHash } from '../../../src/base/ids.ts'
import type { HashAnnouncer, AnnouncerParams } from '../../../src/ports/announcer.ts'
import type { Clock, Timer } from '../../../src/ports/clock.ts'
import type { HttpAnswer, HttpClient, HttpGet } from '../../../src/ports/http-get.ts'
import type { KeptAnnounces } from '../../../src/ports/kept-announces.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { NameResolver } from '../../../src/ports/name-resolver.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { TorrentAnnouncers, type TrackerOptions } from '../../../src/tracker/announcer.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

/** Lets everything run that is ready now. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Time that stands still until it is moved. */
export class ManualClock implements Clock {
  #nowMs = 1_000
  readonly #timers = new Set<{ dueMs: number; run: () => void }>()

  now(): number {
    return this.#nowMs
  }
  wallMs(): number {
    return this.#nowMs
  }
  after(delayMs: number, run: () => void): Timer {
    const timer = { dueMs: this.#nowMs + delayMs, run }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }
  every(): Timer {
    throw new Error('trackers set single timers only')
  }
  get pending(): number {
    return this.#timers.size
  }
  /** Moves time, running timers in order and what they set off. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs
    await settle()
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.dueMs - b.dueMs)[0]
      if (next === undefined || next.dueMs > endMs) break
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.run()
      await settle()
    }
    this.#nowMs = endMs
    await settle()
  }
}

/** What a tracker of the memory world does with a request: an answer, or the words `silent` or `down`. */
export type Behaviour = (query: URLSearchParams, path: string) => string | Buffer

/** One request as it came in. */
export interface Seen {
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
}

/** HttpClient over behaviours by host. */
export class MemoryHttp implements HttpClient {
  readonly seen: Seen[] = []
  readonly trackers = new Map<string, Behaviour>()
  running = 0
  peak = 0

  async get(order: HttpGet): Promise<HttpAnswer> {
    const url = new URL(order.url)
    this.seen.push({ host: url.host, path: url.pathname, query: url.searchParams })
    this.running++
    this.peak = Math.max(this.peak, this.running)
    try {
      await new Promise(resolve => setImmediate(resolve))
      const body = this.trackers.get(url.host)?.(url.searchParams, url.pathname) ?? 'down'
      if (body === 'silent') await this.#untilAbort(order.signal)
      if (body === 'down') {
        const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
        throw new AppError('SourceFailed', 'the connection was refused', { cause })
      }
      return { status: 200, body: Buffer.from(body), remoteIp: '192.0.2.1' }
    } finally {
      this.running--
    }
  }

  async close(): Promise<void> {}

  /** The events one host heard, in order; '' is a regular announce. */
  events(host: string): string[] {
    return this.announces(host).map(seen => seen.query.get('event') ?? '')
  }

  announces(host: string): Seen[] {
    return this.seen.filter(seen => seen.host === host && seen.path.endsWith('/announce'))
  }

  #untilAbort(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new AppError('Aborted')), { once: true })
    })
  }
}

/** Silent, but an error line fails the test. */
export const strictLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message, fields) => {
    throw new Error(`logged: ${message} ${JSON.stringify(fields)}`)
  },
  part: () => strictLog,
}

/** An answer in bencode, 1,800 s and both counts unless told otherwise. */
export function reply(
  fields: { interval?: number; min?: number; peers?: Buffer; counts?: boolean; extra?: string } = {},
): Buffer {
  const { interval = 1_800, min, peers = Buffer.alloc(0), counts = true, extra = '' } = fields
  return Buffer.concat([
    Buffer.from(counts ? 'd8:completei3e10:incompletei4e' : 'd'),
    Buffer.from(`8:intervali${interval}e${min === undefined ? '' : `12:min intervali${min}e`}5:peers${peers.length}:`),
    peers,
    Buffer.from(`${extra}e`),
  ])
}

const noUdp: UdpNetwork = { bind: () => Promise.reject(new Error('no UDP in this test')) }
const noNames: NameResolver = { resolve: () => Promise.reject(new Error('no names in this test')) }

/** A world with one TorrentAnnouncers in it. */
export class TrackerWorld {
  readonly clock = new ManualClock()
  readonly http = new MemoryHttp()
  readonly announcers: TorrentAnnouncers
  readonly peers: string[] = []
  /** What trackers said of our address, with who said it. */
  readonly external: string[] = []
  partialSeed = false
  left = 1_000
  wanted = 50
  /** Bytes. */
  uploaded = 1
  #made = 0

  /** Each announce in its own moment, unless `options` says otherwise. `kept`: what outlives the process. */
  constructor(options: Partial<TrackerOptions> = {}, kept?: KeptAnnounces) {
    const { clock, http } = this
    const externalIp = (ip: string, host: string) => void this.external.push(`${ip} ${host}`)
    const deps = {
      clock,
      http,
      random: new SeededRandom(7),
      log: strictLog,
      udp: noUdp,
      resolver: noNames,
      externalIp,
      kept,
    }
    this.announcers = new TorrentAnnouncers({ togetherMs: 0, ...options }, deps)
    this.announcers.setListenPort(6_881)
  }

  create(tiers: readonly (readonly string[])[], completedBefore = false): HashAnnouncer {
    const infoHash = parseInfoHash((++this.#made).toString(16).padStart(40, '0'))
    if (infoHash === null) throw new Error('not an info hash')
    const params: AnnouncerParams = {
      infoHash,
      peerId: Buffer.from('-TB0100-abcdefghijkl'),
      tiers,
      completedBefore,
      wantedPeers: () => this.wanted,
      counters: () => ({ uploaded: this.uploaded, downloaded: 2, left: this.left, partialSeed: this.partialSeed }),
      isPrivate: () => false,
      onPeers: peers => void this.peers.push(...peers.map(peer => `${peer.ip}:${peer.port}`)),
    }
    return this.announcers.create(params)
  }
}
