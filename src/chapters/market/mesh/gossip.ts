// Sends peers new statements: our own to some more, those of others, once each, to a few by chance. Lost ones, and
// peers left out by chance, are made good by reconciling. New ones are gathered for a moment, so that several share a
// packet.

import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { OrderStatement } from '../wire/types.ts'
import { MAX_TOLD_STATEMENTS, tell } from '../wire/market-messages.ts'

/** New statements are gathered so long, so that several share a packet. */
const GATHER_MS = 100
/**
 * Peers by chance that hear of what came to us: with 3, one node in twenty misses a statement, and reconciling makes
 * that good.
 */
const FANOUT = 3
/** Peers that hear of our own statements: nobody else tells them, so that one lost packet must not matter. */
const OWN_FANOUT = 6
/** Statements that wait to be told; what is above is found by reconciling. */
const MAX_UNTOLD = 1_024

/** What it works with. */
export interface GossipDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
}

interface Untold {
  readonly bytes: Uint8Array
  /** Member name of the peer that gave it, which does not get it; '' = it is ours. */
  readonly from: string
}

/** Tells peers of new statements: our own to some more, those of others, once each, to a few by chance. */
export class Gossip {
  readonly #deps: GossipDeps
  /** By hash. */
  readonly #untold = new Map<string, Untold>()
  #gathering: Timer | null = null
  #told = 0
  #closed = false

  constructor(deps: GossipDeps) {
    this.#deps = deps
  }

  /** Statements sent, each as often as it was sent. */
  get told(): number {
    return this.#told
  }

  /** Sends a statement soon. `from`: member name of the peer that gave it; '' = it is ours. */
  spread(statement: OrderStatement, from: string): void {
    if (this.#closed || this.#untold.size >= MAX_UNTOLD) return
    this.#untold.set(statement.hash, { bytes: statement.bytes, from })
    this.#gathering ??= this.#deps.clock.after(GATHER_MS, () => this.#spreadAll())
  }

  /** Tells one peer some statements now. */
  give(peer: Peer, statements: readonly Uint8Array[]): void {
    if (this.#closed) return
    for (let at = 0; at < statements.length; at += MAX_TOLD_STATEMENTS) {
      const some = statements.slice(at, at + MAX_TOLD_STATEMENTS)
      this.#told += some.length
      this.#deps.overlay.send(tell, { statements: some }, peer)
    }
  }

  /** Sends nothing any more. */
  close(): void {
    this.#closed = true
    this.#gathering?.cancel()
    this.#untold.clear()
  }

  #spreadAll(): void {
    this.#gathering = null
    const untold = [...this.#untold.values()]
    this.#untold.clear()
    const own = untold.filter(({ from }) => from === '')
    for (const [at, peer] of this.#some(OWN_FANOUT).entries()) {
      const news = at < FANOUT ? untold.filter(({ from }) => from !== peer.member) : own
      this.give(
        peer,
        news.map(({ bytes }) => bytes),
      )
    }
  }

  /** So many peers by chance, no one twice. */
  #some(count: number): Peer[] {
    const { overlay, random } = this.#deps
    const left = [...overlay.peers()]
    const some: Peer[] = []
    while (some.length < count && left.length > 0) some.push(...left.splice(random.below(left.length), 1))
    return some
  }
}
