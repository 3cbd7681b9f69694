// Bounds how much is answered: questions, searches and bytes of each peer and of all together, and how many run at
// once. A peer that asks for more gets "busy", and others are not slowed by it.

import { Allowance } from '../../../base/allowance.ts'
import type { Clock } from '../../../ports/clock.ts'
import { MAX_REMEMBERED_PEERS } from './limits.ts'

/** Questions of a peer that are answered: saved up, and one more each so many milliseconds. */
const ANSWERED_OF_PEER = { burst: 200, refillMs: 20 } as const
/** Searches of a peer, and of all: the same. */
export const SEARCHES_OF_PEER = { burst: 10, refillMs: 1_000 } as const
/** Searches of all peers together that are answered. */
const SEARCHES_OF_ALL = { burst: 60, refillMs: 50 } as const
/** KiB answered to a peer, and to all: the same. */
const KIB_TO_PEER = { burst: 2_048, refillMs: 2 } as const
/** KiB that are answered to all peers together. */
const KIB_TO_ALL = { burst: 8_192, refillMs: 0.5 } as const
/** Questions that are being answered: of a peer, of all. */
export const ANSWERING_OF_PEER = 16
/** Questions of all peers that are being answered. */
const ANSWERING_OF_ALL = 128

const KIB = 1024

interface Use {
  readonly questions: Allowance
  readonly searches: Allowance
  readonly kib: Allowance
  working: number
}

/** How much is answered: questions, searches and bytes of each peer and of all together, and how many are at work. */
export class AnswerBudget {
  readonly #clock: Clock
  readonly #searches = new Allowance(SEARCHES_OF_ALL.burst, SEARCHES_OF_ALL.refillMs)
  readonly #kib = new Allowance(KIB_TO_ALL.burst, KIB_TO_ALL.refillMs)
  /** By member, in the order of last use. */
  readonly #uses = new Map<string, Use>()
  #working = 0
  #refused = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Questions that were refused. */
  get refused(): number {
    return this.#refused
  }

  /** Begins an answer; null: not now. The function that is answered ends it. */
  begin(member: string, search: boolean): (() => void) | null {
    const use = this.#use(member)
    if (!this.#may(use, search)) {
      this.#refused++
      return null
    }
    use.working++
    this.#working++
    let done = false
    return () => {
      if (done) return
      done = true
      use.working--
      this.#working--
    }
  }

  /** Counts bytes that are sent. */
  spend(member: string, bytes: number): void {
    const nowMs = this.#clock.now()
    const { kib } = this.#use(member)
    for (let left = Math.ceil(bytes / KIB); left > 0; left--) {
      kib.take(nowMs)
      this.#kib.take(nowMs)
    }
  }

  #may(use: Use, search: boolean): boolean {
    const nowMs = this.#clock.now()
    if (use.working >= ANSWERING_OF_PEER || this.#working >= ANSWERING_OF_ALL) return false
    if (use.kib.available(nowMs) === 0 || this.#kib.available(nowMs) === 0) return false
    if (!use.questions.take(nowMs)) return false
    return !search || (use.searches.take(nowMs) && this.#searches.take(nowMs))
  }

  #use(member: string): Use {
    const use = this.#uses.get(member) ?? freshUse()
    this.#uses.delete(member)
    this.#uses.set(member, use)
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= MAX_REMEMBERED_PEERS) break
      this.#uses.delete(oldest)
    }
    return use
  }
}

function freshUse(): Use {
  return {
    questions: new Allowance(ANSWERED_OF_PEER.burst, ANSWERED_OF_PEER.refillMs),
    searches: new Allowance(SEARCHES_OF_PEER.burst, SEARCHES_OF_PEER.refillMs),
    kib: new Allowance(KIB_TO_PEER.burst, KIB_TO_PEER.refillMs),
    working: 0,
  }
}
