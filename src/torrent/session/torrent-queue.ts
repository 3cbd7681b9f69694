// The queue of a session's torrents at work: asks run-queue.ts for the next step and does it, a few torrents a turn,
// and reports to it which running torrents are slow. Decides no order itself. Invariant: its timer runs only while a
// torrent waits or a slow one may become fast.

import type { Clock, Timer } from '../../ports/clock.ts'
import { type Place, type QueueKind, type RunLimits, RunQueue } from './run-queue.ts'
import type { TurnEnd, TurnJob } from '../../base/turn-end.ts'

/** Torrents begun or held in one turn of the loop: each looks at its files and tells its trackers. */
const STEPS_PER_TURN = 16
/** Rates are looked at this often while they matter. */
const LOOK_MS = 5000
/** While others wait, a seed that counts makes room after so long. */
const SEED_TURN_MS = 30 * 60_000

/** Only the first places in the queue go into records: each step would else change those of all that wait. */
const MOST_AHEAD = 19

/** Limits of the queue, as the settings have them. */
export interface QueueLimits extends RunLimits {
  /** Torrents that hash-check at a time; below 0 = no limit. */
  readonly checks: number
  /** Bytes/s of payload under which a download, or a seed's upload, is slow. */
  readonly slowDownRate: number
  readonly slowUpRate: number
  /** A torrent is slow, or not slow any more, after it was so for this long, ms. */
  readonly slowAfterMs: number
}

/** Nothing waits; checks as before there was a queue. */
export const NO_QUEUE: QueueLimits = {
  downloads: -1,
  seeds: -1,
  all: -1,
  dontCountSlow: true,
  checks: 2,
  slowDownRate: 2048,
  slowUpRate: 2048,
  slowAfterMs: 60_000,
}

/** A torrent in the queue. */
export interface QueueMember {
  /** Its turn has come. */
  start(): void
  /** Its turn is over; it waits for the next. */
  hold(): void
  /** Bytes/s of payload now; null while it prepares or checks its data. */
  rates(): { readonly down: number; readonly up: number } | null
  /** Its rates say nothing of it now: it is neither slow nor not slow. */
  readonly heldBack?: boolean
  /** Its rates are zero until it wakes: needs no looking at. */
  readonly suspended: boolean
}

/** How a torrent asks whether it may run. */
export interface RunGate {
  /** True = go; false = start() of the member follows when it is its turn. */
  enter(kind: QueueKind): boolean
  /** It runs, or waits, as something else now. */
  turned(kind: QueueKind): void
  /** It does not want to run any more. */
  leave(): void
  /** It is not suspended any more. */
  woke(): void
  /** How many wait before it, up to MOST_AHEAD; null: it does not wait, or more do. */
  readonly ahead: number | null
  /** Its place among downloads from now on, lowest first; no two may share one. */
  rank(order: number): void
}

/** For torrents the queue has nothing to say about. */
export const OPEN_GATE: RunGate = {
  enter: () => true,
  turned: () => undefined,
  leave: () => undefined,
  woke: () => undefined,
  ahead: null,
  rank: () => undefined,
}

/**
 * The queue of a session's torrents at work: asks run-queue.ts for the next step and does it, a few torrents a turn,
 * and reports to it which running torrents are slow.
 */
export class TorrentQueue {
  readonly #clock: Clock
  readonly #turnEnd: TurnEnd
  readonly #queue: RunQueue<QueueMember>
  readonly #job: TurnJob = { queued: false, run: () => this.#settle() }
  /** Of running places that are looked at, since when they contradict their mark. */
  readonly #since = new Map<Place<QueueMember>, number>()
  /** Slow and awake: may become fast. */
  readonly #slowAwake = new Set<Place<QueueMember>>()
  /** When the first of the seeds that count began its turn. */
  #seedTurnMs = 0
  #limits: QueueLimits
  #timer: Timer | null = null
  #pause: Timer | null = null
  #closed = false

  constructor(limits: QueueLimits, clock: Clock, turnEnd: TurnEnd) {
    this.#limits = limits
    this.#clock = clock
    this.#turnEnd = turnEnd
    this.#queue = new RunQueue(limits)
  }

