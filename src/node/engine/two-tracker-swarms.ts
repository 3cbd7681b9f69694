// The trackers of one torrent under two info hashes: a hybrid has a swarm for v1 and one for v2, and a tracker knows
// nothing of that (BEP 52). The first is what the torrent is known as: its rows are shown, with what the other found.

import type { HashAnnouncer, TrackerRow } from '../../ports/announcer.ts'

/**
 * The trackers of one torrent under two info hashes: a hybrid has a swarm for v1 and one for v2, and a tracker knows
 * nothing of that (BEP 52). Both have the same trackers.
 */
export class TwoTrackerSwarms implements HashAnnouncer {
  readonly #first: HashAnnouncer
  readonly #other: HashAnnouncer

  constructor(first: HashAnnouncer, other: HashAnnouncer) {
    this.#first = first
    this.#other = other
  }

  start(): void {
    this.#first.start()
    this.#other.start()
  }

  completed(): void {
    this.#first.completed()
    this.#other.completed()
  }

  announceSoon(urgent = false): void {
    this.#first.announceSoon(urgent)
    this.#other.announceSoon(urgent)
  }

  addTiers(tiers: readonly (readonly string[])[]): string[] {
    this.#other.addTiers(tiers)
    return this.#first.addTiers(tiers)
  }

  remove(urls: readonly string[]): string[] {
    this.#other.remove(urls)
    return this.#first.remove(urls)
  }

  setTiers(tiers: readonly (readonly string[])[]): void {
    this.#other.setTiers(tiers)
    this.#first.setTiers(tiers)
  }

  announceNow(urls: readonly string[] | null): number {
    return Math.max(this.#first.announceNow(urls), this.#other.announceNow(urls))
  }

  tiers(): string[][] {
    return this.#first.tiers()
  }

  rows(): TrackerRow[] {
    const others = new Map(this.#other.rows().map(row => [row.url, row]))
    return this.#first.rows().map(row => withSwarm(row, others.get(row.url) ?? row))
  }

  get revision(): number {
    return this.#first.revision + this.#other.revision
  }

  async stop(deadlineMs: number): Promise<void> {
    await Promise.all([this.#first.stop(deadlineMs), this.#other.stop(deadlineMs)])
  }
}

/**
 * One row for two swarms. Most peers of a hybrid are in both: the larger counts are nearer to the truth than their
 * sums.
 */
function withSwarm(row: TrackerRow, other: TrackerRow): TrackerRow {
  const { failure, words = '' } = row
  const works = row.status !== 'Working' && other.status === 'Working'
  return {
    url: row.url,
    status: works ? other.status : row.status,
    peers: Math.max(row.peers, other.peers),
    seeders: larger(row.seeders, other.seeders),
    leechers: larger(row.leechers, other.leechers),
    tier: row.tier ?? 0,
    nextSec: sooner(row.nextSec ?? 0, other.nextSec ?? 0),
    ...(failure === undefined || works ? {} : { failure, words }),
  }
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function sooner(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b)
}
