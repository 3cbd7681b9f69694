// Which candidates fit a place in a circuit, and how often each has that place already (7.6).

import type { Peer } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import type { Candidates } from './candidates.ts'
import { keyText, type RankedCandidate } from './hop-choice.ts'
import type { OwnCircuit } from './own-circuit.ts'

/** What it looks at. */
export interface HopPlacesDeps {
  readonly clock: Clock
  readonly candidates: Candidates
  /** All circuits of our own. */
  circuits(): Iterable<OwnCircuit>
}

/** Ranks candidates. */
export class HopPlaces {
  readonly #deps: HopPlacesDeps

  constructor(deps: HopPlacesDeps) {
    this.#deps = deps
  }

  /** Candidates for the last hop of a circuit, or for one before it. */
  fitting(circuit: OwnCircuit, last: boolean): RankedCandidate[] {
    const peers = last ? this.#lastHops(circuit) : this.#earlierHops(circuit)
    const used = this.#used(circuit, last)
    const nowMs = this.#deps.clock.now()
    return peers.map(peer => ({
      publicKey: peer.publicKey,
      address: peer.address,
      exit: ((this.#deps.candidates.flagsOf(peer.publicKey) ?? 0) & PEER_FLAG.exitBittorrent) !== 0,
      used: used.get(keyText(peer.publicKey)) ?? 0,
      doubtful: this.#deps.candidates.isDoubtful(peer, nowMs),
    }))
  }

  /**
   * Relays; not the only one that can be the last hop, which could then be found nowhere, unless there is no other good
   * relay.
   */
  #earlierHops(circuit: OwnCircuit): Peer[] {
    const { candidates, clock } = this.#deps
    const relays = candidates.having(PEER_FLAG.relay)
    if (circuit.required !== null) return relays
    const taken = new Set([...circuit.hops.map(({ publicKey }) => publicKey), ...circuit.except].map(keyText))
    const [only, ...more] = this.#lastHops(circuit).filter(peer => !taken.has(keyText(peer.publicKey)))
    if (only === undefined || more.length > 0) return relays
    const others = relays.filter(peer => peer !== only)
    const nowMs = clock.now()
    const good = others.some(peer => !taken.has(keyText(peer.publicKey)) && !candidates.isDoubtful(peer, nowMs))
    return good ? others : relays
  }

  #lastHops({ lastKind }: OwnCircuit): Peer[] {
    const { candidates } = this.#deps
    const leaving = candidates.having(PEER_FLAG.exitBittorrent)
    if (lastKind === 'exit') return leaving
    const relays = candidates.having(PEER_FLAG.relay)
    const [first, second] =
      lastKind === 'introduction' ? [leaving, candidates.having(PEER_FLAG.exitIpv8)] : [relays, leaving]
    return [first, second, relays].find(peers => peers.length > 0) ?? []
  }

  /** Circuits of the same kind by their first, or last, hop, also one that is only asked. */
  #used({ purpose }: OwnCircuit, last: boolean): Map<string, number> {
    const used = new Map<string, number>()
    for (const circuit of this.#deps.circuits()) {
      const place = last ? circuit.goalHops - 1 : 0
      const asked = place === circuit.hops.length ? circuit.asked : null
      const publicKey = circuit.hops[place]?.publicKey ?? asked
      if (circuit.purpose !== purpose || circuit.state === 'CLOSING' || publicKey === null) continue
      const key = keyText(publicKey)
      used.set(key, (used.get(key) ?? 0) + 1)
    }
    return used
  }
}
