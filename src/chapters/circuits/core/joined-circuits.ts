// Circuits of others that run through this node: those that end here, and those that go on. Knows their ages and
// bounds; serving-hop.ts makes them. Invariant: an id means one circuit, and circuits are at most as many as there are
// places.

import type { PeerAddress } from '../../../base/ids.ts'
import { addressKey } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { JoinedCircuitFacts } from '../../overlay/ports/overlay-facts.ts'
import { DESTROY_REASON } from '../wire/circuit-messages.ts'
import type { EndingCircuit } from './ending-circuit.ts'
import { keyText } from './hop-choice.ts'
import {
  INACTIVE_MS,
  MAINTENANCE_MS,
  MAX_AGE_MS,
  MAX_CIRCUIT_BYTES,
  MAX_INTRODUCTION_AGE_MS,
  REMOVAL_DELAY_MS,
} from './limits.ts'
import type { RelayPath } from './relay-path.ts'

/** One side of a circuit that goes on. */
export interface RelaySide {
  readonly id: number
  readonly address: PeerAddress
  /** 74 bytes: the key of the node that may end it from this side. */
  readonly publicKey: Uint8Array
}

interface RelayPair {
  readonly near: RelaySide
  readonly far: RelaySide
  readonly role: 'relay' | 'rendezvous'
  readonly createdMs: number
  readonly createdAtMs: number
  closing: boolean
  /** Cells of both ways at the last look, and how many looks ago they grew. */
  seen: { near: number; far: number; nearQuiet: number; farQuiet: number }
}

/** What it works with. */
export interface JoinedDeps {
  readonly clock: Clock
  readonly path: RelayPath
  sendDestroy(circuitId: number, reason: number, to: PeerAddress): void
}

/** Looks without traffic after which a circuit ends. */
const QUIET_LOOKS = INACTIVE_MS / MAINTENANCE_MS

/** Circuits of others that run through this node: those that end here, and those that go on. */
export class JoinedCircuits {
  readonly #deps: JoinedDeps
  #places: number
  readonly #ending = new Map<number, EndingCircuit>()
  readonly #quiet = new Map<EndingCircuit, { cells: number; looks: number }>()
  readonly #pairs = new Map<number, RelayPair>()
  /** Called once for each circuit that ended here, when that is over or decided. */
  removed: (circuit: EndingCircuit) => void = () => undefined

  constructor(options: { readonly places: number }, deps: JoinedDeps) {
    this.#places = options.places
    this.#deps = deps
  }

