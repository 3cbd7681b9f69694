// The addresses of a torrent's swarm that could be connected to, with what was learned of each. Pure bookkeeping.
// Invariant: at most MAX_KNOWN addresses, MAX_HEARSAY of them named by peers alone; a new one replaces only an
// unconnected one that kept failing, or one of hearsay that was never reached.

import { addressKey, type PeerAddress } from '../../base/ids.ts'
import type { PeerOrigin } from '../../ports/announcer.ts'
import type { PexFlags } from '../../wire/peer/ut-pex.ts'
import { NO_PRIORITY } from './peer-priority.ts'
import { type LinkMemory, newLinkMemory } from './connection-policy.ts'

/** Most addresses kept a torrent. */
const MAX_KNOWN = 2000
/** Most of them that only other peers named (BEP 11): anybody can send thousands of made-up ones. */
const MAX_HEARSAY = 1000
/** Attempts at one of these: then it is forgotten, as libtorrent does; else invented ones would be tried for ever. */
const MAX_HEARSAY_FAILURES = 3
/**
 * Attempts at one that was reached before, or that only the user or a magnet named, until a torrent is suspended: in an
 * hour and a half.
 */
const LAST_HOPE_FAILURES = 10
/** Wait after the first failed attempt; doubles each time, at most MAX_RETRY_MS. */
const FIRST_RETRY_MS = 10_000
const MAX_RETRY_MS = 30 * 60 * 1000
/** Wait before coming back to a peer that hung up after the handshake. */
const RECONNECT_MS = 30_000

/** Who named an address, as a bit. */
export const ORIGIN_BITS: Readonly<Record<PeerOrigin, number>> = { tracker: 1, dht: 2, pex: 4, lsd: 8 }

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
  /** Who named it: the sum of ORIGIN_BITS. */
  origins: number
  /** Only other peers named it (BEP 11). */
  hearsay: boolean
  /** It offers ut_holepunch, by what others say (BEP 55). */
  holepunch: boolean
  /** A peer introduced us (BEP 55): the next attempt goes by uTP alone, at once. */
  punch: boolean
  /** When we last asked for an introduction, clock ms, and how often. */
  punchAskedMs: number
  punchesAsked: number
  /** Canonical priority (BEP 40), unsigned 32 bits; of two that are worth the same the higher one comes first. */
  priority: number
  /** Which kinds of connection worked and failed. */
  readonly links: LinkMemory
}

/** The addresses of one torrent. */
export class KnownPeers {
  readonly #peers = new Map<string, KnownPeer>()
  #seeds = 0
  #hearsay = 0
  #priorityOf: (address: PeerAddress) => number = () => NO_PRIORITY

  get size(): number {
    return this.#peers.size
  }

  /** Known addresses that were seeds when last seen. */
  get seeds(): number {
    return this.#seeds
  }

  /** Those that were called, or are our own (`tried`), or all others. */
  *addresses(tried: boolean): Generator<PeerAddress, void> {
    for (const { address, failures, nextTryMs } of this.#peers.values()) {
      if (tried === (failures > 0 || nextTryMs === Number.POSITIVE_INFINITY)) yield address
    }
  }

  get(key: string): KnownPeer | undefined {
    return this.#peers.get(key)
  }

  /**
   * Adds an address, `tracked`: by a tracker, `hearsay`: by what a peer says of it; null when the list is full of
   * better ones. Known ones are answered as they are.
   */
  add(address: PeerAddress, tracked = false, hearsay: PexFlags | null = null): KnownPeer | null {
    const peer = this.#added(address, tracked, hearsay)
    if (peer === null) return null
    if (tracked) peer.origins |= ORIGIN_BITS.tracker
    if (hearsay !== null) peer.origins |= ORIGIN_BITS.pex
    return peer
  }

  #added(address: PeerAddress, tracked: boolean, hearsay: PexFlags | null): KnownPeer | null {
    const known = this.#peers.get(addressKey(address))
    if (known !== undefined) return this.#namedAgain(known, tracked, hearsay)
    const full = this.#peers.size >= MAX_KNOWN || (hearsay !== null && this.#hearsay >= MAX_HEARSAY)
    if (full && !this.#makeRoom(hearsay !== null)) return null
    const peer = this.#newPeer(address, tracked, hearsay)
    this.#peers.set(peer.key, peer)
    if (peer.hearsay) this.#hearsay += 1
    if (hearsay?.seed === true) this.setSeed(peer, true)
    return peer
  }

