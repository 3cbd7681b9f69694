// Decides who may download from us: tit for tat while leeching, turns while seeding, one optimistic slot always.
// Decides only; the caller sends choke and unchoke. Knows no clock. Invariant: never more unchoked peers than slots.

import type { Random } from '../ports/random.ts'

/** What the choker must know of a peer; rates in bytes/s. */
export interface ChokePeer {
  readonly key: string
  /** The peer wants data from us. */
  readonly interested: boolean
  /** What it sends us. */
  readonly downRate: number
  /** What we send it. */
  readonly upRate: number
  /** It sends nothing although asked (RequestPipeline.snubbed). */
  readonly snubbed: boolean
  /** When the connection was made. */
  readonly connectedAtMs: number
}

/** Who is unchoked from now on; `optimistic` is one of them, or null. */
export interface ChokeDecision {
  readonly unchoked: ReadonlySet<string>
  readonly optimistic: string | null
}

/** How often decide() should be called while peers are interested; also call it when an unchoked peer leaves. */
export const CHOKE_INTERVAL_MS = 10_000
const OPTIMISTIC_MS = 30_000
/** A peer is new for this long: it has nothing to trade yet and gets three chances where others have one. */
const NEW_PEER_MS = 90_000
const NEW_PEER_WEIGHT = 3
/** Seeding: an unchoked peer keeps its slot this long before one that waits may have it. */
const SEED_TURN_MS = 60_000

interface Turn {
  unchoked: boolean
  /** When the present state began; NEGATIVE_INFINITY = choked since ever. */
  sinceMs: number
}

/** The choker of one torrent. */
export class Choker {
  readonly #random: Random
  #slots: number
  #turns = new Map<string, Turn>()
  #optimistic: string | null = null
  #optimisticSinceMs = Number.NEGATIVE_INFINITY

  /** `slots`: peers unchoked at once, the optimistic one included; below 0 = no limit. */
  constructor(slots: number, random: Random) {
    this.#slots = slots
    this.#random = random
  }

  /** Changes the number of slots from the next decision on. */
  setSlots(slots: number): void {
    this.#slots = slots
  }

  /** Decides for all connected peers; `seeding` = we need nothing more. */
  decide(peers: readonly ChokePeer[], seeding: boolean, nowMs: number): ChokeDecision {
    const interested = peers.filter(peer => peer.interested)
    const decision =
      this.#slots < 0
        ? { unchoked: new Set(interested.map(peer => peer.key)), optimistic: null }
        : this.#share(interested, seeding, nowMs)
    this.#remember(peers, decision.unchoked, nowMs)
    return decision
  }

  #share(interested: readonly ChokePeer[], seeding: boolean, nowMs: number): ChokeDecision {
    const optimisticSlots = this.#slots > 1 ? 1 : 0
    const ranked = seeding ? this.#bySeedTurn(interested, nowMs) : byDownRate(interested)
    const unchoked = new Set(ranked.slice(0, this.#slots - optimisticSlots).map(peer => peer.key))
    const optimistic = optimisticSlots > 0 ? this.#chooseOptimistic(interested, unchoked, nowMs) : null
    if (optimistic !== null) unchoked.add(optimistic)
    // Without someone for the optimistic slot it is a regular one.
    for (const peer of ranked) if (unchoked.size < this.#slots) unchoked.add(peer.key)
    return { unchoked, optimistic }
  }

  #chooseOptimistic(interested: readonly ChokePeer[], regular: ReadonlySet<string>, nowMs: number): string | null {
    const candidates = interested.filter(peer => !regular.has(peer.key))
    const stays = candidates.some(peer => peer.key === this.#optimistic)
    if (stays && nowMs - this.#optimisticSinceMs < OPTIMISTIC_MS) return this.#optimistic
    const others = candidates.filter(peer => peer.key !== this.#optimistic)
    const chosen = this.#draw(others.length > 0 ? others : candidates, nowMs)
    this.#optimistic = chosen
    this.#optimisticSinceMs = nowMs
    return chosen
  }

  #draw(candidates: readonly ChokePeer[], nowMs: number): string | null {
    const weights = candidates.map(peer => (nowMs - peer.connectedAtMs < NEW_PEER_MS ? NEW_PEER_WEIGHT : 1))
    let ticket = this.#random.below(
      Math.max(
        1,
        weights.reduce((sum, weight) => sum + weight, 0),
      ),
    )
    for (const [i, peer] of candidates.entries()) {
      ticket -= weights[i] ?? 1
      if (ticket < 0) return peer.key
    }
    return null
  }

  /** First those whose turn runs (fastest first), then those who wait (longest first), then those whose turn is over. */
  #bySeedTurn(interested: readonly ChokePeer[], nowMs: number): ChokePeer[] {
    const group = (peer: ChokePeer): number => {
      const turn = this.#turns.get(peer.key)
      if (turn === undefined || !turn.unchoked) return 1
      return nowMs - turn.sinceMs < SEED_TURN_MS ? 0 : 2
    }
    const since = (peer: ChokePeer): number => this.#turns.get(peer.key)?.sinceMs ?? peer.connectedAtMs
    return [...interested].sort((a, b) => {
      const byGroup = group(a) - group(b)
      if (byGroup !== 0) return byGroup
      return group(a) === 1 ? since(a) - since(b) : b.upRate - a.upRate
    })
  }

  #remember(peers: readonly ChokePeer[], unchoked: ReadonlySet<string>, nowMs: number): void {
    const turns = new Map<string, Turn>()
    for (const peer of peers) {
      const before = this.#turns.get(peer.key) ?? { unchoked: false, sinceMs: peer.connectedAtMs }
      const now = unchoked.has(peer.key)
      turns.set(peer.key, now === before.unchoked ? before : { unchoked: now, sinceMs: nowMs })
    }
    this.#turns = turns
  }
}

/** Tit for tat: who gives us most comes first; who snubs us gets no regular slot, only a chance by optimism. */
function byDownRate(interested: readonly ChokePeer[]): ChokePeer[] {
  return interested.filter(peer => !peer.snubbed).sort((a, b) => b.downRate - a.downRate)
}
