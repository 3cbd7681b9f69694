// A long answer that lies in memory, on its way to a client: handed over in steps, so that a turn of the event loop
// stays short however many answers are under way, and by tryEnd, so that the native side holds no second copy.
// Invariant: it waits either for its turn or for the client, never for both.

import type { HttpResponse } from './native.ts'
import type { SlowAnswer, SlowReaders } from './slow-readers.ts'

/** Bytes handed over at a time. */
const STEP_BYTES = 256 * 1024
/** Corked writes up to this length go into the native buffer instead of the socket. */
const CORK_BYTES = 16 * 1024
/** No rest shorter than this is left for a step of its own. */
const MIN_REST_BYTES = 2 * CORK_BYTES

/** Takes the right to write so many bytes now, or later. */
export type TakeTurn = (bytes: number) => undefined | Promise<void>

/** What it asks of its reply. */
export interface LongBodyHooks {
  readonly takeTurn: TakeTurn
  alive(): boolean
  /** The client has everything. */
  complete(): void
  /** Ends the connection. */
  cut(): void
  /** Its client may read slowly; null: the native server's 10 s run while it takes nothing. */
  readonly slow: Pick<SlowReaders, 'block' | 'unblock'> | null
}

/** One body, in parts that follow each other. */
export class LongBody implements SlowAnswer {
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

  /** Bytes that the client has taken. */
  get taken(): number {
    return this.#offset
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

  /** Goes on, outside of a cork, because the client has room. False when it must take more first. */
  writable(): boolean {
    if (!this.#hooks.alive()) return true
    this.#hooks.slow?.unblock(this)
    // In a cork a short rest would go into the native buffer, the answer count as complete, and the native server cut
    // a client that pauses just there.
    if (!this.#waitsForTurn && this.#length - this.#offset <= CORK_BYTES && !this.#hand(this.#chunk())) return false
    return this.write()
  }

  /** See BlockedStream. */
  rearm(): void {
    if (!this.#hooks.alive()) return
    this.#res.pause()
    this.#res.resume()
  }

  /** See BlockedStream. */
  cut(): void {
    this.#hooks.cut()
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
    if (!taken) this.#hooks.slow?.block(this)
    return taken
  }

  #chunk(): Uint8Array {
    for (;;) {
      const part = this.#parts[this.#part] as Uint8Array
      const at = this.#offset - this.#before
      if (at < part.length) return part.subarray(at, at + this.#stepFor(part.length - at))
      this.#before += part.length
      this.#part += 1
    }
  }

  /** Bytes of the next step, `there` of them in its part. */
  #stepFor(there: number): number {
    const most = Math.min(there, STEP_BYTES)
    const rest = this.#length - this.#offset - most
    return rest > 0 && rest < MIN_REST_BYTES && most > 2 * MIN_REST_BYTES ? most - MIN_REST_BYTES : most
  }
}
