// One circuit of our own: its hops with their layers, cells out and in, counts. What the messages mean is elsewhere
// (cell-handlers.ts); this only puts layers on and takes them off. Invariant: a circuit that is closed sends nothing
// and receives nothing.

import type { PeerAddress } from '../../../base/ids.ts'
import { LAYER_BYTES, LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../../overlay/ports/overlay-crypto.ts'
import type { CircuitPurpose, CircuitState } from '../../overlay/ports/overlay-facts.ts'
import { CELL_HEADER_BYTES, EARLY_CELLS, writeCellHead } from '../wire/cell.ts'
import { data } from '../wire/circuit-messages.ts'
import type { HopCandidate } from './hop-choice.ts'
import type { OpeningLayer } from './opening-layer.ts'
import { type GatheredCell, OutgoingCells, type SealingOutbox } from './sealing-outbox.ts'
import type { SlotRing } from './slot-ring.ts'

/** A hop that we share keys with. */
export interface CircuitHop {
  /** 74 bytes. */
  readonly publicKey: Uint8Array
  /** SHA-1 of the key in hex. */
  readonly member: string
  /** Null: the hop before it knows it. */
  readonly address: PeerAddress | null
  readonly seal: LayerKey
  readonly open: OpeningLayer
  /** Zeroes the keys. */
  wipe(): void
}

/** The layer that only the other end of linked circuits can read. */
export interface EndToEndLayer {
  readonly seal: LayerKey
  readonly open: OpeningLayer
  wipe(): void
}

/** Who may be the last hop: an exit for BitTorrent; an exit before a relay; a relay before an exit. */
export type LastHopKind = 'exit' | 'introduction' | 'relay'

/** What a circuit is to become. */
export interface CircuitPlan {
  readonly id: number
  readonly purpose: CircuitPurpose
  readonly goalHops: number
  /** The last hop that it must have; null: any of the kind. */
  readonly required: HopCandidate | null
  readonly lastKind: LastHopKind
  /** Keys of nodes that must not be the last hop; absent: none. */
  readonly except?: readonly Uint8Array[]
  readonly createdMs: number
  readonly createdAtMs: number
}

/** What it sends with. */
export interface CircuitWire {
  readonly prefix: Uint8Array
  readonly ring: SlotRing
  /** Where cells get their layers together under load; absent: each gets its own at once. */
  readonly outbox?: SealingOutbox
  send(cell: Uint8Array, to: PeerAddress): void
}

/** Where the text of an opened cell lies in its memory. */
export interface OpenedText {
  readonly at: number
  readonly end: number
}

/** The encoded form of "no address". */
const NO_ORIGIN = Uint8Array.of(1, 0, 0, 0, 0, 0, 0)

/** One circuit of our own: its hops with their layers, cells out and in, counts. */
export class OwnCircuit {
  readonly id: number
  readonly purpose: CircuitPurpose
  readonly goalHops: number
  readonly required: HopCandidate | null
  readonly lastKind: LastHopKind
  readonly except: readonly Uint8Array[]
  readonly createdMs: number
  readonly createdAtMs: number
  readonly #wire: CircuitWire
  readonly #hops: CircuitHop[] = []
  #state: CircuitState = 'EXTENDING'
  #reason: string | null = null
  #asked: Uint8Array | null = null
  #firstHop: PeerAddress | null = null
  #endToEnd: EndToEndLayer | null = null
  #early = 0
  /** Cells that wait for their layers; null: none ever did. */
  #outgoing: OutgoingCells | null = null
  #gone = false
  bytesUp = 0
  bytesDown = 0
  cellsUp = 0
  cellsDown = 0
  /** Cells that could not be read. */
  cellsBad = 0

  constructor(plan: CircuitPlan, wire: CircuitWire) {
    this.id = plan.id
    this.purpose = plan.purpose
    this.goalHops = plan.goalHops
    this.required = plan.required
    this.lastKind = plan.lastKind
    this.except = plan.except ?? []
    this.createdMs = plan.createdMs
    this.createdAtMs = plan.createdAtMs
    this.#wire = wire
  }

  get state(): CircuitState {
    return this.#state
  }

  /** Why it is closing, or cannot go on being built; null: neither. For people. */
  get reason(): string | null {
    return this.#reason
  }

  get hops(): readonly CircuitHop[] {
    return this.#hops
  }

  /** Carries data: it has all its hops and is not closing. */
  get ready(): boolean {
    return this.#state === 'READY'
  }

  /** Who was asked last to be the next hop; null: none since the last hop answered. */
  get asked(): Uint8Array | null {
    return this.#asked
  }

  /** A hop is asked. */
  asks(publicKey: Uint8Array): void {
    this.#asked = publicKey
  }

  /** Why no node can be asked now; null: one can. */
  waitsFor(reason: string | null): void {
    if (this.#state === 'EXTENDING') this.#reason = reason
  }

  /** Where its cells go and come from; null: no node was asked yet. */
  get firstHop(): PeerAddress | null {
    return this.#firstHop
  }

  /** Cells leave for here from now on: the first hop is asked. */
  setFirstHop(address: PeerAddress): void {
    this.#firstHop = address
  }

  /** A hop answered. */
  addHop(hop: CircuitHop): void {
    this.#hops.push(hop)
    this.#asked = null
    if (this.#hops.length >= this.goalHops && this.#state === 'EXTENDING') this.#state = 'READY'
  }

  /** The layer of the other end of linked circuits; null: none. */
  get endToEnd(): EndToEndLayer | null {
    return this.#endToEnd
  }

  /** From now on all cells carry one more, innermost layer. */
  link(layer: EndToEndLayer): void {
    this.#endToEnd = layer
  }

  /** It is to go: nothing new begins on it. Cells may still come and go until end(). */
  close(reason: string): void {
    if (this.#state === 'CLOSING') return
    this.#state = 'CLOSING'
    this.#reason = reason
  }

  /** Nothing goes in or out any more. */
  end(): void {
    this.#gone = true
    for (const hop of this.#hops) hop.wipe()
    this.#endToEnd?.wipe()
  }

  /** Sends a cell in clear: a create. */
  sendPlain(text: Uint8Array): void {
    const slot = this.#wire.ring.take(CELL_HEADER_BYTES + text.length)
    slot.set(text, CELL_HEADER_BYTES)
    this.#leave(slot, CELL_HEADER_BYTES + text.length, true, false)
  }

  /**
   * Sends a message (its number and payload) to the last hop, or the other end. `early`: it must be marked so (extend).
   */
  send(text: Uint8Array, early = false): void {
    const at = this.#textAt()
    const outgoing = this.#gathering()
    const slot = this.#slot(at + text.length + this.#tags(), outgoing)
    if (slot === null) return
    slot.set(text, at)
    if (outgoing === null) this.#seal(slot, at, text.length, early)
    else outgoing.put({ bytes: slot, start: at, end: at + text.length, early })
  }

  /** Sends a datagram to leave at the exit for `destination` (an encoded addr). */
  sendData(destination: Uint8Array, payload: Uint8Array, origin: Uint8Array = NO_ORIGIN): void {
    const at = this.#textAt()
    const length = 1 + destination.length + origin.length + payload.length
    const outgoing = this.#gathering()
    const slot = this.#slot(at + length + this.#tags(), outgoing)
    if (slot === null) return
    slot[at] = data.id
    slot.set(destination, at + 1)
    slot.set(origin, at + 1 + destination.length)
    slot.set(payload, at + 1 + destination.length + origin.length)
    if (outgoing === null) this.#seal(slot, at, length, false)
    else outgoing.put({ bytes: slot, start: at, end: at + length, early: false })
  }

  /** Takes all layers off in place; null: it cannot be read, and is counted. */
  open(cell: Uint8Array): OpenedText | null {
    if (this.#gone) return null
    this.bytesDown += cell.length
    let at = CELL_HEADER_BYTES
    let end = cell.length
    for (const { open } of this.#hops) {
      if (!open.open(cell, at, end)) return this.#bad()
      at += LAYER_HEAD_BYTES
      end -= LAYER_TAG_BYTES
    }
    if (this.#endToEnd !== null) {
      if (!this.#endToEnd.open.open(cell, at, end)) return this.#bad()
      at += LAYER_HEAD_BYTES
      end -= LAYER_TAG_BYTES
    }
    if (at >= end || this.#hops.length === 0) return this.#bad()
    this.cellsDown++
    return { at, end }
  }

  #bad(): null {
    this.cellsBad++
    return null
  }

  #layers(): number {
    return this.#hops.length + (this.#endToEnd === null ? 0 : 1)
  }

  #textAt(): number {
    return CELL_HEADER_BYTES + LAYER_HEAD_BYTES * this.#layers()
  }

  #tags(): number {
    return LAYER_TAG_BYTES * this.#layers()
  }

  /** Where a cell has to wait for its layers; null: it gets them at once. */
  #gathering(): OutgoingCells | null {
    const { outbox } = this.#wire
    if (outbox === undefined) return null
    const gathers = outbox.gathers(this.#layers())
    if (!gathers && this.#outgoing?.busy !== true) return null
    this.#outgoing ??= new OutgoingCells(
      outbox,
      () => this.#sealKeys(),
      cell => this.#sealed(cell),
    )
    return this.#outgoing
  }

  #slot(bytes: number, outgoing: OutgoingCells | null): Uint8Array | null {
    if (outgoing === null) return this.#wire.ring.take(bytes)
    return this.#wire.outbox?.slot(bytes) ?? null
  }

  /** Innermost first. */
  #sealKeys(): LayerKey[] {
    const keys = this.#hops.map(({ seal }) => seal).reverse()
    return this.#endToEnd === null ? keys : [this.#endToEnd.seal, ...keys]
  }

  #sealed({ bytes, end, early }: GatheredCell): void {
    this.#leave(bytes, end + this.#tags(), false, early)
  }

  /** Puts the layers around the text, the last hop's first, and sends. */
  #seal(slot: Uint8Array, textAt: number, textLength: number, early: boolean): void {
    let at = textAt
    let length = textLength
    if (this.#endToEnd !== null) {
      this.#endToEnd.seal.seal(slot, at, at + length)
      at -= LAYER_HEAD_BYTES
      length += LAYER_BYTES
    }
    for (let hop = this.#hops.length - 1; hop >= 0; hop--) {
      this.#hops[hop]?.seal.seal(slot, at, at + length)
      at -= LAYER_HEAD_BYTES
      length += LAYER_BYTES
    }
    this.#leave(slot, at + length, false, early)
  }

  #leave(slot: Uint8Array, bytes: number, plain: boolean, early: boolean): void {
    const to = this.#firstHop
    if (to === null || this.#gone) return
    const { prefix } = this.#wire
    writeCellHead(slot, prefix, { circuitId: this.id, plain, early: early || this.#early < EARLY_CELLS })
    if (this.#early < EARLY_CELLS) this.#early++
    this.cellsUp++
    this.bytesUp += bytes
    this.#wire.send(slot.subarray(0, bytes), to)
  }
}
