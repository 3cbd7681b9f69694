// The health of a circuit of our own: round-trip time and loss of its pings, bytes a second, and whether to give it up.
// Pings go each 7.5 s; at once when we sent something and heard nothing, and after one that failed, so that a dead
// circuit is known in seconds.

import { INACTIVE_MS } from './limits.ts'
import type { OwnCircuit } from './own-circuit.ts'

/** Between two pings of a circuit. */
export const CIRCUIT_PING_MS = 7_500
/** A ping that is not answered within this failed; after a failed one the next follows at once. */
const PING_TIMEOUT_MS = 2_500
/** We sent so long without hearing anything: ping now. */
const SILENCE_MS = 2_000
/** Pings whose answers say what a circuit loses. */
export const PINGS_KEPT = 16
/** So many are needed to judge by them. */
const LOSS_PINGS = 8
/** Cells of a circuit that could not be read, from which on (and as part of all) it is given up. */
export const BAD_CELLS = { least: 16, part: 0.1 } as const

/** Pings without answer in a row after which a circuit is dead. */
const DEAD_PINGS = 2
/** A circuit that loses more of its pings is given up. */
const MAX_LOSS = 0.5
/** Weight of the newest measurement. */
const RTT_GAIN = 0.2
const RATE_GAIN = 0.3

interface Waiting {
  readonly identifier: number
  readonly sentMs: number
  readonly cellsDown: number
}

/** What to do now. */
export type HealthStep = { readonly ping: boolean; readonly dead: string | null }

/** Follows one circuit; call step() about each second. */
export class CircuitHealth {
  readonly #circuit: OwnCircuit
  readonly #waiting: Waiting[] = []
  /** The newest pings: whether they were answered. */
  readonly #answered: boolean[] = []
  #missedInRow = 0
  #pingedMs: number
  #heardMs: number
  #sentMs: number | null = null
  #seen = { up: 0, down: 0, bytesUp: 0, bytesDown: 0, atMs: 0 }
  #rttMs: number | null = null
  rateUp = 0
  rateDown = 0

  constructor(circuit: OwnCircuit, nowMs: number) {
    this.#circuit = circuit
    this.#pingedMs = nowMs
    this.#heardMs = nowMs
    this.#seen.atMs = nowMs
  }

  /** Smoothed; null: no ping was answered yet. */
  get rttMs(): number | null {
    return this.#rttMs
  }

  /** Part of the newest pings that were not answered. */
  get loss(): number {
    const { length } = this.#answered
    return length === 0 ? 0 : this.#answered.filter(answered => !answered).length / length
  }

  /** A ping leaves. */
  sent(identifier: number, nowMs: number): void {
    this.#pingedMs = nowMs
    this.#waiting.push({ identifier, sentMs: nowMs, cellsDown: this.#circuit.cellsDown })
  }

  /** An answer came; false: to no ping of ours. */
  answered(identifier: number, nowMs: number): boolean {
    const at = this.#waiting.findIndex(ping => ping.identifier === identifier)
    const [ping] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (ping === undefined) return false
    const rttMs = nowMs - ping.sentMs
    this.#rttMs = this.#rttMs === null ? rttMs : this.#rttMs + RTT_GAIN * (rttMs - this.#rttMs)
    this.#missedInRow = 0
    this.#note(true)
    return true
  }

  /** Looks at what went and came since the last time. `pinged`: this circuit is one of those that are. */
  step(nowMs: number, pinged: boolean): HealthStep {
    this.#measure(nowMs)
    this.#expire(nowMs)
    const dead = this.#dead(nowMs)
    return { dead, ping: dead === null && pinged && this.#waiting.length === 0 && this.#isDue(nowMs) }
  }

  #measure(nowMs: number): void {
    const { cellsUp, cellsDown, bytesUp, bytesDown } = this.#circuit
    const seen = this.#seen
    if (cellsDown > seen.down) {
      this.#heardMs = nowMs
      this.#sentMs = null
    } else if (cellsUp > seen.up) this.#sentMs ??= nowMs
    const seconds = Math.max(0.001, (nowMs - seen.atMs) / 1000)
    this.rateUp += RATE_GAIN * ((bytesUp - seen.bytesUp) / seconds - this.rateUp)
    this.rateDown += RATE_GAIN * ((bytesDown - seen.bytesDown) / seconds - this.rateDown)
    this.#seen = { up: cellsUp, down: cellsDown, bytesUp, bytesDown, atMs: nowMs }
  }

  /** A ping that failed while other cells came is loss, but no sign of death. */
  #expire(nowMs: number): void {
    const timeoutMs = Math.min(PING_TIMEOUT_MS, 1_000 + 4 * (this.#rttMs ?? PING_TIMEOUT_MS))
    while (this.#waiting[0] !== undefined && nowMs - this.#waiting[0].sentMs >= timeoutMs) {
      const ping = this.#waiting.shift() as Waiting
      this.#note(false)
      this.#missedInRow = this.#circuit.cellsDown > ping.cellsDown ? 0 : this.#missedInRow + 1
    }
  }

  #dead(nowMs: number): string | null {
    const { cellsBad, cellsDown, ready } = this.#circuit
    if (cellsBad >= BAD_CELLS.least && cellsBad > BAD_CELLS.part * (cellsBad + cellsDown)) return 'it corrupts cells'
    if (!ready) return null
    if (this.#missedInRow >= DEAD_PINGS) return 'it does not answer'
    if (this.#answered.length >= LOSS_PINGS && this.loss > MAX_LOSS) return 'it loses too much'
    return nowMs - this.#heardMs >= INACTIVE_MS ? 'nothing came for 20 seconds' : null
  }

  #isDue(nowMs: number): boolean {
    const silent = this.#sentMs !== null && nowMs - this.#sentMs >= SILENCE_MS && nowMs - this.#pingedMs >= SILENCE_MS
    return this.#missedInRow > 0 || silent || nowMs - this.#pingedMs >= CIRCUIT_PING_MS
  }

  #note(answered: boolean): void {
    this.#answered.push(answered)
    if (this.#answered.length > PINGS_KEPT) this.#answered.shift()
  }
}
