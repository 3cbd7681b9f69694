// What the messages inside cells mean, by their numbers: one table for circuits of our own, one for circuits that end
// here. Hidden services add to both. Invariant: a handler never sees a malformed message, and never throws out of the
// table.

import { DecodeError } from '../../../base/errors.ts'
import type { Shape, ValuesOf } from '../../overlay/wire/fields.ts'
import { type CellMessage, decodeCellMessage } from '../../overlay/wire/message.ts'

type Handler<C> = (circuit: C, cell: Uint8Array, at: number, end: number) => void

/** Handlers of messages of one kind of circuit. */
export class CellHandlers<C> {
  readonly #handlers = new Map<number, Handler<C>>()
  #dropped = 0

  /** Messages that were malformed, or that were not asked for. */
  get dropped(): number {
    return this.#dropped
  }

  /**
   * Byte strings of `values` are views of the cell: copy what is kept. Throws RangeError when the number has a handler.
   */
  on<S extends Shape>(message: CellMessage<S>, run: (circuit: C, values: ValuesOf<S>) => void): void {
    this.onRaw(message.id, (circuit, cell, at, end) => run(circuit, decodeCellMessage(message, cell, at, end)))
  }

  /** The text as it lies in the cell, from its number at `at` to `end`. May throw DecodeError. */
  onRaw(id: number, run: Handler<C>): void {
    if (this.#handlers.has(id)) throw new RangeError(`message ${id} has a handler`)
    this.#handlers.set(id, run)
  }

  /** Hands a text to its handler. */
  handle(circuit: C, cell: Uint8Array, at: number, end: number): void {
    const handler = this.#handlers.get(cell[at] as number)
    if (handler === undefined) {
      this.#dropped++
      return
    }
    try {
      handler(circuit, cell, at, end)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#dropped++
    }
  }

  /** A handler did not like what it got. */
  countDropped(): void {
    this.#dropped++
  }
}
