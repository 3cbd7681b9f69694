// All of the network that downloads of one hop count have: sockets, HTTP exchanges, hidden swarms, and why nothing
// goes.

import { AppError } from '../../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../../base/ids.ts'
import type { CircuitFacts } from '../../../ports/overlay-network.ts'
import type { CircuitHttpRequest, CircuitLane, HiddenPeer, HiddenSwarm, HopCount } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import { addressOfCircuit } from '../wire/hidden-names.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import type { Candidates } from './candidates.ts'
import type { CircuitExchanges } from './circuit-exchanges.ts'
import { LaneCircuits, type LaneLimits } from './lane-circuits.ts'
import { LaneSockets } from './lane-sockets.ts'
import type { OwnCircuit } from './own-circuit.ts'
import type { OwnCircuits } from './own-circuits.ts'

/** Joins hidden swarms. */
export type JoinHidden = (hops: HopCount, infoHash: InfoHash, found: (peer: HiddenPeer) => void) => HiddenSwarm

/** What a lane works with. */
export interface LaneDeps {
  readonly own: OwnCircuits
  readonly candidates: Candidates
  readonly exchanges: CircuitExchanges
  readonly clock: Clock
  limits(): LaneLimits
  readonly join: JoinHidden
}

/**
 * All of the network that downloads of one hop count have: sockets, HTTP exchanges, hidden swarms, and why nothing
 * goes.
 */
export class Lane implements CircuitLane {
  readonly hops: HopCount
  readonly udp: LaneSockets
  readonly #deps: LaneDeps
  readonly #circuits: LaneCircuits
  /** Circuits that are linked with a peer's, by the address given to them. */
  readonly #linked = new Map<string, OwnCircuit>()
  readonly #watches = new Set<() => void>()

  constructor(hops: HopCount, deps: LaneDeps) {
    this.hops = hops
    this.#deps = deps
    this.#circuits = new LaneCircuits(hops, {
      ...deps,
      changed: () => this.#changed(),
      lost: circuit => this.udp.lost(circuit),
    })
    this.udp = new LaneSockets({
      choose: () => this.#circuits.choose(),
      carry: (circuit, more) => this.#circuits.carry(circuit, more),
      linkedAt: to => this.#linked.get(`${to.ip} ${to.port}`),
    })
  }

  exchange(request: CircuitHttpRequest): Promise<Uint8Array> {
    const circuit = this.#httpCircuit()
    if (circuit !== null) return this.#deps.exchanges.run(circuit, request)
    const why = this.#circuits.ready().length === 0 ? 'no circuit is ready' : 'no exit of a ready circuit carries HTTP'
    return Promise.reject(new AppError('SourceFailed', why))
  }

  facts(): CircuitFacts {
    const { all, exits } = this.#deps.candidates.counts
    const ready = this.#circuits.ready().length
    const { building, lastFailure } = this.#circuits
    return { candidates: all, exits, ready, building, lastFailure }
  }

  watch(changed: () => void): () => void {
    this.#watches.add(changed)
    return () => this.#watches.delete(changed)
  }

  setDemand(downloads: number): void {
    this.#circuits.setDemand(downloads)
  }

  join(infoHash: InfoHash, found: (peer: HiddenPeer) => void): HiddenSwarm {
    return this.#deps.join(this.hops, infoHash, found)
  }

  /** Whether a circuit is one of this lane's. */
  has(circuit: OwnCircuit): boolean {
    return this.#circuits.has(circuit)
  }

  /** A circuit was linked with a peer's: datagrams of the peer's address go by it from now on. */
  link(circuit: OwnCircuit): void {
    const { ip, port } = addressOfCircuit(circuit.id)
    this.#linked.set(`${ip} ${port}`, circuit)
  }

  /** A linked circuit is gone. */
  unlink(circuit: OwnCircuit): void {
    const { ip, port } = addressOfCircuit(circuit.id)
    if (this.#linked.delete(`${ip} ${port}`)) this.udp.lost(circuit)
  }

  /** A datagram came out of a circuit. */
  receive(circuit: OwnCircuit, from: PeerAddress, bytes: Uint8Array): void {
    this.udp.receive(circuit, from, bytes)
  }

  stop(): void {
    this.udp.stop()
    this.#circuits.stop()
    this.#linked.clear()
    this.#watches.clear()
  }

  /** One whose exit says that it carries HTTP; else one whose exit we know nothing of. */
  #httpCircuit(): OwnCircuit | null {
    const flagsOf = (circuit: OwnCircuit): number | null => {
      const exit = circuit.hops.at(-1)
      return exit === undefined ? null : this.#deps.candidates.flagsOf(exit.publicKey)
    }
    const says = (circuit: OwnCircuit): boolean => ((flagsOf(circuit) ?? 0) & PEER_FLAG.exitHttp) !== 0
    return this.#circuits.choose(says) ?? this.#circuits.choose(circuit => flagsOf(circuit) === null)
  }

  #changed(): void {
    for (const changed of this.#watches) changed()
  }
}
