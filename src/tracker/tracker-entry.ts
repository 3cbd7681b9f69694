// What is remembered of one tracker of one torrent: which events it heard, when it may be asked again, its row. Holds
// no timers and sends nothing. Invariant: `completed` is due only for a tracker that heard `started`, now or in an
// earlier session, or is hearing it.

import type { AnnounceCounters, TrackerRow } from '../ports/announcer.ts'
import type { Clock } from '../ports/clock.ts'
import type { HeldTracker } from '../ports/kept-announces.ts'
import type { Random } from '../ports/random.ts'
import type { AnnounceEvent, AnnounceReply } from '../wire/tracker/tracker-types.ts'
import { AnnounceHold } from './announce-hold.ts'
import type { TrackerError } from './tracker-client.ts'

/** A min interval below this is one of tests, or a mistake, seconds. */
const MIN_OWN_SEC = 5

/** Bounds for what a tracker may ask for, seconds, and how failures are spaced. */
export interface PaceOptions {
  readonly minIntervalSec: number
  readonly maxIntervalSec: number
  /** Used when the tracker names none. */
  readonly defaultIntervalSec: number
  readonly backoffBaseSec: number
  readonly backoffMaxSec: number
}

/** An announce on its way. */
export interface InFlight {
  readonly event: AnnounceEvent
  readonly abort: AbortController
  readonly done: Promise<unknown>
}

/** One tracker of one torrent: what it said last, and when it may be asked again. */
export class TrackerEntry {
  readonly url: string
  /** Scheme, host and port: what connection reuse and limits go by. */
  readonly host: string
  heardStarted = false
  /** It is to hear `completed`, also in a later session, until that may have reached it. */
  completedDue = false
  /**
   * Clock times, ms: not before (failures), not before (min interval, a minute at least), and when a regular announce
   * is due.
   */
  retryAtMs = 0
  earliestMs = 0
  nextMs = 0
  /** Of nextMs, or of retryAtMs after a failure: seconds since 1970; 0 = not known. */
  nextSec = 0
  /** As earliestMs, but for a user that waits: by the tracker's own min interval where it names one. */
  soonestMs = 0
  /** The tracker itself named the time of retryAtMs (BEP 31). */
  toldToWait = false
  trackerId: string | null = null
  scrapeUseless = false
  /** When a user forced an announce last, clock ms. */
  forcedMs = Number.NEGATIVE_INFINITY
  /** Grows with every change of row(). */
  revision = 0
  /** When it may hear `started` again. */
  readonly hold = new AnnounceHold()
  /** It heard `started` once. */
  knewUs = false
  /** It knows us of an earlier session, and this one's `started` has to wait. */
  held = false
  /** What had gone up and down when it was first told `started`; null = not yet. */
  #base: { readonly uploaded: number; readonly downloaded: number } | null = null
  #inFlight: InFlight | null = null
  #status = 'Not contacted yet'
  /** How the last announce failed; null: it did not, or there was none. */
  #failure: Pick<Required<TrackerRow>, 'failure' | 'words'> | null = null
  #failures = 0
  #peers = 0
  #seeders: number | null = null
  #leechers: number | null = null

  constructor(url: string) {
    this.url = url
    const parsed = URL.parse(url)
    this.host = parsed === null ? '' : `${parsed.protocol}//${parsed.host}`
  }

  /** What is due outlives the process: it knows us, and was not told. */
  get owesCompleted(): boolean {
    return this.completedDue && this.knewUs
  }

  /** Goes on where `other` was: the tracker was taken away and is added again. */
  continue(other: TrackerEntry): void {
    this.hold.continue(other.hold)
    this.knewUs = other.knewUs
    this.completedDue = other.owesCompleted
  }

  /** The run before left this. */
  recall({ minMs, peers, owesCompleted }: HeldTracker, untilMs: number): void {
    this.hold.recall(untilMs, minMs, peers)
    this.knewUs = true
    this.completedDue = owesCompleted
  }

  get inFlight(): InFlight | null {
    return this.#inFlight
  }

  set inFlight(inFlight: InFlight | null) {
    this.#inFlight = inFlight
    this.revision += 1
  }

  /** The event of the next announce that is not a farewell; `complete`: nothing is left. */
  nextEvent(complete: boolean): AnnounceEvent {
    if (!this.heardStarted) return 'started'
    return this.completedDue && complete ? 'completed' : null
  }

  /** The counters to report to it: what came since its `started` (BEP 3), so that no byte counts twice. */
  sinceStarted(event: AnnounceEvent, counters: AnnounceCounters): AnnounceCounters {
    const { uploaded, downloaded } = counters
    if (event === 'started') {
      this.#base ??= { uploaded, downloaded }
      // What came while `started` had to wait is in the next report: trackers count from here.
      return { ...counters, uploaded: 0, downloaded: 0 }
    }
    const { uploaded: up = 0, downloaded: down = 0 } = this.#base ?? {}
    return { ...counters, uploaded: Math.max(0, uploaded - up), downloaded: Math.max(0, downloaded - down) }
  }

