// The thread's side of reading: asks for a range, stops until it is answered, and copies it out of the shared memory.

import { type ByteSource, NotHere, ReadFailed } from '../core/byte-source.ts'
import { type RangeWanted, SHARED_HEAD_BYTES, SHARED_READ_BYTES, STATE, WORD } from './thread-messages.ts'

/** A film whose bytes the node puts into shared memory. */
export class SharedSource implements ByteSource {
  readonly size: number
  /** How long it has waited, ms. */
  waitedMs = 0
  readonly #words: Int32Array
  readonly #bytes: Uint8Array
  readonly #ask: (wanted: RangeWanted) => void
  readonly #now: () => number

  /** `ask`: sends a message to the node, which answers by the words of `shared`; `now`: ms of a clock that goes on. */
  constructor(size: number, shared: SharedArrayBuffer, ask: (wanted: RangeWanted) => void, now: () => number) {
    this.size = size
    this.#words = new Int32Array(shared, 0, SHARED_HEAD_BYTES / 4)
    this.#bytes = new Uint8Array(shared, SHARED_HEAD_BYTES, SHARED_READ_BYTES)
    this.#ask = ask
    this.#now = now
  }

  read(start: number, end: number): Uint8Array {
    const out = new Uint8Array(end - start)
    for (let at = 0; at < out.length; ) {
      const length = Math.min(SHARED_READ_BYTES, out.length - at)
      const state = this.#await({ kind: 'wanted', start: start + at, length })
      if (state === STATE.notHere) throw new NotHere({ start, end })
      const count = Math.min(length, Atomics.load(this.#words, WORD.count))
      if (state !== STATE.there || count <= 0) throw new ReadFailed('its bytes could not be read')
      out.set(this.#bytes.subarray(0, count), at)
      at += count
    }
    return out
  }

  #await(wanted: RangeWanted): number {
    const since = this.#now()
    Atomics.store(this.#words, WORD.state, STATE.asked)
    this.#ask(wanted)
    Atomics.wait(this.#words, WORD.state, STATE.asked)
    this.waitedMs += this.#now() - since
    return Atomics.load(this.#words, WORD.state)
  }
}
