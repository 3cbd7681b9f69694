// All circuits of our own: built, watched, pinged, ended. Invariant: watchers hear of each circuit that became ready
// and of each that was removed, the latter exactly once and also when it was never ready.

import type { PeerAddress } from '../../../base/ids.ts'
import { addressKey } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { OverlayCrypto } from '../../overlay/ports/overlay-crypto.ts'
import type { CircuitPurpose, OwnCircuitFacts } from '../../overlay/ports/overlay-facts.ts'
import type { Random } from '../../../ports/random.ts'
import { created, DESTROY_REASON, extended, ping, pong } from '../wire/circuit-messages.ts'
import { encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import type { Candidates } from './candidates.ts'
import { CellHandlers } from './cell-handlers.ts'
import { CircuitBuilder } from './circuit-builder.ts'
import { CircuitHealth } from './circuit-health.ts'
import { type HopCandidate, keyText } from './hop-choice.ts'
import { HopPlaces } from './hop-places.ts'
import { MAX_AGE_MS, MAX_CIRCUIT_BYTES, MAX_INTRODUCTION_AGE_MS, REMOVAL_DELAY_MS } from './limits.ts'
import { type CircuitWire, type LastHopKind, OwnCircuit } from './own-circuit.ts'

/** Between looks at how circuits do. */
const HEALTH_MS = 1_000

/** What it works with. */
export interface OwnCircuitsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Pick<OverlayCrypto, 'begin'>
  readonly candidates: Candidates
  readonly wire: CircuitWire
  readonly publicKey: Uint8Array
  /** An id that no circuit has. */
  freshId(): number
  sendDestroy(circuitId: number, reason: number, to: PeerAddress): void
}

/** Hears of circuits. Must not throw. */
export interface CircuitWatch {
  ready(circuit: OwnCircuit): void
  /** `reason`: for people. */
  removed(circuit: OwnCircuit, reason: string): void
}

/** A circuit that is wanted. */
export interface WantedCircuit {
  readonly purpose: CircuitPurpose
  readonly hops: number
  readonly required: HopCandidate | null
  readonly lastKind: LastHopKind
  /** Keys of nodes that must not be the last hop. */
  readonly except?: readonly Uint8Array[]
}

/** All circuits of our own: built, watched, pinged, ended. */
export class OwnCircuits {
  /** What messages mean that come out of our circuits. */
  readonly handlers = new CellHandlers<OwnCircuit>()
  readonly #deps: OwnCircuitsDeps
  readonly #builder: CircuitBuilder
  /** By id as signed number. */
  readonly #circuits = new Map<number, OwnCircuit>()
  readonly #health = new Map<OwnCircuit, CircuitHealth>()
  readonly #watches = new Set<CircuitWatch>()
  #timer: Timer | null = null
  /** Bytes of circuits that are gone. */
  #pastUp = 0
  #pastDown = 0
  #pastBad = 0

