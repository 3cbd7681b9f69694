// Finds out which peers are gone (protocol section 4.3): those that are silent are pinged, and dropped when they stay
// so. Works over all overlays, since a peer that answers in one of them is there in all.

import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { SILENT_MS } from './limits.ts'
import type { Peer } from './peer.ts'
import type { PeerBook } from './peer-book.ts'

/** Peers looked at in a step of the churn (section 4.3). */
const CHURN_SAMPLE = 8
/** A peer that is silent for so long is dropped (section 12). */
const GONE_MS = 57_500
/** Between two pings of a peer (section 12). */
const PING_EVERY_MS = 10_000
/** A peer with fewer measured pings is pinged, silent or not (section 4.3). */
const WANTED_RTTS = 5

/** What it works with. */
export interface ChurnDeps {
  readonly book: PeerBook
  readonly clock: Clock
  readonly random: Random
  /** Sends the peer something that it will answer. */
  ping(peer: Peer): void
}

/**
 * Finds out which peers are gone (protocol section 4.3): those that are silent are pinged, and dropped when they stay
 * so.
 */
export class Churn {
  readonly #deps: ChurnDeps
  /** When each was pinged last. */
  #pingedMs = new WeakMap<Peer, number>()

  constructor(deps: ChurnDeps) {
    this.#deps = deps
  }

  /** One step, of those that come twice a second. */
  step(): void {
    const { book, clock, random } = this.#deps
    const nowMs = clock.now()
    for (const peer of book.sample(CHURN_SAMPLE, random)) {
      const silentMs = nowMs - peer.heardMs
      if (silentMs >= GONE_MS) book.remove(peer)
      else if (silentMs >= SILENT_MS || peer.measured < WANTED_RTTS) this.#ping(peer, nowMs)
    }
  }

  #ping(peer: Peer, nowMs: number): void {
    const beforeMs = this.#pingedMs.get(peer)
    if (beforeMs !== undefined && nowMs - beforeMs < PING_EVERY_MS) return
    this.#pingedMs.set(peer, nowMs)
    this.#deps.ping(peer)
  }
}
