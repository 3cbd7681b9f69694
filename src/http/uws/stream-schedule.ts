// What all streams share: how much may be written in one turn of the event loop, the timer that keeps blocked
// connections alive, and the number of open streams.
// The native server aborts a response that waits for its client for about 10 s. Pausing and resuming the socket in one
// go restarts that time and costs no read (measured; the decision note on stalled readers has the figures).

import type { Clock, Timer } from '../../ports/clock.ts'

/** Bytes written to all streams in one turn: keeps the loop's delay under 8 ms with 100 fast readers (measured). */
const TURN_BYTES = 4 * 1024 * 1024
/** Below half of the native 10 s, so that one late timer does no harm. */
const REARM_MS = 4000

/** A stream whose client does not take what is there. */
export interface BlockedStream {
  /** Restarts the native server's time. */
  rearm(): void
  /** Ends the stream and its connection. */
  cut(): void
}

/** Shares one event loop between streams, and watches over the blocked ones. */
export class StreamSchedule {
  readonly #clock: Clock
  readonly #silentMs: number
  readonly #blocked = new Map<BlockedStream, number>()
  readonly #waiting: (() => void)[] = []
  #timer: Timer | null = null
  #left = TURN_BYTES
  #turnPending = false

  /** A stream that stays blocked for `silentMs` is cut. */
  constructor(clock: Clock, silentMs: number) {
    this.#clock = clock
    this.#silentMs = silentMs
  }

  /** Takes the right to write `bytes` now, or later: streams that wait get it in the order they asked. */
  turn(bytes: number): undefined | Promise<void> {
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#take(bytes)
      return undefined
    }
    return new Promise(resolve => {
      this.#waiting.push(() => {
        this.#take(bytes)
        resolve()
      })
      this.#nextTurn()
    })
  }

  /** Gives back what turn() took and was not used. */
  unused(bytes: number): void {
    this.#left = Math.min(TURN_BYTES, this.#left + bytes)
  }

  /** The stream waits for its client from now on. */
  block(stream: BlockedStream): void {
    this.#blocked.set(stream, this.#clock.now())
    this.#timer ??= this.#clock.every(REARM_MS, () => this.#watch())
  }

  /** The stream goes on, or has ended. */
  unblock(stream: BlockedStream): void {
    this.#blocked.delete(stream)
    if (this.#blocked.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
  }

  #take(bytes: number): void {
    this.#left -= bytes
    this.#nextTurn()
  }

  #nextTurn(): void {
    if (this.#turnPending) return
    this.#turnPending = true
    setImmediate(() => {
      this.#turnPending = false
      this.#left = TURN_BYTES
      while (this.#left > 0) {
        const next = this.#waiting.shift()
        if (next === undefined) return
        next()
      }
      if (this.#waiting.length > 0) this.#nextTurn()
    })
  }

  #watch(): void {
    const now = this.#clock.now()
    for (const [stream, since] of this.#blocked) {
      if (now - since >= this.#silentMs) stream.cut()
      else stream.rearm()
    }
  }
}
