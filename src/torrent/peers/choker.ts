// Decides who may download from us: tit for tat while leeching, turns while seeding, one optimistic slot always.
// Decides only; the caller sends choke and unchoke. Knows no clock. Invariant: never more unchoked peers than slots.

import type { Random } from '../../ports/random.ts'
import { type ChokePeer, isIdle, newestBetween, type Turn, turnAfter } from './choke-turns.ts'

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

/** The choker of one torrent. */
export class Choker {
  readonly #random: Random
  #slots: number
  #turns = new Map<string, Turn>()
  #optimistic: string | null = null
  #optimisticSinceMs = Number.NEGATIVE_INFINITY
  /** Whose turn it is of the waiting peers: that of the newest, or of the one that waits longest. */
  #newestFirst = true

  /** `slots`: peers unchoked at once, the optimistic one included; below 0 = no limit. */
  constructor(slots: number, random: Random) {
    this.#slots = slots
    this.#random = random
  }

  /** Changes the number of slots from the next decision on. */
  setSlots(slots: number): void {
    this.#slots = slots
  }

  /**
   * True when a peer waits while an unchoked peer of the last decision asks for nothing: time for another decision,
   * which gives its slot away.
   */
  wastes(peers: readonly ChokePeer[], nowMs: number): boolean {
    let waits = false
    let idle = false
    for (const peer of peers) {
      if (!peer.interested) continue
      const turn = this.#turns.get(peer.key)
      if (turn?.unchoked !== true) waits = true
      else if (isIdle(peer, turn, nowMs)) idle = true
    }
    return waits && idle
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
    const inTurn = this.#bySeedTurn(interested, nowMs)
    const ranked = seeding ? inTurn : byDownRate(inTurn)
    const unchoked = new Set(ranked.slice(0, this.#slots - optimisticSlots).map(peer => peer.key))
    const line = seeding ? inTurn : null
    const optimistic = optimisticSlots > 0 ? this.#chooseOptimistic(line, interested, unchoked, nowMs) : null
    if (optimistic !== null) unchoked.add(optimistic)
    // Without someone for the optimistic slot it is a regular one.
    for (const peer of ranked) if (unchoked.size < this.#slots) unchoked.add(peer.key)
    return { unchoked, optimistic }
  }

  /** `line`: the order of peers while seeding, where there is nothing to find out by chance; null: it is drawn. */
  #chooseOptimistic(
    line: readonly ChokePeer[] | null,
    interested: readonly ChokePeer[],
    regular: ReadonlySet<string>,
    nowMs: number,
  ): string | null {
    const candidates = (line ?? interested).filter(peer => !regular.has(peer.key))
    const stays = candidates.some(peer => peer.key === this.#optimistic)
    const wastes = line !== null && candidates.length > 1 && this.#idles(candidates, nowMs)
    if (stays && !wastes && nowMs - this.#optimisticSinceMs < OPTIMISTIC_MS) return this.#optimistic
    const others = candidates.filter(peer => peer.key !== this.#optimistic)
    const from = others.length > 0 ? others : candidates
    const chosen = line === null ? this.#draw(from, nowMs) : (from[0]?.key ?? null)
    this.#optimistic = chosen
    this.#optimisticSinceMs = nowMs
    return chosen
  }

  /** The optimistic peer asks for nothing. */
  #idles(candidates: readonly ChokePeer[], nowMs: number): boolean {
    const peer = candidates.find(({ key }) => key === this.#optimistic)
    const turn = this.#turns.get(this.#optimistic ?? '')
    return peer !== undefined && turn?.unchoked === true && isIdle(peer, turn, nowMs)
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

  /**
   * First those whose turn runs (fastest first), then those who wait, then those whose turn is over, then those who
   * waste theirs, or wasted their last. Of those who wait the newest one that had no turn yet and the one that waits
   * longest go by turns: hundreds that wait for nothing do not keep a newcomer waiting.
   */
  #bySeedTurn(interested: readonly ChokePeer[], nowMs: number): ChokePeer[] {
    const [running, waiting, over, wasted]: [ChokePeer[], ChokePeer[], ChokePeer[], ChokePeer[]] = [[], [], [], []]
    for (const peer of interested) {
      const turn = this.#turns.get(peer.key)
      if (turn?.unchoked !== true) (turn?.last === 'idle' ? wasted : waiting).push(peer)
      else if (isIdle(peer, turn, nowMs)) wasted.push(peer)
      else (nowMs - turn.sinceMs < SEED_TURN_MS ? running : over).push(peer)
    }
    const since = (peer: ChokePeer): number => this.#turns.get(peer.key)?.sinceMs ?? peer.connectedAtMs
    const byRate = (a: ChokePeer, b: ChokePeer): number => b.upRate - a.upRate
    const bySince = (a: ChokePeer, b: ChokePeer): number => since(a) - since(b)
    const isNew = (peer: ChokePeer): boolean => (this.#turns.get(peer.key)?.last ?? 'none') === 'none'
    const line = newestBetween(waiting.sort(bySince), isNew, this.#newestFirst)
    // The peer with the optimistic slot needs no other one: its turn would end where another's begins.
    const lucky = (peer: ChokePeer): number => (peer.key === this.#optimistic ? 1 : 0)
    running.sort((a, b) => lucky(a) - lucky(b) || byRate(a, b))
    return [...running, ...line, ...over.sort(byRate), ...wasted.sort(bySince)]
  }

  #remember(peers: readonly ChokePeer[], unchoked: ReadonlySet<string>, nowMs: number): void {
    const turns = new Map<string, Turn>()
    for (const peer of peers) {
      const before = this.#turns.get(peer.key) ?? { unchoked: false, sinceMs: peer.connectedAtMs, last: 'none' }
      const now = unchoked.has(peer.key)
      turns.set(peer.key, now === before.unchoked ? before : turnAfter(before, peer, nowMs))
      if (now && !before.unchoked) this.#newestFirst = !this.#newestFirst
    }
    this.#turns = turns
  }
}

/**
 * Tit for tat: the peer that gives us most comes first, of those that give the same the first in the line; one that
 * snubs us gets no regular slot, only a chance by optimism.
 */
function byDownRate(interested: readonly ChokePeer[]): ChokePeer[] {
  return interested.filter(peer => !peer.snubbed).sort((a, b) => b.downRate - a.downRate)
}
