// Another node's circuit that ends here: its one layer, who is before us, and counts. While it may still be extended it
// also remembers which peers we offered. The meaning of its messages is elsewhere (cell-handlers.ts).

import type { PeerAddress } from '../../../base/ids.ts'
import type { Peer } from '../../overlay/core/index.ts'
import { LAYER_BYTES, LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../../overlay/ports/overlay-crypto.ts'
import { CELL_HEADER_BYTES, writeCellHead } from '../wire/cell.ts'
import { data } from '../wire/circuit-messages.ts'
import type { OpeningLayer } from './opening-layer.ts'
import type { CircuitWire, OpenedText } from './own-circuit.ts'

/** What it does for others: nothing special, or a part in a hidden swarm. */
export type EndingRole = 'exit' | 'introduction' | 'rendezvous'

/** How it came to be. */
export interface EndingPlan {
  readonly id: number
  readonly previous: PeerAddress
  /** The key of who is before us: only that may end the circuit. */
  readonly publicKey: Uint8Array
  readonly open: OpeningLayer
  readonly seal: LayerKey
  /** Peers we offered as next hop, by key text. */
  readonly offered: ReadonlyMap<string, Peer>
  readonly createdMs: number
  readonly createdAtMs: number
}

/** The encoded form of "no address". */
const NO_DESTINATION = Uint8Array.of(1, 0, 0, 0, 0, 0, 0)

/** Another node's circuit that ends here: its one layer, who is before us, and counts. */
export class EndingCircuit {
  readonly id: number
  readonly previous: PeerAddress
  readonly publicKey: Uint8Array
  readonly layers: { readonly open: OpeningLayer; readonly seal: LayerKey }
  readonly offered: ReadonlyMap<string, Peer>
  readonly createdMs: number
  readonly createdAtMs: number
  readonly #wire: CircuitWire
  readonly #endings: (() => void)[] = []
  #gone = false
  role: EndingRole = 'exit'
  /** It is to go soon: nothing new begins on it. */
  closing = false
  bytesUp = 0
  bytesDown = 0
  cells = 0
  /** Cells that could not be read. */
  cellsBad = 0

  constructor(plan: EndingPlan, wire: CircuitWire) {
    this.id = plan.id
    this.previous = plan.previous
    this.publicKey = plan.publicKey
    this.layers = { open: plan.open, seal: plan.seal }
    this.offered = plan.offered
    this.createdMs = plan.createdMs
    this.createdAtMs = plan.createdAtMs
    this.#wire = wire
  }

  get gone(): boolean {
    return this.#gone
  }

  /** Runs `run` when the circuit ends here, or goes on to another hop. */
  onEnd(run: () => void): void {
    if (this.#gone) run()
    else this.#endings.push(run)
  }

  /** Nothing goes in or out any more. */
  end(): void {
    if (this.#gone) return
    this.#gone = true
    for (const run of this.#endings.splice(0)) run()
  }

  /** Takes the layer off in place; null: it cannot be read, and is counted. */
  open(cell: Uint8Array): OpenedText | null {
    if (this.#gone) return null
    const end = cell.length
    if (end - CELL_HEADER_BYTES <= LAYER_BYTES || !this.layers.open.open(cell, CELL_HEADER_BYTES, end)) {
      this.cellsBad++
      return null
    }
    this.bytesUp += end
    this.cells++
    return { at: CELL_HEADER_BYTES + LAYER_HEAD_BYTES, end: end - LAYER_TAG_BYTES }
  }

  /** Sends a message (its number and payload) back to the originator. */
  send(text: Uint8Array): void {
    const slot = this.#wire.ring.take(CELL_HEADER_BYTES + LAYER_BYTES + text.length)
    slot.set(text, CELL_HEADER_BYTES + LAYER_HEAD_BYTES)
    this.#leave(slot, text.length)
  }

  /** Sends a datagram back that came from `origin` (an encoded addr). */
  sendData(origin: Uint8Array, payload: Uint8Array, destination: Uint8Array = NO_DESTINATION): void {
    const length = 1 + destination.length + origin.length + payload.length
    const slot = this.#wire.ring.take(CELL_HEADER_BYTES + LAYER_BYTES + length)
    const at = CELL_HEADER_BYTES + LAYER_HEAD_BYTES
    slot[at] = data.id
    slot.set(destination, at + 1)
    slot.set(origin, at + 1 + destination.length)
    slot.set(payload, at + 1 + destination.length + origin.length)
    this.#leave(slot, length)
  }

  #leave(slot: Uint8Array, textLength: number): void {
    if (this.#gone) return
    const { prefix } = this.#wire
    writeCellHead(slot, prefix, { circuitId: this.id, plain: false, early: false })
    const at = CELL_HEADER_BYTES + LAYER_HEAD_BYTES
    this.layers.seal.seal(slot, at, at + textLength)
    const bytes = CELL_HEADER_BYTES + LAYER_BYTES + textLength
    this.bytesDown += bytes
    this.cells++
    this.#wire.send(slot.subarray(0, bytes), this.previous)
  }
}
