// When the searches of torrents may look up, in one family: a few at once, then at a steady pace, so that five thousand
// torrents cost an even trickle and no storm, and none before the network is reached. Downloads do not wait for seeds.
// Invariant: each turn that was asked for is run once, or cancelled; none within ask().

import { Allowance } from '../base/allowance.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Cancellable } from './lookup-queue.ts'

/**
 * Look-ups at once after a quiet time, and the time between two after that. Seeds: 5,000 of them are announced within
 * 42 minutes, before other nodes forget them (45 in libtorrent, which begins one a second itself).
 */
const DOWNLOADS = { burst: 16, refillMs: 100 }
const SEEDS = { burst: 16, refillMs: 500 }
/** Looked at this often while a search waits for its turn, or for the network. */
const STEP_MS = 100
const UNREACHED_MS = 5000

/** What turns are given by. */
export interface SearchTurnsDeps {
  readonly clock: Clock
  /** True once there is a node to ask. */
  reached(): boolean
}

interface Line {
  readonly waiting: Set<{ run(): void }>
  readonly pace: Allowance
}

function makeLine(pace: { readonly burst: number; readonly refillMs: number }): Line {
  return { waiting: new Set(), pace: new Allowance(pace.burst, pace.refillMs) }
}

/** Gives turns. */
export class SearchTurns {
  readonly #deps: SearchTurnsDeps
  readonly #downloads = makeLine(DOWNLOADS)
  readonly #seeds = makeLine(SEEDS)
  #timer: Timer | null = null
  #closed = false

  constructor(deps: SearchTurnsDeps) {
    this.#deps = deps
  }

  get waiting(): number {
    return this.#downloads.waiting.size + this.#seeds.waiting.size
  }

  /** Calls `run` when it is the caller's turn. */
  ask(seed: boolean, run: () => void): Cancellable {
    const { waiting } = seed ? this.#seeds : this.#downloads
    const entry = { run }
    waiting.add(entry)
    if (this.#timer === null) this.#wait(0)
    return { cancel: () => void waiting.delete(entry) }
  }

  /** The network was reached just now: searches that wait for that go on. */
  look(): void {
    if (this.waiting > 0) this.#wait(0)
  }

  /** No search gets a turn any more. */
  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#downloads.waiting.clear()
    this.#seeds.waiting.clear()
  }

  #wait(delayMs: number): void {
    this.#timer?.cancel()
    this.#timer = this.#closed ? null : this.#deps.clock.after(delayMs, () => this.#step())
  }

  #step(): void {
    this.#timer = null
    const reached = this.#deps.reached()
    if (reached) for (const line of [this.#downloads, this.#seeds]) this.#run(line)
    if (this.waiting > 0) this.#wait(reached ? STEP_MS : UNREACHED_MS)
  }

  #run({ waiting, pace }: Line): void {
    for (const entry of waiting) {
      if (!pace.take(this.#deps.clock.now())) return
      waiting.delete(entry)
      entry.run()
    }
  }
}
