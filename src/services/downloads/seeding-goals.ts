// Seeding that ends: counts how long each download has seeded and stops it when it has reached its ratio or its time,
// whichever is first. Its own goals go before those of the settings; resuming by hand after that sets it free of them.
// The ratio is qBittorrent's: of what was downloaded, or of the size where hardly anything was (data that was there).

import { errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DownloadControls } from '../../ports/records.ts'
import type { TorrentSnapshot, TorrentStatus } from '../../torrent/types.ts'
import { controlsOf } from './download-controls.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import type { EventHub } from '../events/events.ts'

/** Goals are looked at this often. */
const LOOK_MS = 10_000
/** How long downloads have seeded goes to the store this often: a kill loses no more of the count. */
const NOTE_MS = 600_000
/** Seeds that are noted together: a hundred thousand in one go would hold up what else there is to do. */
const NOTED_AT_ONCE = 500
/** Less than this part of the size downloaded: the data was there before. */
const OWN_DATA_PART = 0.01

/** Which goals of the settings count. */
export type SeedingMode = 'forever' | 'never' | 'ratio' | 'time' | 'either'

/** Section download_defaults, as far as seeding goes. */
export interface SeedingSettings {
  readonly seedingMode: SeedingMode
  readonly seedingRatio: number
  /** Minutes. */
  readonly seedingMinutes: number
}

/** Where seeding ends; null = never. */
export interface SeedingGoal {
  readonly ratio: number | null
  readonly seconds: number | null
}

/** What the goals need of the node. */
export interface SeedingGoalsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  settings(): SeedingSettings
}

interface Seed {
  readonly entry: DownloadEntry
  readonly sinceMs: number
  /** The ratio was looked at since it is suspended: it does not change there. */
  looked: boolean
  stopping: boolean
}

/** The goal of one download. */
export function seedingGoal(controls: DownloadControls, settings: SeedingSettings): SeedingGoal {
  const { seedingMode: mode, seedingRatio, seedingMinutes } = settings
  const byRatio = mode === 'ratio' || mode === 'either'
  const byTime = mode === 'time' || mode === 'either'
  const ratio = controls.seedingRatio ?? (mode === 'never' ? 0 : byRatio ? seedingRatio : -1)
  const minutes = controls.seedingMinutes ?? (byTime ? seedingMinutes : -1)
  return { ratio: ratio < 0 ? null : ratio, seconds: minutes < 0 ? null : minutes * 60 }
}

/** Uploaded over downloaded, or over the size when the data was there before; 0 when nothing is known. */
export function shareRatio({ totalUp, totalDown, sizeBytes }: TorrentSnapshot): number {
  const down = totalDown < sizeBytes * OWN_DATA_PART ? sizeBytes : totalDown
  return down > 0 ? totalUp / down : 0
}

/**
 * Seeding that ends: counts how long each download has seeded and stops it when it has reached its ratio or its time,
 * whichever is first.
 */
export class SeedingGoals {
  readonly #set: DownloadSet
  readonly #deps: SeedingGoalsDeps
  readonly #seeds = new Map<InfoHash, Seed>()
  #stopped = false
  readonly #timers: Timer[] = []

  constructor(set: DownloadSet, deps: SeedingGoalsDeps) {
    this.#set = set
    this.#deps = deps
  }

  start(): void {
    const { clock } = this.#deps
    this.#timers.push(clock.every(LOOK_MS, () => this.look()))
    this.#timers.push(clock.every(NOTE_MS, () => void this.#note()))
  }

  /** Settles when what was counted is in the store. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#timers.splice(0)) timer.cancel()
    await this.#note(true)
  }

  /** What the engine says of a download. */
  statusChanged(infoHash: InfoHash, status: TorrentStatus): void {
    const seed = this.#seeds.get(infoHash)
    if (status === 'seeding' && seed === undefined) {
      const entry = this.#set.entries.get(infoHash)
      if (entry === undefined) return
      const sinceMs = this.#deps.clock.now()
      this.#seeds.set(infoHash, { entry, sinceMs, looked: false, stopping: false })
    } else if (status !== 'seeding' && seed !== undefined) {
      this.#seeds.delete(infoHash)
      this.#keep(seed)
    }
  }

