// Which peers hold or want which channels, as they say themselves, and which peers gave something forged. Bounded by
// peer.

import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ChannelId } from '../wire/types.ts'
import { MAX_HELD_OF_PEER, MAX_REMEMBERED_PEERS } from './limits.ts'

/** Who gave what is forged is not asked for this long. */
const BLAMED_MS = 600_000

/** What a peer says of a channel. */
export interface Standing {
  /** The head whose set it holds; 0: none. */
  readonly held: number
  readonly wants: boolean
}

/** Which peers hold or want which channels, as they say themselves, and which peers gave something forged. */
export class Holders {
  readonly #clock: Clock
  /** By channel, then peer. */
  readonly #channels = new Map<ChannelId, Map<Peer, Standing>>()
  readonly #ofPeer = new Map<Peer, Set<ChannelId>>()
  /** Until when a member is not asked, in the order of the newest blame. */
  readonly #blamed = new Map<string, number>()
  #blames = 0

  constructor(deps: { readonly overlay: Overlay; readonly clock: Clock }) {
    this.#clock = deps.clock
    deps.overlay.onPeerGone(peer => this.#gone(peer))
  }

  /** How often a peer was blamed. */
  get blames(): number {
    return this.#blames
  }

  /** The peer said so; true when that is something else than before. */
  note(peer: Peer, channel: ChannelId, standing: Standing): boolean {
    const own = this.#ofPeer.get(peer) ?? new Set<ChannelId>()
    const before = this.#channels.get(channel)?.get(peer)
    if (before?.held === standing.held && before.wants === standing.wants) return false
    if (standing.held === 0 && !standing.wants) return this.#forget(peer, channel)
    if (before === undefined && own.size >= MAX_HELD_OF_PEER) return false
    own.add(channel)
    this.#ofPeer.set(peer, own)
    const peers = this.#channels.get(channel) ?? new Map<Peer, Standing>()
    peers.set(peer, standing)
    this.#channels.set(channel, peers)
    return true
  }

  /** Peers that hold a set of the channel, or that of one head; none that was blamed. */
  holdersOf(channel: ChannelId, sequence: number | null = null): Peer[] {
    return this.#those(channel, ({ held }) => (sequence === null ? held > 0 : held === sequence))
  }

  /** Peers that want the channel: they hear of what is new in it. */
  wanting(channel: ChannelId): Peer[] {
    return this.#those(channel, ({ wants }) => wants)
  }

  /** The peer gave what is not true. */
  blame(peer: Peer): void {
    this.#blames++
    this.#blamed.delete(peer.member)
    this.#blamed.set(peer.member, this.#clock.now() + BLAMED_MS)
    for (const oldest of this.#blamed.keys()) {
      if (this.#blamed.size <= MAX_REMEMBERED_PEERS) break
      this.#blamed.delete(oldest)
    }
  }

  /** True while the peer is not asked. */
  isBlamed(peer: Peer): boolean {
    return (this.#blamed.get(peer.member) ?? Number.NEGATIVE_INFINITY) > this.#clock.now()
  }

  #those(channel: ChannelId, fits: (standing: Standing) => boolean): Peer[] {
    const peers = this.#channels.get(channel) ?? []
    return [...peers].filter(([peer, standing]) => fits(standing) && !this.isBlamed(peer)).map(([peer]) => peer)
  }

  #forget(peer: Peer, channel: ChannelId): boolean {
    this.#ofPeer.get(peer)?.delete(channel)
    const peers = this.#channels.get(channel)
    const known = peers?.delete(peer) === true
    if (peers?.size === 0) this.#channels.delete(channel)
    return known
  }

  #gone(peer: Peer): void {
    for (const channel of this.#ofPeer.get(peer) ?? []) this.#forget(peer, channel)
    this.#ofPeer.delete(peer)
  }
}
