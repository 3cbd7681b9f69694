// When the choking of a torrent's peers is decided, and what of it is sent to them. Who is unchoked is choker.ts.

import type { ChokePeer } from './choke-turns.ts'
import { Choker, CHOKE_INTERVAL_MS } from './choker.ts'
import type { TorrentCore } from '../session/torrent-core.ts'
import type { TurnJob } from '../../base/turn-end.ts'

/** Choking is not decided more often than this, whatever peers do. */
const CHOKE_PAUSE_MS = 250

/** The choking of one torrent. */
export class TorrentChoking {
  readonly #core: TorrentCore
  readonly #choker: Choker
  readonly #job: TurnJob = { queued: false, run: () => this.#decide(this.#core.now()) }
  #lastMs = Number.NEGATIVE_INFINITY
  #wanted = false

  constructor(core: TorrentCore) {
    this.#core = core
    this.#choker = new Choker(core.engine.limits.uploadSlots, core.engine.random)
  }

  /** An unchoked peer left or interest changed: it is decided again, at once unless that was just done. */
  soon(): void {
    this.#wanted = true
    if (this.#core.working && this.#core.now() - this.#lastMs >= CHOKE_PAUSE_MS) {
      this.#core.engine.turnEnd.later(this.#job)
    }
  }

  /** Once a second. */
  tick(nowMs: number): void {
    const wastes = (): boolean => this.#core.complete && this.#choker.wastes(this.#peers(nowMs), nowMs)
    if (this.#wanted || nowMs - this.#lastMs >= CHOKE_INTERVAL_MS || wastes()) this.#decide(nowMs)
  }

  #decide(nowMs: number): void {
    if (!this.#core.working) return
    this.#wanted = false
    this.#lastMs = nowMs
    this.#choker.setSlots(this.#core.engine.limits.uploadSlots)
    const decision = this.#choker.decide(this.#peers(nowMs), this.#core.complete, nowMs)
    for (const peer of this.#core.peers.values()) {
      peer.optimistic = decision.optimistic === peer.key
      peer.choke(!decision.unchoked.has(peer.key))
    }
  }

  #peers(nowMs: number): ChokePeer[] {
    return Array.from(this.#core.peers.values(), peer => ({
      key: peer.key,
      interested: peer.peerInterested,
      downRate: peer.down.rate(nowMs),
      upRate: peer.up.rate(nowMs),
      snubbed: peer.pipeline.snubbed,
      connectedAtMs: peer.connectedAtMs,
      activeMs: peer.uploads.busy ? nowMs : peer.activeMs,
    }))
  }
}