  /** It is removed. */
  forget(infoHash: InfoHash): void {
    this.#seeds.delete(infoHash)
  }

  /** Seconds it has seeded, all time. */
  seededSec(entry: DownloadEntry): number {
    const seed = this.#seeds.get(entry.stored.infoHash)
    const nowSec = seed === undefined ? 0 : (this.#deps.clock.now() - seed.sinceMs) / 1000
    return Math.floor(entry.stored.seededSec + nowSec)
  }

  /** Something about the goals changed. */
  look(): void {
    const settings = this.#deps.settings()
    for (const seed of this.#seeds.values()) {
      const goal = seedingGoal(controlsOf(seed.entry.stored), settings)
      if (seed.stopping || (goal.ratio === null && goal.seconds === null)) continue
      const reason = this.#reached(seed, goal)
      if (reason !== null) this.#end(seed, reason)
    }
  }

  /** The goals of one download are other ones now. */
  changed(infoHash: InfoHash): void {
    const seed = this.#seeds.get(infoHash)
    if (seed !== undefined) seed.looked = false
  }

  #reached(seed: Seed, goal: SeedingGoal): 'ratio' | 'time' | null {
    const { entry } = seed
    if (!entry.loaded) return null
    if (goal.seconds !== null && this.seededSec(entry) >= goal.seconds) return 'time'
    if (goal.ratio === null || (seed.looked && entry.torrent.suspended)) return null
    seed.looked = entry.torrent.suspended
    return shareRatio(entry.torrent.snapshot()) >= goal.ratio ? 'ratio' : null
  }

  #end(seed: Seed, reason: 'ratio' | 'time'): void {
    const { entry } = seed
    const { infoHash } = entry.stored
    seed.stopping = true
    const stop = async (): Promise<void> => {
      // Stopped, removed or given other goals while it waited for its turn.
      const still = this.#seeds.get(infoHash) === seed && this.#set.entries.get(infoHash) === entry
      const goal = seedingGoal(controlsOf(entry.stored), this.#deps.settings())
      if (!still || (goal.ratio === null && goal.seconds === null)) return
      await this.#set.update(entry, { userStopped: true, goalReached: true })
      await (await entry.torrent.wake()).stop()
      const { name } = entry.torrent.snapshot()
      this.#deps.events.emit('seeding_goal_reached', { infohash: infoHash, name, goal: reason })
    }
    void this.#set.queue
      .run(infoHash, stop)
      .catch((error: unknown) =>
        this.#deps.log.error('a seed could not be stopped', { infoHash, error: errorText(error) }),
      )
      .finally(() => {
        seed.stopping = false
      })
  }

  /** What was counted in one go of seeding. */
  #keep({ entry, sinceMs }: Seed): void {
    const seconds = (this.#deps.clock.now() - sinceMs) / 1000
    const { infoHash, seededSec } = entry.stored
    entry.stored = { ...entry.stored, seededSec: Math.round(seededSec + seconds) }
    void this.#write([[infoHash, entry.stored.seededSec]])
  }

  /** `last`: the store is about to close, and nothing else waits for it. */
  async #note(last = false): Promise<void> {
    const seeds = [...this.#seeds.values()]
    const writes: Promise<void>[] = []
    for (let at = 0; at < seeds.length; at += NOTED_AT_ONCE) {
      if (this.#stopped && !last) return
      // Who has ended or was removed meanwhile has had a note of its own.
      const some = seeds.slice(at, at + NOTED_AT_ONCE).filter(seed => this.#isCounted(seed))
      const write = this.#write(some.map(({ entry }) => [entry.stored.infoHash, this.seededSec(entry)]))
      if (last) writes.push(write)
      else await write
    }
    await Promise.all(writes)
  }

  #isCounted(seed: Seed): boolean {
    return this.#seeds.get(seed.entry.stored.infoHash) === seed
  }

  async #write(counted: readonly (readonly [InfoHash, number])[]): Promise<void> {
    try {
      await this.#set.store.setSeeded(counted)
    } catch (error) {
      this.#deps.log.warn('the time of seeding could not be noted', { error: errorText(error) })
    }
  }
}
