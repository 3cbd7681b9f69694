// Chooses the peer to disconnect when all places are taken and another comes: the one that neither asked nor gave for
// longest (decision 0480). One that gives to us, or takes more than a trickle, stays; a new one has a moment to begin.
// Invariant: it ends connections only, and counts nothing but how often each network displaced a peer.

import { Allowance } from '../../base/allowance.ts'
import { networkOf } from './address-counts.ts'
import type { PeerSession } from './peer-session.ts'

/** A peer keeps its place at least this long: two round trips of a slow line and a request. */
const GRACE_MS = 2000
/** A peer keeps its place from so many bytes/s over the last minute on: four blocks a minute taken, or one given. */
const WORTH_RATE = 1000
/** What is given to us counts so many times. */
const GIVEN_WEIGHT = 4
/**
 * A network may displace so many, and one more after so long: calling again and again must not turn all places over.
 */
const DISPLACED = { places: 4, refillMs: 5000 }
/**
 * A network whose peer was disconnected displaces none for this long: else it would call again and take another place.
 */
const BARRED_MS = 60_000
/** Networks that this is remembered of; the one that displaced none for longest is forgotten. */
const MAX_NETWORKS = 4096

/** What a network may do. */
interface Claim {
  readonly allowance: Allowance
  barredUntilMs: number
}

/** The places of all connected peers of a session. */
export class PeerPlaces {
  readonly #peers = new Set<PeerSession>()
  readonly #networks = new Map<string, Claim>()

  add(peer: PeerSession): void {
    this.#peers.add(peer)
  }

  remove(peer: PeerSession): void {
    this.#peers.delete(peer)
  }

  /** Whether a peer would go for a newcomer at `ip`. */
  canMake(ip: string, nowMs: number): boolean {
    return mayDisplace(this.#claimOf(ip), nowMs) && idlest(this.#peers, nowMs) !== null
  }

  /** Ends the connection of who is of least use, of `among` (default: all); false when everybody stays. */
  make(ip: string, nowMs: number, among: Iterable<PeerSession> = this.#peers): boolean {
    const claim = this.#claimOf(ip)
    if (!mayDisplace(claim, nowMs)) return false
    const victim = idlest(among, nowMs)
    if (victim === null) return false
    claim.allowance.take(nowMs)
    const gone = victim.link.remote.ip
    // Behind a local address may be any number of peers.
    if (networkOf(gone) !== null) this.#claimOf(gone).barredUntilMs = nowMs + BARRED_MS
    victim.close('all places are taken, and it neither asked nor gave for longest')
    return true
  }

  #claimOf(ip: string): Claim {
    const network = networkOf(ip) ?? 'local'
    const claim = this.#networks.get(network) ?? {
      allowance: new Allowance(DISPLACED.places, DISPLACED.refillMs),
      barredUntilMs: 0,
    }
    // Last in the map: the first one is the one that came longest ago.
    this.#networks.delete(network)
    this.#networks.set(network, claim)
    for (const oldest of this.#networks.keys()) {
      if (this.#networks.size <= MAX_NETWORKS) break
      this.#networks.delete(oldest)
    }
    return claim
  }
}

/** Notes payload that came from a peer or went to it. */
export function countUse(peer: PeerSession, nowMs: number, bytes: number, given: boolean): void {
  peer.activeMs = nowMs
  peer.lately.add(nowMs, given ? GIVEN_WEIGHT * bytes : bytes)
}

function mayDisplace(claim: Claim, nowMs: number): boolean {
  return nowMs >= claim.barredUntilMs && claim.allowance.available(nowMs) > 0
}

/** Null: everybody is of use, or has only just come. */
function idlest(peers: Iterable<PeerSession>, nowMs: number): PeerSession | null {
  let found: PeerSession | null = null
  for (const peer of peers) {
    if (!peer.link.alive || nowMs - peer.connectedAtMs < GRACE_MS) continue
    if (found !== null && peer.activeMs >= found.activeMs) continue
    if (peer.lately.rate(nowMs) < WORTH_RATE) found = peer
  }
  return found
}
