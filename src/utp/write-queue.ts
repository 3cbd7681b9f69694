// What the user has written and no packet has taken yet. The bytes are not copied here but straight into packets, once
// there is room in the window: a write is "sent", and its memory free again, when its last byte was copied (decision
// 0251).

import { copyBytes } from '../wire/peer/copy-bytes.ts'

interface Write {
  readonly bytes: Uint8Array
  readonly sent: (() => void) | undefined
}

/** Emptied entries at the head before the list is moved together. */
const MAX_SPENT = 64

/** Writes in order. */
export class WriteQueue {
  #writes: Write[] = []
  #head = 0
  /** Bytes of the first write that are copied already. */
  #copied = 0
  #bytes = 0
  #done: (() => void)[] = []

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** True when takeDone() has something. */
  get hasDone(): boolean {
    return this.#done.length > 0
  }

  /** Adds a write; `sent` comes out of takeDone() once its bytes were copied. */
  add(bytes: Uint8Array, sent: (() => void) | undefined): void {
    if (bytes.length === 0) {
      // In its turn: after the writes before it.
      if (sent !== undefined && this.#bytes === 0) this.#done.push(sent)
      else if (sent !== undefined) this.#writes.push({ bytes, sent })
      return
    }
    this.#writes.push({ bytes, sent })
    this.#bytes += bytes.length
  }

  /** Copies up to `max` bytes into `target` at `at`; answers how many. */
  copyInto(target: Uint8Array, at: number, max: number): number {
    let left = Math.min(max, this.#bytes)
    const total = left
    while (left > 0) {
      const { bytes } = this.#writes[this.#head] as Write
      const count = Math.min(left, bytes.length - this.#copied)
      // What an upload reads lies in shared memory, and never where a packet's payload begins.
      copyBytes(bytes.subarray(this.#copied, this.#copied + count), target, at + total - left)
      left -= count
      this.#copied += count
      if (this.#copied === bytes.length) this.#next()
    }
    this.#bytes -= total
    this.#skipEmpty()
    return total
  }

  /** The callbacks of finished writes, each once. */
  takeDone(): (() => void)[] {
    const done = this.#done
    if (done.length > 0) this.#done = []
    return done
  }

  /** Forgets what waits; all its writes count as finished. */
  drop(): void {
    while (this.#head < this.#writes.length) this.#next()
    this.#bytes = 0
  }

  #skipEmpty(): void {
    while (this.#writes[this.#head]?.bytes.length === 0) this.#next()
  }

  #next(): void {
    const sent = this.#writes[this.#head]?.sent
    if (sent !== undefined) this.#done.push(sent)
    this.#head += 1
    this.#copied = 0
    if (this.#head === this.#writes.length) {
      this.#writes = []
      this.#head = 0
    } else if (this.#head > MAX_SPENT) {
      this.#writes.splice(0, this.#head)
      this.#head = 0
    }
  }
}
