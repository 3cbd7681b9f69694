// The rates of all downloads as they were. Only downloads that move have a history in memory, from their first byte
// until an hour after the last; all others are rows of the store, read when somebody asks. Rows are written rarely: a
// kill loses WRITE_MS of them, a stop nothing. Invariant: a history is written only after what the store had was
// merged into it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { RateRecords } from '../../ports/records.ts'
import type { DownloadsService } from '../downloads/downloads-api.ts'
import { RateHistory } from './rate-history.ts'
import type { MovedBytes, MovedBytesSink, RateRange, RateSeries, RatesService } from './rates-api.ts'

/** What moved goes to the store this often. */
export const WRITE_MS = 900_000
/** After so long without a byte the rings of the hour are empty, and the store has the others. */
export const IDLE_MS = 3_600_000
/** Histories that are read or written by one job of the store: 400 KiB at most. */
const AT_ONCE = 100
/** Longer between two notes than this, ms: the process did not run. */
const MAX_BETWEEN_MS = 60_000
const FIELDS = { peers: false, pieces: false, files: false, fields: ['infohash'] } as const

/** What it works with. */
export interface RateHistoriesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly downloads: Pick<DownloadsService, 'record'>
}

/** A history in memory. */
interface Kept {
  readonly infoHash: InfoHash
  readonly history: RateHistory
  /** What the store had is in it. */
  merged: boolean
  /** Something moved since it was written. */
  changed: boolean
  movedAtMs: number
}

/** See RatesService. */
export class RateHistories implements RatesService, MovedBytesSink {
  readonly #deps: RateHistoriesDeps
  readonly #kept = new Map<InfoHash, Kept>()
  #records: RateRecords | null = null
  #timer: Timer | null = null
  #notedMs: number
  /** Reads and writes follow each other. */
  #work: Promise<void> = Promise.resolve()
  #asked = false

  constructor(deps: RateHistoriesDeps) {
    this.#deps = deps
    this.#notedMs = deps.clock.now()
  }

  /** Histories in memory. */
  get size(): number {
    return this.#kept.size
  }

  /** The store is there. */
  start(records: RateRecords): void {
    this.#records = records
    this.#timer = this.#deps.clock.every(WRITE_MS, () => void this.#soon(() => this.#tidy()))
  }

  /** Settles when what moved is in the store. Never rejects. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#soon(() => this.#write())
  }

  moved(bytes: readonly MovedBytes[]): void {
    const { clock } = this.#deps
    const [nowMs, wallMs] = [clock.now(), clock.wallMs()]
    // Not by the wall clock, which may have been set meanwhile.
    const fromMs = wallMs - Math.min(nowMs - this.#notedMs, MAX_BETWEEN_MS)
    this.#notedMs = nowMs
    for (const { infoHash, down, up } of bytes) {
      const kept = this.#kept.get(infoHash) ?? this.#begin(infoHash)
      kept.history.add(fromMs, wallMs, down, up)
      kept.changed = true
      kept.movedAtMs = nowMs
    }
  }

  forget(infoHash: InfoHash): void {
    this.#kept.delete(infoHash)
  }

  async of(infohash: string, range: RateRange): Promise<RateSeries & { infohash: string }> {
    const found = await this.#deps.downloads.record(infohash, FIELDS)
    const infoHash = found.infohash as InfoHash
    const history = await this.#historyOf(infoHash)
    const sinceMs = Math.min(this.#deps.clock.now() - this.#notedMs, MAX_BETWEEN_MS)
    return { infohash: infoHash, ...history.series(range, this.#deps.clock.wallMs() - sinceMs) }
  }

  async #historyOf(infoHash: InfoHash): Promise<RateHistory> {
    const known = this.#kept.get(infoHash)
    if (known?.merged === true) return known.history
    if (this.#records === null) throw new AppError('NotReady')
    const [stored] = await this.#records.read([infoHash])
    const now = this.#kept.get(infoHash)
    if (now?.merged === true) return now.history
    const history = new RateHistory()
    if (now !== undefined) history.merge(now.history)
    history.merge(ofStored(stored))
    return history
  }

  #begin(infoHash: InfoHash): Kept {
    const kept = { infoHash, history: new RateHistory(), merged: false, changed: true, movedAtMs: 0 }
    this.#kept.set(infoHash, kept)
    if (!this.#asked) {
      this.#asked = true
      void this.#soon(() => this.#merge())
    }
    return kept
  }

  /** Runs after what is under way. A store that fails is asked again by the next turn. */
  #soon(run: () => Promise<void>): Promise<void> {
    this.#work = this.#work
      .then(run)
      .catch((error: unknown) => this.#deps.log.warn('rates could not be kept', { error: errorText(error) }))
    return this.#work
  }

  /** Merges what the store has into what began to move. */
  async #merge(): Promise<void> {
    this.#asked = false
    const records = this.#records
    if (records === null) return
    for (const some of groupsOf([...this.#kept.values()].filter(({ merged }) => !merged))) {
      const stored = await records.read(some.map(({ infoHash }) => infoHash))
      for (const [index, kept] of some.entries()) {
        kept.history.merge(ofStored(stored[index]))
        kept.merged = true
      }
      await nextTurn()
    }
  }

  async #write(): Promise<void> {
    await this.#merge()
    const records = this.#records
    if (records === null) return
    for (const group of groupsOf([...this.#kept.values()].filter(({ changed }) => changed))) {
      // Removed meanwhile, it may be there again as another one.
      const some = group.filter(kept => kept.merged && this.#kept.get(kept.infoHash) === kept)
      for (const kept of some) kept.changed = false
      try {
        await records.write(some.map(({ infoHash, history }) => [infoHash, history.toBytes()]))
      } catch (error) {
        for (const kept of some) kept.changed = true
        throw error
      }
      await nextTurn()
    }
  }

  /** Writes, and lets those go that have not moved for long. */
  async #tidy(): Promise<void> {
    await this.#write()
    const idleMs = this.#deps.clock.now() - IDLE_MS
    for (const [infoHash, { merged, changed, movedAtMs }] of this.#kept)
      if (merged && !changed && movedAtMs < idleMs) this.#kept.delete(infoHash)
  }
}

function ofStored(stored: Uint8Array | null | undefined): RateHistory {
  return (stored == null ? null : RateHistory.fromBytes(stored)) ?? new RateHistory()
}

function* groupsOf(kept: readonly Kept[]): Generator<readonly Kept[], void> {
  for (let at = 0; at < kept.length; at += AT_ONCE) yield kept.slice(at, at + AT_ONCE)
}
