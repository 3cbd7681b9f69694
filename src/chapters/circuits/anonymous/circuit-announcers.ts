// Announces a torrent over circuits: to trackers and DHT by way of the lane, and its hidden swarm, whose peers are
// found at introduction points. Counts which torrents need circuits. Nothing is announced before a circuit was ready
// once.

import type { InfoHash, PeerAddress } from '../../../base/ids.ts'
import type { Announcer, AnnouncerParams, Announcers, TrackerRow } from '../../../ports/announcer.ts'
import type { CircuitLane, HiddenSwarm } from '../ports/circuits.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'

/** How often it is looked whether torrents still need peers. */
const LOOK_MS = 5000

/** What CircuitAnnouncers is made from. */
export interface CircuitAnnouncersDeps {
  readonly clock: Clock
  readonly lane: CircuitLane
  /** Trackers and DHT, both over the lane. */
  readonly open: Announcers
  /** This address means a peer behind a circuit from now on. */
  hidden(address: PeerAddress): void
}

/** Announcers of one lane. */
export class CircuitAnnouncers implements Announcers {
  readonly #deps: CircuitAnnouncersDeps
  readonly #started = new Set<CircuitAnnouncer>()
  #port = 0
  #reached = false
  #timer: Timer | null = null

  constructor(deps: CircuitAnnouncersDeps) {
    this.#deps = deps
  }

  create(params: AnnouncerParams): Announcer {
    return new CircuitAnnouncer(params, this.#deps, (announcer, starts) => this.#count(announcer, starts))
  }

  setListenPort(port: number): void {
    this.#port = port
    if (this.#reached) this.#deps.open.setListenPort(port)
  }

  /** There are circuits, for the first time or again. */
  reach(): void {
    if (!this.#reached) this.#deps.open.setListenPort(this.#port)
    this.#reached = true
    for (const announcer of this.#started) announcer.announceSoon()
  }

  #count(announcer: CircuitAnnouncer, starts: boolean): void {
    if (starts) this.#started.add(announcer)
    else this.#started.delete(announcer)
    this.#deps.lane.setDemand(this.#started.size)
    if (this.#started.size > 0) this.#timer ??= this.#deps.clock.every(LOOK_MS, () => this.#look())
    else this.#endLooking()
  }

  #look(): void {
    for (const announcer of this.#started) announcer.look()
  }

  #endLooking(): void {
    this.#timer?.cancel()
    this.#timer = null
  }
}

/** The announcing of one torrent. */
class CircuitAnnouncer implements Announcer {
  readonly #params: AnnouncerParams
  readonly #deps: CircuitAnnouncersDeps
  readonly #open: Announcer
  readonly #count: (announcer: CircuitAnnouncer, starts: boolean) => void
  /** One for each info hash, while it is started and not private. */
  readonly #swarms = new Map<InfoHash, HiddenSwarm>()
  readonly #names: InfoHash[]
  #started = false

  constructor(
    params: AnnouncerParams,
    deps: CircuitAnnouncersDeps,
    count: (announcer: CircuitAnnouncer, starts: boolean) => void,
  ) {
    this.#params = params
    this.#deps = deps
    this.#open = deps.open.create(params)
    this.#count = count
    this.#names = [params.infoHash]
  }

  start(): void {
    this.#started = true
    this.#count(this, true)
    this.#open.start()
    this.look()
  }

  completed(): void {
    this.#open.completed()
    this.look()
  }

  /**
   * Joins, leaves, and tells hidden swarms what is wanted of them now. Its peers come from its trackers alone (BEP 27).
   */
  look(): void {
    if (!this.#started) return
    if (this.#params.isPrivate()) return this.#leave()
    for (const name of this.#names) if (!this.#swarms.has(name)) this.#swarms.set(name, this.#join(name))
    const seeding = this.#params.counters().left === 0
    const sated = this.#params.wantedPeers() === 0
    for (const swarm of this.#swarms.values()) {
      swarm.setSeeding(seeding)
      swarm.setSated(sated)
    }
  }

  metadataKnown(): void {
    this.#open.metadataKnown()
    this.look()
  }

  announceSoon(urgent = false): void {
    this.#open.announceSoon(urgent)
    this.look()
  }

  addTiers(tiers: readonly (readonly string[])[]): string[] {
    return this.#open.addTiers(tiers)
  }

  remove(urls: readonly string[]): string[] {
    return this.#open.remove(urls)
  }

  setTiers(tiers: readonly (readonly string[])[]): void {
    this.#open.setTiers(tiers)
  }

  announceNow(urls: readonly string[] | null): number {
    return this.#open.announceNow(urls)
  }

  tiers(): string[][] {
    return this.#open.tiers()
  }

  rows(): TrackerRow[] {
    return this.#open.rows()
  }

  get revision(): number {
    return this.#open.revision
  }

  alsoAs(infoHash: InfoHash): void {
    if (this.#names.includes(infoHash)) return
    this.#names.push(infoHash)
    this.#open.alsoAs(infoHash)
    this.look()
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#started = false
    this.#leave()
    await this.#open.stop(deadlineMs)
    // Until then circuits are needed: trackers hear `stopped`.
    if (!this.#started) this.#count(this, false)
  }

  #join(name: InfoHash): HiddenSwarm {
    return this.#deps.lane.join(name, ({ address }) => {
      this.#deps.hidden(address)
      this.#params.onPeers([address], 'dht')
    })
  }

  #leave(): void {
    for (const swarm of this.#swarms.values()) swarm.leave()
    this.#swarms.clear()
  }
}
