// Cells on their way through this node, the busiest path of all: a cell comes, one layer goes off or on, it leaves
// under another circuit id. Nothing is allocated for a cell but the view that is sent. Behind an interface, so that
// native code may do the same.

import type { PeerAddress } from '../../../base/ids.ts'
import { LAYER_BYTES, LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../../overlay/ports/overlay-crypto.ts'
import {
  CELL_EARLY_AT,
  CELL_HEADER_BYTES,
  CELL_PLAIN_AT,
  circuitIdOf,
  EARLY_CELLS,
  setCircuitId,
  writeCellHead,
} from '../wire/cell.ts'
import type { OpeningLayer } from './opening-layer.ts'
import type { SlotRing } from './slot-ring.ts'

/** Where cells of one circuit id go, and what is done to them. */
export interface RelayWay {
  readonly circuitId: number
  readonly to: PeerAddress
  /** Where its cells come from; those from elsewhere are dropped. */
  readonly fromIp: string
  /** Taken off first, where there is one. */
  readonly open: OpeningLayer | null
  /** Put on then, where there is one. */
  readonly seal: LayerKey | null
  /** Rendezvous points clear relay_early. */
  readonly clearsEarly: boolean
}

/** What went one way. */
export interface RelayCounts {
  readonly cells: number
  readonly bytes: number
}

/** Cells that were not passed on, by reason. */
export interface RelayDrops {
  /** Layer could not be taken off: forged, corrupted or repeated. */
  readonly unreadable: number
  /** In clear, marked early too late, or from a stranger. */
  readonly forbidden: number
}

/** Passes cells on. */
export interface RelayPath {
  readonly drops: RelayDrops
  /** Bytes of all cells passed on. */
  readonly bytes: number
  /** Cells with the id `from` go the way `way` from now on. */
  add(from: number, way: RelayWay): void
  remove(from: number): void
  /** Null: no such way. */
  counts(from: number): RelayCounts | null
  /** Passes a cell on, or drops it; false: its id has no way here. May change `cell`. */
  take(cell: Uint8Array, from: PeerAddress): boolean
}

class Way {
  readonly way: RelayWay
  cells = 0
  bytes = 0
  /** Counts as the network does: from 1, every cell. */
  early = 1

  constructor(way: RelayWay) {
    this.way = way
  }
}

/** RelayPath in JavaScript. */
export class PlainRelayPath implements RelayPath {
  readonly #send: (cell: Uint8Array, to: PeerAddress) => void
  readonly #ring: SlotRing
  readonly #prefix: Uint8Array
  /** By circuit id as signed number: small integers need no memory of their own. */
  readonly #ways = new Map<number, Way>()
  #unreadable = 0
  #forbidden = 0
  #bytes = 0

  constructor(deps: {
    readonly prefix: Uint8Array
    readonly ring: SlotRing
    readonly send: (cell: Uint8Array, to: PeerAddress) => void
  }) {
    this.#prefix = deps.prefix
    this.#ring = deps.ring
    this.#send = deps.send
  }

  get drops(): RelayDrops {
    return { unreadable: this.#unreadable, forbidden: this.#forbidden }
  }

  get bytes(): number {
    return this.#bytes
  }

  add(from: number, way: RelayWay): void {
    this.#ways.set(from | 0, new Way(way))
  }

  remove(from: number): void {
    this.#ways.delete(from | 0)
  }

  counts(from: number): RelayCounts | null {
    return this.#ways.get(from | 0) ?? null
  }

  take(cell: Uint8Array, from: PeerAddress): boolean {
    const way = this.#ways.get(circuitIdOf(cell) | 0)
    if (way === undefined) return false
    if (!this.#allowed(cell, from, way)) return true
    const { open, seal } = way.way
    const end = cell.length
    if (open !== null && !open.open(cell, CELL_HEADER_BYTES, end)) {
      this.#unreadable++
      return true
    }
    if (seal === null) this.#shorter(cell, way)
    else if (open === null) this.#longer(cell, way, CELL_HEADER_BYTES, end)
    else this.#longer(cell, way, CELL_HEADER_BYTES + LAYER_HEAD_BYTES, end - LAYER_TAG_BYTES)
    return true
  }

  #allowed(cell: Uint8Array, from: PeerAddress, way: Way): boolean {
    const early = cell[CELL_EARLY_AT] !== 0
    if (cell[CELL_PLAIN_AT] !== 0 || (early && way.early >= EARLY_CELLS) || from.ip !== way.way.fromIp) {
      this.#forbidden++
      return false
    }
    way.early++
    return true
  }

  /** A layer less: the header moves up to the text, and the cell leaves from the memory it came in. */
  #shorter(cell: Uint8Array, way: Way): void {
    const { circuitId, to, clearsEarly } = way.way
    cell.copyWithin(LAYER_HEAD_BYTES, 0, CELL_HEADER_BYTES)
    setCircuitId(cell, circuitId, LAYER_HEAD_BYTES)
    if (clearsEarly) cell[CELL_EARLY_AT + LAYER_HEAD_BYTES] = 0
    this.#leave(cell.subarray(LAYER_HEAD_BYTES, cell.length - LAYER_TAG_BYTES), to, way)
  }

  /** A layer around the text from `from` to `end`, in a slot. */
  #longer(cell: Uint8Array, way: Way, from: number, end: number): void {
    const { circuitId, to, seal, clearsEarly } = way.way
    const length = end - from
    const bytes = CELL_HEADER_BYTES + length + LAYER_BYTES
    const slot = this.#ring.take(bytes)
    const at = CELL_HEADER_BYTES + LAYER_HEAD_BYTES
    slot.set(cell.subarray(from, end), at)
    writeCellHead(slot, this.#prefix, { circuitId, plain: false, early: !clearsEarly && cell[CELL_EARLY_AT] !== 0 })
    seal?.seal(slot, at, at + length)
    this.#leave(slot.subarray(0, bytes), to, way)
  }

  #leave(cell: Uint8Array, to: PeerAddress, way: Way): void {
    way.cells++
    way.bytes += cell.length
    this.#bytes += cell.length
    this.#send(cell, to)
  }
}
