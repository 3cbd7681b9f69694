// Cells of our own circuits that get their layers together. A cell of a quiet circuit gets its own at once. While so
// much is sent that it may be worth a worker (decision 0373), the cells of a turn of the event loop wait for its end:
// many of one circuit get their layers at the worker, fewer here. Order is kept for each circuit: while cells of it are
// away, those that come wait behind them. Where the worker answers late there is no core to spare for it, and it is
// left alone for a while. What finds no room is lost, as datagrams may be.

import type { Clock } from '../../../ports/clock.ts'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES, type LayerKey } from '../../overlay/ports/overlay-crypto.ts'
import type { CellText, OverlayCryptoPool } from '../../overlay/ports/overlay-crypto-pool.ts'
import { SLOT_BYTES } from './limits.ts'

/** From so many layers within a window on, cells are gathered. */
export const GATHER_LAYERS = 96
/** The window, milliseconds. */
export const GATHER_WINDOW_MS = 1
/** From so many layers of one circuit in one turn on, a worker makes them: 64 cells of three hops. */
export const WORKER_LAYERS = 192
/** Cells that wait, of all circuits together: 2 MiB. */
export const MAX_GATHERED = 1_024
/** A worker that takes longer has no core of its own. */
export const LATE_MS = 3
/** It is not asked for so long then. */
export const REST_MS = 1_000
/** Slots that are kept: half a MiB. */
const KEPT_SLOTS = 256

/** A cell that waits for its layers. */
export interface GatheredCell extends CellText {
  readonly early: boolean
}

/** What it works with. */
export interface OutboxDeps {
  readonly pool: Pick<OverlayCryptoPool, 'sealAll'>
  readonly clock: Pick<Clock, 'now'>
  /** Calls at the end of this turn of the event loop; for tests. */
  atEndOfTurn?(run: () => void): void
  /** Bytes that the socket has not taken yet. */
  unsent(): number
}

/** Of all circuits of one overlay. */
export class SealingOutbox {
  readonly #deps: OutboxDeps
  readonly #free: Uint8Array[] = []
  readonly #waiting = new Set<OutgoingCells>()
  #windowMs = 0
  #layers = 0
  #gathers = false
  #restsUntilMs = 0
  #held = 0
  #flushing = false
  /** Cells that found no room. */
  lost = 0
  /** Batches that a worker got. */
  batches = 0

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /** Counts a cell of so many layers; true: it is to wait for the others of this turn. */
  gathers(layers: number): boolean {
    const now = this.#deps.clock.now()
    const passed = now - this.#windowMs
    if (passed >= GATHER_WINDOW_MS) {
      // After a pause nothing is known of what comes now.
      this.#gathers = this.#layers >= GATHER_LAYERS && passed < 4 * GATHER_WINDOW_MS && now >= this.#restsUntilMs
      this.#windowMs = now
      this.#layers = 0
    }
    this.#layers += layers
    return this.#gathers
  }

  /** Memory for a cell; null: too many wait, or it is too long for this. */
  slot(bytes: number): Uint8Array | null {
    if (this.#held >= MAX_GATHERED || bytes > SLOT_BYTES) {
      this.lost++
      return null
    }
    this.#held++
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SLOT_BYTES)
  }

  /** Its cell has left, or never will. */
  giveBack(slot: Uint8Array): void {
    this.#held--
    if (this.#free.length < KEPT_SLOTS && this.#deps.unsent() === 0) this.#free.push(slot)
  }

  /** At the end of this turn `cells` are sealed. */
  later(cells: OutgoingCells): void {
    this.#waiting.add(cells)
    if (this.#flushing) return
    this.#flushing = true
    const { atEndOfTurn = setImmediate } = this.#deps
    atEndOfTurn(() => {
      this.#flushing = false
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      for (const one of waiting) one.seal()
    })
  }

  /** Layers of a turn: here and at once, or, where there are many, by the worker. */
  sealAll(keys: readonly LayerKey[], cells: readonly CellText[]): readonly boolean[] | Promise<readonly boolean[]> {
    const began = this.#deps.clock.now()
    if (keys.length * cells.length < WORKER_LAYERS || began < this.#restsUntilMs) return sealHere(keys, cells)
    this.batches++
    return this.#deps.pool.sealAll(keys, cells).finally(() => {
      const now = this.#deps.clock.now()
      if (now - began > LATE_MS) this.#restsUntilMs = now + REST_MS
    })
  }
}

/** Of one circuit. */
export class OutgoingCells {
  readonly #outbox: SealingOutbox
  readonly #keys: () => readonly LayerKey[]
  readonly #leave: (cell: GatheredCell) => void
  #cells: GatheredCell[] = []
  #away = false

  /** `keys`: innermost first. `leave` gets each cell that has its layers, in order. */
  constructor(outbox: SealingOutbox, keys: () => readonly LayerKey[], leave: (cell: GatheredCell) => void) {
    this.#outbox = outbox
    this.#keys = keys
    this.#leave = leave
  }

  /** Whether cells wait, so that others have to wait behind them. */
  get busy(): boolean {
    return this.#away || this.#cells.length > 0
  }

  put(cell: GatheredCell): void {
    this.#cells.push(cell)
    if (!this.#away) this.#outbox.later(this)
  }

  /** The turn is over. */
  seal(): void {
    if (this.#away || this.#cells.length === 0) return
    const cells = this.#cells
    this.#cells = []
    const fine = this.#outbox.sealAll(this.#keys(), cells)
    if (!(fine instanceof Promise)) return this.#go(cells, fine)
    this.#away = true
    fine.then(
      all => this.#back(cells, all),
      () => this.#back(cells, []),
    )
  }

  #back(cells: readonly GatheredCell[], fine: readonly boolean[]): void {
    this.#away = false
    this.#go(cells, fine)
    if (this.#cells.length > 0) this.#outbox.later(this)
  }

  #go(cells: readonly GatheredCell[], fine: readonly boolean[]): void {
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] as GatheredCell
      // A cell without its layers never leaves.
      if (fine[at] === true) this.#leave(cell)
      this.#outbox.giveBack(cell.bytes)
    }
  }
}

function sealHere(keys: readonly LayerKey[], cells: readonly CellText[]): boolean[] {
  return cells.map(({ bytes, start, end }) =>
    keys.every((key, i) => key.seal(bytes, start - i * LAYER_HEAD_BYTES, end + i * LAYER_TAG_BYTES)),
  )
}
