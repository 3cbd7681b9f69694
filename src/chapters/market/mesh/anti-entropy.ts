// Compares our book with those of peers: with each new peer soon, and with one by chance now and then. So books become
// equal whatever was lost, and a node that comes late has the whole book. A peer that only costs work is left alone for
// a while.

import type { Peer } from '../../overlay/core/index.ts'
import type { Timer } from '../../../ports/clock.ts'
import type { Overlay } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { BookComparison, type BookComparisonDeps } from './book-comparison.ts'
import { MAX_REMEMBERED_PEERS } from './limits.ts'
import { TtlMap } from '../../../base/ttl-map.ts'

/** Between two times that the book is compared with that of a peer by chance. */
export const RECONCILE_MS = 30_000
/** A new peer's book is compared within this, by chance, so that not all new peers are asked at once. */
const MEET_MS = 2_000
/** Comparisons at a time; peers that wait for theirs. */
const MAX_RUNS = 2
/** Peers that wait for their comparison. */
const MAX_RUNS_WAITING = 64
/** A comparison that cost all its questions for nothing: that peer is not asked again for so long. */
const FRUITLESS_MS = 300_000

/** What it works with. */
export interface AntiEntropyDeps extends BookComparisonDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
}

/** Figures of it. */
export interface AntiEntropyCounts {
  /** Comparisons that ended. */
  readonly runs: number
  /** Their questions, and the statements that came of them. */
  readonly questions: number
  readonly gained: number
}

/** Compares our book with those of peers: with each new peer soon, and with one by chance now and then. */
export class AntiEntropy {
  readonly #deps: AntiEntropyDeps
  readonly #resting = new TtlMap<true>(MAX_REMEMBERED_PEERS, FRUITLESS_MS)
  /** New peers that were looked at: one that goes and comes again is no new one. */
  readonly #met = new TtlMap<true>(MAX_REMEMBERED_PEERS, RECONCILE_MS)
  readonly #waiting: Peer[] = []
  readonly #running = new Set<string>()
  readonly #plannedComparisons = new Set<Timer>()
  readonly #timer: Timer
  readonly #endWatch: () => void
  #counts: AntiEntropyCounts = { runs: 0, questions: 0, gained: 0 }
  #closed = false

  /** It compares from here on. */
  constructor(deps: AntiEntropyDeps) {
    this.#deps = deps
    const { overlay, clock } = deps
    this.#timer = clock.every(RECONCILE_MS, () => this.#withSomebody())
    this.#endWatch = overlay.onPeer(peer => this.#meet(peer))
    for (const peer of overlay.peers()) this.#meet(peer)
  }

  get counts(): AntiEntropyCounts {
    return this.#counts
  }

  /** Nothing is begun any more; what runs ends with its questions. */
  close(): void {
    this.#closed = true
    this.#timer.cancel()
    this.#endWatch()
    for (const timer of this.#plannedComparisons) timer.cancel()
    this.#plannedComparisons.clear()
    this.#waiting.length = 0
  }

  #meet(peer: Peer): void {
    const { clock, random } = this.#deps
    if (this.#closed || this.#met.get(peer.member, clock.now()) || this.#plannedComparisons.size >= MAX_RUNS_WAITING)
      return
    this.#met.set(peer.member, true, clock.now())
    const timer = clock.after(random.below(MEET_MS), () => {
      this.#plannedComparisons.delete(timer)
      this.#want(peer)
    })
    this.#plannedComparisons.add(timer)
  }

  #withSomebody(): void {
    const { overlay, clock } = this.#deps
    const peer = overlay.randomPeer(({ member }) => this.#resting.get(member, clock.now()) === undefined)
    if (peer !== null) this.#want(peer)
  }

  #want(peer: Peer): void {
    if (this.#closed || this.#waiting.length >= MAX_RUNS_WAITING || this.#waiting.includes(peer)) return
    this.#waiting.push(peer)
    this.#pump()
  }

  #pump(): void {
    const { incoming, clock } = this.#deps
    while (this.#running.size < MAX_RUNS && this.#waiting.length > 0) {
      const peer = this.#waiting.shift() as Peer
      const rests = this.#resting.get(peer.member, clock.now()) !== undefined
      if (!rests && !incoming.isBlamed(peer.member) && !this.#running.has(peer.member)) void this.#run(peer)
    }
  }

  async #run(peer: Peer): Promise<void> {
    this.#running.add(peer.member)
    const { questions, gained, exhausted } = await new BookComparison(peer, this.#deps).run()
    this.#running.delete(peer.member)
    const { counts } = this
    this.#counts = { runs: counts.runs + 1, questions: counts.questions + questions, gained: counts.gained + gained }
    if (exhausted) this.#resting.set(peer.member, true, this.#deps.clock.now())
    if (!this.#closed) this.#pump()
  }
}
