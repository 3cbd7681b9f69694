// Trackers without a network: a test hands out peers itself and sees what was announced.

import type { PeerAddress } from '../../../src/base/ids.ts'
import type { Announcer, AnnouncerParams, Announcers, TrackerRow } from '../../../src/ports/announcer.ts'

/** One torrent's announcer; `calls` lists what it was told, oldest first. */
export class FakeAnnouncer implements Announcer {
  readonly params: AnnouncerParams
  readonly calls: string[] = []
  revision = 0
  readonly #tiers: string[][]

  constructor(params: AnnouncerParams) {
    this.params = params
    this.#tiers = params.tiers.map(tier => [...tier])
  }

  /** As if a tracker had answered with these peers. */
  answer(peers: readonly PeerAddress[]): void {
    this.params.onPeers(peers, 'tracker')
  }

  start(): void {
    this.calls.push('started')
  }

  completed(): void {
    this.calls.push('completed')
  }

  announceSoon(urgent = false): void {
    const call = urgent ? 'urgent' : 'soon'
    if (this.calls.at(-1) !== call) this.calls.push(call)
  }

  addTiers(tiers: readonly (readonly string[])[]): string[] {
    const known = new Set(this.#tiers.flat())
    const fresh = tiers.flat().filter(url => !known.has(url))
    for (const url of fresh) this.#tiers.push([url])
    this.revision += 1
    return fresh
  }

  remove(urls: readonly string[]): string[] {
    const gone = urls.filter(url => this.#tiers.some(tier => tier.includes(url)))
    this.#tiers.splice(
      0,
      this.#tiers.length,
      ...this.#tiers.map(tier => tier.filter(url => !gone.includes(url))).filter(tier => tier.length > 0),
    )
    this.revision += 1
    return gone
  }

  setTiers(tiers: readonly (readonly string[])[]): void {
    this.#tiers.splice(0, this.#tiers.length, ...tiers.map(tier => [...tier]))
    this.revision += 1
  }

  announceNow(urls: readonly string[] | null): number {
    this.calls.push(`now ${urls === null ? 'all' : urls.join(' ')}`)
    return urls?.length ?? this.#tiers.flat().length
  }

  tiers(): string[][] {
    return this.#tiers.map(tier => [...tier])
  }

  rows(): TrackerRow[] {
    return this.#tiers.flat().map(url => ({ url, status: 'Working', peers: 0, seeders: null, leechers: null }))
  }

  metadataKnown(): void {}

  alsoAs(infoHash: string): void {
    this.calls.push(`also ${infoHash}`)
  }

  async stop(): Promise<void> {
    this.calls.push('stopped')
  }
}

/** Makes announcers and keeps them by info hash. */
export class FakeAnnouncers implements Announcers {
  readonly made = new Map<string, FakeAnnouncer>()
  port = 0

  create(params: AnnouncerParams): Announcer {
    const announcer = new FakeAnnouncer(params)
    this.made.set(params.infoHash, announcer)
    return announcer
  }

  setListenPort(port: number): void {
    this.port = port
  }
}
