// A long answer that lies in memory, on its way to a client: handed over in steps, so that a turn of the event loop
// stays short however many answers are under way, and by tryEnd, so that the native side holds no second copy.
// Invariant: it waits either for its turn or for the client, never for both.

import type { HttpResponse } from './native.ts'

/** Bytes handed over at a time. */
const STEP_BYTES = 256 * 1024

/** Takes the right to write so many bytes now, or later. */
export type TakeTurn = (bytes: number) => undefined | Promise<void>

/** What it asks of its reply. */
export interface LongBodyHooks {
  readonly takeTurn: TakeTurn
  alive(): boolean
  /** The client has everything. */
  complete(): void
}

/** One body, in parts that follow each other. */
export class LongBody {
  readonly #res: HttpResponse
  readonly #parts: readonly Uint8Array[]
  readonly #length: number
  readonly #hooks: LongBodyHooks
  #part = 0
  /** Bytes of the parts before #part. */
  #before = 0
  #offset = 0
  #waitsForTurn = false

  constructor(res: HttpResponse, parts: readonly Uint8Array[], length: number, hooks: LongBodyHooks) {
    this.#res = res
    this.#parts = parts
    this.#length = length
    this.#hooks = hooks
  }

  /**
   * Goes on, inside a cork: until the end, the turn's budget or the client's buffer. False when the client must take
   * first.
   */
  write(): boolean {
    while (this.#hooks.alive() && !this.#waitsForTurn) {
      const chunk = this.#chunk()
      const turn = this.#hooks.takeTurn(chunk.length)
      if (turn !== undefined) return this.#later(turn, chunk)
      if (!this.#hand(chunk)) return false
    }
    return true
  }

  #later(turn: Promise<void>, chunk: Uint8Array): true {
    this.#waitsForTurn = true
    void turn.then(() => {
      this.#waitsForTurn = false
      if (!this.#hooks.alive()) return
      this.#res.cork(() => {
        if (this.#hand(chunk)) this.write()
      })
    })
    return true
  }

  /** False when the client took less. */
  #hand(chunk: Uint8Array): boolean {
    const [taken, complete] = this.#res.tryEnd(chunk, this.#length)
    if (complete) {
      this.#hooks.complete()
      return true
    }
    this.#offset = this.#res.getWriteOffset()
    return taken
  }

  #chunk(): Uint8Array {
    for (;;) {
      const part = this.#parts[this.#part] as Uint8Array
      const at = this.#offset - this.#before
      if (at < part.length) return part.subarray(at, at + STEP_BYTES)
      this.#before += part.length
      this.#part += 1
    }
  }
}
