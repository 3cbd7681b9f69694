// An overlay with all that finds its peers: introductions, addresses to walk to, the walk.

import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { Bootstrap } from './bootstrap.ts'
import type { Community, CommunityOptions } from './introduced.ts'
import { type AnyRequest, Introductions } from './introductions.ts'
import { MAX_PEERS } from './limits.ts'
import { Overlay, type OverlayDeps } from './overlay.ts'
import type { OwnAddresses } from './own-addresses.ts'
import type { Peer } from './peer.ts'
import { RandomWalk } from './random-walk.ts'
import { Walkable } from './walkable.ts'

/** A peer that discovery found in an overlay is asked for its extra bytes at most once in this time (section 5). */
const EXTRA_ASKED_MS = 300_000

/** What it works with; shared by all overlays of a node. */
export interface WalkedOverlayDeps extends OverlayDeps {
  readonly own: OwnAddresses
  readonly bootstrap: Bootstrap
  readonly clock: Clock
  readonly random: Random
}

/** What only our own overlays choose. */
export interface WalkedOverlayOptions extends CommunityOptions {
  /**
   * Reads a request that may have another form; `wanted`: mid of the peer the asker wants to meet. Throws DecodeError.
   */
  readonly decodeRequest?: (payload: Uint8Array) => AnyRequest & { readonly wanted: Uint8Array | null }
}

/** An overlay with all that finds its peers: introductions, addresses to walk to, the walk. */
export class WalkedOverlay implements Community {
  readonly overlay: Overlay
  readonly introductions: Introductions
  readonly communityId: Uint8Array
  /** Addresses at which a peer may be. */
  readonly walkable: Walkable
  readonly #walk: RandomWalk
  readonly #options: WalkedOverlayOptions
  readonly #deps: WalkedOverlayDeps
  readonly #closed: () => void
  /** When peers that came without their extra bytes were asked for them. */
  readonly #extraAskedMs = new WeakMap<Peer, number>()
  #steppedMs = Number.NEGATIVE_INFINITY

  /** `closed` is called once it has ended. */
  constructor(options: WalkedOverlayOptions, deps: WalkedOverlayDeps, closed: () => void = () => undefined) {
    const { book, own, bootstrap, clock, random } = deps
    this.#options = options
    this.#deps = deps
    this.#closed = closed
    this.communityId = Uint8Array.from(options.communityId)
    this.overlay = new Overlay(options, deps)
    this.walkable = new Walkable(random)
    const { overlay, walkable } = this
    const isServer = bootstrap.isServer.bind(bootstrap)
    this.introductions = new Introductions(options, { overlay, book, own, walkable, clock, isServer })
    const { introductions } = this
    this.#walk = new RandomWalk(options.targetPeers, { overlay, introductions, walkable, bootstrap, clock, random })
  }

  /** One step of the walk, if it is time. */
  step(nowMs: number): void {
    if (nowMs - this.#steppedMs < (this.#options.stepMs ?? 0)) return
    this.#steppedMs = nowMs
    this.#walk.step()
  }

  /**
   * Discovery found a peer that is in this overlay; it is taken in if there is room, and asked what it says of itself
   * here.
   */
  found(peer: Peer): void {
    const { overlay, introductions } = this
    const { book, clock } = this.#deps
    const most = this.#options.maxPeers ?? MAX_PEERS
    const known = book.isIn(peer, overlay.id)
    if (!known && ((most >= 0 && overlay.peers().length >= most) || !book.spread(peer, overlay.id))) return
    if (!introductions.hasExtra || introductions.hasToldExtra(peer)) return
    const nowMs = clock.now()
    if (nowMs - (this.#extraAskedMs.get(peer) ?? Number.NEGATIVE_INFINITY) < EXTRA_ASKED_MS) return
    this.#extraAskedMs.set(peer, nowMs)
    introductions.askPeer(peer)
  }

  close(): void {
    this.overlay.close()
    this.#deps.bootstrap.forget(this.overlay.id)
    this.#closed()
  }
}