  /** Circuits there may be, and are. */
  get places(): { readonly total: number; readonly taken: number } {
    return { total: this.#places, taken: this.#ending.size + this.#pairs.size / 2 }
  }

  /** The setting changed; what is there stays. */
  setPlaces(places: number): void {
    this.#places = places
  }

  /** Whether a circuit with this id is here. */
  has(id: number): boolean {
    return this.#ending.has(id) || this.#pairs.has(id)
  }

  /** The circuit of this id that ends here. */
  endingAt(id: number): EndingCircuit | undefined {
    return this.#ending.get(id)
  }

  /** All that end here. */
  ending(): Iterable<EndingCircuit> {
    return this.#ending.values()
  }

  /** Takes a circuit that ends here. */
  add(circuit: EndingCircuit): void {
    this.#ending.set(circuit.id, circuit)
    this.#quiet.set(circuit, { cells: 0, looks: 0 })
  }

  /** A circuit that ended here goes on to another hop. */
  extend(circuit: EndingCircuit, far: RelaySide): void {
    const { path } = this.#deps
    const { open, seal } = circuit.layers
    const near = sideOf(circuit)
    path.add(near.id, way(far, near, { open, seal: null, clearsEarly: false }))
    path.add(far.id, way(near, far, { open: null, seal, clearsEarly: false }))
    this.#pair(near, far, 'relay', circuit)
    this.#drop(circuit)
  }

  /** Two circuits that end here become one, of two hidden ends: cells of each go on in the other (8.5). */
  link(a: EndingCircuit, b: EndingCircuit): void {
    const { path } = this.#deps
    const [left, right] = [sideOf(a), sideOf(b)]
    path.add(left.id, way(right, left, { open: a.layers.open, seal: b.layers.seal, clearsEarly: true }))
    path.add(right.id, way(left, right, { open: b.layers.open, seal: a.layers.seal, clearsEarly: true }))
    this.#pair(left, right, 'rendezvous', a)
    this.#drop(a)
    this.#drop(b)
  }

  /** A neighbour says that a circuit ends; false: it is not its neighbour's to end. The others hear of it. */
  destroyed(id: number, publicKey: Uint8Array, reason: number): boolean {
    const key = keyText(publicKey)
    const circuit = this.#ending.get(id)
    if (circuit !== undefined) {
      if (keyText(circuit.publicKey) !== key) return false
      this.remove(circuit)
      return true
    }
    const pair = this.#pairs.get(id)
    if (pair === undefined) return false
    const [from, to] = pair.near.id === id ? [pair.near, pair.far] : [pair.far, pair.near]
    if (keyText(from.publicKey) !== key) return false
    if (!pair.closing && reason !== 0) this.#deps.sendDestroy(to.id, reason, to.address)
    this.#removePair(pair)
    return true
  }

  /** A circuit that ends here is to go: it works a little longer. */
  remove(circuit: EndingCircuit): void {
    if (circuit.closing) return
    circuit.closing = true
    this.removed(circuit)
    this.#deps.clock.after(REMOVAL_DELAY_MS, () => this.#drop(circuit))
  }

  /** Looks for what is silent, old or used up; to be called each MAINTENANCE_MS. */
  look(): void {
    for (const circuit of this.#ending.values()) this.#lookAtEnding(circuit)
    for (const pair of new Set(this.#pairs.values())) this.#lookAtPair(pair)
  }

  /** Ends all, at once; neighbours hear of it. */
  stop(): void {
    const { path, sendDestroy } = this.#deps
    for (const circuit of [...this.#ending.values()]) {
      sendDestroy(circuit.id, DESTROY_REASON.shutdown, circuit.previous)
      this.#drop(circuit)
    }
    for (const [id, pair] of this.#pairs) {
      const side = pair.near.id === id ? pair.near : pair.far
      sendDestroy(id, DESTROY_REASON.shutdown, side.address)
      path.remove(id)
    }
    this.#pairs.clear()
  }

  /** For people. */
  facts(): JoinedCircuitFacts[] {
    const ending = [...this.#ending.values()].map(circuit => ({
      id: circuit.id,
      role: circuit.role,
      from: addressKey(circuit.previous),
      to: null,
      bytesUp: circuit.bytesUp,
      bytesDown: circuit.bytesDown,
      createdAtMs: circuit.createdAtMs,
    }))
    return [...ending, ...[...new Set(this.#pairs.values())].map(pair => this.#factsOf(pair))]
  }

  #factsOf(pair: RelayPair): JoinedCircuitFacts {
    const { near, far, role, createdAtMs } = pair
    return {
      id: near.id,
      role,
      from: addressKey(near.address),
      to: addressKey(far.address),
      bytesUp: this.#deps.path.counts(near.id)?.bytes ?? 0,
      bytesDown: this.#deps.path.counts(far.id)?.bytes ?? 0,
      createdAtMs,
    }
  }

  #pair(near: RelaySide, far: RelaySide, role: RelayPair['role'], of: EndingCircuit): void {
    const { createdMs, createdAtMs } = of
    const seen = { near: 0, far: 0, nearQuiet: 0, farQuiet: 0 }
    const pair: RelayPair = { near, far, role, createdMs, createdAtMs, closing: false, seen }
    this.#pairs.set(near.id, pair)
    this.#pairs.set(far.id, pair)
  }

  #lookAtEnding(circuit: EndingCircuit): void {
    const quiet = this.#quiet.get(circuit)
    if (quiet === undefined || circuit.closing) return
    quiet.looks = quiet.cells === circuit.cells ? quiet.looks + 1 : 0
    quiet.cells = circuit.cells
    const maxAgeMs = circuit.role === 'introduction' ? MAX_INTRODUCTION_AGE_MS : MAX_AGE_MS
    const usedUp = circuit.bytesUp + circuit.bytesDown > MAX_CIRCUIT_BYTES
    if (usedUp) this.#deps.sendDestroy(circuit.id, DESTROY_REASON.unneeded, circuit.previous)
    const old = this.#deps.clock.now() - circuit.createdMs > maxAgeMs
    if (usedUp || old || quiet.looks >= QUIET_LOOKS) this.remove(circuit)
  }

  /** A relay ends when either of its ways is silent. */
  #lookAtPair(pair: RelayPair): void {
    if (pair.closing) return
    const { path, sendDestroy } = this.#deps
    const { near, far, seen } = pair
    const up = path.counts(near.id)
    const down = path.counts(far.id)
    seen.nearQuiet = up === null || up.cells === seen.near ? seen.nearQuiet + 1 : 0
    seen.farQuiet = down === null || down.cells === seen.far ? seen.farQuiet + 1 : 0
    seen.near = up?.cells ?? 0
    seen.far = down?.cells ?? 0
    const usedUp = (up?.bytes ?? 0) + (down?.bytes ?? 0) > MAX_CIRCUIT_BYTES
    if (usedUp) for (const side of [near, far]) sendDestroy(side.id, DESTROY_REASON.unneeded, side.address)
    if (usedUp || Math.max(seen.nearQuiet, seen.farQuiet) >= QUIET_LOOKS) this.#removePair(pair)
  }

  #removePair(pair: RelayPair): void {
    if (pair.closing) return
    pair.closing = true
    this.#deps.clock.after(REMOVAL_DELAY_MS, () => {
      for (const { id } of [pair.near, pair.far]) {
        if (this.#pairs.get(id) !== pair) continue
        this.#pairs.delete(id)
        this.#deps.path.remove(id)
      }
    })
  }

  #drop(circuit: EndingCircuit): void {
    if (this.#ending.get(circuit.id) === circuit) this.#ending.delete(circuit.id)
    this.#quiet.delete(circuit)
    circuit.end()
    if (!circuit.closing) this.removed(circuit)
    circuit.closing = true
  }
}

function sideOf({ id, previous, publicKey }: EndingCircuit): RelaySide {
  return { id, address: previous, publicKey }
}

function way(
  to: RelaySide,
  from: RelaySide,
  layers: Pick<Parameters<RelayPath['add']>[1], 'open' | 'seal' | 'clearsEarly'>,
): Parameters<RelayPath['add']>[1] {
  return { circuitId: to.id, to: to.address, fromIp: from.address.ip, ...layers }
}
