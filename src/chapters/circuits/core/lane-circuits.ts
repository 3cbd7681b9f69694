// The circuits of one lane: as many as its downloads want, replaced when they die or grow old, chosen for new
// destinations by how many they carry and how well they do. Invariant: without demand nothing is built, and after a
// while nothing is kept.

import type { HopCount } from '../ports/circuits.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Candidates } from './candidates.ts'
import { MAX_AGE_MS } from './limits.ts'
import type { OwnCircuit } from './own-circuit.ts'
import type { OwnCircuits } from './own-circuits.ts'

/** Between looks at the circuits of a lane. */
const LANE_LOOK_MS = 1_000
/** Circuits of a lane are kept so long without downloads. */
const IDLE_LANE_MS = 60_000
/** Circuits are replaced so long before they are too old. */
const REPLACE_BEFORE_MS = 60_000
/** Wait after a circuit that could not be built; it doubles four times. */
const BUILD_AGAIN_MS = 1_000

/** How many circuits a lane with demand has. */
export interface LaneLimits {
  readonly min: number
  readonly max: number
}

/** What it works with. */
export interface LaneCircuitsDeps {
  readonly own: OwnCircuits
  readonly candidates: Candidates
  readonly clock: Clock
  limits(): LaneLimits
  /** Something changed that facts tell. */
  changed(): void
  /** A circuit cannot be used any more. */
  lost(circuit: OwnCircuit): void
}

/** Circuits that end soon get new destinations only where there is hardly another. */
const OLD_WEIGHT = 100

/**
 * The circuits of one lane: as many as its downloads want, replaced when they die or grow old, chosen for new
 * destinations by how many they carry and how well they do.
 */
export class LaneCircuits {
  readonly #hops: HopCount
  readonly #deps: LaneCircuitsDeps
  readonly #circuits = new Set<OwnCircuit>()
  /** Destinations by circuit. */
  readonly #carried = new Map<OwnCircuit, number>()
  readonly #ends: (() => void)[]
  #timer: Timer | null = null
  #demand = 0
  #idleSinceMs: number | null = null
  #failedInRow = 0
  #waitUntilMs = 0
  #lastFailure: string | null = null
  #stopped = false

  constructor(hops: HopCount, deps: LaneCircuitsDeps) {
    this.#hops = hops
    this.#deps = deps
    this.#ends = [
      deps.own.watch({
        ready: circuit => this.#ready(circuit),
        removed: (circuit, reason) => this.#removed(circuit, reason),
      }),
      deps.candidates.watch(() => this.#candidatesChanged()),
    ]
  }

  /** Why one waits that is being built, or the last one failed that was not wanted to end; null: none did. */
  get lastFailure(): string | null {
    for (const { state, reason } of this.#circuits) if (state === 'EXTENDING' && reason !== null) return reason
    return this.#lastFailure
  }

  /** Those that carry data. */
  ready(): OwnCircuit[] {
    return [...this.#circuits].filter(circuit => circuit.ready)
  }

  get building(): number {
    return this.#circuits.size - this.ready().length
  }

  has(circuit: OwnCircuit): boolean {
    return this.#circuits.has(circuit)
  }

  /** How many downloads want circuits. */
  setDemand(downloads: number): void {
    this.#demand = downloads
    if (downloads > 0) {
      this.#idleSinceMs = null
      this.#timer ??= this.#deps.clock.every(LANE_LOOK_MS, () => this.#look())
    }
    this.#look()
  }

  /** The one that a new destination gets: few destinations, short ways, little loss; null: none is ready. */
  choose(fits: (circuit: OwnCircuit) => boolean = () => true): OwnCircuit | null {
    let best: OwnCircuit | null = null
    let bestScore = Number.POSITIVE_INFINITY
    for (const circuit of this.#circuits) {
      if (!circuit.ready || !fits(circuit)) continue
      const health = this.#deps.own.healthOf(circuit)
      const worse = (1 + 4 * (health?.loss ?? 0)) * (1 + (health?.rttMs ?? 500) / 1_000)
      const score = (1 + (this.#carried.get(circuit) ?? 0)) * worse * (this.#lasts(circuit) ? 1 : OLD_WEIGHT)
      if (score >= bestScore) continue
      best = circuit
      bestScore = score
    }
    return best
  }

  /** A destination is carried by a circuit, or no longer. */
  carry(circuit: OwnCircuit, more: 1 | -1): void {
    if (this.#circuits.has(circuit)) this.#carried.set(circuit, Math.max(0, (this.#carried.get(circuit) ?? 0) + more))
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    for (const end of this.#ends) end()
    for (const circuit of [...this.#circuits]) this.#deps.own.remove(circuit, 'the lane ends')
    this.#circuits.clear()
  }

  #wanted(): number {
    const { min, max } = this.#deps.limits()
    return this.#demand === 0 ? 0 : Math.min(Math.max(this.#demand, min), Math.max(min, max))
  }

  /** Those that last; old ones are replaced before they end. */
  #lasting(): number {
    let count = 0
    for (const circuit of this.#circuits) if (circuit.state !== 'CLOSING' && this.#lasts(circuit)) count++
    return count
  }

  #lasts({ createdMs }: OwnCircuit): boolean {
    return createdMs > this.#deps.clock.now() - MAX_AGE_MS + REPLACE_BEFORE_MS
  }

  #look(): void {
    const { own, clock, changed } = this.#deps
    if (this.#stopped) return
    const nowMs = clock.now()
    if (this.#demand === 0) return this.#rest(nowMs)
    if (nowMs < this.#waitUntilMs) return
    let built = 0
    for (let missing = this.#wanted() - this.#lasting(); missing > 0; missing--, built++) {
      this.#circuits.add(own.build({ purpose: 'data', hops: this.#hops, required: null, lastKind: 'exit' }))
    }
    if (built > 0) changed()
  }

  /** Circuits are kept for a while after the last download, for the next one. */
  #rest(nowMs: number): void {
    this.#idleSinceMs ??= nowMs
    if (nowMs - this.#idleSinceMs < IDLE_LANE_MS && this.#circuits.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
    for (const circuit of [...this.#circuits]) this.#deps.own.remove(circuit, 'nobody needs it')
  }

  #ready(circuit: OwnCircuit): void {
    if (!this.#circuits.has(circuit)) return
    this.#failedInRow = 0
    this.#deps.changed()
  }

  #removed(circuit: OwnCircuit, reason: string): void {
    if (!this.#circuits.delete(circuit)) return
    this.#carried.delete(circuit)
    this.#deps.lost(circuit)
    if (this.#demand > 0) this.#lastFailure = reason
    const wasReady = circuit.hops.length >= circuit.goalHops
    if (!wasReady) this.#waitUntilMs = this.#deps.clock.now() + BUILD_AGAIN_MS * 2 ** Math.min(4, this.#failedInRow++)
    this.#deps.changed()
    // Not from inside the removal: other watchers may have to hear of it first.
    this.#deps.clock.after(0, () => this.#look())
  }

  /** A new candidate may be the one we waited for. */
  #candidatesChanged(): void {
    if (this.#demand === 0) return
    this.#waitUntilMs = 0
    this.#deps.changed()
    this.#deps.clock.after(0, () => this.#look())
  }
}
