// The addresses of a torrent's swarm that could be connected to, with what was learned of each. Pure bookkeeping.
// Invariant: at most MAX_KNOWN addresses; a new one replaces only an unconnected one that kept failing.

import { addressKey, type PeerAddress } from '../base/ids.ts'

/** Most addresses kept a torrent. */
const MAX_KNOWN = 2000
/** Wait after the first failed attempt; doubles each time, at most MAX_RETRY_MS. */
const FIRST_RETRY_MS = 10_000
const MAX_RETRY_MS = 30 * 60 * 1000
/** Wait before coming back to a peer that hung up after the handshake. */
const RECONNECT_MS = 30_000

/** One address. */
export interface KnownPeer {
  readonly key: string
  readonly address: PeerAddress
  /** Failed attempts in a row. */
  failures: number
  /** Not to be tried before this clock time, ms. */
  nextTryMs: number
  /** A handshake was completed with it at some time. */
  good: boolean
  /** It had everything when last seen. */
  seed: boolean
  /** A connection exists or is being made. */
  busy: boolean
  /** A tracker named it: of a private torrent no other counts (BEP 27). */
  tracked: boolean
}

/** The addresses of one torrent. */
export class KnownPeers {
  readonly #peers = new Map<string, KnownPeer>()
  #seeds = 0

  get size(): number {
    return this.#peers.size
  }

  /** Known addresses that were seeds when last seen. */
  get seeds(): number {
    return this.#seeds
  }

  get(key: string): KnownPeer | undefined {
    return this.#peers.get(key)
  }

  /** Adds an address, `tracked`: by a tracker; null when the list is full of better ones. Known ones are answered as they are. */
  add(address: PeerAddress, tracked = false): KnownPeer | null {
    const key = addressKey(address)
    const known = this.#peers.get(key)
    if (known !== undefined) {
      known.tracked ||= tracked
      return known
    }
    if (this.#peers.size >= MAX_KNOWN && !this.#makeRoom()) return null
    const peer = { key, address, failures: 0, nextTryMs: 0, good: false, seed: false, busy: false, tracked }
    this.#peers.set(key, peer)
    return peer
  }

  /** Forgets every address that no tracker named. */
  keepTracked(): void {
    for (const peer of this.#peers.values()) if (!peer.tracked) this.#forget(peer)
  }

  /** The address to try next: those that worked first, then those that failed least; null when none is due. */
  next(nowMs: number, allowed: (peer: KnownPeer) => boolean): KnownPeer | null {
    let best: KnownPeer | null = null
    for (const peer of this.#peers.values()) {
      if (peer.busy || peer.nextTryMs > nowMs || (best !== null && !better(peer, best)) || !allowed(peer)) continue
      best = peer
    }
    return best
  }

  /** True when some address will be due later: it makes sense to ask again. */
  hasCandidates(allowed: (peer: KnownPeer) => boolean): boolean {
    for (const peer of this.#peers.values()) {
      if (!peer.busy && peer.nextTryMs < Number.POSITIVE_INFINITY && allowed(peer)) return true
    }
    return false
  }

  /** The attempt did not get through the handshake. */
  failed(peer: KnownPeer, nowMs: number): void {
    peer.busy = false
    peer.failures += 1
    peer.nextTryMs = nowMs + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(peer.failures - 1, 10))
  }

  /** The connection ended after its handshake; `useful`: payload went one way or the other. */
  left(peer: KnownPeer, useful: boolean, nowMs: number): void {
    peer.busy = false
    if (useful) peer.failures = 0
    else peer.failures += 1
    const factor = useful ? 1 : 2 ** Math.min(peer.failures - 1, 6)
    peer.nextTryMs = nowMs + Math.min(MAX_RETRY_MS, RECONNECT_MS * factor)
  }

  /** We ended the connection, for a reason that is not the peer's. */
  released(peer: KnownPeer): void {
    peer.busy = false
    if (peer.nextTryMs < Number.POSITIVE_INFINITY) peer.nextTryMs = 0
  }

  shookHands(peer: KnownPeer): void {
    peer.good = true
    peer.busy = true
  }

  setSeed(peer: KnownPeer, seed: boolean): void {
    if (peer.seed !== seed) this.#seeds += seed ? 1 : -1
    peer.seed = seed
  }

  /** The address is our own: it stays known, so that it is not tried again when somebody names it again. */
  banish(peer: KnownPeer): void {
    peer.busy = false
    peer.good = true
    peer.nextTryMs = Number.POSITIVE_INFINITY
  }

  /** Everything may be tried at once again (the torrent was resumed). */
  forgiveAll(): void {
    for (const peer of this.#peers.values()) {
      peer.failures = 0
      if (peer.nextTryMs < Number.POSITIVE_INFINITY) peer.nextTryMs = 0
    }
  }

  #makeRoom(): boolean {
    let worst: KnownPeer | null = null
    for (const peer of this.#peers.values()) {
      if (!peer.busy && !peer.good && peer.failures > (worst?.failures ?? 0)) worst = peer
    }
    if (worst === null) return false
    this.#forget(worst)
    return true
  }

  #forget(peer: KnownPeer): void {
    if (peer.seed) this.#seeds -= 1
    this.#peers.delete(peer.key)
  }
}

function better(a: KnownPeer, b: KnownPeer): boolean {
  if (a.good !== b.good) return a.good
  if (a.failures !== b.failures) return a.failures < b.failures
  return a.nextTryMs < b.nextTryMs
}