  /** Our own address is known now, or another one: `priorityOf` gives each address its canonical priority (BEP 40). */
  setPriorities(priorityOf: (address: PeerAddress) => number): void {
    this.#priorityOf = priorityOf
    for (const peer of this.#peers.values()) peer.priority = priorityOf(peer.address)
  }

  /** A peer introduced us to this address: it is called at once, by uTP. */
  introduced(peer: KnownPeer): void {
    if (peer.nextTryMs === Number.POSITIVE_INFINITY) return
    peer.punch = true
    peer.nextTryMs = 0
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

  /**
   * True while some address that was reached before, or was named by a source that will not name it again, has not
   * failed for long; `untried`: also while one was never tried.
   */
  hasHope(untried: boolean): boolean {
    for (const { good, origins, failures, nextTryMs } of this.#peers.values()) {
      if (nextTryMs === Number.POSITIVE_INFINITY) continue
      if ((untried && failures === 0) || ((good || origins === 0) && failures < LAST_HOPE_FAILURES)) return true
    }
    return false
  }

  /** The attempt did not get through the handshake. Hearsay that fails again and again is forgotten. */
  failed(peer: KnownPeer, nowMs: number): void {
    peer.busy = false
    peer.failures += 1
    if (peer.hearsay && peer.failures >= MAX_HEARSAY_FAILURES) this.#forget(peer)
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
    this.#verified(peer)
  }

  setSeed(peer: KnownPeer, seed: boolean): void {
    if (peer.seed !== seed) this.#seeds += seed ? 1 : -1
    peer.seed = seed
  }

  /** The address is our own: it stays known, so that it is not tried when it is named again. */
  banish(peer: KnownPeer): void {
    peer.busy = false
    peer.good = true
    peer.nextTryMs = Number.POSITIVE_INFINITY
  }

  /** Everything may be tried at once again (the torrent was resumed). */
  forgiveAll(): void {
    for (const peer of this.#peers.values()) this.wanted(peer)
  }

  /** It is to be called as if it had never failed: the user named it. Our own address stays uncalled. */
  wanted(peer: KnownPeer): void {
    peer.failures = 0
    if (peer.nextTryMs < Number.POSITIVE_INFINITY) peer.nextTryMs = 0
  }

  /** Those that a handshake was completed with may be tried at once again. */
  retryGood(): void {
    for (const peer of this.#peers.values()) {
      if (peer.good && peer.nextTryMs < Number.POSITIVE_INFINITY) peer.nextTryMs = 0
    }
  }

  #newPeer(address: PeerAddress, tracked: boolean, hearsay: PexFlags | null): KnownPeer {
    return {
      key: addressKey(address),
      address,
      failures: 0,
      nextTryMs: 0,
      good: false,
      seed: false,
      busy: false,
      tracked,
      origins: 0,
      hearsay: hearsay !== null,
      holepunch: hearsay?.holepunch ?? false,
      punch: false,
      punchAskedMs: Number.NEGATIVE_INFINITY,
      punchesAsked: 0,
      priority: this.#priorityOf(address),
      links: newLinkMemory(),
    }
  }

  #namedAgain(peer: KnownPeer, tracked: boolean, hearsay: PexFlags | null): KnownPeer {
    peer.tracked ||= tracked
    if (hearsay === null) this.#verified(peer)
    else peer.holepunch ||= hearsay.holepunch
    return peer
  }

  /** It is more than hearsay now. */
  #verified(peer: KnownPeer): void {
    if (!peer.hearsay) return
    peer.hearsay = false
    this.#hearsay -= 1
  }

  /**
   * Takes one away that is worth less than a new one: the one that failed most, else hearsay that was never reached.
   */
  #makeRoom(forHearsay: boolean): boolean {
    let worst: KnownPeer | null = null
    for (const peer of this.#peers.values()) {
      if (peer.busy || peer.good || (forHearsay && !peer.hearsay)) continue
      const dispensable = peer.failures > 0 || (peer.hearsay && !forHearsay)
      if (dispensable && (worst === null || worse(peer, worst))) worst = peer
    }
    if (worst === null) return false
    this.#forget(worst)
    return true
  }

  #forget(peer: KnownPeer): void {
    // One that was being called may have been forgotten before it failed.
    if (this.#peers.get(peer.key) !== peer) return
    if (peer.seed) this.#seeds -= 1
    if (peer.hearsay) this.#hearsay -= 1
    this.#peers.delete(peer.key)
  }
}

function better(a: KnownPeer, b: KnownPeer): boolean {
  if (a.punch !== b.punch) return a.punch
  if (a.good !== b.good) return a.good
  if (a.failures !== b.failures) return a.failures < b.failures
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.nextTryMs < b.nextTryMs
}

function worse(a: KnownPeer, b: KnownPeer): boolean {
  if (a.failures !== b.failures) return a.failures > b.failures
  return a.priority < b.priority
}