  /**
   * Begins a new session: the tracker has heard nothing of it; what the row shows stays, and what it asked us to wait.
   */
  reset(nowMs: number, counters: () => AnnounceCounters): void {
    this.heardStarted = false
    this.completedDue = this.owesCompleted
    const told = this.retryAtMs === Number.POSITIVE_INFINITY || this.toldToWait
    this.retryAtMs = told ? this.retryAtMs : 0
    this.toldToWait = told && this.toldToWait
    this.held = this.hold.untilMs > nowMs
    this.earliestMs = this.held ? this.hold.untilMs : 0
    this.soonestMs = this.earliestMs
    this.nextMs = 0
    this.nextSec = 0
    this.#base = this.held ? counters() : null
    this.#failures = 0
  }

  succeeded(event: AnnounceEvent, reply: AnnounceReply, nowMs: number, pace: PaceOptions): void {
    this.revision += 1
    this.#status = 'Working'
    this.#failure = null
    this.#failures = 0
    this.retryAtMs = 0
    this.toldToWait = false
    if (event === 'started') this.heardStarted = this.knewUs = true
    if (event === 'completed') this.completedDue = false
    if (event === 'stopped') this.heardStarted = false
    if (reply.trackerId !== null) this.trackerId = reply.trackerId
    this.counted(reply.seeders, reply.leechers)
    if (event === 'stopped') return
    this.#peers = reply.peers.length
    const clamp = (seconds: number): number => Math.min(pace.maxIntervalSec, Math.max(pace.minIntervalSec, seconds))
    const minSec = clamp(reply.minIntervalSec ?? 0)
    const intervalSec = Math.max(minSec, clamp(reply.intervalSec ?? pace.defaultIntervalSec))
    const ownSec = Math.max(MIN_OWN_SEC, reply.minIntervalSec ?? pace.minIntervalSec)
    this.earliestMs = nowMs + minSec * 1_000
    this.soonestMs = nowMs + Math.min(minSec, ownSec) * 1_000
    this.nextMs = nowMs + intervalSec * 1_000
  }

  failed(
    event: AnnounceEvent,
    { message: text, retryInSec, unheard, refused }: TrackerError,
    nowMs: number,
    pace: PaceOptions,
    random: Random,
  ): void {
    this.revision += 1
    this.#status = `Error: ${text}`
    this.#failure = { failure: refused ? 'refused' : 'unanswered', words: text }
    this.#failures++
    // It never heard of us: the `started` to come will tell that nothing is left.
    if (event === 'started' && !this.knewUs) this.completedDue = false
    // It may have been counted although the answer was lost: it is not said a second time.
    if (event === 'completed' && !unheard) this.completedDue = false
    this.toldToWait = retryInSec !== null
    const doubledSec = Math.min(pace.backoffMaxSec, pace.backoffBaseSec * 2 ** Math.min(30, this.#failures - 1))
    // Up to a quarter more, so that all torrents of a tracker that comes back do not ask in the same second.
    const jitterSec = (doubledSec / 4) * (random.below(1_000) / 1_000)
    const waitSec = retryInSec === null ? doubledSec + jitterSec : Math.max(retryInSec, pace.backoffBaseSec)
    this.retryAtMs = nowMs + waitSec * 1_000
  }

  /** Can never be asked; `text` says why. */
  unusable(text: string): void {
    this.revision += 1
    this.#status = `Error: ${text}`
    this.#failure = { failure: 'unanswered', words: text }
    this.retryAtMs = Number.POSITIVE_INFINITY
  }

  /** It was asked: when that comes next is known. */
  noteNext(clock: Clock): void {
    const atMs = Math.max(this.retryAtMs, this.nextMs)
    this.nextSec = Number.isFinite(atMs) && atMs > 0 ? Math.ceil((clock.wallMs() + atMs - clock.now()) / 1_000) : 0
  }

  counted(seeders: number | null, leechers: number | null): void {
    this.revision += 1
    this.#seeders = seeders ?? this.#seeders
    this.#leechers = leechers ?? this.#leechers
  }

  /** What is shown of it; `tier`: where it stands, `runs`: it is going to be asked. */
  row(tier: number, runs: boolean): TrackerRow {
    const status = this.inFlight === null ? this.#status : 'Updating'
    const counts = { peers: this.#peers, seeders: this.#seeders, leechers: this.#leechers }
    const row = { url: this.url, status, ...counts, tier, nextSec: runs ? this.nextSec : 0 }
    return this.#failure === null ? row : { ...row, ...this.#failure }
  }
}

/** The host of a tracker, a literal address without brackets. */
export function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '')
}