  constructor(deps: OwnCircuitsDeps) {
    this.#deps = deps
    const { clock, candidates } = deps
    this.#builder = new CircuitBuilder({
      ...deps,
      places: new HopPlaces({ clock, candidates, circuits: () => this.#circuits.values() }),
      ready: circuit => this.#ready(circuit),
      failed: (circuit, reason) => this.remove(circuit, reason),
    })
    this.handlers.on(extended, (circuit, values) => this.#builder.extended(circuit, values))
    this.handlers.on(pong, (circuit, values) => this.#pong(circuit, values))
    // The other end of linked circuits pings too.
    this.handlers.on(ping, (circuit, { identifier }) => circuit.send(encodeCellMessage(pong, { identifier })))
  }

  /** All, also those that are closing. */
  all(): Iterable<OwnCircuit> {
    return this.#circuits.values()
  }

  /** The circuit with this id. */
  at(id: number): OwnCircuit | undefined {
    return this.#circuits.get(id | 0)
  }

  /** How a circuit does; undefined: it is gone. */
  healthOf(circuit: OwnCircuit): CircuitHealth | undefined {
    return this.#health.get(circuit)
  }

  /** Bytes of cells, of all circuits there ever were; cells that could not be read. */
  get totals(): { readonly up: number; readonly down: number; readonly bad: number } {
    let up = this.#pastUp
    let down = this.#pastDown
    let bad = this.#pastBad
    for (const circuit of this.#circuits.values()) {
      up += circuit.bytesUp
      down += circuit.bytesDown
      bad += circuit.cellsBad
    }
    return { up, down, bad }
  }

  /** Begins to build a circuit. What becomes of it those hear who watch. */
  build({ purpose, hops, required, lastKind, except = [] }: WantedCircuit): OwnCircuit {
    const { clock, wire, freshId } = this.#deps
    const createdMs = clock.now()
    const what = { id: freshId(), purpose, goalHops: hops, required, lastKind, except }
    const plan = { ...what, createdMs, createdAtMs: clock.wallMs() }
    const circuit = new OwnCircuit(plan, wire)
    this.#circuits.set(circuit.id | 0, circuit)
    this.#health.set(circuit, new CircuitHealth(circuit, createdMs))
    this.#timer ??= clock.every(HEALTH_MS, () => this.#look())
    this.#builder.start(circuit)
    return circuit
  }

  /** The first hop of a circuit answered, from there; false: it was not asked. */
  created(circuit: OwnCircuit, values: PayloadOf<typeof created>, from: PeerAddress): boolean {
    return this.#builder.created(circuit, values, from)
  }

  /** A neighbour ends a circuit; false: it is not its first hop. */
  destroyed(circuit: OwnCircuit, publicKey: Uint8Array): boolean {
    const first = circuit.hops[0]
    if (first === undefined || keyText(first.publicKey) !== keyText(publicKey)) return false
    this.remove(circuit, 'a hop ended it', false)
    return true
  }

  /** A circuit is to go. `reason`: for people; `tell`: the hops hear of it. */
  remove(circuit: OwnCircuit, reason: string, tell = true): void {
    if (circuit.state === 'CLOSING') return
    this.#builder.stop(circuit)
    circuit.close(reason)
    if (tell) this.#tell(circuit, DESTROY_REASON.unneeded)
    for (const watch of this.#watches) watch.removed(circuit, reason)
    this.#deps.clock.after(REMOVAL_DELAY_MS, () => this.#end(circuit))
  }

  /** Hears of circuits until the function that is answered is called. */
  watch(watch: CircuitWatch): () => void {
    this.#watches.add(watch)
    return () => this.#watches.delete(watch)
  }

  /** Ends all, at once; first hops hear of it. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
    this.#builder.close()
    for (const circuit of [...this.#circuits.values()]) {
      const open = circuit.state !== 'CLOSING'
      this.#builder.stop(circuit)
      circuit.close('the node stops')
      if (open) {
        this.#tell(circuit, DESTROY_REASON.shutdown)
        for (const watch of this.#watches) watch.removed(circuit, 'the node stops')
      }
      this.#end(circuit)
    }
  }

  /** For people. */
  facts(circuit: OwnCircuit): OwnCircuitFacts {
    const health = this.#health.get(circuit)
    const { id, state, purpose, goalHops, bytesUp, bytesDown, createdAtMs, reason } = circuit
    const hops = circuit.hops.map(({ address, member }) => ({
      host: address === null ? null : addressKey(address),
      member,
    }))
    const { rateUp = 0, rateDown = 0, rttMs = null, loss = 0 } = health ?? {}
    return {
      id,
      state,
      purpose,
      goalHops,
      hops,
      bytesUp,
      bytesDown,
      rateUp,
      rateDown,
      rttMs,
      loss,
      createdAtMs,
      reason,
    }
  }

  #ready(circuit: OwnCircuit): void {
    const { clock } = this.#deps
    this.#health.set(circuit, new CircuitHealth(circuit, clock.now()))
    this.#ping(circuit)
    for (const watch of this.#watches) watch.ready(circuit)
  }

  #look(): void {
    const nowMs = this.#deps.clock.now()
    for (const [circuit, health] of this.#health) {
      if (circuit.state === 'CLOSING') continue
      const { dead, ping } = health.step(nowMs, isPinged(circuit))
      // Which hop it was is not known: the next circuit takes other ones where it can. An unused rendezvous is no hop's
      // fault.
      if (dead !== null && circuit.purpose !== 'rendezvous-seeder')
        for (const { publicKey } of circuit.hops) this.#deps.candidates.doubt(publicKey, nowMs)
      const end = dead ?? this.#over(circuit, nowMs)
      if (end !== null) this.remove(circuit, end)
      else if (ping) this.#ping(circuit)
    }
    if (this.#circuits.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
  }

  #over({ purpose, createdMs, bytesUp, bytesDown }: OwnCircuit, nowMs: number): string | null {
    const maxAgeMs = purpose === 'introduction-seeder' ? MAX_INTRODUCTION_AGE_MS : MAX_AGE_MS
    if (nowMs - createdMs > maxAgeMs) return 'it is old'
    return bytesUp + bytesDown > MAX_CIRCUIT_BYTES ? 'it carried its share' : null
  }

  #ping(circuit: OwnCircuit): void {
    const { clock, random } = this.#deps
    if (!isPinged(circuit)) return
    const identifier = random.below(0x1_0000)
    this.#health.get(circuit)?.sent(identifier, clock.now())
    circuit.send(encodeCellMessage(ping, { identifier }))
  }

  #pong(circuit: OwnCircuit, { identifier }: PayloadOf<typeof pong>): void {
    if (this.#health.get(circuit)?.answered(identifier, this.#deps.clock.now()) !== true) this.handlers.countDropped()
  }

  #tell({ id, hops, firstHop }: OwnCircuit, reason: number): void {
    if (hops.length > 0 && firstHop !== null) this.#deps.sendDestroy(id, reason, firstHop)
  }

  #end(circuit: OwnCircuit): void {
    circuit.end()
    if (!this.#health.delete(circuit)) return
    this.#circuits.delete(circuit.id | 0)
    this.#pastUp += circuit.bytesUp
    this.#pastDown += circuit.bytesDown
    this.#pastBad += circuit.cellsBad
  }
}

/** Circuits to a rendezvous point are pinged by the downloader only, once they are linked (8.5). */
function isPinged(circuit: OwnCircuit): boolean {
  if (circuit.hops.length === 0) return false
  if (circuit.purpose === 'rendezvous-seeder') return false
  return circuit.purpose !== 'rendezvous-downloader' || circuit.endToEnd !== null
}