  /** The gate of a new torrent; `order`: its place among downloads, absent = behind those that came before. */
  gate(member: QueueMember, order?: number): RunGate {
    return new Gate(this, this.#queue.place(member, order))
  }

  /** See RunGate.rank. */
  rank(place: Place<QueueMember>, order: number): void {
    if (this.#closed || place.ranked === order) return
    this.#queue.rank(place, order)
    this.#changed(null)
  }

  enter(place: Place<QueueMember>, kind: QueueKind): boolean {
    const free = this.#queue.enter(place, kind)
    this.#changed(place)
    return free
  }

  turned(place: Place<QueueMember>, kind: QueueKind): void {
    this.#queue.turned(place, kind)
    this.#changed(place)
  }

  leave(place: Place<QueueMember>): void {
    // At the end of a node all leave: nobody's turn comes any more, and each would move all that are behind it.
    if (this.#closed) return
    this.#queue.leave(place)
    this.#changed(place)
  }

  woke(place: Place<QueueMember>): void {
    if (!place.slow) return
    this.#slowAwake.add(place)
    this.#changed(null)
  }

  /** See RunGate.ahead. */
  ahead(place: Place<QueueMember>): number | null {
    return this.#queue.ahead(place, MOST_AHEAD)
  }

  setLimits(limits: QueueLimits): void {
    this.#limits = limits
    this.#queue.setLimits(limits)
    for (const place of this.#slowAwake) if (!place.slow) this.#slowAwake.delete(place)
    if (!this.#closed) this.#turnEnd.later(this.#job)
  }

  /** No torrent is started or held from now on. */
  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#pause?.cancel()
    this.#timer = this.#pause = null
  }

  #changed(place: Place<QueueMember> | null): void {
    if (place !== null) this.#since.delete(place)
    if (place !== null && !place.slow) this.#slowAwake.delete(place)
    if (!this.#closed && this.#isLimited) this.#turnEnd.later(this.#job)
  }

  // Who was held while there were limits must be started when there are none.
  get #isLimited(): boolean {
    const { downloads, seeds, all } = this.#limits
    return downloads >= 0 || seeds >= 0 || all >= 0 || this.#waiting > 0
  }

  get #waiting(): number {
    return this.#queue.waiting('download') + this.#queue.waiting('seed')
  }

  #settle(): void {
    if (this.#closed || this.#pause !== null) return
    for (let steps = 0; steps < STEPS_PER_TURN; steps += 1) {
      const step = this.#queue.next()
      if (step === null) return this.#watch()
      this.#apply(step.place, step.action)
    }
    this.#pause = this.#clock.after(1, () => {
      this.#pause = null
      this.#settle()
    })
  }

  #apply(place: Place<QueueMember>, action: 'start' | 'hold'): void {
    this.#since.delete(place)
    this.#slowAwake.delete(place)
    if (action === 'start') place.member.start()
    else place.member.hold()
  }

  /** Rates and turns of seeds are looked at while it makes a difference. */
  #watch(): void {
    const needed = this.#waiting > 0 || this.#slowAwake.size > 0
    if (needed && this.#timer === null) {
      this.#seedTurnMs = this.#clock.now()
      this.#timer = this.#clock.every(LOOK_MS, () => this.#look())
    } else if (!needed && this.#timer !== null) {
      this.#timer.cancel()
      this.#timer = null
      this.#since.clear()
    }
  }

  #look(): void {
    const nowMs = this.#clock.now()
    if (this.#limits.dontCountSlow) {
      if (this.#limits.downloads >= 0)
        for (const place of [...this.#queue.counted('download')]) this.#judge(place, nowMs)
      if (this.#limits.seeds >= 0) for (const place of [...this.#queue.counted('seed')]) this.#judge(place, nowMs)
      for (const place of this.#slowAwake) this.#judge(place, nowMs)
    }
    this.#rotate(nowMs)
    this.#settle()
  }

  #judge(place: Place<QueueMember>, nowMs: number): void {
    if (place.member.heldBack === true) return void this.#since.set(place, nowMs)
    const since = this.#since.get(place)
    if (since === undefined || this.#isSlow(place) === place.slow) {
      this.#since.set(place, nowMs)
    } else if (nowMs - since >= this.#limits.slowAfterMs) {
      this.#queue.setSlow(place, !place.slow)
      this.#since.set(place, nowMs)
    }
    const awake = place.slow && !place.member.suspended
    if (awake) return void this.#slowAwake.add(place)
    this.#slowAwake.delete(place)
    if (place.slow) this.#since.delete(place)
  }

  #isSlow({ member, kind }: Place<QueueMember>): boolean {
    const rates = member.rates()
    if (rates === null) return false
    return kind === 'download' ? rates.down < this.#limits.slowDownRate : rates.up < this.#limits.slowUpRate
  }

  /** Every seed has its turn: the one that counts for longest goes to the end of the line. */
  #rotate(nowMs: number): void {
    if (this.#queue.waiting('seed') === 0) this.#seedTurnMs = nowMs
    const places = Math.max(1, this.#queue.counted('seed').length)
    // Turns are spread: with five places one ends every six minutes.
    if (nowMs - this.#seedTurnMs < SEED_TURN_MS / places) return
    this.#seedTurnMs = nowMs
    const place = this.#queue.rotateSeed()
    if (place !== null) this.#apply(place, 'hold')
  }
}

/** One torrent's way to the queue. */
class Gate implements RunGate {
  readonly #queue: TorrentQueue
  readonly #place: Place<QueueMember>

  constructor(queue: TorrentQueue, place: Place<QueueMember>) {
    this.#queue = queue
    this.#place = place
  }

  enter(kind: QueueKind): boolean {
    return this.#queue.enter(this.#place, kind)
  }

  turned(kind: QueueKind): void {
    this.#queue.turned(this.#place, kind)
  }

  leave(): void {
    this.#queue.leave(this.#place)
  }

  woke(): void {
    this.#queue.woke(this.#place)
  }

  get ahead(): number | null {
    return this.#queue.ahead(this.#place)
  }

  rank(order: number): void {
    this.#queue.rank(this.#place, order)
  }
}
