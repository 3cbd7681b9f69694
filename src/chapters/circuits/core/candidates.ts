// Peers whose flags are known: those that may be hops of our circuits, and that we offer to nodes which extend through
// us (7.1, 7.6). Flags come with introductions only; peers that leave the overlay are forgotten.

import { type Candidates as Offer, MOST_CANDIDATES } from '../../overlay/wire/candidates.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import { isCircuitKey } from '../../overlay/wire/public-key.ts'
import type { Random } from '../../../ports/random.ts'
import type { Peer } from '../../overlay/core/index.ts'
import { keyText, sample } from './hop-choice.ts'

/** A hop that did not answer is asked again only after this, unless there is no other. */
const DOUBT_MS = 60_000

interface Known {
  readonly peer: Peer
  flags: number
  failedMs: number | null
}

/**
 * Peers whose flags are known: those that may be hops of our circuits, and that we offer to nodes which extend through
 * us (7.1, 7.6). Bounded by the peers of the overlay.
 */
export class Candidates {
  readonly #known = new Map<string, Known>()
  readonly #watches = new Set<() => void>()

  /** A peer told its flags; 0: it is no hop. */
  note(peer: Peer, flags: number): void {
    const key = keyText(peer.publicKey)
    const known = this.#known.get(key)
    if (!isCircuitKey(peer.publicKey) || known?.flags === flags) return
    if (flags === 0) this.#known.delete(key)
    else if (known === undefined) this.#known.set(key, { peer, flags, failedMs: null })
    else known.flags = flags
    this.#changed()
  }

  /** The peer has left. */
  forget(peer: Peer): void {
    if (this.#known.delete(keyText(peer.publicKey))) this.#changed()
  }

  /** It did not answer, or with nonsense. */
  doubt(publicKey: Uint8Array, nowMs: number): void {
    const known = this.#known.get(keyText(publicKey))
    if (known !== undefined) known.failedMs = nowMs
  }

  /** It answered. */
  trust(publicKey: Uint8Array): void {
    const known = this.#known.get(keyText(publicKey))
    if (known !== undefined) known.failedMs = null
  }

  /** Whether it did not answer lately. */
  isDoubtful(peer: Peer, nowMs: number): boolean {
    const failedMs = this.#known.get(keyText(peer.publicKey))?.failedMs ?? null
    return failedMs !== null && nowMs - failedMs < DOUBT_MS
  }

  /** Flags of a key; null: not known. */
  flagsOf(publicKey: Uint8Array): number | null {
    return this.#known.get(keyText(publicKey))?.flags ?? null
  }

  /** The candidate with this key; null: none. */
  withKey(publicKey: Uint8Array): Peer | null {
    return this.#known.get(keyText(publicKey))?.peer ?? null
  }

  /** Candidates with all bits of `flags`. */
  having(flags: number): Peer[] {
    const found: Peer[] = []
    for (const known of this.#known.values()) if ((known.flags & flags) === flags) found.push(known.peer)
    return found
  }

  /** Candidates that relay and let no BitTorrent out. */
  pureRelays(): Peer[] {
    return this.having(PEER_FLAG.relay).filter(peer => !this.#isExit(peer))
  }

  /** How many there are. */
  get counts(): { readonly all: number; readonly relays: number; readonly exits: number } {
    const relays = this.having(PEER_FLAG.relay).length
    return { all: this.#known.size, relays, exits: this.having(PEER_FLAG.exitBittorrent).length }
  }

  /** The peers we offer to a node that extends through us; `except`: that node. */
  offer(except: Uint8Array, random: Random): Offer {
    const other = (peer: Peer): boolean => keyText(peer.publicKey) !== keyText(except)
    const keys = (peers: Peer[]): Uint8Array[] =>
      sample(peers.filter(other), MOST_CANDIDATES, random).map(peer => peer.publicKey)
    return { relays: keys(this.pureRelays()), exits: keys(this.having(PEER_FLAG.exitBittorrent)) }
  }

  /** Calls after each change; answers what ends the calls. */
  watch(changed: () => void): () => void {
    this.#watches.add(changed)
    return () => this.#watches.delete(changed)
  }

  #isExit(peer: Peer): boolean {
    return ((this.flagsOf(peer.publicKey) ?? 0) & PEER_FLAG.exitBittorrent) !== 0
  }

  #changed(): void {
    for (const changed of this.#watches) changed()
  }
}
